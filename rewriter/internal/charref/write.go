package charref

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/mark"
)

// AppendPart appends a part of a value that stays in its notation, so that the part reads
// back as it is. Whoever reads what is appended, in whatever context, finds no quote, no
// backquote, no "<" and no ">" in it. Marks are written as the bytes that they stand for.
// Other characters beyond ASCII become character references, which are the same in every
// encoding.
//
// In an attribute value, all these are character references; in Unquoted and Valueless
// white space is too. In text without character references they are escapes already,
// and in a Comment the part belongs to a document whose values have been written.
func AppendPart(dst, text []byte, n Notation) []byte {
	switch n {
	case Comment:
		return append(dst, text...)
	case RawText:
		return mark.AppendText(dst, text)
	case Plain:
		return appendPlain(dst, text)
	case CDATA:
		return AppendContent(dst, text)
	}
	return appendValue(dst, text, n == Unquoted || n == Valueless)
}

// IsPlain reports whether AppendPart writes a text as it is. bits is the class of the text.
func IsPlain(bits uint8, n Notation) bool {
	switch n {
	case Valueless, Unquoted, DoubleQuoted, SingleQuoted:
		return bits == 0
	case RawText, Plain:
		return bits&^ascii.Ampersand == 0
	}
	return false
}

// AppendContent appends CSS in which "<" and ">" are escapes, so that it reads back with
// the same meaning in character data and in a CDATA section. To that end "&" becomes an
// escape of CSS as well, and so does white space after it, which would belong to the
// escape.
func AppendContent(dst, text []byte) []byte {
	start := len(dst)
	dst = mark.AppendText(dst, text)
	i := bytes.IndexByte(dst[start:], '&')
	if i < 0 {
		return dst
	}
	rest := slices.Clone(dst[start+i:])
	dst = dst[:start+i]
	for k, c := range rest {
		if c == '&' || k > 0 && rest[k-1] == '&' && ascii.IsSpace(c) {
			dst = ascii.AppendCSSEscape(dst, c)
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// appendPlain appends a value as a browser would read it after appendValue wrote it.
func appendPlain(dst, value []byte) []byte {
	for i := 0; i < len(value); {
		r, n := utf8.DecodeRune(value[i:])
		switch b, ok := mark.Of(value[i:]); {
		case ok:
			dst, n = append(dst, b), 3
		case r == 0:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case utf8.RuneSelf <= r && r < 0xa0:
			dst, n = appendNonASCII(dst, value[i:])
		default:
			dst = append(dst, value[i:i+n]...)
		}
		i += n
	}
	return dst
}

// ClosesMarkup reports whether a ">" after b would end a comment or a CDATA section.
func ClosesMarkup(b []byte) bool {
	return bytes.HasSuffix(b, []byte("--")) || bytes.HasSuffix(b, []byte("--!")) || bytes.HasSuffix(b, []byte("]]"))
}

// AppendCharacter appends a character reference for a character of ASCII.
func AppendCharacter(dst []byte, c byte) []byte {
	return append(strconv.AppendUint(append(dst, "&#"...), uint64(c), 10), ';')
}

// appendValue appends text as a part of an attribute value. spaces says that white space
// becomes character references.
func appendValue(dst, value []byte, spaces bool) []byte {
	for i := 0; i < len(value); {
		start := i
		for i < len(value) && (ascii.ValueClass[value[i]]&^ascii.Tag == 0 || value[i] == ' ' && !spaces) {
			i++
		}
		dst = append(dst, value[start:i]...)
		if i == len(value) {
			break
		}
		n := 1
		switch c := value[i]; {
		case c >= utf8.RuneSelf:
			dst, n = appendNonASCII(dst, value[i:])
		case c == '&':
			dst = append(dst, "&amp;"...)
		case c == '<':
			dst = append(dst, "&lt;"...)
		case c == '>':
			dst = append(dst, "&gt;"...)
		case c == '"':
			dst = append(dst, "&quot;"...)
		case c == 0:
			dst = append(dst, "&#xFFFD;"...)
		case !spaces && (c == '\t' || c == '\n' || c == '\f'):
			dst = append(dst, c)
		default: // also ESC, which would begin an escape sequence of ISO-2022-JP
			dst = AppendCharacter(dst, c)
		}
		i += n
	}
	return dst
}

// appendNonASCII appends the mark or character at the start of value, and returns its
// length. A C1 control is percent-encoded, as the URL parser does it, because no
// character reference stands for one. A byte that is not UTF-8 stays as it is.
func appendNonASCII(dst, value []byte) ([]byte, int) {
	if b, ok := mark.Of(value); ok {
		return append(dst, b), 3
	}
	r, n := utf8.DecodeRune(value)
	switch {
	case r == utf8.RuneError && n == 1:
		return append(dst, value[0]), 1
	case r < 0xa0:
		return append(dst, '%', 'C', '2', '%', "89"[r>>4&1], ascii.HexDigits[r&15]), n
	}
	return appendHexReference(dst, r), n
}

// appendHexReference appends &#x…; for a character.
func appendHexReference(dst []byte, r rune) []byte {
	dst = append(dst, "&#x"...)
	shift := 20
	for shift > 0 && r>>shift == 0 {
		shift -= 4
	}
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, ascii.HexDigits[r>>shift&15])
	}
	return append(dst, ';')
}
