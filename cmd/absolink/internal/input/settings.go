package input

import (
	"fmt"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/listing"
	"absolink/resolver"
	"absolink/rewriter"
)

// A Settings value is what the options say of documents, made once and never changed. Any
// number of goroutines may use it at the same time.
type Settings struct {
	HTML    *rewriter.Rewriter // without hooks
	Rules   RuleOptions        // what HTML.Rules are made of
	Kind    Kind               // what each document is, by --type; "" where that is seen from it
	charset string             // of each document, by --charset; "" where it is seen from the document
	Fetches FetchOptions
	Fetch   Fetch // of documents on the web
	in      containerOptions
}

// Options returns the options of a Rewriter, except its rules.
func (o *HTMLOptions) Options() rewriter.Options {
	return rewriter.Options{
		Profile: o.Profile, Hold: o.Hold.Int(), MaxTag: o.MaxTag.Int(),
		KeepFragments: o.KeepFragments, Keep: o.Keep, RemoveBase: o.BaseTag == "remove", WholeDocument: o.Scope == "document",
	}
}

// Settings returns the settings for HTML in containers. The options must be valid.
func (o *ReadOptions) Settings() *Settings {
	return (&Settings{charset: o.Charset}).With(o.Options(), o.RuleOptions)
}

// Settings returns the settings for all documents, and how those on the web are retrieved. The
// options must be valid.
func (o *DocumentOptions) Settings(fetch Fetch) *Settings {
	html := o.Options()
	html.IgnoreSaved, html.Canonical = o.NoSavedFrom, o.Canonical
	s := (&Settings{charset: o.Charset, Fetches: o.FetchOptions, Fetch: fetch, in: o.containerOptions}).With(html, o.RuleOptions)
	if o.Type != "auto" {
		s.Kind = Kind(o.Type)
	}
	return s
}

// With returns the settings with another Rewriter. Its options and rules must be valid.
func (s *Settings) With(html rewriter.Options, rules RuleOptions) *Settings {
	table, err := rules.Table()
	if err != nil {
		panic(err) // Validate saw it
	}
	html.Rules = table
	with := *s
	with.HTML, with.Rules = rewriter.Must(rewriter.New(html)), rules
	return &with
}

// OuterBase returns the base URL that --url gives, which may be nil. It is not ok where the
// URL cannot be a base, which OuterBase has then said.
func (s *Settings) OuterBase(ui *console.UI, url *string) (base *resolver.Base, ok bool) {
	if url == nil {
		return nil, true
	}
	base, err := s.ParseOption(*url)
	switch {
	case err != nil && base != nil:
		ui.Warnf("--url: %v", err)
	case err != nil:
		ui.Usagef("--url: %v", err)
		return nil, false
	}
	return base, true
}

// ParseOption returns the base URL that an option gives.
func (s *Settings) ParseOption(url string) (*resolver.Base, error) {
	if listing.HasOddPort(url) {
		return nil, console.ErrOddPort
	}
	base, err := s.HTML.ParseBase(url)
	if base.IsOpaque() {
		return nil, fmt.Errorf("no link can be relative to %.200q; give the URL of a page", listing.WithoutLogin(base.String()))
	}
	return base, err
}

// CheckRetrieved refuses an entry with a retrieval URL that cannot be one.
func (s *Settings) CheckRetrieved(e Entry) error {
	if e.URL == "" {
		return nil
	}
	base, err := s.ParseOption(e.URL)
	if base != nil {
		return nil // Open prints the warning that err may be
	}
	return fmt.Errorf("the retrieval URL: %w", err)
}
