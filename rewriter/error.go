package rewriter

import (
	"errors"
	"fmt"
)

// ErrHold is what Warn is told where more than Hold bytes followed the first
// relative reference before the HEAD ended: no BASE after that counts.
var ErrHold = errors.New("the head goes on for more bytes than may be held; a BASE from here on does not count")

// ErrMaxTag is what Warn is told of a tag that is more than MaxTag bytes long.
var ErrMaxTag = errors.New("the tag is longer than may be held; it stays as it is")

// ErrNoBase is the Err of a Place that is relative where no base URL is known
// (RFC 1808 §3.4).
var ErrNoBase = errors.New("no base URL is known")

// An Error is a failure to read, to write, or of the caller's Visit. What was
// written until then is a prefix of the whole output.
type Error struct {
	Op     string // "read", "write" or "visit"
	Offset int64  // in the input for read and visit, in the output for write
	Err    error
}

// Error returns one line that names the operation and the byte offset.
func (e *Error) Error() string {
	return fmt.Sprintf("%s at byte %d: %v", e.Op, e.Offset, e.Err)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }
