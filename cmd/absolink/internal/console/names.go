package console

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"absolink/internal/listing"
)

// InputName returns what a message calls a FILE.
func InputName(name string) string {
	switch {
	case name == "-":
		return "<stdin>"
	case IsURL(name):
		return listing.WithoutLogin(name)
	}
	return name
}

// IsURL reports whether a FILE is one to fetch.
func IsURL(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// Cannot returns an error that says what cannot be done to which file. It leaves out
// any other name, such as a temporary file's.
func Cannot(do, name string, err error) error {
	return &fs.PathError{Op: do, Path: name, Err: Cause(err)}
}

// Cause returns the cause of err, without an operation and a file name.
func Cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
