package rewriter

import (
	"errors"
	"fmt"
)

// A LimitError says that something is longer than a field allows: a field of
// Options, or of a Rewriter for containers. Warn is told of it, with the
// offset of what is too long.
type LimitError struct {
	Field string // the name of the field with the limit, such as "Hold" or "MaxTag"
	Limit int64  // the value of the field
	Text  string // what is too long, and what becomes of it
}

// Error returns e.Text.
func (e *LimitError) Error() string { return e.Text }

// errMaxTag is reported at a tag, or at a text that may have URLs, of more than MaxTag
// bytes.
func errMaxTag(limit int) error {
	return &LimitError{"MaxTag", int64(limit), "the tag or text is longer than may be held; it stays as it is"}
}

// ErrNoBase is the Err of a Place whose reference is relative, if no base URL is known
// (RFC 1808 §3.4).
var ErrNoBase = errors.New("no base URL is known")

// ErrDangling is the Err of a Place whose reference has both "<" and a tab or newline, or
// is relative to a BASE with both. The value of an attribute without its closing quote is
// of this kind, because it includes the markup that follows. Browsers do not fetch such a
// URL. They would fetch its absolute form, which has no newlines.
var ErrDangling = errors.New("the URL, or the URL of its BASE, has a tab or newline in it and a \"<\", so that no browser fetches it")

// ErrStructure is the Err of a Place whose reference has an absolute form that cannot be
// written without another quote or white space: the value that a slash follows in
// <a href/>. The same holds for a value for scripts that is one reference only because of
// its white space, such as data-src='a 1x", b 2x': with that percent-encoded, the value would
// be read as image candidates. Warn is told of both kinds of places, and also where Visit
// returns a URL that lacks what follows the first quote, backquote, "<" or ">" of the
// reference. The value stays.
var ErrStructure = errors.New("the new URL cannot be written here: the value, or what follows it, would be read differently")

// errSpecifier is the Err of a Place that is a module specifier in an import map. The
// rewritten map would treat it as a directory.
var errSpecifier = errors.New("the absolute URL would end in a slash, by which an import map tells a directory from a module")

// errShift is the Err of a Place whose reference begins with an escape sequence of
// ISO-2022-JP, in a document whose encoding nothing names. To some readers the reference
// begins with a character, and to others with a control character, which they drop.
var errShift = errors.New("it begins with an escape sequence of ISO-2022-JP, and nothing names the encoding of the document")

// errPanicked is the error of every call after a function of the caller has panicked, for a
// caller that has recovered: some of the document is lost. It is also the error of a call
// from such a function.
var errPanicked = errors.New("an earlier call has panicked, or has not returned")

// An Error says that reading, writing or the caller's Visit failed. The output up to then
// is a prefix of the whole output.
type Error struct {
	Op     string // "read", "write" or "visit"
	Offset int64  // in the input for read and visit; for write in the output, or with a Splicer in the document, where the call ended; -1 in a tree
	Err    error
}

// Error returns one line, with the operation and the byte offset, if that is known.
func (e *Error) Error() string {
	if e.Offset < 0 {
		return e.Op + ": " + e.Err.Error()
	}
	return fmt.Sprintf("%s at byte %d: %v", e.Op, e.Offset, e.Err)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }
