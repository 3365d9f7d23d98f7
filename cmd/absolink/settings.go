package main

import (
	"fmt"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/listing"
	"absolink/resolver"
	"absolink/rewriter"
)

// A settings value is what the options say of documents, made once and never changed. Any
// number of goroutines may use it at the same time.
type settings struct {
	html    *rewriter.Rewriter // without hooks
	rules   ruleOptions        // what html.Rules are made of
	kind    kind               // what each document is, by --type; "" where that is seen from it
	charset string             // of each document, by --charset; "" where it is seen from the document
	fetches fetchOptions
	in      containerOptions
}

// options returns the options of a Rewriter, except its rules.
func (o *htmlOptions) options() rewriter.Options {
	return rewriter.Options{
		Profile: o.Profile, Hold: o.Hold.Int(), MaxTag: o.MaxTag.Int(),
		KeepFragments: o.KeepFragments, Keep: o.Keep, RemoveBase: o.BaseTag == "remove", WholeDocument: o.Scope == "document",
	}
}

// settings returns the settings for HTML alone. The options must be valid.
func (o *htmlOptions) settings() *settings {
	return new(settings).with(o.options(), o.ruleOptions)
}

// settings returns the settings for HTML in containers. The options must be valid.
func (o *readOptions) settings() *settings {
	s := o.htmlOptions.settings()
	s.charset = o.Charset
	return s
}

// settings returns the settings for all documents. The options must be valid.
func (o *documentOptions) settings() *settings {
	html := o.options()
	html.IgnoreSaved, html.Canonical = o.NoSavedFrom, o.Canonical
	s := (&settings{charset: o.Charset, fetches: o.fetchOptions, in: o.containerOptions}).with(html, o.ruleOptions)
	if o.Type != "auto" {
		s.kind = kind(o.Type)
	}
	return s
}

// with returns the settings with another Rewriter. Its options and rules must be valid.
func (s *settings) with(html rewriter.Options, rules ruleOptions) *settings {
	table, err := rules.table()
	if err != nil {
		panic(err) // Validate saw it
	}
	html.Rules = table
	with := *s
	with.html, with.rules = rewriter.Must(rewriter.New(html)), rules
	return &with
}

// outerBase returns the base URL that --url gives, which may be nil. It is not ok where the
// URL cannot be a base, which outerBase has then said.
func (s *settings) outerBase(ui *console.UI, url *string) (base *resolver.Base, ok bool) {
	if url == nil {
		return nil, true
	}
	base, err := s.parseOption(*url)
	switch {
	case err != nil && base != nil:
		ui.Warnf("--url: %v", err)
	case err != nil:
		ui.Usagef("--url: %v", err)
		return nil, false
	}
	return base, true
}

// parseOption returns the base URL that an option gives.
func (s *settings) parseOption(url string) (*resolver.Base, error) {
	if listing.HasOddPort(url) {
		return nil, console.ErrOddPort
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
