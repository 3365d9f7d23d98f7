package feed

import (
	"bytes"
	"unicode/utf8"

	"absolink/rewriter/internal/syntax"
)

// at returns where in the feed the byte at an offset in the document stands.
func (d *document) at(offset int64) int64 {
	if len(d.pieces) == 0 {
		return d.start
	}
	i := d.find(offset)
	p := d.pieces[i]
	if offset < p.at || !p.isExact() {
		return p.pos
	}
	return min(p.pos+offset-p.at, d.scan.pos)
}

// after returns where in the feed the byte before an offset in the document ends.
func (d *document) after(offset int64) int64 {
	if offset == 0 || len(d.pieces) == 0 {
		return d.start
	}
	i := d.find(offset - 1)
	switch p := d.pieces[i]; {
	case p.isExact():
		return p.pos + offset - p.at
	case i+1 < len(d.pieces):
		return d.pieces[i+1].pos
	}
	return d.scan.pos
}

// Keep passes the document up to end as it is in the feed.
func (d *document) Keep(end int64) error {
	d.endPut()
	d.scan.pass(d.after(end))
	d.passed = end
	if i := d.find(end - 1); i > 4096 && i > len(d.pieces)/2 {
		d.pieces = d.pieces[:copy(d.pieces, d.pieces[i:])]
	}
	return d.scan.writeErr
}

// Replace writes b in place of the document up to end. Calls with the same end add to what
// is written there.
func (d *document) Replace(end int64, b []byte) error {
	if d.passed == end {
		if d.left == end && d.stayed > 0 && string(b) != `"` { // the quote ends a value that stays
			return d.scan.writeErr
		}
		n := d.pieces[d.find(max(end-1, 0))].nature
		if d.behind != "" {
			n = d.tailOf
		}
		d.scan.pass(d.after(end))
		d.put(b, n)
		if d.trace != nil {
			d.trace(d.scan.passed, d.scan.passed)
		}
		return d.scan.writeErr
	}
	first, last := d.find(d.passed), d.find(end-1)
	for _, p := range d.pieces[first : last+1] {
		if p.nature != limits && p.written() == none {
			d.warn(d.at(d.passed), errMiddle)
			d.stayed++
			d.left = end
			return d.Keep(end)
		}
	}
	d.endPut()
	d.scan.pass(d.at(d.passed))
	from, to := d.pieces[first].written(), d.pieces[last].written()
	d.put(b, d.pieces[first].nature)
	switch {
	case from == inText && to == inSection:
		d.behind = "<![CDATA["
	case from == inSection && to == inText:
		d.behind = "]]>"
	}
	start := d.scan.passed
	d.scan.drop(d.after(end))
	if d.trace != nil {
		d.trace(start, d.scan.passed)
	}
	d.passed = end
	return d.scan.writeErr
}

// A way is one of writing new text in a feed.
type way uint8

const (
	none way = iota
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

// put writes HTML as it is written in place of a piece, except for an end that depends on
// what follows.
func (d *document) put(html []byte, n nature) {
	if d.scan.dst == nil || len(html) == 0 && len(d.tail) > 0 {
		return
	}
	if n.written() != d.tailOf.written() {
		d.endPut()
	}
	d.tailOf = n
	if len(html) == 0 && d.scan.passed > d.scan.off && d.scan.bytes(d.scan.passed-1, d.scan.passed)[0] == ']' {
		html = []byte(" ") // in a tag; otherwise "]]>" might come about
	}
	d.tail = append(d.tail, html...)
	end := len(d.tail) - openEnd(d.tail, n.written())
	d.writePut(d.tail[:end])
	d.tail = append(d.tail[:0], d.tail[end:]...)
}

// endPut writes what put has left.
func (d *document) endPut() {
	if len(d.tail) > 0 {
		d.writePut(d.tail)
		d.tail = d.tail[:0]
	}
	d.scan.write([]byte(d.behind))
	d.behind = ""
}

// openEnd returns how many bytes at the end of HTML may be the first part of something
// that goes on in what follows: of a character, of "]]>", or of a reference where those
// are kept.
func openEnd(html []byte, w way) int {
	end := len(html)
	for i := end - 1; i >= 0 && i > end-utf8.UTFMax; i-- {
		if utf8.RuneStart(html[i]) {
			if !utf8.FullRune(html[i:]) {
				end = i
			}
			break
		}
	}
	if w == inMarkup {
		last := html[max(0, end-maxReference):end]
		if i := bytes.LastIndexByte(last, '&'); i >= 0 && bytes.IndexByte(last[i:], ';') < 0 {
			end -= len(last) - i
		}
	}
	return len(html) - len(bytes.TrimRight(html[:end], "]"))
}

// writePut writes HTML in place of a piece whose nature is tailOf.
func (d *document) writePut(html []byte) {
	b := d.buffer[:0]
	switch d.tailOf.written() {
	case inSection:
		b = appendSection(b, html)
	case inMarkup:
		b = appendMarkup(b, html)
	case inString:
		b = syntax.FormJSON.Append(b, html)
	default:
		b = appendText(b, html)
	}
	d.scan.write(b)
	d.buffer = b
}

// appendText appends HTML as character data (XML 1.0 §2.4).
func appendText(dst, html []byte) []byte {
	for i := 0; i < len(html); {
		switch c := html[i]; {
		case c == '&':
			dst = append(dst, "&amp;"...)
		case c == '<':
			dst = append(dst, "&lt;"...)
		case c == '>':
			dst = append(dst, "&gt;"...)
		case c == ']' && i+1 == len(html): // ">" may follow
			dst = append(dst, "&#93;"...)
		case c == '\r':
			dst = append(dst, "&#13;"...)
		default:
			n := 0
			dst, n = appendChar(dst, html[i:], "&amp;")
			i += n
			continue
		}
		i++
	}
	return dst
}

// appendSection appends HTML as the content of a CDATA section (XML 1.0 §2.7).
func appendSection(dst, html []byte) []byte {
	for i := 0; i < len(html); {
		n := 0
		if dst, n = appendChar(dst, html[i:], "&"); html[i] == ']' && (i+1 == len(html) || html[i+1] == '>') {
			dst = append(dst, "]]><![CDATA["...)
		}
		i += n
	}
	return dst
}

// appendMarkup appends HTML that is a part of a value in a tag, as XHTML.
func appendMarkup(dst, html []byte) []byte {
	for i := 0; i < len(html); {
		switch c := html[i]; {
		case c == '&':
			if char, n := parseReference(html[i:]); n == 0 || char < 0 {
				dst = append(dst, "&amp;"...)
			} else {
				dst = append(dst, '&')
			}
		case c == '<':
			dst = append(dst, "&lt;"...)
		default:
			n := 0
			dst, n = appendChar(dst, html[i:], "&")
			i += n
			continue
		}
		i++
	}
	return dst
}

// appendChar appends the character that HTML begins with, and returns its length. A
// character that XML does not allow becomes a reference of HTML, which begins with
// ampersand.
func appendChar(dst, html []byte, ampersand string) (_ []byte, n int) {
	c := html[0]
	switch {
	case c < ' ' && !isChar(rune(c)):
		dst = append(append(dst, ampersand...), '#')
		if c >= 10 {
			dst = append(dst, '0'+c/10)
		}
		return append(dst, '0'+c%10, ';'), 1
	case c < utf8.RuneSelf:
		return append(dst, c), 1
	}
	r, n := utf8.DecodeRune(html)
	switch r {
	case 0xfffe:
		return append(append(dst, ampersand...), "#xFFFE;"...), n
	case 0xffff:
		return append(append(dst, ampersand...), "#xFFFF;"...), n
	}
	return append(dst, html[:n]...), n
}
