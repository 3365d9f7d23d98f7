package listing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// AppendString appends a string of JSON (RFC 8259 §7), in which characters that
// a terminal would obey are escaped. A byte that is not UTF-8 becomes U+FFFD, as in
// package json.
func AppendString(b []byte, value string) []byte {
	out := Buffer{b: b}
	out.AddJSON(value)
	return out.b
}

// AddJSON adds a string of JSON, as AppendString does.
func (b *Buffer) AddJSON(value string) {
	const hex, escaped, escapes = "0123456789abcdef", "\"\\\n\r\t\b\f", `"\nrtbf`
	b.b = append(b.b, '"')
	done, i := 0, 0
	for {
		for i < len(value) && plainJSON[value[i]] {
			i++
		}
		if i == len(value) {
			b.b = append(append(b.b, value[done:]...), '"')
			b.spill()
			return
		}
		c := value[i]
		r, n := utf8.DecodeRuneInString(value[i:])
		if c >= utf8.RuneSelf && !IsHidden(r) && (r != utf8.RuneError || n > 1) {
			i += n
			continue
		}
		b.b = append(b.b, value[done:i]...)
		switch {
		case c >= utf8.RuneSelf:
			b.b = append(b.b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		case strings.IndexByte(escaped, c) >= 0:
			b.b = append(b.b, '\\', escapes[strings.IndexByte(escaped, c)])
		default:
			b.b = append(b.b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		b.spill()
		i += n
		done = i
	}
}

// plainJSON says which bytes stand for themselves in a string.
var plainJSON = func() (plain [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// IsHidden reports whether a terminal would obey a character instead of showing it: a
// control character, or one that ends a line or turns its direction.
func IsHidden(c rune) bool {
	return c < ' ' || c >= 0x7f && unicode.In(c, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}
