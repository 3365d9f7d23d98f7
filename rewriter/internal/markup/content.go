package markup

import (
	"bytes"

	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
)

// A Piece is a part of the content of an element in which there is no gap: character
// data, or a CDATA section.
type Piece struct {
	Start    int // in the value
	End      int // in the raw content
	Notation charref.Notation
}

// DecodeContent sets v to the text that the raw content of an element stands for, and
// appends the pieces of that text. gaps are the tags and the child elements in raw;
// comments are left out too. cs reads the bytes from 0x80 on.
func DecodeContent(v *charref.Value, pieces []Piece, raw []byte, gaps []Span, cs *charset.Charset) []Piece {
	v.Reset(true)
	start := 0
	for _, gap := range gaps {
		pieces = decodeText(v, pieces, raw, start, int(gap.Start), cs)
		start = int(gap.End)
	}
	pieces = decodeText(v, pieces, raw, start, len(raw), cs)
	v.End(len(raw))
	return pieces
}

// decodeText appends to v the text that raw[start:end] stands for. There is no tag in
// it.
func decodeText(v *charref.Value, pieces []Piece, raw []byte, start, end int, cs *charset.Charset) []Piece {
	for i := start; i < end; {
		text, notation := i, charref.CharacterData
		var next int
		switch rest := raw[i:end]; {
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			text, notation = i+len("<![CDATA["), charref.CDATA
			i, next = cs.IndexAfter(raw[:end], text, "]]>")
		case beginsMarkup(rest):
			i = commentEnd(raw[:end], i)
			continue
		default:
			i = textEnd(raw[:end], i)
			next = i
		}
		if before := len(v.Text); text < i {
			v.AppendContent(notation, raw, text, i, cs)
			pieces = append(pieces, Piece{before, i, notation})
		}
		i = next
	}
	return pieces
}

// textEnd returns where the text at b[i] ends.
func textEnd(b []byte, i int) int {
	for i < len(b) && !beginsMarkup(b[i:]) {
		n := bytes.IndexByte(b[i+1:], '<')
		if n < 0 {
			return len(b)
		}
		i += 1 + n
	}
	return i
}

// beginsMarkup reports whether b begins with markup that is not a tag with a name.
func beginsMarkup(b []byte) bool {
	return len(b) > 1 && b[0] == '<' && (b[1] == '!' || b[1] == '?' || b[1] == '/' && len(b) > 2)
}

// commentEnd returns where the comment at b[i] ends, or other markup that is read as a
// comment.
func commentEnd(b []byte, i int) int {
	s := scanner{state: inBogus, pos: i + len("<!")}
	if bytes.HasPrefix(b[i:], []byte("<!--")) {
		s.pos += len("--")
		s.commentStart(b, true)
	}
	switch s.state {
	case inComment:
		s.skipPast(b, isCommentEnd, 0)
	case inBogus:
		s.skipPast(b, func([]byte) bool { return true }, 0)
	}
	return s.pos
}
