package charref

import (
	"bytes"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/charmap"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charset"
)

// maxEntity is a little more than the length of the longest character reference by
// name, &CounterClockwiseContourIntegral;.
const maxEntity = 40

// AppendDecoded appends the value that a browser reads from the raw bytes of an
// attribute value: newlines are normalized, NUL is replaced, and character references
// are decoded by the rules for attributes (HTML Standard §13.2.5.72 to §13.2.5.80). cs
// reads the bytes from 0x80 on.
func AppendDecoded(dst, raw []byte, cs *charset.Charset) []byte {
	for i := 0; i < len(raw); {
		if n := ascii.PlainLen(raw[i:]); n > 0 {
			dst = append(dst, raw[i:i+n]...)
			i += n
			continue
		}
		n := 0
		dst, n = appendNext(dst, raw[i:], cs)
		i += n
	}
	return dst
}

// appendNext appends what the beginning of raw stands for: a character reference, a newline,
// a NUL or a character beyond ASCII. It returns how many bytes that is.
func appendNext(dst, raw []byte, cs *charset.Charset) (_ []byte, n int) {
	switch c := raw[0]; {
	case c >= utf8.RuneSelf:
		return cs.Next(dst, raw)
	case c == '&':
		if dst, n = AppendReference(dst, raw); n > 0 {
			return dst, n
		}
	case c == 0:
		return utf8.AppendRune(dst, utf8.RuneError), 1
	case c == '\r':
		if n = 1; bytes.HasPrefix(raw, []byte("\r\n")) {
			n = 2
		}
		return append(dst, '\n'), n
	}
	return append(dst, raw[0]), 1
}

// AppendReference appends the characters that the character reference at the start of
// raw stands for in an attribute value. It returns the length of the reference, or 0 if
// there is none. raw begins with "&".
func AppendReference(dst, raw []byte) ([]byte, int) {
	if len(raw) > 1 && raw[1] == '#' {
		return AppendNumeric(dst, raw)
	}
	n := 1
	for n < len(raw) && n < maxEntity && ascii.IsAlnum(raw[n]) {
		n++
	}
	// In an attribute, a name that a letter or digit follows is not a reference. So
	// there is one candidate: all letters and digits that follow, with or without a
	// semicolon.
	semicolon := n < len(raw) && raw[n] == ';'
	switch {
	case semicolon:
		n++
	case n < len(raw) && (raw[n] == '=' || ascii.IsAlnum(raw[n])):
		return dst, 0
	}
	if string(raw[:n]) == "&amp;" || string(raw[:n]) == "&amp" {
		return append(dst, '&'), n
	}
	s := references.named(raw[:n])
	switch {
	case s == "":
		return dst, 0
	case semicolon && s[len(s)-1] == ';' && string(raw[:n]) != "&semi;":
		return dst, 0 // package html has decoded a shorter name
	case !semicolon && utf8.RuneCountInString(s) > 1:
		return dst, 0
	}
	return append(dst, s...), n
}

// references remembers what package html decoded references by name to, because each
// call of package html allocates.
var references = referenceCache{decoded: map[string]string{}}

// maxReferences is about the number of names. A name without a semicolon makes another
// reference with each text that follows it: these need not all be remembered.
const maxReferences = 4096

type referenceCache struct {
	sync.RWMutex
	decoded map[string]string
}

// named returns the text to which package html decodes a reference, or "" if it leaves
// the reference as it is.
func (c *referenceCache) named(reference []byte) string {
	c.RLock()
	s, ok := c.decoded[string(reference)]
	c.RUnlock()
	if ok {
		return s
	}
	name := string(reference)
	if s = html.UnescapeString(name); s == name {
		return ""
	}
	c.Lock()
	defer c.Unlock()
	if len(c.decoded) < maxReferences {
		c.decoded[name] = s
	}
	return s
}

// AppendNumeric is AppendReference for a numeric character reference. raw begins with
// "&#".
func AppendNumeric(dst, raw []byte) ([]byte, int) {
	i, base := len("&#"), rune(10)
	if i < len(raw) && ascii.Lower(raw[i]) == 'x' {
		i, base = i+1, 16
	}
	start, r := i, rune(0)
	for ; i < len(raw); i++ {
		d := ascii.Digit(raw[i])
		if d >= base {
			break
		}
		if r <= utf8.MaxRune {
			r = r*base + d
		}
	}
	if i == start {
		return dst, 0
	}
	if i < len(raw) && raw[i] == ';' {
		i++
	}
	switch {
	case 0x80 <= r && r < 0xa0:
		if c := charmap.Windows1252.DecodeByte(byte(r)); c != utf8.RuneError {
			r = c
		}
		dst = utf8.AppendRune(dst, r)
	case r == 0:
		dst = utf8.AppendRune(dst, utf8.RuneError)
	default:
		dst = utf8.AppendRune(dst, r) // U+FFFD if r is not a character
	}
	return dst, i
}

// AppendValue returns the value that a raw value stands for, and dst with the memory
// that the value takes. If raw needs no decoding, and has no white space, the value is
// raw itself.
func AppendValue(dst, raw []byte, cs *charset.Charset) (_, value []byte) {
	if ascii.ClassOf(raw)&(ascii.Ampersand|ascii.Control|ascii.Space|ascii.NonASCII) == 0 {
		return dst, raw
	}
	start := len(dst)
	dst = AppendDecoded(dst, raw, cs)
	return dst, dst[start:]
}

// MaxReference is how many bytes of a text are read to find a character reference at
// their start.
const MaxReference = 64

// maxUnended is the length of the longest names that need no semicolon, without "&".
const maxUnended = 6

// AppendTextReference is AppendReference for text. Unlike in an attribute value, a name
// that needs no semicolon is a reference there whatever follows it.
func AppendTextReference(dst, raw []byte) ([]byte, int) {
	dst, n := AppendReference(dst, raw)
	if n > 0 || len(raw) > 1 && raw[1] == '#' {
		return dst, n
	}
	for n = 1; n < len(raw) && n <= maxUnended && ascii.IsAlnum(raw[n]); n++ {
	}
	for ; n > 2; n-- {
		if s := references.named(raw[:n]); utf8.RuneCountInString(s) == 1 {
			return append(dst, s...), n
		}
	}
	return dst, 0
}

// HasReference reports whether there is a character reference in text.
func HasReference(text []byte) bool {
	for i := ascii.NextByte(text, -1, '&'); i >= 0; i = ascii.NextByte(text, i, '&') {
		if _, n := AppendTextReference(nil, text[i:]); n > 0 {
			return true
		}
	}
	return false
}
