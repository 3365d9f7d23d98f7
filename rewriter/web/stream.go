package web

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"

	"absolink/internal/coding"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// A stream reads a body decoded, rewritten and encoded again.
type stream struct {
	dec      *decoder
	reporter reporter // that doc reports to
	doc      *rewriter.Reader
	enc      *coding.Writer // nil without codings, and before the first byte of the body
	raw      io.Reader      // if not nil, is read instead: the body is not in its coding
	buf      []byte
	out      bytes.Buffer // what is encoded and not yet read
	err      error        // that comes after out
	stepping bool         // a step goes on, or has panicked in a function of the caller
	lazy     bool         // pieces wait in the encoders until flush is called, or the document ends
}

// Read returns everything that is ready before it reads the source again.
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

// bufferSize is how many bytes are encoded at once, at most.
const bufferSize = 32 << 10

// step encodes the next piece of the document into out. With the last piece it sets err. If the
// body turns out not to be in its coding, step sets raw instead.
func (s *stream) step() {
	if s.stepping {
		s.err = errPanicked
		return
	}
	if s.buf == nil {
		s.buf = make([]byte, bufferSize)
	}
	s.stepping = true // and remains so if a function of the caller panics
	n, err := s.doc.Read(s.buf)
	s.stepping = false
	if errors.Is(err, ErrNotCoded) { // which comes before the first piece: n is 0
		s.dec.warn(ErrNotCoded)
		s.raw = s.dec.raw()
		return
	}
	if s.enc == nil && s.dec.tape.count > 0 { // an empty body remains empty
		s.enc = coding.NewWriter(&s.out, s.dec.found())
	}
	if n > 0 {
		s.enc.Write(s.buf[:n]) // cannot fail: out takes everything
	}
	switch {
	case err == io.EOF && s.enc != nil:
		s.enc.Close()
	case err != nil || !s.lazy && s.doc.Buffered() == 0: // the next Read may wait for the source
		s.flush()
	}
	s.err = err // after flush, which has nothing to do once err is set
}

// flush moves everything that was rewritten so far into out. Once err is set, all of it is there.
func (s *stream) flush() {
	if s.enc != nil && s.err == nil {
		s.enc.Flush()
	}
}

// end releases what the stream holds, and tells End of the error that ended the document
// unless the body passed as it was. Nothing more is read from the stream.
func (s *stream) end(err error) {
	s.dec.close()
	if s.enc != nil {
		s.enc.Release()
		s.enc = nil
	}
	s.err = cmp.Or(s.err, http.ErrBodyReadAfterClose)
	if s.raw != nil {
		container.Done(s.reporter.rewriter.HTML, s.reporter.document, rewriter.Result{})
		return
	}
	s.reporter.end(s.doc.Result(), err)
}
