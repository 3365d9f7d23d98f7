package coding

import (
	"bufio"
	"io"
	"slices"

	"absolink/internal/steady"
)

// A Reader decodes a body: Undo adds a coding to undo. It reads no more of the source
// than it needs, and nothing before the first Peek or Read.
type Reader struct {
	src     steady.Reader
	layers  []*layer
	top     io.Reader // the decoded body: a *source, the last layer, or a *bufio.Reader of one
	limit   int64     // of decoded bytes; 0 is none
	tooLong error     // for more bytes than limit
	err     error

	// in bytes
	in      int64 // read from the source
	out     int64 // decoded
	windows int   // what is left of maxWindows
}

// NewReader returns a Reader of src. If more than limit bytes are decoded, Read
// returns the first of them and the error tooLong. A limit of 0 is none.
func NewReader(src io.Reader, limit int64, tooLong error) *Reader {
	r := &Reader{src: steady.Reader{Src: src}, limit: limit, tooLong: tooLong, windows: maxWindows}
	r.top = (*source)(r)
	return r
}

// A source counts the bytes read from src.
type source Reader

func (s *source) Read(p []byte) (int, error) {
	n, err := s.src.Read(p)
	s.in += int64(n)
	return n, err
}

// bufferSize is how many bytes are read at a time, from the source and each layer.
const bufferSize = 16 << 10

// buffered returns top, with a buffer.
func (r *Reader) buffered() *bufio.Reader {
	b, ok := r.top.(*bufio.Reader)
	if !ok {
		b = bufio.NewReaderSize(r.top, bufferSize)
		r.top = b
	}
	return b
}

// Peek returns the next n decoded bytes, without the codings given to Undo so far.
// They are valid until the next call. If there are fewer, the error says why.
func (r *Reader) Peek(n int) ([]byte, error) {
	b, err := r.buffered().Peek(n)
	return b, r.cause(err)
}

// Undo adds a coding to undo, after those before it. The error, if not nil, is
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

// Codings returns the codings given to Undo, in that order. Once read, a Zlib that is
// Deflate by its first bytes is returned as Deflate.
func (r *Reader) Codings() []Coding {
	var codings []Coding
	for _, l := range r.layers {
		codings = append(codings, l.coding)
	}
	return codings
}

// Trailing reports whether bytes followed the end of the encoded data. They are
// dropped.
func (r *Reader) Trailing() bool {
	return slices.ContainsFunc(r.layers, func(l *layer) bool { return l.trailing })
}

// Read reads decoded bytes. An error in a coding comes after all bytes that could be
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

// cause returns the error that err comes from: some decoders replace the error of
// their source by another.
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

// From one coding to the next, slack bytes may pass in any case. More may pass up to
// the limit of decoded bytes, and up to share bytes for each byte read or decoded.
const (
	slack = 128 << 10
	share = 8
)

// A layer undoes one coding. It reads its source to the end, past the encoded data:
// an error there, or the trailers of HTTP, belong to the body.
type layer struct {
	reader   *Reader
	coding   Coding
	src      *bufio.Reader
	decoder  io.Reader // nil before the first Read
	count    int64     // of decoded bytes
	ended    bool      // decoder has returned io.EOF
	trailing bool      // bytes followed the encoded data
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

// bounded returns an error if the layer passed too many bytes to the next one.
func (l *layer) bounded() error {
	switch r := l.reader; {
	case l == r.layers[len(r.layers)-1]: // Reader.Read counts its bytes
	case r.limit > 0 && l.count-slack > r.limit:
		return r.tooLong
	case (l.count-slack)/share > r.in+r.out:
		return ErrHollow
	}
	return nil
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
