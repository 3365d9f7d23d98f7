package web

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"absolink/internal/coding"
	"absolink/internal/steady"
	"absolink/rewriter"
)

var (
	// ErrCoding is what Warn is told of a body in a content coding that is not
	// known. The body passes untouched.
	ErrCoding = errors.New("the content coding is not known; the body passes as it is")

	// ErrNotCoded is what Warn is told of a body that is not in the content coding
	// that its header names. The body passes untouched.
	ErrNotCoded = errors.New("the body is not in the content coding of its header; it passes as it is")

	// ErrTrailing is what Warn is told of bytes after the end of what is encoded.
	// They are dropped, as in browsers.
	ErrTrailing = errors.New("bytes follow the end of the encoded body; they are dropped")

	// ErrHollow ends a body whose nested content codings are almost empty: far more
	// bytes pass from one coding to the next than are read and decoded. Without this
	// error, the work for such a body would have no bound.
	ErrHollow = coding.ErrHollow
)

// errMaxDecoded is the error of a body that has more than MaxDecoded bytes.
func errMaxDecoded(limit int64) error {
	return &rewriter.LimitError{Field: "MaxDecoded", Limit: limit, Text: fmt.Sprintf("the body is longer than %d bytes, decoded", limit)}
}

// A decoder undoes the codings of a body. It reads nothing before its first Read.
type decoder struct {
	tape    tape
	body    *coding.Reader
	codings []coding.Coding // in the order in which they were applied
	opened  bool
	warn    func(error)
	err     error
}

// newDecoder returns a decoder of the body that src reads. limit is how many bytes the decoded
// body may have; 0 means any number.
func newDecoder(src io.Reader, codings []coding.Coding, limit int64, warn func(error)) *decoder {
	d := &decoder{tape: tape{src: steady.Reader{Src: src}, stopped: len(codings) == 0}, codings: codings, warn: warn}
	d.body = coding.NewReader(&d.tape, limit, errMaxDecoded(limit))
	return d
}

// Read reads the decoded body. The error is ErrNotCoded if an error in the coding lets
// nothing at all be decoded. raw then returns the body.
func (d *decoder) Read(p []byte) (n int, err error) {
	if d.err != nil {
		return 0, d.err
	}
	if !d.opened {
		d.opened = true
		err = d.open()
	}
	if err == nil {
		n, err = d.body.Read(p)
	}
	switch {
	case n > 0:
		d.tape.stop()
	case err == io.EOF:
		if d.body.Trailing() {
			d.warn(ErrTrailing)
		}
	case err != nil && !isLimit(err) && d.tape.isWhole():
		err = ErrNotCoded
	}
	d.err = err
	return n, err
}

// open undoes all codings, beginning with the one that was applied last.
func (d *decoder) open() error {
	for i := len(d.codings) - 1; i >= 0; i-- {
		if _, err := d.body.Peek(1); err != nil {
			return err // an empty body is valid in any coding
		}
		if err := d.body.Undo(d.codings[i]); err != nil {
			return err
		}
	}
	return nil
}

// found returns the codings of the body. What the body begins with tells apart the two
// forms that share the name deflate.
func (d *decoder) found() []coding.Coding {
	found := slices.Clone(d.codings)
	for i, c := range d.body.Codings() {
		found[len(found)-1-i] = c
	}
	return found
}

// isLimit reports whether an error says that there is too much in a body. Such a body is
// in the coding that its header names.
func isLimit(err error) bool {
	var limit *rewriter.LimitError
	return errors.As(err, &limit) || errors.Is(err, ErrHollow)
}

// raw returns the body as it came. It may be called after ErrNotCoded.
func (d *decoder) raw() io.Reader {
	return io.MultiReader(bytes.NewReader(d.tape.kept), &d.tape.src)
}

// close releases what the decoder holds.
func (d *decoder) close() {
	d.body = nil
	d.err = cmp.Or(d.err, http.ErrBodyReadAfterClose)
}

// A tape keeps what is read from src, up to maxKept bytes, until it is stopped.
type tape struct {
	src     steady.Reader
	stopped bool
	kept    []byte
	count   int64 // of bytes read
}

// maxKept is longer than one block of any coding.
const maxKept = 256 << 10

func (t *tape) Read(p []byte) (int, error) {
	n, err := t.src.Read(p)
	t.count += int64(n)
	if !t.stopped {
		if t.kept = append(t.kept, p[:n]...); len(t.kept) > maxKept {
			t.stop()
		}
	}
	return n, err
}

func (t *tape) stop() { t.stopped, t.kept = true, nil }

// isWhole reports whether everything that was read is kept, and reading has not
// failed.
func (t *tape) isWhole() bool { return !t.stopped && (t.src.Err == nil || t.src.Err == io.EOF) }
