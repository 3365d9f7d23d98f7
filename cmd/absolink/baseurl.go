package main

import (
	"errors"
	"fmt"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
)

// baseOption returns the base URL that --url gives; not ok where that is none that can
// be used, which it says.
func (o *readOptions) baseOption(ui *ui, url string) (base *resolver.Base, ok bool) {
	base, err := o.parseOption(url)
	switch {
	case err != nil && base != nil:
		ui.warnf("--url: %v", err)
	case err != nil:
		ui.errorf("--url: %v", err)
		return nil, false
	}
	return base, true
}

// parseOption returns the base URL that an option gives. One with white space in it
// is refused: most often two arguments have got into one.
func (o *readOptions) parseOption(url string) (*resolver.Base, error) {
	if hasOddPort(url) {
		return nil, errOddPort
	}
	base, err := o.parseBase(url)
	if base.IsOpaque() {
		return nil, fmt.Errorf("no link can be relative to %.200q; give the URL of a page", withoutLogin(base.String()))
	}
	return base, err
}

// parseBase returns a base URL, and what is wrong with it: [rewriter.Rewriter.ParseBase].
func (o *readOptions) parseBase(url string) (*resolver.Base, error) {
	rw := rewriter.Rewriter{Profile: o.Profile}
	return rw.ParseBase(url)
}

// withoutLogin returns a URL without its user and password, also where what was
// meant for a password is none, as in http://user:pass/word@host/.
func withoutLogin(url string) string {
	start := strings.Index(url, "//") + len("//")
	if start < len("//") {
		return url
	}
	end := start + endOfAuthority(url[start:])
	if hasOddPort(url) {
		end = len(url)
	}
	at := strings.LastIndexByte(url[start:end], '@')
	return url[:start] + url[start+at+1:]
}

// endOfAuthority returns the length of the authority that a URL has after "//".
func endOfAuthority(rest string) int { return strings.IndexAny(rest+"/", "/?#") }

// errOddPort is what is said of a URL that has an odd port.
var errOddPort = errors.New(`the URL has a port that is not a number; in a user or password, write "/", "?" and "#" as %2F, %3F and %23`)

// hasOddPort reports whether what stands for a port in a URL is the beginning of a
// password: it is not a number, and an "@" comes after it.
func hasOddPort(url string) bool {
	_, rest, _ := strings.Cut(url, "//")
	authority := rest[:endOfAuthority(rest)]
	_, port, _ := strings.Cut(authority[strings.LastIndexByte(authority, ']')+1:], ":")
	return !strings.Contains(authority, "@") && strings.Trim(port, "0123456789") != "" && strings.Contains(rest, "@")
}
