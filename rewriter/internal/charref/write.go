package charref

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/mark"
)

// AppendWhole appends the whole of an attribute value or of a Plain value, so that it
// reads back as it is. An unquoted value gets quotes if it needs them. A name without a
// value gets its "=". Marks are written as the bytes that they stand for. Other
// characters beyond ASCII become character references, which are the same in every
// encoding.
func AppendWhole(dst, value []byte, n Notation) []byte {
	switch {
	case n == Valueless:
		dst = append(dst, '=', '"')
		return append(appendQuoted(dst, value, '"'), '"')
	case n == Unquoted && NeedsQuotes(value):
		dst = append(dst, '"')
		return append(appendQuoted(dst, value, '"'), '"')
	case n == Plain:
		return appendPlain(dst, value)
	case n == SingleQuoted:
		return appendQuoted(dst, value, '\'')
	}
	return appendQuoted(dst, value, '"')
}

// AppendPart appends a part of a value that stays in its notation, so that the part reads
// back as it is. In a Comment the part is written as it is: it belongs to a document
// whose values have been written already.
func AppendPart(dst, text []byte, n Notation) []byte {
	switch n {
	case Comment:
		return append(dst, text...)
	case RawText:
		return mark.AppendText(dst, text)
	case Plain:
		return appendPlain(dst, text)
	case CharacterData, CDATA:
		return AppendContent(dst, text)
	case SingleQuoted:
		return appendQuoted(dst, text, '\'')
	case Unquoted:
		return appendUnquoted(dst, text)
	}
	return appendQuoted(dst, text, '"')
}

// IsPlain reports whether AppendPart writes a text as it is. bits is the class of the text.
func IsPlain(bits uint8, n Notation) bool {
	switch n {
	case DoubleQuoted, SingleQuoted:
		return bits&^ascii.Equals == 0
	case RawText, Plain:
		return bits&^(ascii.Equals|ascii.Ampersand) == 0
	}
	return false
}

// AppendContent appends CSS in which "<" and ">" are escapes, so that it reads back with
// the same meaning in character data and in a CDATA section. To that end "&" becomes an
// escape of CSS as well.
func AppendContent(dst, text []byte) []byte {
	start := len(dst)
	dst = mark.AppendText(dst, text)
	if bytes.IndexByte(dst[start:], '&') < 0 {
		return dst
	}
	return append(dst[:start], bytes.ReplaceAll(dst[start:], []byte("&"), []byte(`\26 `))...)
}

// appendPlain appends a value as a browser would read it after appendQuoted wrote it.
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

// NeedsQuotes reports whether a value cannot stand without quotes, or is safer in them.
func NeedsQuotes(value []byte) bool {
	return len(value) == 0 || ascii.ClassOf(value)&(ascii.Control|ascii.Space|ascii.DoubleQuote|ascii.SingleQuote|ascii.Angle|ascii.Equals) != 0 || EndsInDashes(value)
}

// EndsInDashes reports whether a ">" after a value would end a comment.
func EndsInDashes(value []byte) bool {
	return bytes.HasSuffix(value, []byte("--")) || bytes.HasSuffix(value, []byte("--!"))
}

// appendQuoted appends text as a part of a value in quotes.
func appendQuoted(dst, value []byte, quote byte) []byte {
	for i := 0; i < len(value); {
		start := i
		for i < len(value) && ascii.ValueClass[value[i]]&^(ascii.Space|ascii.Equals) == 0 {
			i++
		}
		dst = append(dst, value[start:i]...)
		if i == len(value) {
			break
		}
		c := value[i]
		if c >= utf8.RuneSelf {
			n := 0
			dst, n = appendNonASCII(dst, value[i:])
			i += n
			continue
		}
		switch {
		case c == '&':
			dst = append(dst, "&amp;"...)
		case c == '<':
			dst = append(dst, "&lt;"...)
		case c == '>':
			dst = append(dst, "&gt;"...)
		case c == quote && c == '"':
			dst = append(dst, "&quot;"...)
		case c == quote:
			dst = append(dst, "&#39;"...)
		case c == 0:
			dst = append(dst, "&#xFFFD;"...)
		case c < ' ' && c != '\t' && c != '\n' && c != '\f': // ESC, for example, would begin an escape sequence of ISO-2022-JP
			dst = append(strconv.AppendUint(append(dst, "&#"...), uint64(c), 10), ';')
		default:
			dst = append(dst, c)
		}
		i++
	}
	return dst
}

// appendUnquoted appends text as a part of a value that stays without quotes. Bytes that
// end such a value, or are a quote to some browser, become character references. So does
// the last byte of dashes that would end a comment together with the ">" of the tag.
func appendUnquoted(dst, text []byte) []byte {
	for len(text) > 0 {
		n := bytes.IndexAny(text, "\t\n\f \"'`")
		switch {
		case n < 0 && EndsInDashes(text):
			n = len(text) - 1
		case n < 0:
			n = len(text)
		}
		dst = appendQuoted(dst, text[:n], '"')
		if text = text[n:]; len(text) > 0 {
			dst = append(strconv.AppendInt(append(dst, "&#"...), int64(text[0]), 10), ';')
			text = text[1:]
		}
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
