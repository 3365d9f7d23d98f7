// Package failing has a reader that fails.
package failing

import "io"

// Reader returns a reader of no bytes, whose error is always err.
func Reader(err error) io.Reader { return reader{err} }

type reader struct{ err error }

func (r reader) Read([]byte) (int, error) { return 0, r.err }
