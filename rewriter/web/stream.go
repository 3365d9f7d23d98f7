package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"absolink/internal/coding"
	"absolink/rewriter"
)

// A stream reads a body decoded, rewritten and encoded again.
type stream struct {
	dec  *decoder
	doc  *rewriter.Reader
	enc  *coding.Writer // nil where there are no codings, and before the first byte
	raw  io.Reader      // in place of all: the body is not in its coding
	buf  []byte
	out  bytes.Buffer // encoded and not read
	err  error        // after out
	lazy bool         // the encoders are flushed by flush alone

	encoders *coding.Encoders // enc is from
}

// Read returns what there is before it reads the source again.
func (s *stream) Read(p []byte) (int, error) {
	for s.out.Len() == 0 {
		switch {
		case s.raw != nil:
			return s.raw.Read(p)
		case s.err != nil:
			return 0, s.err
		case len(s.dec.codings) == 0:
			n, err := s.doc.Read(p)
			s.err = err
			return n, err
		case len(p) == 0:
			return 0, nil
		}
		s.step()
	}
	return s.out.Read(p)
}

// bufferSize is how much is encoded at once, in bytes.
const bufferSize = 32 << 10

// step encodes what comes next.
func (s *stream) step() {
	if s.buf == nil {
		s.buf = make([]byte, bufferSize)
	}
	n, err := s.doc.Read(s.buf)
	if errors.Is(err, ErrNotCoded) {
		s.dec.warn(ErrNotCoded)
		s.raw = s.dec.raw()
		return
	}
	if s.enc == nil && s.dec.tape.count > 0 {
		s.enc = s.encoders.Writer(&s.out, s.dec.found())
	}
	if n > 0 {
		s.enc.Write(s.buf[:n]) // to out, which takes all
	}
	switch {
	case err == io.EOF && s.enc != nil:
		s.enc.Close()
	case err != nil || !s.lazy && s.doc.Buffered() == 0:
		s.flush()
	}
	s.err = err
}

// flush has everything in out that was rewritten.
func (s *stream) flush() {
	if s.enc != nil && s.err == nil {
		s.enc.Flush()
	}
}

// end lets go of what the stream holds. Nobody reads it any more.
func (s *stream) end() {
	s.dec.close()
	if s.enc != nil {
		s.enc.Release()
		s.enc = nil
	}
	if s.err == nil {
		s.err = http.ErrBodyReadAfterClose
	}
}
