package rewriter

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"

	"absolink/resolver"
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

	// KeepFragments keeps references that are only a fragment. By default they are
	// resolved like others (RFC 1808 §5.1).
	KeepFragments bool

	// RemoveBase removes the URL of every BASE, if a base is known: no rewritten
	// reference needs it any more. Its href becomes "#", which is the URL of the document.
	// Where the BASE counted, references that are only a fragment are then resolved, even
	// with KeepFragments. By default the href stays, made absolute, because scripts may
	// depend on it.
	RemoveBase bool

	// WholeDocument lets a BASE count wherever it stands, as in browsers, and not only
	// in the HEAD. A BASE in a body that a frameset replaces does not count. If the
	// HEAD has none, the document is held up to a BASE or to its end, for at most
	// Hold bytes.
	WholeDocument bool

	// IgnoreSaved ignores the comments before the body in which browsers and savers
	// leave the URL of a page. By default that URL is the outer base if the caller
	// gives none.
	IgnoreSaved bool

	// Canonical takes the URL of link rel=canonical or of og:url in the HEAD, if it is
	// absolute, for the outer base where there is no other.
	Canonical bool

	// Text sets Place.Text, to the text of a link: what stands between the tags of an a,
	// with the alt of each img there, or the alt of an area. It is the first 200
	// characters, in UTF-8, with one space for each stretch of white space, and is looked
	// for in the 8 KiB after the start tag. Where an a has no end tag, the text ends at
	// the next a. A start tag of more than 64 KiB and an element of a tree get none.
	Text bool

	// Hold is how many bytes may be held back, from the first relative reference on,
	// until it is known whether a BASE follows in the HEAD; 0 is 16 MiB. After that
	// the outer base is used, and Warn is told. UTF-16 and ISO-2022-JP count double,
	// because they are held decoded as well.
	Hold int

	// MaxTag is how many bytes of one tag may be held, of the text of a style element,
	// or of a rule in a style sheet that stands alone, and with the rules of JSON,
	// Modules, Comments and AllComments of a script or comment; 0 is 1 MiB. Each
	// attribute counts for 32 bytes more. Values of more than 64 KiB do not count if
	// they are absolute URLs, such as data: URLs, or not places: they stream, and Visit
	// does not see them. Of a longer tag, the part after MaxTag bytes stays as it is; a
	// longer text stays whole. Warn is told of both.
	MaxTag int

	// Visit is called for every place in document order, after p is resolved and
	// before it is written. Visit may change p.URL, which is what is written; bytes in
	// it that are not UTF-8 are percent-encoded. "" keeps the value as it is. An error
	// ends the run. p is valid only during the call.
	Visit func(p *Place) error

	// Unresolvable is called for every place whose reference has no absolute form;
	// p.Err says why. Unlike Visit, it takes no time for other places.
	Unresolvable func(p *Place)

	// Warn is told of what is wrong with the document, other than with one place: a
	// BASE that cannot be a base, a limit that was reached. The run goes on. The offset
	// is in bytes from the start of the input.
	Warn func(offset int64, err error)

	once    sync.Once
	set     *ruleSet
	invalid error     // what is wrong with the fields
	engines sync.Pool // *engine, to be used again with their buffers
}

const (
	defaultHold   = 16 << 20
	defaultMaxTag = 1 << 20
)

// Clone returns a copy of rw, whose fields may be changed.
func (rw *Rewriter) Clone() *Rewriter {
	return &Rewriter{
		Profile: rw.Profile, Rules: slices.Clone(rw.Rules),
		KeepFragments: rw.KeepFragments, RemoveBase: rw.RemoveBase, WholeDocument: rw.WholeDocument,
		IgnoreSaved: rw.IgnoreSaved, Canonical: rw.Canonical, Text: rw.Text,
		Hold: rw.Hold, MaxTag: rw.MaxTag,
		Visit: rw.Visit, Unresolvable: rw.Unresolvable, Warn: rw.Warn,
	}
}

// A Result says what a run did.
type Result struct {
	Base       Base // the base URL against which references were resolved
	Overridden Base // the base URL of an outer layer that Base overrides

	// How many places there were, by what became of them. The places under Left are
	// relative or empty, and stay: no base is known, they mean the same whatever the base
	// is, or Visit kept them.
	Rewritten, Absolute, Left, Unresolvable int

	Removed int // how many BASE elements had their URL removed

	Warnings int // how often Warn was told, or would have been
}

// Add adds the counts of another run, such as that over another document in a container.
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
	Name       string // its name in the container: a file name, a URL, the id of a record; "" if the offset says enough
	Offset     int64  // of its first byte, in the container; -1 if the container is not one sequence of bytes
	Outer      Base   // the base URL that the container gives it
	Overridden Base   // the base URL of the container that Outer overrides

	Result Result // of rewriting it, when that is done
}

// Done sets Result to the result of rewriting the document. If that names the outer base,
// Done replaces it by what the container knows: Outer, and what Outer overrides.
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

// Rewrite copies the document src to dst with its references made absolute and nothing
// else changed. src may be a Source. If dst is nil, nothing is written. A document in a
// *bytes.Reader is not copied: parts of it go to dst as they are.
//
// outer is the base URL for a document that embeds none: the base of the encapsulating
// entity, or the retrieval URL. It may be nil. The rules of ParseBase apply: a URL that
// is too long, a script or data is not a base, and a user or password is left out. Warn
// is told of that, at offset 0. White space in outer is
// percent-encoded, and so are bytes that are not UTF-8.
//
// If reading, writing or Visit fails, the error is an [*Error], and the output is a prefix
// of the whole output. Any other error is the error of Validate, or says that outer is of
// another profile; nothing has been read then. A reference that cannot be resolved is not
// an error: its bytes stay, and Visit sees it.
func (rw *Rewriter) Rewrite(dst io.Writer, src io.Reader, outer *resolver.Base) (Result, error) {
	if err := rw.check(outer); err != nil {
		return Result{}, err
	}
	e := rw.newRun(dst, outer)
	err := e.run(src)
	result := e.results()
	rw.free(e)
	return result, err
}

// A Splicer is told which parts of a document stay and which are replaced. It is for
// documents that stand in a container in another form, such as a transfer encoding, in
// which the parts that stay shall keep their bytes. Offsets are offsets in the document,
// even if it is a [Source] with an At. Each call goes on where the last one ended, and
// the last call ends at the end of the document.
type Splicer interface {
	// Keep says that the document stays as it is up to end.
	Keep(end int64) error

	// Replace says that b replaces the document up to end. If an earlier call ended at
	// end too, b is inserted after what that call put there. b is valid only during the
	// call.
	Replace(end int64, b []byte) error
}

// Splice is Rewrite, with a Splicer in the place of a writer.
func (rw *Rewriter) Splice(dst Splicer, src io.Reader, outer *resolver.Base) (Result, error) {
	if err := rw.check(outer); err != nil {
		return Result{}, err
	}
	e := rw.newRun(nil, outer)
	e.splicer = dst
	err := e.run(src)
	result := e.results()
	rw.free(e)
	return result, err
}

// Places returns the places in the document src, in document order, as Visit would see
// them. It does not call Visit, and writes nothing. A place is valid until the next
// iteration. The errors are the same as Rewrite's, and end the iteration.
func (rw *Rewriter) Places(src io.Reader, outer *resolver.Base) iter.Seq2[*Place, error] {
	return func(yield func(*Place, error) bool) {
		if err := rw.check(outer); err != nil {
			yield(nil, err)
			return
		}
		e := rw.newRun(nil, outer)
		e.visitor = func(p *Place) error {
			if !yield(p, nil) {
				return errStop
			}
			return nil
		}
		err := e.run(src)
		rw.free(e)
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

var errStop = errors.New("no more places are wanted")

// Validate returns an error if the fields cannot be used: a limit is negative, or a rule
// fits nothing. The methods that read a document then return the same error, and do
// nothing.
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

// check is Validate, and also checks the profile of the outer base of a run.
func (rw *Rewriter) check(outer *resolver.Base) error {
	if err := rw.Validate(); err != nil {
		return err
	}
	if outer != nil && outer.Profile() != rw.Profile {
		return fmt.Errorf("rewriter: outer base of profile %s in a Rewriter of profile %s", outer.Profile(), rw.Profile)
	}
	return nil
}

// newRun returns an engine for a document that goes to dst. outer is the outer base that
// the caller gives.
func (rw *Rewriter) newRun(dst io.Writer, outer *resolver.Base) *engine {
	e := rw.engine()
	outer, e.refused = usableBase(outer)
	e.startDocument(dst, outer, e.options())
	return e
}

// engine returns a free engine, or a new one, in the state in which reset leaves it.
func (rw *Rewriter) engine() *engine {
	if e, ok := rw.engines.Get().(*engine); ok {
		return e
	}
	return newEngine(rw)
}

// free makes e free to be used again. An engine whose run has panicked, in a function
// of the caller, is never released: it may still refer to the caller's memory.
func (rw *Rewriter) free(e *engine) {
	e.reset()
	rw.engines.Put(e)
}
