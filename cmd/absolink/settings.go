package main

import (
	"fmt"
	"sync"

	"absolink/internal/listing"
	"absolink/resolver"
	"absolink/rewriter"
)

// A settings value is what the options say of documents, made once and never changed. Any
// number of goroutines may use it at the same time.
type settings struct {
	html    *rewriter.Rewriter // without hooks; it parses bases, and a clone of it rewrites documents
	rules   ruleOptions        // what html.Rules are made of
	kind    kind               // what each document is, by --type; "" where that is seen from it
	charset string             // of each document, by --charset; "" where it is seen from the document
	fetches fetchOptions
	in      containerOptions
	pools   *rewriters // of the Rewriters that lend gives out, which all have these rules
}

// settings returns the settings for HTML alone. The options must be valid.
func (o *htmlOptions) settings() *settings {
	html := &rewriter.Rewriter{
		Profile: o.Profile, Hold: o.Hold.Int(), MaxTag: o.MaxTag.Int(),
		KeepFragments: o.KeepFragments, Keep: o.Keep, RemoveBase: o.BaseTag == "remove", WholeDocument: o.Scope == "document",
	}
	return (&settings{html: html}).withRules(o.ruleOptions)
}

// settings returns the settings for HTML in containers. The options must be valid.
func (o *readOptions) settings() *settings {
	s := o.htmlOptions.settings()
	s.charset = o.Charset
	return s
}

// settings returns the settings for all documents. The options must be valid.
func (o *documentOptions) settings() *settings {
	s := o.readOptions.settings()
	s.html.IgnoreSaved, s.html.Canonical = o.NoSavedFrom, o.Canonical
	s.fetches, s.in = o.fetchOptions, o.containerOptions
	if o.Type != "auto" {
		s.kind = kind(o.Type)
	}
	return s
}

// withRules returns the settings with other rules, which must be valid.
func (s *settings) withRules(rules ruleOptions) *settings {
	table, err := rules.table()
	if err != nil {
		panic(err) // Validate saw it
	}
	with := *s
	with.html = s.html.Clone()
	with.html.Rules, with.rules, with.pools = table, rules, new(rewriters)
	return &with
}

// hooks are the functions that hear of one document. Each function may be nil.
type hooks struct {
	visit        func(*rewriter.Place) error // rewriting is faster without it, and without unresolvable
	text         bool                        // visit wants Place.Text
	warn         func(offset int64, err error)
	unresolvable func(*rewriter.Place)
	end          func(*rewriter.Document) // after each document in a file
}

// rewriter returns a new Rewriter that calls the hooks, except h.end: opened.rewrite calls that.
// The caller may change the fields of the Rewriter.
func (s *settings) rewriter(h hooks) *rewriter.Rewriter {
	rw := s.html.Clone()
	rw.Visit, rw.Text, rw.Warn, rw.Unresolvable = h.visit, h.text, h.warn, h.unresolvable
	return rw
}

// A shared Rewriter is used for one document after another, because its rules are costly to
// prepare. It tells the hooks of its current document.
type shared struct {
	*rewriter.Rewriter
	hooks
}

// rewriters are pools of the shared Rewriters that no document has at the moment, by hooks.pool.
type rewriters [1 << costly]sync.Pool

const costly = 3 // how many members of hooks make rewriting slower

// pool returns a bit for each costly member of the hooks that is wanted. A Rewriter has only what
// is wanted, so that each pool has Rewriters with the same.
func (h hooks) pool() (bits int) {
	for i, wanted := range [costly]bool{h.visit != nil, h.unresolvable != nil, h.text} {
		if wanted {
			bits |= 1 << i
		}
	}
	return bits
}

// lend calls rewrite with a Rewriter that calls the hooks, and returns what rewrite returns.
// rewrite must neither change nor keep the Rewriter, because another document gets it later. If
// rewrite panics, the Rewriter does not go back to its pool.
func (s *settings) lend(h hooks, rewrite func(*rewriter.Rewriter) (rewriter.Result, error)) (rewriter.Result, error) {
	pool := &s.pools[h.pool()]
	lent, ok := pool.Get().(*shared)
	if !ok { // the pool is empty
		lent = s.newShared(h)
	}
	lent.hooks = h
	result, err := rewrite(lent.Rewriter)
	lent.hooks = hooks{} // so that the pool does not keep the document alive
	pool.Put(lent)       // not deferred: after a panic, the Rewriter may be of no use
	return result, err
}

// newShared returns a Rewriter for the pool of h. It calls the hooks of its current document, which
// lend sets. Those have the same costly members as h, so that only warn may be nil.
func (s *settings) newShared(h hooks) *shared {
	made := new(shared)
	relay := hooks{text: h.text}
	relay.warn = func(offset int64, err error) { // it costs nothing, so every Rewriter has it
		if made.warn != nil {
			made.warn(offset, err)
		}
	}
	if h.visit != nil {
		relay.visit = func(p *rewriter.Place) error { return made.visit(p) }
	}
	if h.unresolvable != nil {
		relay.unresolvable = func(p *rewriter.Place) { made.unresolvable(p) }
	}
	made.Rewriter = s.rewriter(relay)
	return made
}

// outerBase returns the base URL that --url gives, which may be nil. It is not ok where the
// URL cannot be a base, which outerBase has then said.
func (s *settings) outerBase(ui *ui, url *string) (base *resolver.Base, ok bool) {
	if url == nil {
		return nil, true
	}
	base, err := s.parseOption(*url)
	switch {
	case err != nil && base != nil:
		ui.warnf("--url: %v", err)
	case err != nil:
		ui.usagef("--url: %v", err)
		return nil, false
	}
	return base, true
}

// parseOption returns the base URL that an option gives.
func (s *settings) parseOption(url string) (*resolver.Base, error) {
	if listing.HasOddPort(url) {
		return nil, errOddPort
	}
	base, err := s.html.ParseBase(url)
	if base.IsOpaque() {
		return nil, fmt.Errorf("no link can be relative to %.200q; give the URL of a page", listing.WithoutLogin(base.String()))
	}
	return base, err
}

// checkRetrieved refuses an entry with a retrieval URL that cannot be one.
func (s *settings) checkRetrieved(e entry) error {
	if e.url == "" {
		return nil
	}
	base, err := s.parseOption(e.url)
	if base != nil {
		return nil // open prints the warning that err may be
	}
	return fmt.Errorf("the retrieval URL: %w", err)
}
