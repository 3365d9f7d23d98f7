package ascii

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

func SkipSpace(b []byte, i int) int {
	for i < len(b) && IsSpace(b[i]) {
		i++
	}
	return i
}

func IsSpace(c byte) bool { return spaces[c] }

var spaces = [256]bool{'\t': true, '\n': true, '\f': true, '\r': true, ' ': true}

func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// EqualFold compares raw, its ASCII letters lowered, with a lower-case name.
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

func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

func AppendLower(dst, name []byte) []byte {
	for _, c := range name {
		dst = append(dst, Lower(c))
	}
	return dst
}

func IsNewline(c byte) bool { return c == '\n' || c == '\r' || c == '\f' }

func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

func IsQuote(c byte) bool { return c == '"' || c == '\'' }

func Digit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= Lower(c) && Lower(c) <= 'f':
		return rune(Lower(c)-'a') + 10
	}
	return 16
}

func IsAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= Lower(c) && Lower(c) <= 'z'
}

const HexDigits = "0123456789ABCDEF"

// What a byte in a value may be, as bits.
const (
	Ampersand   = 1 << iota // "&"
	Control                 // C0
	Space                   // " "
	NonASCII                // 0x80 and on
	DoubleQuote             // '"'
	SingleQuote             // "'"
	Angle                   // "<", ">"
	Equals                  // "=", "`"
)

// ValueClass has those bits for every byte; most have none.
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
		case c == '"':
			class[i] = DoubleQuote
		case c == '\'':
			class[i] = SingleQuote
		case c == '<' || c == '>':
			class[i] = Angle
		case c == '=' || c == '`':
			class[i] = Equals
		}
	}
	return class
}()

// ClassOf returns the bits of all bytes together.
func ClassOf[T string | []byte](s T) (bits uint8) {
	for i := range len(s) {
		bits |= ValueClass[s[i]]
	}
	return bits
}

// IsASCII reports whether all bytes are below 0x80.
func IsASCII(s []byte) bool {
	for len(s) >= 8 {
		if binary.NativeEndian.Uint64(s)&0x8080808080808080 != 0 {
			return false
		}
		s = s[8:]
	}
	return ClassOf(s)&NonASCII == 0
}

// PlainLen returns how many of the bytes that a raw value begins with stand for
// themselves alone.
func PlainLen(raw []byte) int {
	for i, c := range raw {
		if ValueClass[c]&(Ampersand|Control|NonASCII) != 0 {
			return i
		}
	}
	return len(raw)
}

// NextByte returns where the next c is after i, or -1.
func NextByte(text []byte, i int, c byte) int {
	n := bytes.IndexByte(text[i+1:], c)
	if n < 0 {
		return -1
	}
	return i + 1 + n
}

func HasSuffixFold(text []byte, suffix string) bool {
	n := len(text) - len(suffix)
	return n >= 0 && EqualFold(text[n:], suffix)
}

func HasPrefixFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && EqualFold(text[:len(prefix)], prefix)
}

func SkipNonSpace(b []byte, i int) int {
	for i < len(b) && !IsSpace(b[i]) {
		i++
	}
	return i
}

// TrimSpaceRight returns where b[start:end] ends without the white space at
// its end.
func TrimSpaceRight(b []byte, start, end int) int {
	for start < end && IsSpace(b[end-1]) {
		end--
	}
	return end
}

// IndexFold returns where in text an ASCII word in lower case is, in any case,
// or -1.
func IndexFold(text []byte, word string) int {
	for i := 0; i+len(word) <= len(text); i++ {
		if Lower(text[i]) == word[0] && EqualFold(text[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

func IsScheme(s []byte) bool {
	for i, c := range s {
		if !IsLetter(c) && (i == 0 || !IsDigit(c) && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return len(s) > 0
}

// IsPrefix reports whether more of b may become s.
func IsPrefix(b []byte, s string) bool {
	return len(b) < len(s) && string(b) == s[:len(b)]
}

// IsSpecial reports whether a scheme is one that may be left out in the URL
// Standard: "http:x" is relative to a base that has it.
func IsSpecial(scheme []byte) bool {
	for _, special := range []string{"http", "https", "ftp", "ws", "wss", "file"} {
		if EqualFold(scheme, special) {
			return true
		}
	}
	return false
}
