package rewriter

import (
	"fmt"
	"slices"

	"absolink/resolver"
)

// A Rewriter makes the URLs in HTML documents absolute. It never changes, and any number of
// goroutines may use it at once. The zero value has the default [Options], and so has a nil
// *Rewriter. What a run finds is told to the [Hooks] that [Rewriter.With] gives it.
type Rewriter struct {
	options *settings // nil for the defaults
	hooks   Hooks
}

// New returns a Rewriter with these options, and without hooks. It keeps no slice of the
// options. An error says that options cannot be used: a limit is negative, a rule or a
// pattern of Keep fits nothing, or all rules only remove places.
func New(o Options) (*Rewriter, error) {
	s, err := newSettings(o)
	if err != nil {
		return nil, err
	}
	return &Rewriter{options: s}, nil
}

// Must returns rw, and panics if err is not nil. It is for options that are part of a program:
//
//	var links = rewriter.Must(rewriter.New(rewriter.Options{Rules: rewriter.Links()}))
func Must(rw *Rewriter, err error) *Rewriter {
	if err != nil {
		panic(err)
	}
	return rw
}

// With returns a Rewriter that does what rw does, and tells h in place of the hooks of rw.
// It costs one small allocation, so that each run can have hooks of its own:
//
//	result, err := rw.With(rewriter.Hooks{Warn: warn}).Rewrite(dst, src, base)
func (rw *Rewriter) With(h Hooks) *Rewriter { return &Rewriter{rw.settings(), h} }

// Hooks returns the hooks of rw. A package that hands documents to rw can put its own around
// them, with [Rewriter.With].
func (rw *Rewriter) Hooks() Hooks {
	if rw == nil {
		return Hooks{}
	}
	return rw.hooks
}

// Options returns the options of rw, with the default in place of each limit that is 0 and
// of rules that are nil. Its slices are those of rw, and must not be changed.
func (rw *Rewriter) Options() Options {
	o := rw.settings().Options
	o.Rules, o.Keep = slices.Clip(o.Rules), slices.Clip(o.Keep)
	return o
}

// Profile returns the standard that rw resolves by.
func (rw *Rewriter) Profile() resolver.Profile { return rw.settings().Profile }

func (rw *Rewriter) settings() *settings {
	if rw == nil || rw.options == nil {
		return defaults()
	}
	return rw.options
}

// CheckBase returns an error if outer, which may be nil, is of another profile than rw. The
// methods that read a document return the same error, and do nothing.
func (rw *Rewriter) CheckBase(outer *resolver.Base) error {
	if outer != nil && outer.Profile() != rw.Profile() {
		return fmt.Errorf("rewriter: outer base of profile %s in a Rewriter of profile %s; parse it with ParseBase of the Rewriter", outer.Profile(), rw.Profile())
	}
	return nil
}
