package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"absolink/rewriter"
)

// A stream reads a body decoded, rewritten and encoded again.
type stream struct {
	dec  *decoder
	doc  *rewriter.Reader
	enc  encoders  // nil where there are none, and before the first byte
	raw  io.Reader // in place of all: the body is not in its coding
	buf  []byte
	out  bytes.Buffer // encoded and not read
	err  error        // after out
	lazy bool         // the encoders are flushed by flush alone

	pools *pools // enc is from
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
		s.enc = s.pools.encoders(&s.out, s.dec.codings)
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
	s.pools.put(s.enc, s.dec.codings)
	s.enc = nil
	if s.err == nil {
		s.err = http.ErrBodyReadAfterClose
	}
}
