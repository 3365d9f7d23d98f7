package web

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/klauspost/compress/zstd"
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
)

// A TooLargeError says that a body is longer than it may be.
type TooLargeError struct{ Limit int64 } // in bytes, decoded

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the body is longer than %d bytes, decoded", e.Limit)
}

// A decoder undoes the codings of a body. It reads nothing before its first Read.
type decoder struct {
	tape    tape
	codings []coding
	limit   int64 // of what is decoded; 0 is none
	warn    func(error)

	r     io.Reader // nil before the first Read
	zstd  []*zstd.Decoder
	count int64 // of bytes decoded
	err   error
}

// newDecoder returns one that decodes what src reads. limit is 0 and warn nil where
// there is none.
func newDecoder(src io.Reader, codings []coding, limit int64, warn func(error)) *decoder {
	if warn == nil {
		warn = func(error) {}
	}
	return &decoder{tape: tape{r: src}, codings: codings, limit: limit, warn: warn}
}

// Read reads what is decoded. The error is ErrNotCoded where that is nothing, for
// an error in the coding; raw then returns the body.
func (d *decoder) Read(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	n, err := d.read(p)
	if d.limit > 0 && d.count+int64(n) > d.limit {
		n, err = int(d.limit-d.count), &TooLargeError{d.limit}
	}
	d.count += int64(n)
	if d.count > 0 {
		d.tape.stop()
	} else if err != nil && err != io.EOF && d.tape.isWhole() {
		err = ErrNotCoded
	}
	d.err = err
	return n, err
}

func (d *decoder) read(p []byte) (int, error) {
	if len(d.codings) == 0 {
		d.tape.stop()
		return d.tape.Read(p)
	}
	if d.r == nil {
		if err := d.open(); err != nil {
			return 0, err
		}
	}
	return d.r.Read(p)
}

// bufferSize is how much of a body is read at once, in bytes.
const bufferSize = 32 << 10

func (d *decoder) open() error {
	var r io.Reader = &d.tape
	for i := len(d.codings) - 1; i >= 0; i-- {
		src := bufio.NewReaderSize(r, bufferSize)
		if _, err := src.Peek(1); err != nil {
			return err // a body of nothing, in any coding
		}
		decoded, err := d.codings[i].reader(src)
		if err != nil {
			return noEOF(err)
		}
		if z, ok := decoded.(*zstd.Decoder); ok {
			d.zstd = append(d.zstd, z)
		}
		r = &stage{src: src, r: decoded, warn: d.warn}
	}
	d.r = r
	return nil
}

// raw returns the body as it came, after ErrNotCoded.
func (d *decoder) raw() io.Reader {
	return io.MultiReader(bytes.NewReader(d.tape.kept), d.tape.r)
}

// close lets go of what decoders hold.
func (d *decoder) close() {
	for _, z := range d.zstd {
		z.Close()
	}
	d.r, d.zstd = nil, nil
	if d.err == nil {
		d.err = http.ErrBodyReadAfterClose
	}
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A stage undoes one coding, and reads its source to the end: what that ends in,
// an error or trailers, is the body's.
type stage struct {
	src   *bufio.Reader
	r     io.Reader
	ended bool // r is
	warn  func(error)
}

func (s *stage) Read(p []byte) (int, error) {
	if !s.ended {
		n, err := s.r.Read(p)
		if s.ended = err == io.EOF; !s.ended || n > 0 {
			if s.ended {
				err = nil
			}
			return n, err
		}
	}
	n, err := io.Copy(io.Discard, s.src)
	if err != nil {
		return 0, err
	}
	if n > 0 {
		s.warn(ErrTrailing)
	}
	return 0, io.EOF
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
