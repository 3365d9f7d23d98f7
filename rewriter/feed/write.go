package feed

import (
	"fmt"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/syntax"
)

// at returns where in the feed the byte at an offset in the document stands.
func (d *document) at(offset int64) int64 {
	p, _ := d.pieces.find(offset, d.scan.pos)
	if offset < p.at || !p.isExact() {
		return p.pos
	}
	return min(p.pos+offset-p.at, d.scan.pos)
}

// after returns where in the feed the byte before an offset in the document ends.
func (d *document) after(offset int64) int64 {
	if offset == 0 {
		return d.start
	}
	p, next := d.pieces.find(offset-1, d.scan.pos)
	if p.isExact() {
		return p.pos + offset - p.at
	}
	return next.pos
}

// Keep passes the document up to end as it is in the feed.
func (d *document) Keep(end int64) error {
	d.scan.pass(d.after(end))
	d.passed = end
	d.pieces.forget(end - 1)
	return d.scan.output.Err()
}

// Replace writes b in place of the document up to end.
func (d *document) Replace(end int64, b []byte) error {
	if d.passed == end { // b is inserted
		at := d.after(end)
		d.scan.replace(at, at, d.wayAt(end-1, end), b, true)
		return d.scan.output.Err()
	}
	w := d.wayAt(d.passed, end)
	if w == none {
		d.warnings.add(d.at(d.passed), errMiddle)
		d.stayed++
		return d.Keep(end)
	}
	from, to := d.at(d.passed), d.after(end)
	d.scan.replace(from, to, w, b, to-from == end-d.passed)
	d.passed = end
	return d.scan.output.Err()
}

// wayAt returns how new text is written in place of a part of the document; none says that
// it is not written in one way.
func (d *document) wayAt(start, end int64) way {
	p, next := d.pieces.find(max(start, 0), d.scan.pos)
	w := p.written()
	for next.at < end && w != none {
		if p, next = d.pieces.read(next, d.scan.pos); p.written() != w {
			w = none
		}
	}
	return w
}

// A way is one of writing new text in a feed.
type way uint8

const (
	none way = iota // no new text can be written
	inText
	inSection
	inMarkup
	inString
)

// written returns how new text is written in place of a piece of this nature.
func (n nature) written() way {
	switch n {
	case asText, character:
		return inText
	case asCDATA:
		return inSection
	case asMarkup:
		return inMarkup
	case asString, escape:
		return inString
	}
	return none
}

// replace writes a part of a document, or a URL, in place of the feed from start to end.
// spaces says that white space may be written as it is: what stood there was written
// without references and escapes.
func (s *scanner) replace(start, end int64, w way, text []byte, spaces bool) {
	s.pass(start)
	if s.trace != nil {
		s.trace(start, end)
	}
	if !s.output.Discards() {
		b := w.append(s.buffer[:0], text, spaces)
		if s.closesMarkup(b, end) {
			b = w.escapeLast(b)
		}
		s.output.Put(b)
		s.buffer = b
	}
	s.passed = max(s.passed, end)
}

// closesMarkup reports whether b, in place of the feed up to end, makes the ">" that
// follows end a comment or a CDATA section.
func (s *scanner) closesMarkup(b []byte, end int64) bool {
	return end < s.limit() && s.part(end, end+1)[0] == '>' &&
		charref.ClosesMarkup(b) && !charref.ClosesMarkup(s.copied(end-3, end))
}

// escapeLast writes the last byte of b in another form, if there is one.
func (w way) escapeLast(b []byte) []byte {
	switch last := len(b) - 1; w {
	case inText, inMarkup:
		return charref.AppendCharacter(b[:last], b[last])
	case inString:
		return syntax.FormJSON.EscapeLast(b)
	}
	return b
}

// append appends HTML: as character data (XML 1.0 §2.4), as the content of a CDATA section
// (§2.7), as XHTML that is a part of a value in a tag, or in a string of JSON. spaces says
// that white space stands for itself. HTML in place of a part of a document has no ">".
func (w way) append(dst, html []byte, spaces bool) []byte {
	ampersand := "&"
	switch w {
	case inString:
		return syntax.FormJSON.Append(dst, html, spaces)
	case inText, none:
		w, ampersand = inText, "&amp;"
	}
	for i := 0; i < len(html); {
		n := 1
		switch c := html[i]; {
		case c == '&' && (w == inText || w == inMarkup && !beginsReference(html[i:])):
			dst = append(dst, "&amp;"...)
		case c == '<' && w == inText:
			dst = append(dst, "&lt;"...)
		case c == '>' && w == inText:
			dst = append(dst, "&gt;"...)
		case w == inText && (c == '\r' || ascii.IsStructure(c)), w != inSection && isSpace(c) && !spaces:
			dst = charref.AppendCharacter(dst, c)
		default:
			dst, n = appendChar(dst, html[i:], ampersand)
		}
		i += n
	}
	return dst
}

// beginsReference reports whether text begins with a reference that XML knows.
func beginsReference(text []byte) bool {
	char, n := parseReference(text)
	return n > 0 && char >= 0
}

// appendChar appends the character that HTML begins with, and returns its length. A
// character that XML does not allow becomes a reference of HTML, which begins with
// ampersand.
func appendChar(dst, html []byte, ampersand string) (_ []byte, n int) {
	r, n := utf8.DecodeRune(html)
	switch {
	case r < ' ' && !isChar(r):
		return fmt.Appendf(dst, "%s#%d;", ampersand, r), n
	case r == 0xfffe, r == 0xffff:
		return fmt.Appendf(dst, "%s#x%X;", ampersand, r), n
	}
	return append(dst, html[:n]...), n
}
