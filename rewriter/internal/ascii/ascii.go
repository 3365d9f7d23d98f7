// Package ascii has what the other packages need to know of bytes in ASCII: white space,
// letters, case, and the bytes with a special meaning in values.
package ascii

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// SkipSpace returns the index of the first byte in b from i on that is not white space,
// or the length of b.
func SkipSpace(b []byte, i int) int {
	for i < len(b) && IsSpace(b[i]) {
		i++
	}
	return i
}

// IsSpace reports whether c is ASCII whitespace, as the HTML Standard has it.
func IsSpace(c byte) bool { return spaces[c] }

var spaces = [256]bool{'\t': true, '\n': true, '\f': true, '\r': true, ' ': true}

// IsLetter reports whether c is a letter.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// EqualFold reports whether raw is name in any case. name is in lower case.
func EqualFold(raw []byte, name string) bool {
	if len(raw) != len(name) {
		return false
	}
	for i, c := range raw {
		if Lower(c) != name[i] {
			return false
		}
	}
	return true
}

// HasToken reports whether a token, in any case, stands in a list that white space
// separates. token is in lower case.
func HasToken(list []byte, token string) bool {
	for len(list) > 0 {
		i := SkipSpace(list, 0)
		n := SkipNonSpace(list, i)
		if EqualFold(list[i:n], token) {
			return true
		}
		list = list[n:]
	}
	return false
}

// Lower returns c in lower case.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

// AppendLower appends a name in lower case.
func AppendLower(dst, name []byte) []byte {
	for _, c := range name {
		dst = append(dst, Lower(c))
	}
	return dst
}

// IsNewline reports whether c is a newline in CSS (CSS Syntax 3 §3.3).
func IsNewline(c byte) bool { return c == '\n' || c == '\r' || c == '\f' }

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsQuote reports whether c is a double or a single quote.
func IsQuote(c byte) bool { return c == '"' || c == '\'' }

// Digit returns the value of a hexadecimal digit, or 16 if c is not one.
func Digit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= Lower(c) && Lower(c) <= 'f':
		return rune(Lower(c)-'a') + 10
	}
	return 16
}

// IsAlnum reports whether c is a letter or a decimal digit.
func IsAlnum(c byte) bool { return IsDigit(c) || IsLetter(c) }

// AppendCSSEscape appends the escape of a character in CSS that needs no white space after
// it: six digits (CSS Syntax 3 §4.3.7). White space after the escape belongs to it all the
// same.
func AppendCSSEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', '0', '0', '0', '0', hex[c>>4], hex[c&15])
}

// HexDigits are the hexadecimal digits in upper case.
const HexDigits = "0123456789ABCDEF"

// The classes of bytes that may have a special meaning in a value, as bits.
const (
	Ampersand = 1 << iota // "&"
	Control               // below 0x20
	Space                 // " "
	NonASCII              // 0x80 and on
	Structure             // see IsStructure
	Tag                   // "{", "*", "[" and "%", with which merge tags of templates begin
)

// IsStructure reports whether c is one of the bytes by which readers of HTML, CSS and
// scripts find where tags, values and texts end: a quote, a backquote, "<" or ">".
func IsStructure(c byte) bool { return ValueClass[c] == Structure }

// ValueClass has the bits of every byte. Most bytes have none.
var ValueClass = func() (class [256]uint8) {
	for i := range class {
		switch c := byte(i); {
		case c == '&':
			class[i] = Ampersand
		case c < ' ':
			class[i] = Control
		case c == ' ':
			class[i] = Space
		case c >= utf8.RuneSelf:
			class[i] = NonASCII
		case c == '"' || c == '\'' || c == '`' || c == '<' || c == '>':
			class[i] = Structure
		case c == '{' || c == '*' || c == '[' || c == '%':
			class[i] = Tag
		}
	}
	return class
}()

// ClassOf returns the bits that any byte of s has.
func ClassOf[T string | []byte](s T) (bits uint8) {
	for i := range len(s) {
		bits |= ValueClass[s[i]]
	}
	return bits
}

// IsASCII reports whether all bytes are below 0x80.
func IsASCII(s []byte) bool {
	const high = 0x8080808080808080
	for ; len(s) >= 32; s = s[32:] {
		if (binary.NativeEndian.Uint64(s)|binary.NativeEndian.Uint64(s[8:])|binary.NativeEndian.Uint64(s[16:])|binary.NativeEndian.Uint64(s[24:]))&high != 0 {
			return false
		}
	}
	for ; len(s) >= 8; s = s[8:] {
		if binary.NativeEndian.Uint64(s)&high != 0 {
			return false
		}
	}
	return ClassOf(s)&NonASCII == 0
}

// PrefixLen returns how many bytes at the start of text are ASCII.
func PrefixLen(text []byte) int {
	n := 0
	for n < len(text) && text[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// CountSpace returns how many bytes of text are white space.
func CountSpace(text []byte) (n int) {
	for _, c := range text {
		if IsSpace(c) {
			n++
		}
	}
	return n
}

// PlainLen returns how many bytes at the start of a raw value certainly stand for
// themselves.
func PlainLen(raw []byte) int {
	n := 0
	for ; n+8 <= len(raw); n += 8 {
		if high := special(binary.LittleEndian.Uint64(raw[n:])); high != 0 {
			return n + bits.TrailingZeros64(high)/8
		}
	}
	for n < len(raw) && ValueClass[raw[n]]&(Ampersand|Control|NonASCII) == 0 {
		n++
	}
	return n
}

// special returns 0 if none of eight bytes is "&", below 0x20, or from 0x80 on. Otherwise
// the lowest bit is the high bit of the first such byte. The subtractions borrow only from
// the bytes after it.
func special(bytes uint64) uint64 {
	const each = 0x0101010101010101
	return (bytes | (bytes - each*' ') | ((bytes ^ each*'&') - each)) & (each * 0x80)
}

// NextByte returns the index of the first c after i, or -1.
func NextByte(text []byte, i int, c byte) int {
	n := bytes.IndexByte(text[i+1:], c)
	if n < 0 {
		return -1
	}
	return i + 1 + n
}

// HasSuffixFold reports whether text ends with suffix in any case. suffix is in lower
// case.
func HasSuffixFold(text []byte, suffix string) bool {
	n := len(text) - len(suffix)
	return n >= 0 && EqualFold(text[n:], suffix)
}

// HasPrefixFold reports whether text begins with prefix in any case. prefix is in lower
// case.
func HasPrefixFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && EqualFold(text[:len(prefix)], prefix)
}

// SkipNonSpace returns the index of the first white space in b from i on, or the length
// of b.
func SkipNonSpace(b []byte, i int) int {
	for i < len(b) && !IsSpace(b[i]) {
		i++
	}
	return i
}

// TrimSpaceRight returns the end of b[start:end] without the white space at its end.
func TrimSpaceRight(b []byte, start, end int) int {
	for start < end && IsSpace(b[end-1]) {
		end--
	}
	return end
}

// IndexFold returns the index of the first word in text, in any case, or -1. word is in
// lower case, and begins with a letter.
func IndexFold(text []byte, word string) int {
	first, capital := word[0], word[0]&^0x20
	lower, upper := NextByte(text, -1, first), NextByte(text, -1, capital)
	for lower >= 0 || upper >= 0 {
		i := lower
		if lower < 0 || upper >= 0 && upper < lower {
			i = upper
		}
		if HasPrefixFold(text[i:], word) {
			return i
		}
		if i == lower {
			lower = NextByte(text, i, first)
		} else {
			upper = NextByte(text, i, capital)
		}
	}
	return -1
}

// IsScheme reports whether s has the form of a URL scheme (RFC 3986 §3.1).
func IsScheme(s []byte) bool {
	for i, c := range s {
		if !IsLetter(c) && (i == 0 || !IsDigit(c) && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return len(s) > 0
}

// IsPrefix reports whether b is a beginning of s, and shorter: with more bytes, b may
// become s.
func IsPrefix(b []byte, s string) bool {
	return len(b) < len(s) && string(b) == s[:len(b)]
}

// IsSpecial reports whether a scheme is special in the URL Standard. With such a scheme,
// "http:x" is relative to a base with the same scheme.
func IsSpecial(scheme []byte) bool {
	special := []string{"http", "https", "ftp", "ws", "wss", "file"}
	return slices.ContainsFunc(special, func(s string) bool { return EqualFold(scheme, s) })
}
