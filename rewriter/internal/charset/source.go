package charset

import (
	"bytes"
	"io"

	htmlcharset "golang.org/x/net/html/charset"

	"absolink/rewriter/internal/ascii"
)

// A Source reads the input up to where it has to know the encoding, which is
// the first byte that is not ASCII, or may be no character by itself, only when
// all is there that says what it is.
type Source struct {
	EncodingOf
	r       io.Reader
	given   int   // of start, to who reads
	Off     int64 // where in the input the window begins that is read into
	settled bool
	err     error // of r, after start
	Wide    *wide // reads what is left, if it has to be decoded as a whole
}

// Open begins a document. start keeps its memory.
func (s *Source) Open(r io.Reader, label string) {
	*s = Source{EncodingOf: EncodingOf{Label: label, Start: s.Start[:0]}, r: r}
}

// Take takes all of the document, and reports whether it has to be read all the
// same.
func (s *Source) Take(document []byte) bool {
	s.Start = append(s.Start, document[:min(len(document), StartSize)]...)
	if s.settle(); s.decoded {
		s.widen(bytes.NewReader(document))
	}
	return s.decoded
}

// Read reads the input, in UTF-8 if it is wide.
func (s *Source) Read(p []byte) (int, error) {
	for !s.settled {
		if n := copy(p, s.Start[s.given:s.firstUnclear()]); n > 0 {
			s.given += n
			return n, nil
		}
		if s.err != nil || len(s.Start) == StartSize || s.isDeclared() {
			if s.settle(); s.decoded {
				s.widen(s.rest())
			}
			break
		}
		if cap(s.Start) < StartSize {
			s.Start = append(make([]byte, 0, StartSize), s.Start...)
		}
		n, err := s.r.Read(s.Start[len(s.Start):StartSize])
		s.Start, s.err = s.Start[:len(s.Start)+n], err
		if n == 0 && err == nil {
			return 0, nil
		}
	}
	switch {
	case s.Wide != nil:
		return s.Wide.Read(p)
	case s.given < len(s.Start):
		n := copy(p, s.Start[s.given:])
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
func (s *Source) firstUnclear() int {
	if s.Label != "" && s.given == 0 {
		return 0
	}
	for i, c := range s.Start[s.given:] {
		if c >= 0x80 || c == '\x1b' {
			return s.given + i
		}
	}
	return len(s.Start)
}

// isDeclared reports whether it is known what the encoding is already. More of
// start does not change that: the first meta counts.
func (s *Source) isDeclared() bool {
	if enc, _ := htmlcharset.Lookup(s.Label); enc != nil && len(s.Start) >= len("\ufeff") {
		return true // only a byte order mark comes before it
	}
	i := ascii.IndexFold(s.Start, "charset")
	if i < 0 {
		return false
	}
	if bytes.IndexByte(s.Start[i:], '>') < 0 {
		return false
	}
	s.Find()
	s.Known = s.name != ""
	return s.Known
}

// settle decides how to go on, when start is whole.
func (s *Source) settle() {
	s.settled = true
	s.decoded = s.mayBeWide() && s.isWide()
}

// widen goes on with what has not been given, decoding it.
func (s *Source) widen(rest io.Reader) {
	s.Wide = newWide(&s.EncodingOf, rest, s.Off, s.Start[s.Off:s.given])
}

// rest reads what has not been given.
func (s *Source) rest() io.Reader {
	start := bytes.NewReader(s.Start[s.given:])
	if s.err != nil {
		return io.MultiReader(start, failed{s.err})
	}
	return io.MultiReader(start, s.r)
}

// mayBeWide reports whether it is worth to find out the encoding for that: a
// meta gives no UTF-16.
func (s *Source) mayBeWide() bool {
	return s.Label != "" || len(ByteOrderMark(s.Start)) == len("\xff\xfe") || bytes.Contains(s.Start, []byte("2022"))
}

type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }
