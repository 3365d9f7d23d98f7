package rewriter

import (
	"errors"
	"io"

	"absolink/resolver"
)

// A Writer rewrites the document that is written to it: it is the io.WriteCloser form of
// Rewrite, for HTTP middleware and other callers that are handed a document piece by
// piece. It holds what Rewrite holds, starts no goroutine, and is for one document.
type Writer struct {
	piecewise

	pending []byte // of the Write that goes on: what has not been read
	starved bool   // the engine has asked for more than pending
	closed  bool   // nothing more is written: pending is the end of the document
}

// NewWriter returns a Writer to dst. of says what the transport says of the document; its
// Reader is not used. outer is as in Rewrite.
func (rw *Rewriter) NewWriter(dst io.Writer, of Source, outer *resolver.Base) *Writer {
	if err := rw.CheckBase(outer); err != nil {
		return &Writer{piecewise: piecewise{err: err}}
	}
	w := new(Writer)
	w.e = rw.newRun(dst, outer)
	w.e.setInput((*pushed)(w), of)
	return w
}

// pushed is what the engine of a Writer reads: nothing between two calls of Write.
type pushed Writer

func (w *pushed) Read(p []byte) (int, error) {
	if w.closed {
		return 0, io.EOF
	}
	w.starved = len(w.pending) == 0
	n := copy(p, w.pending)
	w.pending = w.pending[n:]
	return n, nil
}

// Write takes the next piece of the document, and writes all that cannot change any more
// before it returns. Its errors are the same as Rewrite's; after one, every call fails.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	// What has been read may wait for the next step, so only asking for more shows the end of p.
	for w.pending, w.starved = p, false; !w.starved; {
		if !w.e.step() {
			n := len(p) - len(w.pending)
			w.end(errClosed)
			w.pending = nil
			return n, w.err
		}
	}
	w.pending = nil // Write must not retain p
	return len(p), nil
}

// Close ends the document, and writes the rest of it. It does not close dst. A second
// Close does nothing, and returns the same error.
func (w *Writer) Close() error {
	if w.e != nil {
		w.closed = true
		for w.e.step() {
		}
		w.end(errClosed)
		w.pending = nil
	}
	if w.err == errClosed {
		return nil
	}
	return w.err
}

var errClosed = errors.New("the Writer is closed")
