package rewriter

import (
	"bytes"
	"io"

	htmlcharset "golang.org/x/net/html/charset"
)

// A source reads the input up to where it has to know the encoding, which is
// the first byte that is not ASCII, or may be no character by itself, only when
// all is there that says what it is.
type source struct {
	encodingOf
	r       io.Reader
	given   int   // of start, to who reads
	off     int64 // where in the input the window begins that is read into
	settled bool
	err     error // of r, after start
	wide    *wide // reads what is left, if it has to be decoded as a whole
}

// open begins a document. start keeps its memory.
func (s *source) open(r io.Reader, label string) {
	*s = source{encodingOf: encodingOf{label: label, start: s.start[:0]}, r: r}
}

// take takes all of the document, and reports whether it has to be read all the
// same.
func (s *source) take(document []byte) bool {
	s.start = append(s.start, document[:min(len(document), startSize)]...)
	if s.settle(); s.decoded {
		s.widen(bytes.NewReader(document))
	}
	return s.decoded
}

// Read reads the input, in UTF-8 if it is wide.
func (s *source) Read(p []byte) (int, error) {
	for !s.settled {
		if n := copy(p, s.start[s.given:s.firstUnclear()]); n > 0 {
			s.given += n
			return n, nil
		}
		if s.err != nil || len(s.start) == startSize || s.isDeclared() {
			if s.settle(); s.decoded {
				s.widen(s.rest())
			}
			break
		}
		if cap(s.start) < startSize {
			s.start = append(make([]byte, 0, startSize), s.start...)
		}
		n, err := s.r.Read(s.start[len(s.start):startSize])
		s.start, s.err = s.start[:len(s.start)+n], err
		if n == 0 && err == nil {
			return 0, nil
		}
	}
	switch {
	case s.wide != nil:
		return s.wide.Read(p)
	case s.given < len(s.start):
		n := copy(p, s.start[s.given:])
		s.given += n
		return n, nil
	case s.err != nil:
		return 0, s.err
	}
	return s.r.Read(p)
}

// firstUnclear returns where in start, of what has not been given, the first
// byte is that only the encoding can explain. Where the transport says what
// that is, it may be the first.
func (s *source) firstUnclear() int {
	if s.label != "" && s.given == 0 {
		return 0
	}
	for i, c := range s.start[s.given:] {
		if c >= 0x80 || c == '\x1b' {
			return s.given + i
		}
	}
	return len(s.start)
}

// isDeclared reports whether it is known what the encoding is already. More of
// start does not change that: the first meta counts.
func (s *source) isDeclared() bool {
	if enc, _ := htmlcharset.Lookup(s.label); enc != nil && len(s.start) >= len("\ufeff") {
		return true // only a byte order mark comes before it
	}
	i := indexFold(s.start, "charset")
	if i < 0 {
		return false
	}
	if bytes.IndexByte(s.start[i:], '>') < 0 {
		return false
	}
	s.find()
	s.known = s.name != ""
	return s.known
}

// settle decides how to go on, when start is whole.
func (s *source) settle() {
	s.settled = true
	s.decoded = s.mayBeWide() && s.isWide()
}

// widen goes on with what has not been given, decoding it.
func (s *source) widen(rest io.Reader) {
	s.wide = newWide(&s.encodingOf, rest, s.off, s.start[s.off:s.given])
}

// rest reads what has not been given.
func (s *source) rest() io.Reader {
	start := bytes.NewReader(s.start[s.given:])
	if s.err != nil {
		return io.MultiReader(start, failed{s.err})
	}
	return io.MultiReader(start, s.r)
}

// mayBeWide reports whether it is worth to find out the encoding for that: a
// meta gives no UTF-16.
func (s *source) mayBeWide() bool {
	return s.label != "" || len(byteOrderMark(s.start)) == len("\xff\xfe") || bytes.Contains(s.start, []byte("2022"))
}

type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }
