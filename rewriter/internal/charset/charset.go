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

// An EncodingOf document is found out when it first matters.
type EncodingOf struct {
	Label string // what the transport says
	Start []byte // what the document begins with, up to startSize
	Known bool
	name  string            // of the encoding, as the Encoding Standard has it; "" where nothing says what it is
	enc   encoding.Encoding // nil is UTF-8, or unknown

	decoded bool // what is read is UTF-8 already

	plain plainness // what isPlain found
}

// StartSize is how far into a document a meta counts for its encoding.
const StartSize = 1024

// Find finds out the encoding.
func (d *EncodingOf) Find() {
	if d.Known {
		return
	}
	d.Known = true
	enc, name := htmlcharset.Lookup(d.Label)
	if enc == nil || ByteOrderMark(d.Start) != nil {
		enc, name, _ = htmlcharset.DetermineEncoding(d.Start, "")
		switch {
		case enc == encoding.Nop && d.namesUTF16():
		case enc == encoding.Nop || enc == charmap.Windows1252: // a guess; what the document says it wraps
			name = ""
		case name == "x-user-defined": // which no document can say
			name = "windows-1252"
		}
	}
	d.name = name
	if name != "" && name != "utf-8" {
		d.enc, _ = htmlindex.Get(name)
	}
}

// namesUTF16 reports whether a meta names UTF-16, which is UTF-8 there, in a document
// that is UTF-8 for package charset: without any bytes beyond ASCII it is no guess.
func (d *EncodingOf) namesUTF16() bool {
	if ascii.IndexFold(d.Start, "charset") < 0 {
		return false
	}
	enc, _, _ := htmlcharset.DetermineEncoding(bytes.Map(onlyASCII, d.Start), "")
	return enc == encoding.Nop
}

func onlyASCII(r rune) rune {
	if r >= utf8.RuneSelf {
		return -1
	}
	return r
}

// ByteOrderMark returns the byte order mark that a document begins with.
func ByteOrderMark(start []byte) []byte {
	for _, mark := range []string{"\xef\xbb\xbf", "\xfe\xff", "\xff\xfe"} {
		if bytes.HasPrefix(start, []byte(mark)) {
			return start[:len(mark)]
		}
	}
	return nil
}

// IsPlain reports whether every byte below 0x80 is what it is in ASCII. Where
// nothing in the document may name an encoding in which it is not, that is known
// without finding out which it is.
func (d *EncodingOf) IsPlain() bool {
	if d.plain == plainUnknown {
		d.plain = plainSurely
		if (d.Label != "" || mayNameOther(d.Start)) && d.IsPaired() {
			d.plain = notPlain
		}
	}
	return d.plain == plainSurely
}

type plainness uint8

const (
	plainUnknown plainness = iota
	plainSurely
	notPlain
)

// mayNameOther reports whether a meta may name another encoding than UTF-8,
// ISO-8859 or windows-125x.
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

// IsPaired reports whether a byte below 0x80 may be the second of a character,
// and a backslash or a bracket else.
func (d *EncodingOf) IsPaired() bool {
	d.Find()
	return slices.Contains([]string{"shift_jis", "gbk", "gb18030", "big5"}, d.name)
}

// isWide reports whether bytes of ASCII may be something else.
func (d *EncodingOf) isWide() bool {
	d.Find()
	return d.isUTF16() || d.name == "iso-2022-jp"
}

func (d *EncodingOf) isUTF16() bool { return d.name == "utf-16le" || d.name == "utf-16be" }

// A Charset says what the bytes from 0x80 on in a document's values are, which is
// found out when there is one:
//
//	                                RFC 1808, RFC 3986    WHATWG
//	UTF-8                           marks of bytes        the characters
//	other supersets of ASCII        marks of bytes        the characters, from the encoding
//	Shift_JIS, GBK, gb18030, Big5   marks, of the second  the characters, from the encoding
//	                                bytes below 0x80 too;
//	                                U+FFFD for bytes that
//	                                are no character
//	unknown                         marks of bytes        UTF-8, else windows-1252
//	UTF-16, ISO-2022-JP             the window is UTF-8 already
//
// In a nil one bytes are themselves.
type Charset struct {
	Of      *EncodingOf // nil is UTF-8
	Mark    bool
	decoder *encoding.Decoder // for of.enc
	buf     [16]byte
}

// Marking marks bytes. It is shared, and stays what it is.
var Marking = &Charset{Mark: true}

// OfUTF8 returns the charset for text that can be read where it is.
func (c *Charset) OfUTF8() *Charset {
	if c.Mark {
		return Marking
	}
	return nil
}

// isUTF8 reports whether what is read is UTF-8 for sure, as far as that is known.
func (c *Charset) isUTF8() bool { return c == nil || c.Of == nil || c.Of.decoded }

// IsInPlace reports whether text can be read where it is: as if all of it were
// UTF-8.
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

// Next appends the character that raw begins with, whose first byte is from
// 0x80 on, and returns its length.
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
	if !c.Mark || n == 1 && string(text) == string(utf8.RuneError) { // which with what is written next might be a character
		return append(dst, text...), n
	}
	for _, b := range raw[:n] {
		dst = mark.Append(dst, b)
	}
	return dst, n
}

// appendGuess appends a character of UTF-8, or of windows-1252 if it is none.
func appendGuess(dst, raw []byte) (_ []byte, n int) {
	if r, n := utf8.DecodeRune(raw); r != utf8.RuneError || n > 1 {
		return append(dst, raw[:n]...), n
	}
	return utf8.AppendRune(dst, charmap.Windows1252.DecodeByte(raw[0])), 1
}

// Search returns where in text, which begins with a character, s is first: ASCII of
// which no byte is part of a character of more bytes. Where it is not found, what
// comes before i need not be searched again if more follows, unless that is final.
func (c *Charset) Search(text []byte, s string, final bool) (i int, found bool) {
	i = bytes.Index(text, []byte(s))
	before := text
	if found = i >= 0; found {
		before = text[:i]
	}
	if c.isUTF8() || ascii.IsASCII(before) || c.Of.IsPlain() { // no character has parts that may be s
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

// maxBytes is the length of the longest characters, which are those of gb18030.
const maxBytes = 4

// Text appends a text of the document's, which is not markup.
func (c *Charset) Text(dst, raw []byte) []byte {
	if c == nil {
		return append(dst, raw...)
	}
	for len(raw) > 0 {
		n := ascii.PlainLen(raw)
		switch {
		case n > 0:
			dst = append(dst, raw[:n]...)
		case raw[0] < utf8.RuneSelf:
			dst, n = append(dst, raw[0]), 1
		default:
			dst, n = c.Next(dst, raw)
		}
		raw = raw[n:]
	}
	return dst
}

// Unicode returns a charset by which raw becomes UTF-8 whatever the profile; nil
// is that it is.
func (c *Charset) Unicode(raw []byte) *Charset {
	if c.isUTF8() || ascii.ClassOf(raw)&ascii.NonASCII == 0 {
		return nil
	}
	if c.Of.Find(); c.Of.name == "utf-8" {
		return nil
	}
	return &Charset{Of: c.Of}
}

// AppendShown appends a reference in UTF-8: marks as the characters that their
// bytes are.
func (c *Charset) AppendShown(dst, ref []byte) []byte {
	if ascii.ClassOf(ref)&ascii.NonASCII == 0 {
		return append(dst, ref...)
	}
	var bytes []byte
	for i := 0; i < len(ref); {
		if b, ok := mark.Of(ref[i:]); ok {
			bytes = append(bytes, b)
			i += 3
			continue
		}
		dst = c.Unicode(bytes).Text(dst, bytes)
		bytes = bytes[:0]
		dst = append(dst, ref[i])
		i++
	}
	return c.Unicode(bytes).Text(dst, bytes)
}

// IndexAfter returns where s is in b from i on, and where it ends: the end of b
// where it is not.
func (c *Charset) IndexAfter(b []byte, i int, s string) (start, end int) {
	n, found := c.Search(b[i:], s, true)
	if !found {
		return len(b), len(b)
	}
	return i + n, i + n + len(s)
}
