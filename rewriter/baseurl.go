package rewriter

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"absolink/resolver"
	"absolink/rewriter/internal/mark"
)

// MaxBase is the greatest length of a base URL in bytes, whichever layer the URL comes
// from. There is a limit because a link of one byte becomes as long as its base.
const MaxBase = 8 << 10

var (
	// ErrLongBase says that a base URL is not used, because it is longer than MaxBase.
	ErrLongBase = errors.New("a base URL of more than 8 KiB is not used: every link would become as long")

	// ErrScriptBase says that a base URL is not used, because it is a script or data:
	// links would become scripts.
	ErrScriptBase = errors.New("a base URL that is a script or data is not used")

	// ErrCredentials says that a base URL is used without its user and password:
	// every link would show them.
	ErrCredentials = errors.New("the user and password of a base URL are not used: every link would reveal them")
)

// scriptSchemes are the schemes of URLs that are scripts or data. The HTML Standard
// (§4.2.3) refuses data: and javascript: in BASE. The others were scripts in some browser.
var scriptSchemes = []string{"data:", "javascript:", "vbscript:", "livescript:", "mocha:"}

// ParseBase parses a base URL for documents, in the profile of rw. url may have the form
// <URL:http://h/> ([resolver.Unwrap]). White space around url is ignored. White space
// within it is an error, except in the WHATWG profile, in which browsers' rules hold: tabs
// and newlines are removed, and spaces are percent-encoded. Other errors are [ErrLongBase],
// [ErrScriptBase] and the errors of [resolver.ParseBase]. With [ErrCredentials], it also
// returns a base, without user and password; with other errors it returns nil.
func (rw *Rewriter) ParseBase(url string) (*resolver.Base, error) {
	base, err := rw.ParseBaseOn(nil, url)
	if errors.Is(err, resolver.ErrNotAbsolute) {
		if meant, ok := rw.withScheme(strings.Trim(url, whiteSpace)); ok {
			err = fmt.Errorf("%w; write %.200s", err, meant)
		}
	}
	return base, err
}

// withScheme returns the base that a URL without a scheme is meant to be. It is not ok where the
// URL does not begin with what looks like the name of a host, such as example.org.
func (rw *Rewriter) withScheme(url string) (base *resolver.Base, ok bool) {
	base, err := rw.ParseBaseOn(nil, "https://"+url)
	if err != nil || strings.IndexAny(url, `/\.`) == 0 {
		return nil, false
	}
	host := resolver.Split(base.String()).NetLoc
	return base, host == "localhost" || strings.Contains(host, ".")
}

// ParseBaseOn is ParseBase for a URL that may be relative to outer. outer may be nil.
func (rw *Rewriter) ParseBaseOn(outer *resolver.Base, url string) (*resolver.Base, error) {
	return outerBase(outer, url, rw.Profile())
}

// outerBase is ParseBaseOn in a profile.
func outerBase(outer *resolver.Base, url string, p resolver.Profile) (*resolver.Base, error) {
	url = strings.Trim(resolver.Unwrap(url), whiteSpace)
	if i := strings.IndexAny(url, whiteSpace); i >= 0 && p != resolver.WHATWG {
		return nil, fmt.Errorf("white space in the base URL %.200q; write it as %%%02X where it belongs to the URL", resolver.Redact(url), url[i])
	}
	b, err := parseBaseOn(outer, url, p)
	if err != nil {
		return nil, err
	}
	return usableBase(b)
}

const whiteSpace = " \t\n\v\f\r"

// parseBaseOn returns the base URL that url gives on outer. The error comes from
// checkBase if the URL cannot be a base in any layer.
func parseBaseOn(outer *resolver.Base, url string, p resolver.Profile) (*resolver.Base, error) {
	if outer != nil {
		if len(url) > MaxBase {
			return nil, ErrLongBase
		}
		var err error
		if url, err = outer.Resolve(url); err != nil {
			return nil, err
		}
	}
	if err := checkBase(url); err != nil { // goes before a reason that the profile has
		return nil, err
	}
	b, err := resolver.ParseBase(url, p)
	if err != nil {
		return nil, err
	}
	return b, checkBase(b.String())
}

// usableBase returns the base URL that takes the place of b, a base from outside of
// documents or nil, and an error that says what is wrong with b. Bytes that are not UTF-8
// and white space are percent-encoded (package mark says why).
func usableBase(b *resolver.Base) (*resolver.Base, error) {
	if url := b.String(); !utf8.ValidString(url) || strings.ContainsAny(url, whiteSpace) {
		b, _ = resolver.ParseBase(string(mark.AppendUnspaced(nil, mark.AppendOutside(nil, url))), b.Profile())
	}
	if err := checkBase(b.String()); err != nil {
		return nil, err
	}
	switch public := b.WithoutCredentials(); {
	case public == b:
		return b, nil
	case public == nil:
		return nil, fmt.Errorf("the base URL %s has a user or password and no host", resolver.Redact(b.String()))
	default:
		return public, ErrCredentials
	}
}

// checkBase refuses URLs that cannot be a base in any layer.
func checkBase(url string) error {
	if len(url) > MaxBase {
		return ErrLongBase
	}
	for _, scheme := range scriptSchemes {
		if len(url) >= len(scheme) && strings.EqualFold(url[:len(scheme)], scheme) {
			return fmt.Errorf("%w (%s)", ErrScriptBase, scheme)
		}
	}
	return nil
}
