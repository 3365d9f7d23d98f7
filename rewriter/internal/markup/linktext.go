package markup

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
)

// MaxText is how many characters the text of a link may have.
const MaxText = 200

// A LinkText reads the text of links. Stretches of white space, a NO-BREAK SPACE among
// them, become one space each, and none at the ends; NUL is left out.
type LinkText struct {
	Chars charset.Charset // of the document, without marks

	scan  scanner
	text  []byte
	part  []byte // a character, or an alt
	left  int    // how many characters may still be added
	space bool   // white space has come since the last character
}

// Of returns the first MaxText characters of the text after the start tag of an a, which
// b begins with. The text ends at the end tag, and at the start tag of another a. The alt
// of an img counts as text. Elements that begin a new line, and an img, stand apart from
// what is around them. The content of script, style, noscript and the like is left out.
// final says that the document ends where b does. The text is good until the next call.
func (t *LinkText) Of(b []byte, final bool) []byte {
	if text, ok := plainText(b); ok {
		return text
	}
	t.begin()
	t.scan = scanner{wantText: true, wantBlank: true, chars: &t.Chars, tag: Tag{Attrs: t.scan.tag.Attrs[:0]}}
	for t.left > 0 {
		switch t.scan.next(b, final) {
		case textToken:
			text := b[t.scan.text.start:t.scan.text.end]
			if t.scan.text.end == len(b) && !final {
				text = bytes.TrimRightFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) // the last character may have been cut
			}
			t.add(text)
		case startTagToken, endTagToken:
			if t.tag(b) {
				return t.text
			}
		case noToken:
			return t.text
		}
	}
	return t.text
}

// plainText returns the text up to an end tag if that stands for itself, as most do.
func plainText(b []byte) (text []byte, ok bool) {
	for i, c := range b[:min(len(b), MaxText)] {
		switch {
		case c == '<':
			return b[:i], bytes.HasPrefix(b[i:], []byte("</a>")) && (i == 0 || b[i-1] != ' ')
		case c == ' ' && (i == 0 || b[i-1] == ' '), c < ' ', c == '&', c >= utf8.RuneSelf:
			return nil, false
		}
	}
	return nil, false
}

// Alt returns the first MaxText characters of an alt.
func (t *LinkText) Alt(raw []byte) []byte {
	t.begin()
	t.addAlt(raw)
	return t.text
}

// Kept returns t for another document, with the memory that it has.
func (t *LinkText) Kept() LinkText {
	return LinkText{text: t.text, part: t.part, scan: scanner{tag: Tag{Attrs: t.scan.tag.Attrs}}}
}

func (t *LinkText) begin() { t.text, t.left, t.space = t.text[:0], MaxText, false }

// tag follows the tag that has been read, and reports whether it ends the text.
func (t *LinkText) tag(b []byte) (ends bool) {
	tag := &t.scan.tag
	inTag := b[tag.Start:]
	el := elementOf(tag.Hash, tag.Name.Of(inTag))
	if el.Atom == atom.A {
		return true
	}
	switch el.start {
	case startBlock, startHeading, startItem, startDefinition, startForm, startHr, startTable, startTablePart, startVoid:
		t.space = t.space || el.Atom != atom.Wbr
	}
	switch {
	case tag.IsEnd:
	case el.Atom == atom.Img:
		if alt, ok := tag.Value(inTag, "alt"); ok {
			t.addAlt(alt)
			t.space = true
		}
	case el.kind&rawText != 0 && !tag.SelfClosing:
		start := t.scan.pos
		t.scan.pos, ends = rawEnd(b, start, el.Name)
		if el.Atom == atom.Title || el.Atom == atom.Textarea {
			t.add(b[start:t.scan.pos])
		}
	}
	return ends
}

// rawEnd returns where the raw text from i on ends, of an element with the name. It is
// not always raw text to a browser: in SVG a style may have an a in it. So the start tag
// of an a ends the text of the link there too, which keeps time linear.
func rawEnd(b []byte, i int, name string) (end int, anchor bool) {
	for ; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], '<')
		if n < 0 {
			break
		}
		i += n
		if matchTag(b[i:], "</", name, true) == matches {
			return i, false
		}
		if matchTag(b[i:], "<", "a", true) == matches {
			return i, true
		}
	}
	return len(b), false
}

// add adds a text of the document.
func (t *LinkText) add(raw []byte) {
	for i := 0; i < len(raw) && t.left > 0; {
		n := 1
		switch c := raw[i]; {
		case ascii.IsSpace(c):
			t.space = true
		case c == '&':
			if t.part, n = charref.AppendTextReference(t.part[:0], raw[i:]); n == 0 {
				t.part, n = append(t.part, '&'), 1
			}
			t.addDecoded(t.part)
		case c >= utf8.RuneSelf:
			t.part, n = t.Chars.Next(t.part[:0], raw[i:])
			t.addDecoded(t.part)
		case c != 0:
			t.addChar(rune(c))
		}
		i += n
	}
}

// addAlt adds the raw value of an alt.
func (t *LinkText) addAlt(raw []byte) {
	t.part = charref.AppendDecoded(t.part[:0], raw[:min(len(raw), maxAlt)], &t.Chars)
	t.addDecoded(t.part)
}

// maxAlt is how many bytes of an alt are decoded.
const maxAlt = 16 << 10

// addDecoded adds characters.
func (t *LinkText) addDecoded(text []byte) {
	for len(text) > 0 && t.left > 0 {
		r, n := utf8.DecodeRune(text)
		if unicode.IsSpace(r) {
			t.space = true
		} else {
			t.addChar(r)
		}
		text = text[n:]
	}
}

// addChar adds a character, and the space before it. A space is never the last character.
func (t *LinkText) addChar(r rune) {
	if t.space && len(t.text) > 0 {
		if t.left == 1 {
			t.left = 0
			return
		}
		t.text = append(t.text, ' ')
		t.left--
	}
	t.space = false
	t.text = utf8.AppendRune(t.text, r)
	t.left--
}
