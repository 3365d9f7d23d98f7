package charset

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"

	"absolink/rewriter/internal/ascii"
)

// Decode returns the character that raw begins with, in UTF-8, and its length, as the
// decoders of the Encoding Standard have it (§9 to §13). Four sequences of Big5 are two
// characters. Bytes that are not a character become U+FFFD. A byte of ASCII that breaks a
// character is not part of it. The end of raw breaks a character, as a byte of ASCII does.
func (c *Charset) Decode(raw []byte) (text []byte, n int) {
	if table := c.Of.charmap(); table != nil {
		return utf8.AppendRune(c.buf[:0], decodeByte(table, raw[0])), 1
	}
	n, broken := c.Of.sequence(raw)
	if n > 0 {
		if text := c.lookUp(raw[:n]); text != nil {
			return text, n
		}
	}
	return utf8.AppendRune(c.buf[:0], utf8.RuneError), broken
}

// charmap returns the table of a single-byte encoding, or nil for any other encoding.
func (d *EncodingOf) charmap() *charmap.Charmap {
	if d.name == "iso-8859-8-i" { // ISO-8859-8, except for the direction of its lines
		return charmap.ISO8859_8
	}
	table, _ := d.enc.(*charmap.Charmap)
	return table
}

// decodeByte returns the character of a byte. Where package charmap has none from 0x80
// to 0x9F, it is a control character.
func decodeByte(table *charmap.Charmap, b byte) rune {
	if r := table.DecodeByte(b); r != utf8.RuneError || b >= 0xa0 {
		return r
	}
	return rune(b)
}

// sequence returns the length of the sequence of bytes at the start of raw that may be a
// character, or 0 if no such sequence is there. broken is how many bytes become U+FFFD if
// the sequence is not a character.
func (d *EncodingOf) sequence(raw []byte) (n, broken int) {
	n = 2
	switch {
	case d.name == "replacement":
		return 0, 1
	case !d.isLead(raw[0]):
		return 1, 1
	case len(raw) == 1:
		return 0, 1
	case d.isGB() && ascii.IsDigit(raw[1]):
		if len(raw) >= maxBytes && isGBLead(raw[2]) && ascii.IsDigit(raw[3]) {
			return maxBytes, maxBytes
		}
		return 0, 1
	case raw[0] == 0x8f && d.name == "euc-jp" && raw[1] >= 0xa1 && raw[1] <= 0xfe:
		if n = 3; len(raw) < n {
			return 0, len(raw)
		}
	}
	if raw[n-1] < utf8.RuneSelf {
		return n, n - 1
	}
	return n, n
}

// isLead reports whether a byte begins a character of more bytes.
func (d *EncodingOf) isLead(b byte) bool {
	switch d.name {
	case "shift_jis":
		return 0x81 <= b && b <= 0x9f || 0xe0 <= b && b <= 0xfc
	case "euc-jp":
		return b == 0x8e || b == 0x8f || 0xa1 <= b && b <= 0xfe
	}
	return isGBLead(b)
}

// isGBLead reports whether a byte is the first or the third one of a character of
// gb18030. The first one in Big5 and EUC-KR is from the same range.
func isGBLead(b byte) bool { return 0x81 <= b && b <= 0xfe }

// isGB reports whether the decoder is gb18030's.
func (d *EncodingOf) isGB() bool { return d.name == "gb18030" || d.name == "gbk" }

// lookUp returns the text of a whole sequence of bytes, or nil if it is not a character.
func (c *Charset) lookUp(raw []byte) []byte {
	if r := c.Of.amended(raw); r != 0 {
		return utf8.AppendRune(c.buf[:0], r)
	}
	if c.decoder == nil {
		enc := c.Of.enc
		if c.Of.isGB() {
			enc = simplifiedchinese.GB18030
		}
		c.decoder = enc.NewDecoder()
	}
	c.decoder.Reset()
	nDst, nSrc, _ := c.decoder.Transform(c.buf[:], raw, true)
	r, _ := utf8.DecodeRune(c.buf[:nDst])
	if nSrc < len(raw) || r == utf8.RuneError && !(c.Of.isGB() && string(raw) == replacementInGB) {
		return nil
	}
	return c.buf[:nDst]
}

// replacementInGB is U+FFFD in gb18030.
const replacementInGB = "\x84\x31\xa4\x37"

// appendUTF8 appends the character of UTF-8 at the start of raw. Bytes that are not UTF-8
// become U+FFFD: as many as begin a character, and at least one. Half of a surrogate pair,
// as three bytes, is one character in text that was decoded from UTF-16.
func appendUTF8(dst, raw []byte, fromUTF16 bool) (_ []byte, n int) {
	r, n := utf8.DecodeRune(raw)
	switch {
	case r != utf8.RuneError || n != 1:
	case fromUTF16 && len(raw) >= 3 && raw[0] == 0xed && raw[1]&^0x1f == 0xa0 && raw[2]&^0x3f == 0x80:
		n = 3
	default:
		n = brokenUTF8(raw)
	}
	return utf8.AppendRune(dst, r), n
}

// brokenUTF8 returns how many of the bytes that raw begins with could begin a character,
// at least 1.
func brokenUTF8(raw []byte) int {
	n := 1
	for n < min(3, len(raw)) && !utf8.FullRune(raw[:n]) && !utf8.FullRune(raw[:n+1]) {
		n++
	}
	return n
}
