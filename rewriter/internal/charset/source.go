package charset

import (
	"bytes"
	"io"

	htmlcharset "golang.org/x/net/html/charset"

	"absolink/rewriter/internal/ascii"
)

// A Source reads the input of a document. Up to the first byte that is not plain ASCII, or
// begins a character reference, the encoding makes no difference. Control characters other
// than white space are not plain: NUL stands for U+FFFD, and some shift ISO-2022-JP. From
// there on the Source returns bytes only when it has read everything that may say what the
// encoding is.
type Source struct {
	EncodingOf
	r        io.Reader
	given    int   // how many bytes of Start have been returned
	Off      int64 // the offset in the input of the window that is read into
	settled  bool  // it is known whether the document is decoded as a whole
	err      error // the error of r after Start
	Sheet    bool  // the document is a style sheet
	labelled bool  // setSheetLabel has been called
	Wide     *wide // reads the rest of the document if it is decoded as a whole; otherwise nil
}

// Open begins a document that r reads. The first error of r has to stay. Where r returns
// nothing, without an error, so does Read. Start keeps its memory.
func (s *Source) Open(r io.Reader, label string) {
	*s = Source{EncodingOf: EncodingOf{Label: label, Start: s.Start[:0], growing: true}, r: r}
}

// Take takes a whole document, and reports whether it has to be decoded. The caller then
// reads it from s.
func (s *Source) Take(document []byte) bool {
	s.Start = append(s.Start, document[:min(len(document), StartSize)]...)
	if s.settle(); s.decodes() {
		s.widen(bytes.NewReader(document))
	}
	return s.decodes()
}

// Read reads the input, in UTF-8 if the document is decoded as a whole.
func (s *Source) Read(p []byte) (int, error) {
	for !s.settled {
		if n := copy(p, s.Start[s.given:s.firstUnclear()]); n > 0 {
			s.given += n
			return n, nil
		}
		declared := len(s.Start) == StartSize || s.isDeclared()
		if s.err != nil && s.err != io.EOF && !declared {
			return 0, s.err // what names the encoding may be among the bytes that did not come
		}
		if s.err != nil || declared {
			if s.settle(); s.decodes() {
				s.widen(io.MultiReader(bytes.NewReader(s.Start[s.given:]), s.r))
			}
			break
		}
		if cap(s.Start) < StartSize {
			s.Start = append(make([]byte, 0, StartSize), s.Start...)
		}
		n, err := s.r.Read(s.Start[len(s.Start):StartSize])
		s.Start, s.err = s.Start[:len(s.Start)+n], err
		if n == 0 && err == nil {
			return 0, nil // a Writer has been given nothing more
		}
	}
	switch {
	case s.Wide != nil:
		return s.Wide.Read(p)
	case s.given < len(s.Start):
		n := copy(p, s.Start[s.given:])
		s.given += n
		return n, nil
	}
	return s.r.Read(p)
}

// Waiting returns how many bytes have been read and not returned, because it is not known
// what encodes them, or which character they are part of.
func (s *Source) Waiting() int {
	switch {
	case s.Wide != nil:
		return len(s.Wide.Tail())
	case s.settled:
		return 0
	}
	return len(s.Start) - s.given
}

// firstUnclear returns the index in Start of the first byte whose meaning depends on the
// encoding, among the bytes that have not been returned: a character reference may stand
// for a character beyond ASCII, which a query has in the encoding. If the transport gives a
// label, this may be the very first byte.
func (s *Source) firstUnclear() int {
	if s.Label != "" && s.given == 0 {
		return 0
	}
	for i := s.given; ; i++ {
		if i += ascii.PlainLen(s.Start[i:]); i == len(s.Start) || !ascii.IsSpace(s.Start[i]) {
			return i
		}
	}
}

// isDeclared reports whether Start already says what the encoding is. More bytes would
// not change that, because the first meta counts.
func (s *Source) isDeclared() bool {
	if s.Sheet {
		return s.isSheetDeclared()
	}
	if s.Label != "" && len(s.Start) >= len("\ufeff") {
		if enc, _ := htmlcharset.Lookup(s.Label); enc != nil {
			return true // only a byte order mark overrides the label
		}
	}
	i := ascii.IndexFold(s.Start, "charset")
	if i < 0 || bytes.IndexByte(s.Start[i:], '>') < 0 {
		return false
	}
	s.Find()
	return s.name != ""
}

// settle decides whether the document is decoded as a whole. Start is complete.
func (s *Source) settle() {
	s.settled, s.growing = true, false
	s.setSheetLabel()
	s.decoded = s.InUTF8 || s.mayBeWide() && s.isWide()
}

// decodes reports whether the window gets other bytes than those of the document.
func (d *EncodingOf) decodes() bool { return d.decoded && !d.InUTF8 }

// widen decodes the document from here on. rest reads the bytes that have not been
// returned.
func (s *Source) widen(rest io.Reader) {
	s.Wide = newWide(&s.EncodingOf, rest, s.Off, s.Start[s.Off:s.given])
}

// mayBeWide reports whether the document may be in an encoding that is decoded as a
// whole. A meta cannot give UTF-16.
func (s *Source) mayBeWide() bool {
	return s.Label != "" || len(ByteOrderMark(s.Start)) == len("\xff\xfe") || bytes.Contains(s.Start, []byte("2022"))
}
