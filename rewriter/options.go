package rewriter

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"absolink/resolver"
	"absolink/rewriter/internal/syntax"
)

// Options say what a [Rewriter] does. The zero value has the defaults.
type Options struct {
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
}

const (
	defaultHold   = 16 << 20
	defaultMaxTag = 1 << 20
)

// check returns an error if the options cannot be used.
func (o *Options) check() error {
	switch {
	case o.Profile > resolver.WHATWG:
		return fmt.Errorf("rewriter: Profile is %d: it is not known", o.Profile)
	case o.Hold < 0:
		return fmt.Errorf("rewriter: Hold is negative: %d", o.Hold)
	case o.MaxTag < 0:
		return fmt.Errorf("rewriter: MaxTag is negative: %d", o.MaxTag)
	}
	for i := range o.Rules {
		if err := o.Rules[i].check(); err != nil {
			return err
		}
	}
	if len(o.Rules) > 0 && !slices.ContainsFunc(o.Rules, func(r Rule) bool { return !r.Drop }) {
		return errors.New("rewriter: Rules: they only remove places, so there are none; name the groups to remove from before them, such as html")
	}
	return nil
}

// Settings are what options come to: no limit is 0, no rules are nil, and rules and patterns
// are ready to use.
type settings struct {
	Options
	rules *ruleSet
	keep  []syntax.Glob
}

// newSettings returns the settings of options.
func newSettings(o Options) (*settings, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	keep, err := parseKeep(o.Keep)
	if err != nil {
		return nil, err
	}
	s := &settings{Options: o, keep: keep}
	s.Keep = slices.Clone(o.Keep)
	s.Hold, s.MaxTag = cmp.Or(o.Hold, defaultHold), cmp.Or(o.MaxTag, defaultMaxTag)
	if s.Rules, s.rules = defaultRules(), defaultSet(); o.Rules != nil && !slices.Equal(o.Rules, s.Rules) {
		s.Rules = slices.Clone(o.Rules)
		s.rules = newRuleSet(s.Rules)
	}
	return s, nil
}

// defaultRules returns the rules of options without rules, and defaultSet the set of them.
var (
	defaultRules = sync.OnceValue(HTML)
	defaultSet   = sync.OnceValue(func() *ruleSet { return newRuleSet(defaultRules()) })
)

// defaults returns the settings of no options.
var defaults = sync.OnceValue(func() *settings {
	s, _ := newSettings(Options{})
	return s
})

// keeps reports whether a pattern of Keep fits a reference.
func (s *settings) keeps(ref []byte) bool {
	return slices.ContainsFunc(s.keep, func(g syntax.Glob) bool { return g.Match(ref) })
}
