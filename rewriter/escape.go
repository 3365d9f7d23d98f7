package rewriter

import (
	"bytes"
	"html"
	"unicode/utf8"
)

// maxEntity is the length of the longest character reference by name,
// &CounterClockwiseContourIntegral;, and then some.
const maxEntity = 40

// appendDecoded appends the value that a browser reads from the raw bytes of
// an attribute value: newlines normalized, NUL replaced, and character
// references decoded by the rules for attributes (HTML Standard §13.2.5.72 to
// §13.2.5.80).
func appendDecoded(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case '&':
			n := 0
			if dst, n = appendReference(dst, raw[i:]); n > 0 {
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
			dst = append(dst, c)
		}
		i++
	}
	return dst
}

// appendReference appends what the character reference at the start of raw
// stands for and returns its length, 0 if it is none.
func appendReference(dst, raw []byte) ([]byte, int) {
	if len(raw) > 1 && raw[1] == '#' {
		return appendNumeric(dst, raw)
	}
	n := 1
	for n < len(raw) && n < maxEntity && isAlnum(raw[n]) {
		n++
	}
	// Where the longest name in the table that begins here is not all of the
	// letters and digits that follow, the next is one of them and the whole
	// stays literal. So there is one candidate, with or without semicolon.
	semicolon := n < len(raw) && raw[n] == ';'
	switch {
	case semicolon:
		n++
	case n < len(raw) && (raw[n] == '=' || isAlnum(raw[n])):
		return dst, 0
	}
	name := string(raw[:n])
	if name == "&amp;" || name == "&amp" {
		return append(dst, '&'), n
	}
	s := html.UnescapeString(name)
	switch {
	case s == name:
		return dst, 0
	case semicolon && s[len(s)-1] == ';' && name != "&semi;":
		return dst, 0 // a shorter name was decoded
	case !semicolon && utf8.RuneCountInString(s) > 1:
		return dst, 0
	}
	return append(dst, s...), n
}

func appendNumeric(dst, raw []byte) ([]byte, int) {
	i, base := len("&#"), rune(10)
	if i < len(raw) && lower(raw[i]) == 'x' {
		i, base = i+1, 16
	}
	start, r := i, rune(0)
	for ; i < len(raw); i++ {
		d := digit(raw[i])
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
		dst = append(dst, html.UnescapeString(string(appendHexReference(nil, r)))...) // windows-1252
	case r == 0:
		dst = utf8.AppendRune(dst, utf8.RuneError)
	default:
		dst = utf8.AppendRune(dst, r) // U+FFFD for what is no character
	}
	return dst, i
}

func digit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= lower(c) && lower(c) <= 'f':
		return rune(lower(c)-'a') + 10
	}
	return 16
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= lower(c) && lower(c) <= 'z'
}

// appendHexReference appends &#x…; for a character.
func appendHexReference(dst []byte, r rune) []byte {
	dst = append(dst, "&#x"...)
	shift := 20
	for shift > 0 && r>>shift == 0 {
		shift -= 4
	}
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789ABCDEF"[r>>shift&15])
	}
	return append(dst, ';')
}

// appendURL appends a raw value's URL as the URL parser sees it: decoded, C0
// controls and spaces trimmed off its ends, tabs and newlines removed (URL
// Standard §4.4). It returns the extended dst and the URL, which is part of
// raw where that needs no decoding.
func appendURL(dst, raw []byte) (_, url []byte) {
	if !needsDecoding(raw) {
		return dst, raw
	}
	start := len(dst)
	dst = appendDecoded(dst, raw)
	end := start
	for _, c := range trimC0(dst[start:]) {
		if c != '\t' && c != '\n' && c != '\r' {
			dst[end] = c
			end++
		}
	}
	dst = dst[:end]
	return dst, dst[start:]
}

func trimC0(b []byte) []byte {
	return bytes.TrimFunc(b, func(r rune) bool { return r <= ' ' })
}

// needsDecoding reports whether the URL in a raw value may be other than its
// bytes.
func needsDecoding(raw []byte) bool {
	if len(raw) == 0 {
		return false
	}
	for _, c := range raw {
		if c == '&' || c == 0 || c == '\t' || c == '\n' || c == '\r' {
			return true
		}
	}
	return raw[0] <= ' ' || raw[len(raw)-1] <= ' '
}

// appendEscaped appends a value so that it reads back as it is in a place
// quoted as q, with quotes of its own where there were none and it needs
// them, and with the "=" that a name without a value lacks. Where asciiOnly is
// set, what is no ASCII is written as references.
func appendEscaped(dst, value []byte, q quoting, asciiOnly bool) []byte {
	switch {
	case q == valueless:
		dst = append(dst, '=', '"')
		return append(appendQuoted(dst, value, '"', asciiOnly), '"')
	case q == unquoted && needsQuotes(value):
		dst = append(dst, '"')
		return append(appendQuoted(dst, value, '"', asciiOnly), '"')
	case q == singleQuoted:
		return appendQuoted(dst, value, '\'', asciiOnly)
	}
	return appendQuoted(dst, value, '"', asciiOnly)
}

// needsQuotes reports whether a value cannot stand, or had better not stand,
// without quotes.
func needsQuotes(value []byte) bool {
	return len(value) == 0 || bytes.ContainsAny(value, " \t\n\r\f\"'<>=`")
}

// appendASCII appends a character reference, or for the C1 controls, which no
// reference gives, the percent-encoded form that the URL parser makes of them.
func appendASCII(dst []byte, r rune) []byte {
	if r < 0xa0 {
		return append(dst, '%', 'C', '2', '%', "89"[r>>4&1], "0123456789ABCDEF"[r&15])
	}
	return appendHexReference(dst, r)
}

func appendQuoted(dst, value []byte, quote byte, asciiOnly bool) []byte {
	for i := 0; i < len(value); {
		c := value[i]
		if c >= utf8.RuneSelf && asciiOnly {
			if r, n := utf8.DecodeRune(value[i:]); r != utf8.RuneError || n > 1 {
				dst = appendASCII(dst, r)
				i += n
				continue
			}
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
		case c == '\r':
			dst = append(dst, "&#13;"...)
		case c == 0:
			dst = append(dst, "&#xFFFD;"...)
		default:
			dst = append(dst, c)
		}
		i++
	}
	return dst
}
