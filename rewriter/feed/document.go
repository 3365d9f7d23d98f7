package feed

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// A document is an HTML document in a feed. It is an io.Reader of its HTML, and the
// rewriter.Splicer that is told what becomes of that.
type document struct {
	scan     *scanner
	tracker  *tracker
	warnings *warnings
	maxHeld  int // bytes of the feed, and of memory for pieces
	errHeld  error

	form  form
	depth int  // of the element that it stands in
	fresh bool // no element of it has been read
	raw   int  // the depth inside an element whose text HTML takes literally; 0 is none

	start   int64  // in the feed
	decoded []byte // HTML that Read has not given yet, from given on
	given   int    // an index in decoded
	pieces  pieces
	passed  int64 // the end of what has been spliced, in the document
	ended   bool  // nothing more of it follows in the feed
	tooLong bool  // it was ended because too much of it is held
	stayed  int   // how many URLs stay because of markup in their middle
}

// newDocument returns the document that begins here in the feed.
func (f *run) newDocument(form form, depth int) *document {
	start := f.scan.pos
	return &document{
		scan: &f.scan, tracker: f.tracker, warnings: &f.warnings, maxHeld: f.maxHeld, errHeld: f.errHeld,
		form: form, depth: depth, fresh: true, start: start, pieces: pieces{last: piece{pos: start, nature: nothing}},
	}
}

// add appends HTML that stands at pos in the feed.
func (d *document) add(html []byte, pos int64, n nature) {
	d.pieces.add(int64(len(html)), pos, n)
	d.decoded = append(d.decoded, html...)
}

// addFirst adds a line feed before b, if b would be taken for a byte order mark at the
// beginning of the document.
func (d *document) addFirst(b []byte, pos int64) {
	if d.pieces.end() == 0 && len(b) > 0 && b[0] >= 0xfe {
		d.add([]byte("\n"), pos, other)
	}
}

// Read reads the document.
func (d *document) Read(p []byte) (int, error) {
	for d.given == len(d.decoded) {
		d.decoded, d.given = d.decoded[:0], 0
		if d.ended {
			if d.scan.input.Err() != nil && d.scan.pos == d.scan.limit() {
				return 0, errRead
			}
			return 0, io.EOF
		}
		d.next()
	}
	n := copy(p, d.decoded[d.given:])
	d.given += n
	return n, nil
}

// next decodes what follows in the feed.
func (d *document) next() {
	switch {
	case !d.scan.has(1):
		d.ended = true
	case int(d.scan.pos-d.scan.passed)+d.pieces.size() > d.maxHeld:
		d.warnings.add(d.scan.pos, d.errHeld)
		d.ended, d.tooLong = true, true
	case d.form == quoted:
		d.decodeString()
	default:
		d.decodeToken()
	}
}

// decodeToken decodes the next token of XML.
func (d *document) decodeToken() {
	tok := d.scan.peek()
	b := d.scan.bytes(tok.start, tok.end)
	switch tok.kind {
	case ending:
		d.ended = true
		return
	case text:
		d.decodeText(b, tok.start)
	case stray:
		d.warnings.addMalformed(tok.start, errBracket)
		if d.form == elements {
			d.add([]byte("&lt;"), tok.start, other)
		} else {
			d.add(b, tok.start, asText)
		}
	case cdataOpen, cdataClose:
		d.add(nil, tok.start, limits)
	case cdataText:
		d.decodeCDATA(b, tok.start)
	case markup:
		d.add(nil, tok.start, nothing)
	case startTag:
		if d.form == escaped || !d.decodeStartTag(b, tok.start) {
			d.ended = true
			return
		}
	case endTag:
		i := d.tracker.match(b)
		if i >= 0 && (i < d.depth || d.form == escaped) {
			d.ended = true
			return
		}
		d.decodeEndTag(i, b, tok.start)
	}
	d.scan.take()
}

// decodeString decodes the next part of a string of JSON (RFC 8259 §7).
func (d *document) decodeString() {
	s := d.scan
	part, ok := s.stringPart()
	switch {
	case !ok:
		if d.ended = true; s.input.Err() != nil {
			s.pos = s.limit()
		}
	case len(part) == 0:
		d.ended = true
	case part[0] == '\\':
		d.add(unescaped(part), s.pos, escape)
	default:
		d.addFirst(part, s.pos)
		d.add(part, s.pos, asString)
	}
	s.pos += int64(len(part))
}

// decodeText decodes character data.
func (d *document) decodeText(b []byte, pos int64) {
	if d.form == elements && d.raw == 0 {
		d.decodeMarkup(b, pos)
		return
	}
	d.addFirst(b, pos)
	special := "&"
	if d.raw > 0 {
		special = "&<"
	}
	for len(b) > 0 {
		n := before(b, special)
		if d.add(b[:n], pos, asText); n < len(b) {
			n += d.decodeReference(b[n:], pos+int64(n))
		}
		b, pos = b[n:], pos+int64(n)
	}
}

// before returns how many bytes stand before the first of any of these.
func before(b []byte, any string) int {
	if i := bytes.IndexAny(b, any); i >= 0 {
		return i
	}
	return len(b)
}

// decodeReference decodes a reference, or "<", and returns its length.
func (d *document) decodeReference(b []byte, pos int64) int {
	char, n := rune('<'), 1
	if b[0] == '&' {
		char, n = parseReference(b)
	}
	switch {
	case n == 0:
		d.add(b[:1], pos, asText)
		return 1
	case char < 0:
		d.add(b[:n], pos, entity)
	case char == '<' && d.raw > 0:
		d.add([]byte(" "), pos, other) // since "<" may end the raw text in HTML
	case char >= utf8.RuneSelf && !d.tracker.isUTF8():
		d.add(b[:n], pos, asText) // it is a reference in HTML, too
	default:
		d.add(utf8.AppendRune(nil, char), pos, character)
	}
	return n
}

// decodeCDATA decodes what is in a CDATA section. What would begin a reference or a tag in
// HTML is written in another way there.
func (d *document) decodeCDATA(b []byte, pos int64) {
	special, nature := "&<", asSealed
	switch {
	case d.form == escaped:
		d.addFirst(b, pos)
		special, nature = "", asCDATA
	case d.raw > 0:
		special, nature = "<", asCDATA
	}
	for len(b) > 0 {
		n := before(b, special)
		if d.add(b[:n], pos, nature); n < len(b) {
			html := "&amp;"
			switch {
			case d.raw > 0:
				html = " " // since "<" may end the raw text
			case b[n] == '<':
				html = "&lt;"
			}
			d.add([]byte(html), pos+int64(n), other)
			n++
		}
		b, pos = b[n:], pos+int64(n)
	}
}
