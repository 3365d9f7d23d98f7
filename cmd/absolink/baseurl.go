package main

import (
	"fmt"

	"absolink/internal/listing"
	"absolink/resolver"
	"absolink/rewriter"
)

// baseOption returns the base URL that --url gives. It is not ok where that URL cannot
// be a base, which baseOption has then said.
func (o *readOptions) baseOption(ui *ui, url string) (base *resolver.Base, ok bool) {
	base, err := o.parseOption(url)
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
func (o *readOptions) parseOption(url string) (*resolver.Base, error) {
	if listing.HasOddPort(url) {
		return nil, errOddPort
	}
	base, err := o.parseBase(url)
	if base.IsOpaque() {
		return nil, fmt.Errorf("no link can be relative to %.200q; give the URL of a page", listing.WithoutLogin(base.String()))
	}
	return base, err
}

// parseBase is [rewriter.Rewriter.ParseBase] with the profile of the options.
func (o *readOptions) parseBase(url string) (*resolver.Base, error) {
	rw := rewriter.Rewriter{Profile: o.Profile}
	return rw.ParseBase(url)
}

// checkRetrieved refuses an entry with a retrieval URL that cannot be one.
func (o *readOptions) checkRetrieved(e entry) error {
	if e.url == "" {
		return nil
	}
	base, err := o.parseOption(e.url)
	if base != nil {
		return nil // open prints the warning that err may be
	}
	return fmt.Errorf("the retrieval URL: %w", err)
}
