package rewriter

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"absolink/resolver"
	"absolink/rewriter/internal/markup"
)

// A Rewriter makes the URLs in HTML documents absolute. The zero value is
// ready to use. Its fields must not change after the first use; its methods
// may be called from any number of goroutines.
type Rewriter struct {
	// Profile is the standard that references are resolved by. An outer base
	// must be of the same profile.
	Profile resolver.Profile

	// Rules say which attributes are places; nil is HTML().
	Rules []Rule

	// KeepFragments leaves references alone that are a fragment and nothing
	// else. By default they are resolved like others (RFC 1808 §5.1).
	KeepFragments bool

	// RemoveBase cuts the href out of every BASE, where a base is known: nothing
	// that is rewritten needs it any more. Fragments are then resolved where it
	// was in force, whatever KeepFragments says. By default the href stays, made
	// absolute, for scripts to go by.
	RemoveBase bool

	// WholeDocument has a BASE count wherever it stands, as browsers do, not only
	// in the HEAD; one in a body that a frameset replaces does not. Without one in
	// the HEAD the document is held up to the BASE or to its end, Hold bytes at
	// most.
	WholeDocument bool

	// IgnoreSaved leaves comments alone in which browsers and savers say, before
	// the body, where they had a page from. By default that is the outer base where
	// the caller gives none.
	IgnoreSaved bool

	// Canonical has the URL of link rel=canonical or of og:url in the HEAD, if it
	// is absolute, be the outer base where there is no other.
	Canonical bool

	// Hold is how many bytes may be held back, from the first relative
	// reference on, until it is known whether a BASE follows it in the HEAD;
	// 0 is 16 MiB. Past that the outer base decides, and Warn is told. UTF-16 and
	// ISO-2022-JP, which are held decoded as well, count double.
	Hold int

	// MaxTag is how many bytes of one tag may be held, or of a text that is a
	// place: of style, and by JSON and Comments of a script or comment; 0 is 1
	// MiB. Each attribute counts 32 more. It does not count values of more than
	// 64 KiB that are absolute URLs, such as data: URLs, or no place: they pass
	// as they come, and Visit does not see them. A tag that is longer stays as it
	// is, from where it became too long, a text whole, and Warn is told.
	MaxTag int

	// Visit is called for every place in document order, after resolution
	// and before anything is written. It may change p.URL to have something
	// else written, or set it to "" to leave the value as it stands. What is not
	// UTF-8 in that is percent-encoded. An error ends the run. p is not to be kept.
	Visit func(p *Place) error

	// Unresolvable is shown every place whose reference has no absolute form,
	// with p.Err set. It costs nothing where there is none, unlike Visit.
	Unresolvable func(p *Place)

	// Warn is told of what does not end a run and is no place's: a BASE that
	// gives no base, a limit that was hit.
	Warn func(offset int64, err error)

	trace func(offset int64, t *markup.Tag, b []byte, ns markup.Namespace) // shows every start tag to tests

	once    sync.Once
	set     *ruleSet
	invalid error     // what is wrong with the fields
	engines sync.Pool // *engine, to be used again with their buffers
}

const (
	defaultHold   = 16 << 20
	defaultMaxTag = 1 << 20
)

// Clone returns a Rewriter with the same exported fields, which may be changed.
func (rw *Rewriter) Clone() *Rewriter {
	return &Rewriter{
		Profile: rw.Profile, Rules: rw.Rules,
		KeepFragments: rw.KeepFragments, RemoveBase: rw.RemoveBase, WholeDocument: rw.WholeDocument,
		IgnoreSaved: rw.IgnoreSaved, Canonical: rw.Canonical,
		Hold: rw.Hold, MaxTag: rw.MaxTag,
		Visit: rw.Visit, Unresolvable: rw.Unresolvable, Warn: rw.Warn,
	}
}

// A Result says what a run did.
type Result struct {
	Base       Base // the base URL that references were resolved against
	Overridden Base // the base URL of an outer layer, which Base took the place of

	// Places by what became of them. Left ones have a relative reference, or
	// none, and stay as they are: no base is known, the meaning is local, or
	// Visit said so.
	Rewritten, Absolute, Left, Unresolvable int

	Removed int // BASEs that lost their href

	Warnings int // what Warn was told, or would have been
}

// Add adds the counts of another run, as of another document in a container.
func (r *Result) Add(other Result) {
	r.Rewritten += other.Rewritten
	r.Absolute += other.Absolute
	r.Left += other.Left
	r.Unresolvable += other.Unresolvable
	r.Removed += other.Removed
	r.Warnings += other.Warnings
}

// A Document is an HTML document in a container: a part of a message, an entry
// of a feed, a record of an archive.
type Document struct {
	Name       string // in the container: of a file, a URL, the id of a record; "" where the offset says enough
	Offset     int64  // of its first byte, in the container; -1 where that is not one sequence of bytes
	Outer      Base   // the base URL that the container gives it
	Overridden Base   // the base URL of the container that Outer took the place of

	Result Result // of rewriting it, when that is done
}

// Done takes the result of rewriting the document. Of its outer base that then says
// what the container knows: where it came from, and what it took the place of.
func (d *Document) Done(r Result) {
	switch OuterBase {
	case r.Base.Source:
		r.Base = d.Outer
		if d.Overridden.URL != nil {
			r.Overridden = d.Overridden
		}
	case r.Overridden.Source:
		r.Overridden = d.Outer
	}
	d.Result = r
}

// Rewrite copies the document src, which may be a Source, to dst with its
// references made absolute and nothing else changed. Where dst is nil nothing is
// written. A document in a *bytes.Reader is read where it is, and parts of it go
// to dst uncopied. outer is the base URL where the document embeds none: that of
// the encapsulating entity or the retrieval URL; it may be nil. What is not UTF-8 in
// it is percent-encoded.
//
// An error is an [*Error] and says that reading or writing failed, or Visit;
// what was written is then a prefix of the whole output. Any other error is that
// of Validate, or says that outer is of another profile; nothing has been read
// then. A reference that cannot be resolved is no error: its bytes stay, and Visit
// sees it.
//
// outer counts as ParseBase would have it: what is too long, a script or data is
// no base, and a user or password is left out. Warn is told at offset 0.
func (rw *Rewriter) Rewrite(dst io.Writer, src io.Reader, outer *resolver.Base) (Result, error) {
	if err := rw.check(outer); err != nil {
		return Result{}, err
	}
	e := rw.begin(dst, outer)
	err := e.run(src)
	result := e.result
	rw.release(e)
	return result, err
}

// A Splicer is told what becomes of a document, instead of being written the
// whole: for documents that stand in a container in another form, such as a
// transfer encoding, in which what stays is to keep its bytes. Offsets are those
// of the document, also where it is a [Source] with an At. Each call goes on where
// the last one ended.
type Splicer interface {
	// Keep says that the input up to end stays.
	Keep(end int64) error

	// Replace says that b comes in place of the input up to end, after what an earlier
	// call has put in place of what ends there. b is not to be kept.
	Replace(end int64, b []byte) error
}

// Splice is Rewrite for a Splicer.
func (rw *Rewriter) Splice(dst Splicer, src io.Reader, outer *resolver.Base) (Result, error) {
	if err := rw.check(outer); err != nil {
		return Result{}, err
	}
	e := rw.begin(nil, outer)
	e.splicer = dst
	err := e.run(src)
	result := e.result
	rw.release(e)
	return result, err
}

// Places returns the places in the document src in document order, as Visit
// would see them; Visit is not called, and nothing is written. A place is good
// until the next. An error ends them: reading failed, or it is one of Rewrite's
// that come before it reads.
func (rw *Rewriter) Places(src io.Reader, outer *resolver.Base) iter.Seq2[*Place, error] {
	return func(yield func(*Place, error) bool) {
		if err := rw.check(outer); err != nil {
			yield(nil, err)
			return
		}
		e := rw.begin(nil, outer)
		e.visitor = func(p *Place) error {
			if !yield(p, nil) {
				return errStop
			}
			return nil
		}
		err := e.run(src)
		rw.release(e)
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

var errStop = errors.New("no more places are wanted")

// Validate reports what is wrong with the fields: a negative limit, or a rule that
// fits nothing. All methods return that error, too, and do nothing.
func (rw *Rewriter) Validate() error {
	rw.once.Do(func() {
		rules := rw.Rules
		if rules == nil {
			rules = HTML()
		}
		if rw.invalid = rw.validate(rules); rw.invalid == nil {
			rw.set = newRuleSet(rules)
		}
	})
	return rw.invalid
}

func (rw *Rewriter) validate(rules []Rule) error {
	switch {
	case rw.Profile > resolver.WHATWG:
		return fmt.Errorf("rewriter: Profile is %d: it is not known", rw.Profile)
	case rw.Hold < 0:
		return fmt.Errorf("rewriter: Hold is negative: %d", rw.Hold)
	case rw.MaxTag < 0:
		return fmt.Errorf("rewriter: MaxTag is negative: %d", rw.MaxTag)
	}
	for i := range rules {
		if err := rules[i].check(); err != nil {
			return err
		}
	}
	return nil
}

// check is Validate for a run on an outer base.
func (rw *Rewriter) check(outer *resolver.Base) error {
	if err := rw.Validate(); err != nil {
		return err
	}
	if outer != nil && outer.Profile() != rw.Profile {
		return fmt.Errorf("rewriter: outer base of profile %s in a Rewriter of profile %s", outer.Profile(), rw.Profile)
	}
	return nil
}

// begin returns an engine for a document that goes to dst, on the outer base of
// a caller.
func (rw *Rewriter) begin(dst io.Writer, outer *resolver.Base) *engine {
	e := rw.engine()
	outer, e.refused = usableBase(outer)
	e.begins(dst, outer, e.options())
	return e
}

// engine returns one that is free, or a new one. It is as reset leaves it.
func (rw *Rewriter) engine() *engine {
	if e, ok := rw.engines.Get().(*engine); ok {
		return e
	}
	return newEngine(rw)
}

// release makes e free to be used again. One whose run has panicked, in a
// caller's function, is not released: it may have the caller's memory.
func (rw *Rewriter) release(e *engine) {
	e.reset()
	rw.engines.Put(e)
}
