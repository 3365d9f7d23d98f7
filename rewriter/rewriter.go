package rewriter

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"

	"absolink/resolver"
	"absolink/rewriter/internal/syntax"
)

// A Rewriter makes the URLs in HTML documents absolute. The zero value is ready to use, and
// a nil *Rewriter stands for it. The first use reads all fields: what changes later has no
// effect on the documents of this Rewriter. [Rewriter.Validate] is not a use, and
// [Rewriter.Clone] makes a Rewriter whose fields may change. Methods may be called from any
// number of goroutines.
type Rewriter struct {
	// Profile is the standard that references are resolved by. An outer base
	// must be of the same profile.
	Profile resolver.Profile

	// Rules say which attributes are places, in place of the default: nil is HTML(). To add
	// a rule, set append(HTML(), rule).
	Rules []Rule

	// KeepFragments keeps references that are only a fragment. By default they are
	// resolved like others (RFC 1808 §5.1).
	KeepFragments bool

	// Keep has patterns of references that stay as they are, unless they are absolute
	// anyway: the merge tags of a template, such as "{{*" and `\*|*`, or one link, such as
	// "/go/?id=1". In a pattern, "*" stands for any run of characters, also of slashes, and
	// every other character for itself; `\*` stands for a star, and `\\` for a backslash. A
	// pattern has to fit all of a reference as Place.Ref has it: as it is written, without
	// white space around it, and with character references decoded. A place that is kept has
	// the Err [ErrKept] and no URL; Visit sees it, and may set one. If a pattern fits the BASE
	// that counts, absolute or not, links that need it stay, too, and Warn is told. There may
	// be 256 patterns, of 1024 bytes each.
	Keep []string

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

	// MaxTag is how many bytes may be held of one tag, or of one text whose references
	// are places: of style, script or a comment. In a style sheet that stands alone, it
	// is how many bytes may be held of one rule. 0 is 1 MiB. A value of more than 64 KiB
	// that is an absolute URL or not a place does not count: it streams, and Visit does
	// not see it. Beyond the limit, the rest of a tag and the whole of a text stay as
	// they are, and Warn is told.
	MaxTag int

	// Visit is called for every place in document order, after p is resolved and
	// before it is written. Visit may change p.URL, which is what is written; bytes in
	// it that are not UTF-8 are percent-encoded. "" keeps the value as it is. An error
	// ends the run. After a panic that the caller recovers, a Reader or Writer of the run
	// returns an error and writes nothing more; rw can be used again. p is valid only during
	// the call.
	Visit func(p *Place) error

	// Unresolvable is called for every place whose reference has no absolute form;
	// p.Err says why. If no base is known, it is called for relative references, which
	// Result counts under Left. Unlike Visit, it takes no time for other places.
	Unresolvable func(p *Place)

	// Warn is told of what is wrong with the document, other than with one place: a
	// BASE that cannot be a base, a limit that was reached. The run goes on. The offset
	// is in bytes from the start of the input.
	Warn func(offset int64, err error)

	once    sync.Once
	frozen  *Rewriter // as the first use found it; nil where invalid is not
	invalid error     // what is wrong with the fields

	// Of frozen.
	set  *ruleSet
	keep []syntax.Glob
}

// unset is what a nil *Rewriter stands for.
var unset Rewriter

// Clone returns a copy of rw, whose fields may be changed. A nil rw is cloned to a new
// Rewriter.
func (rw *Rewriter) Clone() *Rewriter {
	c := new(Rewriter)
	if rw == nil {
		return c
	}
	to := reflect.ValueOf(c).Elem()
	for i, field := range rw.fields() {
		to.Field(i).Set(field)
	}
	c.Rules, c.Keep = slices.Clone(rw.Rules), slices.Clone(rw.Keep)
	return c
}

// Settings returns one line of text, which says everything in rw that decides what is
// written, except Visit. Fields that stand for a default have its value. The text is for
// comparing and hashing; another version may write it in another form.
func (rw *Rewriter) Settings() string {
	c := rw.withLimits()
	c.Text = false // for Visit alone
	if c.Rules == nil {
		c.Rules = HTML()
	}
	var line strings.Builder
	for i, field := range c.fields() {
		switch name := reflect.TypeFor[Rewriter]().Field(i).Name; {
		case name == "Rules":
			fmt.Fprintf(&line, "%s=%#v ", name, c.Rules) // Rule.String leaves some fields out
		case field.Kind() == reflect.Slice:
			fmt.Fprintf(&line, "%s=%q ", name, field)
		case field.Kind() != reflect.Func:
			fmt.Fprintf(&line, "%s=%v ", name, field)
		}
	}
	return line.String()
}

// fields returns the exported fields with their indices.
func (rw *Rewriter) fields() iter.Seq2[int, reflect.Value] {
	return func(yield func(int, reflect.Value) bool) {
		v := reflect.ValueOf(rw).Elem()
		for _, i := range exported() {
			if !yield(i, v.Field(i)) {
				return
			}
		}
	}
}

// exported returns the indices of the exported fields of a Rewriter.
var exported = sync.OnceValue(func() (indices []int) {
	t := reflect.TypeFor[Rewriter]()
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			indices = append(indices, i)
		}
	}
	return indices
})

// withLimits returns a clone in which each limit that is 0 has the value of its default.
func (rw *Rewriter) withLimits() *Rewriter {
	c := rw.Clone()
	c.Hold, c.MaxTag = cmp.Or(c.Hold, defaultHold), cmp.Or(c.MaxTag, defaultMaxTag)
	return c
}

// Validate returns an error if the fields cannot be used: a limit is negative, a rule or
// a pattern of Keep fits nothing, or all rules only remove places. The methods that read a document then return the same error, and do
// nothing. Validate does not count as the first use of rw: its fields may still change.
func (rw *Rewriter) Validate() error {
	switch {
	case rw == nil:
		return nil
	case rw.Profile > resolver.WHATWG:
		return fmt.Errorf("rewriter: Profile is %d: it is not known", rw.Profile)
	case rw.Hold < 0:
		return fmt.Errorf("rewriter: Hold is negative: %d", rw.Hold)
	case rw.MaxTag < 0:
		return fmt.Errorf("rewriter: MaxTag is negative: %d", rw.MaxTag)
	}
	for i := range rw.Rules {
		if err := rw.Rules[i].check(); err != nil {
			return err
		}
	}
	if len(rw.Rules) > 0 && !slices.ContainsFunc(rw.Rules, func(r Rule) bool { return !r.Drop }) {
		return errors.New("rewriter: Rules: they only remove places, so there are none; name the groups to remove from before them, such as html")
	}
	_, err := parseKeep(rw.Keep)
	return err
}

// freeze returns the Rewriter as the first use found it, with its rule set.
func (rw *Rewriter) freeze() (*Rewriter, error) {
	rw = cmp.Or(rw, &unset)
	rw.once.Do(func() {
		c := rw.Clone()
		if rw.invalid = c.Validate(); rw.invalid != nil {
			return
		}
		if c.set = defaultSet(); c.Rules != nil {
			c.set = newRuleSet(c.Rules)
		}
		c.keep, _ = parseKeep(c.Keep) // Validate saw it
		rw.frozen = c
	})
	return rw.frozen, rw.invalid
}

// defaultSet returns the rule set of a Rewriter without rules.
var defaultSet = sync.OnceValue(func() *ruleSet { return newRuleSet(HTML()) })

// forRun returns the Rewriter as the first use found it, for a run with an outer base.
func (rw *Rewriter) forRun(outer *resolver.Base) (*Rewriter, error) {
	frozen, err := rw.freeze()
	if err != nil {
		return nil, err
	}
	return frozen, frozen.checkProfile(outer)
}

// checkProfile returns an error if the outer base of a run, which may be nil, is of another
// profile.
func (rw *Rewriter) checkProfile(outer *resolver.Base) error {
	if outer != nil && outer.Profile() != rw.Profile {
		return fmt.Errorf("rewriter: outer base of profile %s in a Rewriter of profile %s; parse it with ParseBase of the Rewriter", outer.Profile(), rw.Profile)
	}
	return nil
}

const (
	defaultHold   = 16 << 20
	defaultMaxTag = 1 << 20
)

// Keeps reports whether a pattern of Keep fits a reference, which is as Place.Ref has it. It
// is for references that stand outside of documents, such as in the header of a response.
func (rw *Rewriter) Keeps(ref string) bool {
	frozen, err := rw.freeze()
	return err == nil && frozen.keeps([]byte(ref))
}

func (rw *Rewriter) keeps(ref []byte) bool {
	return slices.ContainsFunc(rw.keep, func(g syntax.Glob) bool { return g.Match(ref) })
}
