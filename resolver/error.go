package resolver

import (
	"errors"
	"fmt"
)

var (
	// ErrNotAbsolute says that a base URL has no scheme.
	ErrNotAbsolute = errors.New("not an absolute URL")
	// ErrOpaqueBase says that a base URL is absolute, but not of the
	// hierarchical form that relative references need: generic-RL of
	// RFC 1808 §2.1 (see [ParseBase]), or a path that is not opaque in the URL Standard.
	ErrOpaqueBase = errors.New("cannot be a base URL")
	// ErrInvalid says that a URL breaks the syntax of its profile, or that
	// the result would.
	ErrInvalid = errors.New("invalid URL")
)

// An Error says which URL could not be used, and why. Its Err wraps one of
// [ErrNotAbsolute], [ErrOpaqueBase] and [ErrInvalid].
type Error struct {
	Profile Profile
	Base    string // the base URL
	Ref     string // the reference, where one was being resolved
	Err     error

	hasRef bool // an empty Ref is a reference too
}

// maxQuoted is how much of a URL an error message shows, in bytes.
const maxQuoted = 200

// Error returns one line that names the URL and the reason.
func (e *Error) Error() string {
	if e.Ref == "" && !e.hasRef {
		return fmt.Sprintf("base URL %s: %v", quote(e.Base), e.Err)
	}
	return fmt.Sprintf("reference %s on base URL %s: %v", quote(e.Ref), quote(e.Base), e.Err)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// quote returns a URL, or the beginning of a long one, for people to see.
func quote(s string) string {
	s = Redact(s)
	if len(s) > maxQuoted {
		return fmt.Sprintf("%q…", s[:maxQuoted])
	}
	return fmt.Sprintf("%q", s)
}
