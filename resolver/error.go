package resolver

import (
	"errors"
	"fmt"
)

var (
	// ErrNotAbsolute says that a base URL has no scheme.
	ErrNotAbsolute = errors.New("not an absolute URL")
	// ErrOpaqueBase says that a base URL is absolute, but not hierarchical, as
	// relative references need it: not a generic-RL of RFC 1808 §2.1 (see
	// [ParseBase]), or a URL with an opaque path in the URL Standard.
	ErrOpaqueBase = errors.New("cannot be a base URL")
	// ErrInvalid says that a URL breaks the syntax of its profile, or that the
	// result of resolving it would.
	ErrInvalid = errors.New("invalid URL")
)

// An Error says which base URL could not be parsed, or which reference could not be
// resolved, and why.
type Error struct {
	Profile Profile
	Base    string // the base URL; "" where it does not matter
	Ref     string // the reference; "" where a base URL was being parsed
	Err     error  // wraps ErrNotAbsolute, ErrOpaqueBase or ErrInvalid

	hasRef bool // Ref was being resolved, though it may be ""
}

// maxQuoted is how many bytes of a URL an error message shows.
const maxQuoted = 200

// Error returns one line that names the URLs, redacted and cut after 200 bytes, and
// the reason.
func (e *Error) Error() string {
	switch {
	case e.Ref == "" && !e.hasRef:
		return fmt.Sprintf("base URL %s: %v", quote(e.Base), e.Err)
	case e.Base == "":
		return fmt.Sprintf("reference %s: %v", quote(e.Ref), e.Err)
	}
	return fmt.Sprintf("reference %s on base URL %s: %v", quote(e.Ref), quote(e.Base), e.Err)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// quote returns a URL for a message, redacted, or the beginning of a long one.
func quote(s string) string {
	s = Redact(s)
	if len(s) > maxQuoted {
		return fmt.Sprintf("%q…", s[:maxQuoted])
	}
	return fmt.Sprintf("%q", s)
}
