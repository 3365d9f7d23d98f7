package mark

import (
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
)

// The bytes from 0x80 on in a document are in its own encoding; what character
// references and an outer base bring is UTF-8. So that the two are told apart
// when a URL is written, the bytes of the document, with all that belong to a
// character, are marked on their way through the resolver: byte b is the
// surrogate U+DC00+b, which no UTF-8 has.

// Append appends the mark of a byte.
func Append(dst []byte, b byte) []byte {
	return append(dst, 0xed, 0xb0|b>>6, 0x80|b&0x3f)
}

// Of returns the byte that a mark at the start of s stands for.
func Of[T string | []byte](s T) (c byte, ok bool) {
	if len(s) < 3 || s[0] != 0xed || s[1]&^3 != 0xb0 || s[2]&^0x3f != 0x80 {
		return 0, false
	}
	return s[1]<<6 | s[2]&0x3f, true
}

// AppendUnmarked appends s with the bytes that marks stand for in their place.
func AppendUnmarked[T string | []byte](dst []byte, s T) []byte {
	if ascii.ClassOf(s)&ascii.NonASCII == 0 {
		return append(dst, s...)
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if b, ok := Of(s[i:]); ok {
			c = b
			i += 2
		}
		dst = append(dst, c)
	}
	return dst
}

// AppendText appends text so that it reads back as it is in raw text: marks as
// the bytes that they stand for, other characters that are no ASCII
// percent-encoded.
func AppendText(dst, text []byte) []byte {
	if ascii.ClassOf(text)&ascii.NonASCII == 0 {
		return append(dst, text...)
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if b, ok := Of(text[i:]); ok {
			c = b
			i += 2
		} else if c >= utf8.RuneSelf {
			dst = append(dst, '%', ascii.HexDigits[c>>4], ascii.HexDigits[c&15])
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// AppendOutside appends text that is not from the document. What is not UTF-8 in it is
// percent-encoded, so that no byte of it is taken for a mark, or for a part of a
// character in the document's encoding.
func AppendOutside(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, '%', ascii.HexDigits[s[i]>>4], ascii.HexDigits[s[i]&15])
		} else {
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return dst
}
