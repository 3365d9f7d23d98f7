package coding

import (
	"bufio"
	"io"
)

// A Reader reads a body without the codings that Undo was told of. It reads no more
// of the source than it has to, and nothing before its first Peek or Read.
type Reader struct {
	src     io.Reader
	srcErr  error
	layers  []*layer
	top     io.Reader // a *source, or what all layers give; *bufio.Reader after a Peek
	limit   int64     // of what is decoded; 0 is none
	tooLong error     // for what is longer
	err     error

	// in bytes
	in      int64 // read from the source
	out     int64 // decoded
	windows int   // what is left of maxWindows
}

// NewReader returns a Reader of src. Once limit bytes are decoded, more of them is
// the error tooLong; 0 is no limit.
func NewReader(src io.Reader, limit int64, tooLong error) *Reader {
	r := &Reader{src: src, limit: limit, tooLong: tooLong, windows: maxWindows}
	r.top = (*source)(r)
	return r
}

// A source counts what is read from src, and does not read on after an error.
type source Reader

func (s *source) Read(p []byte) (int, error) {
	if s.srcErr != nil {
		return 0, s.srcErr
	}
	n, err := s.src.Read(p)
	s.in += int64(n)
	s.srcErr = err
	return n, err
}

// bufferSize is how much of a body, and of what each coding gives, is read at once.
const bufferSize = 16 << 10

// buffered returns what is decoded so far, with a buffer.
func (r *Reader) buffered() *bufio.Reader {
	b, ok := r.top.(*bufio.Reader)
	if !ok {
		b = bufio.NewReaderSize(r.top, bufferSize)
		r.top = b
	}
	return b
}

// Peek returns the next n bytes, without the codings that are undone so far, until
// the next call. If they are fewer, the error says why.
func (r *Reader) Peek(n int) ([]byte, error) {
	b, err := r.buffered().Peek(n)
	return b, r.cause(err)
}

// Undo has what follows read without one more coding. The error, if not nil, is
// ErrNested.
func (r *Reader) Undo(c Coding) error {
	if len(r.layers) == MaxNested {
		return ErrNested
	}
	l := &layer{reader: r, coding: c, src: r.buffered()}
	r.layers = append(r.layers, l)
	r.top = l
	return nil
}

// Codings returns the codings that are undone, the first first, as their first bytes
// say that they are.
func (r *Reader) Codings() []Coding {
	var codings []Coding
	for _, l := range r.layers {
		codings = append(codings, l.coding)
	}
	return codings
}

// Trailing reports whether bytes followed the end of what is encoded. They are
// dropped.
func (r *Reader) Trailing() bool {
	for _, l := range r.layers {
		if l.trailing {
			return true
		}
	}
	return false
}

// Read reads what is decoded. An error in a coding comes after all that could be
// decoded before it.
func (r *Reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.top.Read(p)
	if r.limit > 0 && int64(n) > r.limit-r.out {
		n, err = int(r.limit-r.out), r.tooLong
	}
	r.out += int64(n)
	r.err = r.cause(err)
	return n, r.err
}

// cause returns the error that err comes from: decoders make another of some.
func (r *Reader) cause(err error) error {
	if err == nil || err == io.EOF || err == r.tooLong {
		return err
	}
	for _, l := range r.layers {
		if l.err != nil && l.err != io.EOF {
			return l.err
		}
	}
	return err
}

// What passes from one coding to the next may be longer by slack than the limit of
// what is decoded, and than share bytes for each that is read or decoded.
const (
	slack = 128 << 10
	share = 8
)

// bounded returns an error if n bytes, which passed from one coding to the next, are
// too many.
func (r *Reader) bounded(n int64) error {
	switch {
	case r.limit > 0 && n-slack > r.limit:
		return r.tooLong
	case (n-slack)/share > r.in+r.out:
		return ErrHollow
	}
	return nil
}

// A layer undoes one coding, and reads its source to the end: what that ends in,
// an error or trailers, is the body's.
type layer struct {
	reader   *Reader
	coding   Coding
	src      *bufio.Reader
	decoder  io.Reader // nil before the first Read
	count    int64     // of bytes decoded
	ended    bool      // decoder has
	trailing bool      // bytes follow
	err      error
}

func (l *layer) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.read(p)
	l.count += int64(n)
	if over := l.bounded(); over != nil {
		err = over
	}
	if l.err = err; err != nil {
		l.release()
	}
	return n, err
}

// bounded returns an error if the layer gave too much to the next one.
func (l *layer) bounded() error {
	r := l.reader
	if l == r.layers[len(r.layers)-1] {
		return nil // Read counts
	}
	return r.bounded(l.count)
}

func (l *layer) read(p []byte) (n int, err error) {
	if l.decoder == nil {
		if l.decoder, err = l.open(); err != nil {
			return 0, noEOF(err)
		}
	}
	for !l.ended {
		n, err := l.decoder.Read(p)
		switch err {
		case errTrailing:
			l.ended, l.trailing = true, true
		case io.EOF:
			l.ended = true
		case nil:
		default:
			return n, err
		}
		if n > 0 {
			return n, nil
		}
	}
	dropped, err := io.Copy(io.Discard, l.src)
	l.trailing = l.trailing || dropped > 0
	if err != nil {
		return 0, err
	}
	return 0, io.EOF
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
