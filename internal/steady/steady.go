// Package steady has what stands between the library and every reader that a caller gives.
package steady

import (
	"errors"
	"io"
)

// ErrCount is the error of a reader that says it has read fewer than no bytes, or more than
// there was room for.
var ErrCount = errors.New("the reader returned a count that its slice cannot have")

// maxEmpty is how many times in succession a reader may return nothing, without an error.
const maxEmpty = 100

// Read reads from src until something comes of it: where p has room, the result is at least
// one byte or an error. The error is [io.ErrNoProgress] if src returns nothing 100 times in
// succession, and ErrCount if its count is not from 0 to len(p).
func Read(src io.Reader, p []byte) (int, error) {
	for range maxEmpty {
		n, err := src.Read(p)
		switch {
		case n < 0 || n > len(p):
			return 0, ErrCount
		case n > 0 || err != nil || len(p) == 0:
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// A Reader reads from Src by the rules of [Read]. Its first error stays, and Src is not read
// after it. A Reader that has an Err from the beginning needs no Src.
type Reader struct {
	Src io.Reader
	Err error // the first error, io.EOF included
}

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (n int, err error) {
	if r.Err == nil {
		n, r.Err = Read(r.Src, p)
	}
	return n, r.Err
}
