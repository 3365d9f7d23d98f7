package syntax

import (
	"bytes"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
)

// A cssToken is a kind of token in CSS (CSS Syntax 3 §4). The kind of a bracket, a
// semicolon or another delimiter is its byte.
type cssToken int

const (
	cssEnd cssToken = -1 - iota // the end of the text
	cssSpace
	cssComment
	cssString
	cssBadString // a string that a newline ends, up to the newline
	cssURL       // url() without quotes
	cssBadURL
	cssIdent
	cssFunction // its name and the parenthesis
	cssAtKeyword
	cssHash
	cssNumber // with its unit or percent sign
	cssCDO
	cssCDC
)

// A cssLexer splits CSS into tokens. The text may be in any superset of ASCII, because
// every byte from 0x80 on can be part of a name. NUL can be part of a name too: it
// stands for U+FFFD.
type cssLexer struct {
	text       []byte
	start, end int    // of the token
	from, to   int    // of the name of the token, or of the content of a string or url()
	escaped    bool   // the name has an escape; or some byte of the content may not stand for itself, or may not be written as itself
	name       []byte // scratch
}

// reset begins a text.
func (l *cssLexer) reset(text []byte) { l.text, l.end = text, 0 }

// next reads a token (§4.3.1).
func (l *cssLexer) next() cssToken {
	l.start = l.end
	if l.start == len(l.text) {
		return cssEnd
	}
	rest := l.text[l.start:]
	switch rest[0] {
	case ' ', '\t', '\n', '\f', '\r':
		l.end = ascii.SkipSpace(l.text, l.start)
		return cssSpace
	case '"', '\'':
		return l.string()
	case '#':
		if len(rest) > 1 && (isCSSName(rest[1]) || startsCSSEscape(rest[1:])) {
			l.readName(l.start + 1)
			return cssHash
		}
	case '@':
		if startsCSSName(rest[1:]) {
			l.readName(l.start + 1)
			return cssAtKeyword
		}
	case '/':
		if len(rest) > 1 && rest[1] == '*' {
			return l.comment()
		}
	case '<':
		if bytes.HasPrefix(rest, []byte("<!--")) {
			l.end += len("<!--")
			return cssCDO
		}
	case '-':
		if bytes.HasPrefix(rest, []byte("-->")) {
			l.end += len("-->")
			return cssCDC
		}
		fallthrough
	default:
		switch {
		case startsCSSName(rest):
			return l.identLike()
		case startsCSSNumber(rest):
			return l.number()
		}
	}
	l.end++
	return cssToken(rest[0])
}

// comment reads a comment (§4.3.2).
func (l *cssLexer) comment() cssToken {
	l.end += len("/*")
	if n := bytes.Index(l.text[l.end:], []byte("*/")); n >= 0 {
		l.end += n + len("*/")
	} else {
		l.end = len(l.text)
	}
	return cssComment
}

// number reads a number with its unit or percent sign (§4.3.3, §4.3.13).
func (l *cssLexer) number() cssToken {
	i := skipCSSInteger(l.text, l.start)
	if i < len(l.text) && l.text[i] == '.' && startsCSSNumber(l.text[i:]) {
		i = skipCSSInteger(l.text, i+1)
	}
	if i < len(l.text) && ascii.Lower(l.text[i]) == 'e' {
		if end := skipCSSInteger(l.text, i+1); ascii.IsDigit(l.text[end-1]) {
			i = end
		}
	}
	switch rest := l.text[i:]; {
	case startsCSSName(rest):
		i = cssNameEnd(l.text, i)
	case len(rest) > 0 && rest[0] == '%':
		i++
	}
	l.end = i
	return cssNumber
}

// readName reads the name that begins at from. The token ends with the name.
func (l *cssLexer) readName(from int) {
	l.from, l.to = from, skipUntil(l.text, from, &cssNameStops)
	l.escaped = l.to < len(l.text) && startsCSSEscape(l.text[l.to:])
	if l.escaped {
		l.to = cssNameEnd(l.text, l.to)
	}
	l.end = l.to
}

// string reads a string (§4.3.5).
func (l *cssLexer) string() cssToken {
	l.from, l.escaped = l.start+1, false
	for i := skipUntil(l.text, l.from, &cssStringStops); i < len(l.text); i = skipUntil(l.text, i, &cssStringStops) {
		switch c := l.text[i]; {
		case c == l.text[l.start]:
			l.to, l.end = i, i+1
			return cssString
		case ascii.IsNewline(c):
			l.end = i
			return cssBadString
		case c == '\\' && i+1 == len(l.text):
			l.to, l.end = i, i+1 // the backslash stands for nothing
			return cssString
		case c == '\\':
			l.escaped = true
			i = cssEscapeEnd(l.text, i)
		default: // NUL, DEL or the other quote
			l.escaped = l.escaped || !ascii.IsQuote(c)
			i++
		}
	}
	l.to, l.end = len(l.text), len(l.text)
	return cssString
}

// identLike reads a name, a function up to its arguments, or a url() without quotes
// (§4.3.4).
func (l *cssLexer) identLike() cssToken {
	l.readName(l.start)
	if l.end == len(l.text) || l.text[l.end] != '(' {
		return cssIdent
	}
	l.end++
	if !l.isNamed("url") {
		return cssFunction
	}
	i := ascii.SkipSpace(l.text, l.end)
	if i < len(l.text) && ascii.IsQuote(l.text[i]) {
		return cssFunction
	}
	return l.url(i)
}

// url reads the rest of a url(), whose content begins at i (§4.3.6).
func (l *cssLexer) url(i int) cssToken {
	l.from, l.escaped = i, false
	for {
		if i = skipUntil(l.text, i, &cssURLStops); i == len(l.text) {
			l.to, l.end = i, i
			return cssURL
		}
		switch c := l.text[i]; {
		case c == ')' || ascii.IsSpace(c):
			l.to = i
			if i = ascii.SkipSpace(l.text, i); i < len(l.text) && l.text[i] != ')' {
				return l.badURL(i)
			}
			l.end = min(i+1, len(l.text))
			return cssURL
		case startsCSSEscape(l.text[i:]):
			l.escaped = true
			i = cssEscapeEnd(l.text, i)
		case c == 0:
			l.escaped = true
			i++
		default:
			return l.badURL(i)
		}
	}
}

// badURL reads the rest of a bad url() from i on (§4.3.14).
func (l *cssLexer) badURL(i int) cssToken {
	for i < len(l.text) && l.text[i] != ')' {
		if startsCSSEscape(l.text[i:]) {
			i = cssEscapeEnd(l.text, i)
		} else {
			i++
		}
	}
	l.end = min(i+1, len(l.text))
	return cssBadURL
}

// isNamed reports whether the token has the name, which is in lower case.
func (l *cssLexer) isNamed(name string) bool { return ascii.EqualFold(l.unescapedName(), name) }

// unescapedName returns the name of the token. The next call overwrites it.
func (l *cssLexer) unescapedName() []byte {
	raw := l.text[l.from:l.to]
	if l.escaped {
		l.name = appendCSSDecoded(l.name[:0], raw)
		return l.name
	}
	return raw
}

// Three sets of bytes: those that end a name, a string, or a url() without quotes, or
// that have a special meaning in it.
var cssNameStops, cssStringStops, cssURLStops = func() (name, str, url [256]bool) {
	for i := range 256 {
		c := byte(i)
		name[i] = !ascii.IsAlnum(c) && c != '_' && c != '-' && 0 < c && c < utf8.RuneSelf
		str[i] = ascii.IsQuote(c) || ascii.IsNewline(c) || c == '\\' || c == 0 || c == 0x7f
		url[i] = ascii.IsQuote(c) || c <= ' ' || c == 0x7f || c == '\\' || c == '(' || c == ')'
	}
	return name, str, url
}()

// skipUntil returns the index of the first byte from i on that is in the set, or the
// length of the text.
func skipUntil(text []byte, i int, set *[256]bool) int {
	for i < len(text) && !set[text[i]] {
		i++
	}
	return i
}

// startsCSSName reports whether text begins with a name (§4.3.9).
func startsCSSName(text []byte) bool {
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
		if len(text) > 0 && text[0] == '-' {
			return true
		}
	}
	return len(text) > 0 && (isCSSName(text[0]) && !ascii.IsDigit(text[0]) || startsCSSEscape(text))
}

// cssNameEnd returns where a name ends that begins at i or before (§4.3.11).
func cssNameEnd(text []byte, i int) int {
	for {
		i = skipUntil(text, i, &cssNameStops)
		if i == len(text) || !startsCSSEscape(text[i:]) {
			return i
		}
		i = cssEscapeEnd(text, i)
	}
}

// startsCSSNumber reports whether text begins with a number (§4.3.10).
func startsCSSNumber(text []byte) bool {
	i := 0
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		i++
	}
	if i < len(text) && text[i] == '.' {
		i++
	}
	return i < len(text) && ascii.IsDigit(text[i])
}

// skipCSSInteger returns where the digits at i end. A sign may come before them.
func skipCSSInteger(text []byte, i int) int {
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		i++
	}
	for i < len(text) && ascii.IsDigit(text[i]) {
		i++
	}
	return i
}

// startsCSSEscape reports whether text begins with a valid escape (§4.3.8). A backslash
// at the end of the text is a valid escape.
func startsCSSEscape(text []byte) bool {
	return text[0] == '\\' && (len(text) == 1 || !ascii.IsNewline(text[1]))
}

// cssEscapeEnd returns where the escape at i ends (§4.3.7). In a string this may be an
// escaped newline. If the escaped character is not ASCII, only its first byte is part of
// the escape: the other bytes stand for themselves wherever an escape can stand.
func cssEscapeEnd(text []byte, i int) int {
	_, n := cssHex(text[i+1:])
	i += 1 + n
	switch rest := text[i:]; {
	case bytes.HasPrefix(rest, []byte("\r\n")): // one newline (§3.3)
		return i + 2
	case len(rest) > 0 && (n == 0 || ascii.IsSpace(rest[0])):
		return i + 1
	}
	return i
}

// cssHex returns the number that the hexadecimal digits at the start of text make, and
// how many digits count: at most six.
func cssHex(text []byte) (r rune, n int) {
	for n < len(text) && n < 6 && ascii.Digit(text[n]) < 16 {
		r = r<<4 | ascii.Digit(text[n])
		n++
	}
	return r, n
}

// isCSSName reports whether a byte is part of a name.
func isCSSName(c byte) bool { return !cssNameStops[c] }
