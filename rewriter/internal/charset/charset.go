// Package charset finds out the encodings of documents, and reads and writes their text.
package charset

import (
	"bytes"
	"slices"
	"unicode/utf8"

	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/mark"
)

// An EncodingOf is the encoding of a document. It is found out when it first matters.
type EncodingOf struct {
	Label   string            // the label that the transport gives
	Start   []byte            // the first bytes of the document, at most StartSize
	InUTF8  bool              // the document comes in UTF-8, whatever its encoding
	Known   bool              // the encoding has been found out
	growing bool              // Start may become longer: so far, all that anybody has read is ASCII
	name    string            // of the encoding, as in the Encoding Standard; "" if nothing names it
	enc     encoding.Encoding // nil for UTF-8, or if nothing names the encoding

	decoded bool // the window has the document in UTF-8, whatever its encoding

	plain plainness // the answer of IsPlain
}

// StartSize is how many bytes at the start of a document may hold the meta that names
// its encoding.
const StartSize = 1024

// Find finds out the encoding, unless it is known. As long as Start grows and names none,
// the encoding is not known.
func (d *EncodingOf) Find() {
	if d.Known {
		return
	}
	enc, name := htmlcharset.Lookup(d.Label)
	if enc == nil || ByteOrderMark(d.Start) != nil {
		enc, name, _ = htmlcharset.DetermineEncoding(d.Start, "")
		switch {
		case enc == encoding.Nop && d.namesUTF16():
		case enc == encoding.Nop || enc == charmap.Windows1252: // a guess; an encoding that the document names is wrapped
			name = ""
		case name == "x-user-defined": // a meta cannot name this encoding
			name = "windows-1252"
		}
	}
	d.name, d.Known = name, !d.growing || name != ""
	if name != "" && name != "utf-8" {
		d.enc, _ = htmlindex.Get(name)
	}
}

// IsNamed reports whether anything names the encoding: a byte order mark, the transport, or
// a meta among the first bytes. Otherwise every reader makes a guess of its own.
func (d *EncodingOf) IsNamed() bool {
	d.Find()
	return d.name != ""
}

// namesUTF16 reports whether a meta names UTF-16, which stands for UTF-8 there. Package
// charset says UTF-8 both where a meta says so and where it guesses; without bytes beyond
// ASCII it does not guess UTF-8.
func (d *EncodingOf) namesUTF16() bool {
	if ascii.IndexFold(d.Start, "charset") < 0 {
		return false
	}
	onlyASCII := bytes.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	}, d.Start)
	enc, _, _ := htmlcharset.DetermineEncoding(onlyASCII, "")
	return enc == encoding.Nop
}

// ByteOrderMark returns the byte order mark at the start of a document, or nil.
func ByteOrderMark(start []byte) []byte {
	for _, mark := range []string{"\xef\xbb\xbf", "\xfe\xff", "\xff\xfe"} {
		if bytes.HasPrefix(start, []byte(mark)) {
			return start[:len(mark)]
		}
	}
	return nil
}

// IsPlain reports whether every byte below 0x80 is a character of ASCII. It finds out the
// encoding only if the document may name one in which such a byte can be something else.
func (d *EncodingOf) IsPlain() bool {
	if d.plain == plainUnknown && !d.growing {
		d.plain = plainSurely
		if (d.Label != "" || mayNameOther(d.Start)) && d.IsPaired() {
			d.plain = notPlain
		}
	}
	return d.plain != notPlain
}

// A plainness is an answer of IsPlain, once that is known.
type plainness uint8

const (
	plainUnknown plainness = iota
	plainSurely
	notPlain
)

// mayNameOther reports whether a meta may name an encoding other than UTF-8, ISO-8859
// and windows-125x.
func mayNameOther(start []byte) bool {
	for i := bytes.IndexByte(start, '='); i >= 0; i = ascii.NextByte(start, i, '=') {
		if !ascii.HasSuffixFold(start[:ascii.TrimSpaceRight(start, 0, i)], "charset") {
			continue
		}
		label := bytes.TrimLeft(start[i+1:], " \t\n\f\r\"'")
		if !ascii.HasPrefixFold(label, "utf-8") && !ascii.HasPrefixFold(label, "iso-8859-") && !ascii.HasPrefixFold(label, "windows-125") {
			return true
		}
	}
	return false
}

// IsPaired reports whether a byte below 0x80 may be the second byte of a character. Such
// a byte looks like a backslash or a bracket, for example.
func (d *EncodingOf) IsPaired() bool {
	d.Find()
	return !d.InUTF8 && slices.Contains([]string{"shift_jis", "gbk", "gb18030", "big5"}, d.name)
}

// HidesASCII reports whether a byte below 0x80 may be part of a character beyond ASCII. In
// UTF-16 every byte may be, and no reader takes it for anything else.
func (d *EncodingOf) HidesASCII() bool { return d.decodes() && !d.IsUTF16() || !d.IsPlain() }

// HasState reports whether what a character is encoded as depends on the characters before.
func (d *EncodingOf) HasState() bool { return !d.InUTF8 && d.name == "iso-2022-jp" }

// isWide reports whether bytes below 0x80 may have no relation to ASCII. Such a document
// is decoded as a whole.
func (d *EncodingOf) isWide() bool {
	d.Find()
	return !d.InUTF8 && (d.IsUTF16() || d.HasState())
}

// HasSurrogates reports whether halves of surrogate pairs stand in the text of a document,
// as three bytes each.
func (d *EncodingOf) HasSurrogates() bool { return d != nil && d.decodes() && d.IsUTF16() }

// IsUTF16 reports whether the encoding is UTF-16.
func (d *EncodingOf) IsUTF16() bool { return d.name == "utf-16le" || d.name == "utf-16be" }

// A Charset reads the bytes from 0x80 on in the values of a document. They become:
//
//	                                RFC 1808, RFC 3986    WHATWG
//	UTF-8                           marks of bytes        the characters
//	other supersets of ASCII        marks of bytes        the characters, from the encoding
//	Shift_JIS, GBK, gb18030, Big5   marks, of the second  the characters, from the encoding
//	                                bytes below 0x80 too;
//	                                U+FFFD for bytes that
//	                                are no character
//	unknown                         marks of bytes        UTF-8, or windows-1252 for
//	                                                      bytes that are not UTF-8
//	UTF-16, ISO-2022-JP             as in UTF-8: the window is decoded already
//
// A nil Charset leaves bytes as they are.
type Charset struct {
	Of      *EncodingOf       // nil is UTF-8
	Mark    bool              // bytes are marked, as in the second column
	decoder *encoding.Decoder // of Of.enc
	buf     [16]byte
}

// Marking marks every byte. It is shared, and never changes.
var Marking = &Charset{Mark: true}

// OfUTF8 returns the charset for text that IsInPlace reports.
func (c *Charset) OfUTF8() *Charset {
	if c.Mark {
		return Marking
	}
	return nil
}

// isUTF8 reports whether the text is known to be UTF-8 before the encoding is found out.
func (c *Charset) isUTF8() bool { return c == nil || c.Of == nil || c.Of.decoded }

// IsInPlace reports whether text can be read without decoding, as if it were UTF-8.
func (c *Charset) IsInPlace(text []byte) bool {
	if c.Mark && (c.isUTF8() || c.Of.IsPlain()) || ascii.IsASCII(text) {
		return true
	}
	if c.Mark {
		return false
	}
	if !c.isUTF8() {
		c.Of.Find()
	}
	return (c.isUTF8() || c.Of.name == "utf-8" || c.Of.name == "") && utf8.Valid(text)
}

// Next appends the character at the start of raw, or its marks, and returns its length in
// raw. The first byte of raw is 0x80 or greater.
func (c *Charset) Next(dst, raw []byte) (_ []byte, n int) {
	switch {
	case c == nil:
		return append(dst, raw[0]), 1
	case c.Mark && (c.isUTF8() || c.Of.IsPlain()):
		return mark.Append(dst, raw[0]), 1
	case c.isUTF8():
		return appendUTF8(dst, raw, c.Of != nil)
	}
	c.Of.Find()
	switch {
	case c.Of.name == "":
		return appendGuess(dst, raw)
	case c.Of.enc == nil:
		return appendUTF8(dst, raw, false)
	}
	text, n := c.Decode(raw)
	if !c.Mark || n == 1 && string(text) == string(utf8.RuneError) { // a byte that is not a character: written back, it might become one with the next byte
		return append(dst, text...), n
	}
	for _, b := range raw[:n] {
		dst = mark.Append(dst, b)
	}
	return dst, n
}

// appendGuess appends the character of UTF-8 at the start of raw, or the character of
// windows-1252 if there is none.
func appendGuess(dst, raw []byte) (_ []byte, n int) {
	if r, n := utf8.DecodeRune(raw); r != utf8.RuneError || n > 1 {
		return append(dst, raw[:n]...), n
	}
	return utf8.AppendRune(dst, charmap.Windows1252.DecodeByte(raw[0])), 1
}

// Search returns the first index of s in text. s is ASCII, and bytes that are part of a
// longer character do not count. text begins with a whole character. If s is not found,
// the bytes before i need not be searched again when more text follows. final says that
// none does.
func (c *Charset) Search(text []byte, s string, final bool) (i int, found bool) {
	i = bytes.Index(text, []byte(s))
	before := text
	if found = i >= 0; found {
		before = text[:i]
	}
	if c.isUTF8() || ascii.IsASCII(before) || c.Of.IsPlain() { // s cannot be part of other characters
		return max(i, len(before)-len(s)+1, 0), found
	}
	for i = 0; i < len(text); {
		rest := text[i:]
		switch {
		case bytes.HasPrefix(rest, []byte(s)):
			return i, true
		case !final && (ascii.IsPrefix(rest, s) || rest[0] >= utf8.RuneSelf && len(rest) < maxBytes):
			return i, false
		}
		n := 1
		if rest[0] >= utf8.RuneSelf {
			_, n = c.Decode(rest)
		}
		i += n
	}
	return i, false
}

// maxBytes is the length of the longest characters. They occur in gb18030.
const maxBytes = 4

// Text appends raw, a text of the document, with the bytes from 0x80 on read by c.
func (c *Charset) Text(dst, raw []byte) []byte {
	if c == nil {
		return append(dst, raw...)
	}
	for len(raw) > 0 {
		n := ascii.PrefixLen(raw)
		dst = append(dst, raw[:n]...)
		if raw = raw[n:]; len(raw) > 0 {
			dst, n = c.Next(dst, raw)
			raw = raw[n:]
		}
	}
	return dst
}

// Unicode returns a charset that turns raw into UTF-8 in every profile. It returns nil if
// raw is UTF-8 already.
func (c *Charset) Unicode(raw []byte) *Charset {
	if c.isUTF8() || ascii.ClassOf(raw)&ascii.NonASCII == 0 {
		return nil
	}
	if c.Of.Find(); c.Of.name == "utf-8" {
		return nil
	}
	return &Charset{Of: c.Of}
}

// AppendShown appends a reference in UTF-8. Marks become the characters whose bytes they
// mark, and bytes that are not a character become U+FFFD.
func (c *Charset) AppendShown(dst, ref []byte) []byte {
	if ascii.ClassOf(ref)&ascii.NonASCII == 0 {
		return append(dst, ref...)
	}
	unmarked := Charset{Of: c.Of}
	var bytes []byte
	for i := 0; i < len(ref); {
		if b, ok := mark.Of(ref[i:]); ok {
			bytes = append(bytes, b)
			i += 3
			continue
		}
		dst = unmarked.Text(dst, bytes)
		bytes = bytes[:0]
		dst = append(dst, ref[i])
		i++
	}
	return unmarked.Text(dst, bytes)
}
