package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"absolink/internal/coding"
)

var (
	// ErrCoding is what Warn is told of a body in a content coding that is not
	// known. It passes untouched.
	ErrCoding = errors.New("the content coding is not known; the body passes as it is")

	// ErrNotCoded is what Warn is told of a body that is not in the content coding
	// that it has by its header. It passes untouched.
	ErrNotCoded = errors.New("the body is not in the content coding of its header; it passes as it is")

	// ErrTrailing is what Warn is told of bytes after the end of what is encoded.
	// They are dropped, as browsers do.
	ErrTrailing = errors.New("bytes follow the end of the encoded body; they are dropped")

	// ErrHollow ends a body in several content codings that hold next to nothing: by
	// far more bytes pass from one to the next than are read and decoded. Work for
	// them would have no bound.
	ErrHollow = coding.ErrHollow
)

// A TooLargeError says that a body is longer than it may be.
type TooLargeError struct{ Limit int64 } // in bytes, decoded

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the body is longer than %d bytes, decoded", e.Limit)
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

// newDecoder returns one that decodes what src reads. limit is 0 and warn nil where
// there is none.
func newDecoder(src io.Reader, codings []coding.Coding, limit int64, warn func(error)) *decoder {
	if warn == nil {
		warn = func(error) {}
	}
	d := &decoder{tape: tape{r: src, stopped: len(codings) == 0}, codings: codings, warn: warn}
	d.body = coding.NewReader(&d.tape, limit, &TooLargeError{limit})
	return d
}

// Read reads what is decoded. The error is ErrNotCoded where that is nothing, for
// an error in the coding; raw then returns the body.
func (d *decoder) Read(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	n, err := d.read(p)
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

func (d *decoder) read(p []byte) (int, error) {
	if !d.opened {
		d.opened = true
		if err := d.open(); err != nil {
			return 0, err
		}
	}
	return d.body.Read(p)
}

// open undoes all codings, the last one first.
func (d *decoder) open() error {
	for i := len(d.codings) - 1; i >= 0; i-- {
		if _, err := d.body.Peek(1); err != nil {
			return err // a body of nothing, in any coding
		}
		if err := d.body.Undo(d.codings[i]); err != nil {
			return err
		}
	}
	return nil
}

// found returns the codings of the body as it says them itself: deflate has two
// forms.
func (d *decoder) found() []coding.Coding {
	found := slices.Clone(d.codings)
	for i, c := range d.body.Codings() {
		found[len(found)-1-i] = c
	}
	return found
}

// isLimit reports whether an error says that a body is too much, not that it is
// not encoded.
func isLimit(err error) bool {
	var tooLarge *TooLargeError
	return errors.As(err, &tooLarge) || errors.Is(err, ErrHollow)
}

// raw returns the body as it came, after ErrNotCoded.
func (d *decoder) raw() io.Reader {
	return io.MultiReader(bytes.NewReader(d.tape.kept), d.tape.r)
}

// close lets go of what the decoder holds.
func (d *decoder) close() {
	d.body = nil
	if d.err == nil {
		d.err = http.ErrBodyReadAfterClose
	}
}

// A tape keeps what is read, up to maxKept bytes, until it is stopped.
type tape struct {
	r       io.Reader
	stopped bool
	kept    []byte
	count   int64 // of bytes read
	err     error // of r
}

// maxKept is more than a block of any coding.
const maxKept = 256 << 10

func (t *tape) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.count += int64(n)
	if err != nil {
		t.err = err
	}
	if !t.stopped {
		if t.kept = append(t.kept, p[:n]...); len(t.kept) > maxKept {
			t.stop()
		}
	}
	return n, err
}

func (t *tape) stop() { t.stopped, t.kept = true, nil }

// isWhole reports whether all that was read is kept, and is all that there was to
// read so far.
func (t *tape) isWhole() bool { return !t.stopped && (t.err == nil || t.err == io.EOF) }
