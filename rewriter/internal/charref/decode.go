package charref

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/charmap"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charset"
)

// maxEntity is the length of the longest character reference by name,
// &CounterClockwiseContourIntegral;, and then some.
const maxEntity = 40

// AppendDecoded appends the value that a browser reads from the raw bytes of
// an attribute value: newlines normalized, NUL replaced, and character
// references decoded by the rules for attributes (HTML Standard §13.2.5.72 to
// §13.2.5.80). The bytes from 0x80 on are read by cs.
func AppendDecoded(dst, raw []byte, cs *charset.Charset) []byte {
	for i := 0; i < len(raw); {
		if n := ascii.PlainLen(raw[i:]); n > 0 {
			dst = append(dst, raw[i:i+n]...)
			i += n
			continue
		}
		switch c := raw[i]; c {
		case '&':
			n := 0
			if dst, n = AppendReference(dst, raw[i:]); n > 0 {
				i += n
				continue
			}
			dst = append(dst, '&')
		case 0:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case '\r':
			dst = append(dst, '\n')
			if i+1 < len(raw) && raw[i+1] == '\n' {
				i++
			}
		default:
			n := 1
			if c >= utf8.RuneSelf {
				dst, n = cs.Next(dst, raw[i:])
			} else {
				dst = append(dst, c)
			}
			i += n
			continue
		}
		i++
	}
	return dst
}

// AppendReference appends what the character reference at the start of raw
// stands for and returns its length, 0 if it is none.
func AppendReference(dst, raw []byte) ([]byte, int) {
	if len(raw) > 1 && raw[1] == '#' {
		return AppendNumeric(dst, raw)
	}
	n := 1
	for n < len(raw) && n < maxEntity && ascii.IsAlnum(raw[n]) {
		n++
	}
	// Where the longest name in the table that begins here is not all of the
	// letters and digits that follow, the next is one of them and the whole
	// stays literal. So there is one candidate, with or without semicolon.
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
		return dst, 0 // a shorter name was decoded
	case !semicolon && utf8.RuneCountInString(s) > 1:
		return dst, 0
	}
	return append(dst, s...), n
}

// references remembers what package html made of references by name, for it
// has no way to ask that does not allocate.
var references referenceCache

// maxReferences is about how many names there are. What follows a name without
// semicolon makes more of them, which need not be remembered.
const maxReferences = 4096

type referenceCache struct {
	sync.RWMutex
	decoded map[string]string
}

// named returns what package html decodes a reference to, "" where it leaves it
// as it is.
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
	if c.decoded == nil {
		c.decoded = make(map[string]string)
	}
	if len(c.decoded) < maxReferences {
		c.decoded[name] = s
	}
	return s
}

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
		dst = utf8.AppendRune(dst, r) // U+FFFD for what is no character
	}
	return dst, i
}

// AppendValue appends what a raw value stands for. It returns the extended dst
// and that value, which is raw itself where that needs no decoding and TrimURL
// does not change it.
func AppendValue(dst, raw []byte, cs *charset.Charset) (_, value []byte) {
	if ascii.ClassOf(raw)&(ascii.Ampersand|ascii.Control|ascii.Space|ascii.NonASCII) == 0 {
		return dst, raw
	}
	start := len(dst)
	dst = AppendDecoded(dst, raw, cs)
	return dst, dst[start:]
}

// MaxReference is the length up to which a character reference is read where
// text is wanted.
const MaxReference = 64

// maxUnended is the length of the longest names that need no semicolon.
const maxUnended = 6

// AppendTextReference appends what the character reference at the start of raw
// stands for in text, where what follows a name without a semicolon makes no
// difference, and returns its length, 0 if it is none.
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
