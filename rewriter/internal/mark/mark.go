// Package mark lets bytes that are not characters travel through text.
//
// The bytes from 0x80 on in a document are in the encoding of the document. Character
// references and an outer base give UTF-8. The two have to be told apart when a URL is
// written. So the bytes of each character in the document that is not ASCII are marked
// on their way through the resolver. The mark of byte b is the surrogate U+DC00+b, which
// does not occur in UTF-8.
package mark

import (
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
)

// Append appends the mark of a byte.
func Append(dst []byte, b byte) []byte {
	return append(dst, 0xed, 0xb0|b>>6, 0x80|b&0x3f)
}

// Of returns the byte that the mark at the start of s stands for. ok is false if s does
// not begin with a mark.
func Of[T string | []byte](s T) (c byte, ok bool) {
	if len(s) < 3 || s[0] != 0xed || s[1]&^3 != 0xb0 || s[2]&^0x3f != 0x80 {
		return 0, false
	}
	return s[1]<<6 | s[2]&0x3f, true
}

// AppendUnmarked appends s with each mark replaced by the byte that it stands for.
func AppendUnmarked[T string | []byte](dst []byte, s T) []byte { return appendBytes(dst, s, false) }

// AppendText appends a URL to raw text. Marks become the bytes that they stand for. All
// other bytes from 0x80 on are percent-encoded.
func AppendText(dst, text []byte) []byte { return appendBytes(dst, text, true) }

// appendBytes appends s with each mark replaced by the byte that it stands for. encode says
// that other bytes from 0x80 on are percent-encoded.
func appendBytes[T string | []byte](dst []byte, s T, encode bool) []byte {
	if ascii.ClassOf(s)&ascii.NonASCII == 0 {
		return append(dst, s...)
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if b, ok := Of(s[i:]); ok {
			c = b
			i += 2
		} else if encode && c >= utf8.RuneSelf {
			dst = append(dst, '%', ascii.HexDigits[c>>4], ascii.HexDigits[c&15])
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// AppendUnspaced appends a URL with its white space percent-encoded: no URL brings white
// space into a document.
func AppendUnspaced(dst, url []byte) []byte {
	for _, c := range url {
		if ascii.IsSpace(c) {
			dst = append(dst, '%', ascii.HexDigits[c>>4], ascii.HexDigits[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// AppendOutside appends a URL that is not from the document. Bytes that are not UTF-8 are
// percent-encoded: otherwise they could be taken for a mark, or in the encoding of the
// document for a character together with the next byte.
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
