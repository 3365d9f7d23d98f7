package syntax

import (
	"bytes"
	"unicode/utf8"

	lex "github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"absolink/rewriter/internal/ascii"
)

// A CssLexer splits CSS into tokens (CSS Syntax 3 §4). Package css reads those
// that are neither names nor strings. It has url() for one token whatever is in
// it, and no other spelling of its name; it does not know NUL for a character,
// nor that a CR and LF after an escape are one, nor an escape at the end.
type CssLexer struct {
	text []byte

	in                     *lex.Input // ends in what stands for text[windowStart:windowEnd]
	lexer                  *css.Lexer
	windowStart, windowEnd int

	Start, End int    // of the token
	from, to   int    // of what is in it: a name, or the content of a string or url()
	name       []byte // scratch
}

// cssWindow is how much of the text package css is given at once, unless a
// token is longer; cssLookahead is more than it reads past the end of one.
const (
	cssWindow    = 512
	cssLookahead = 8
)

// Reset begins a text.
func (l *CssLexer) Reset(text []byte) {
	l.text, l.End, l.windowStart, l.windowEnd = text, 0, 0, 0
}

// Next reads a token, css.ErrorToken at the end.
func (l *CssLexer) Next() css.TokenType {
	l.Start = l.End
	if l.Start == len(l.text) {
		return css.ErrorToken
	}
	switch {
	case ascii.IsQuote(l.text[l.Start]):
		return l.string()
	case startsCSSName(l.text[l.Start:]):
		return l.identLike()
	case l.text[l.Start] == ')': // after most references
		l.End++
		return css.RightParenthesisToken
	}
	token := l.other()
	switch token {
	case css.AtKeywordToken, css.HashToken, css.DimensionToken:
		if n := bytes.IndexByte(l.text[l.Start:l.End], '\\'); n >= 0 {
			l.End = l.Start + n
		}
		l.End = cssNameEnd(l.text, l.End)
		l.from, l.to = l.Start+1, l.End // the name, but for a dimension
	}
	return token
}

// other reads a token by package css.
func (l *CssLexer) other() css.TokenType {
	if l.Start < l.windowStart || l.Start >= l.windowEnd {
		l.load(cssWindow)
	}
	for n := cssWindow; ; n *= 2 {
		l.in.Move(l.in.Len() - (l.windowEnd - l.Start) - l.in.Offset())
		l.in.Skip()
		token, raw := l.lexer.Next()
		l.End = l.Start + len(raw)
		if l.windowEnd == len(l.text) || l.End+cssLookahead <= l.windowEnd {
			return token
		}
		l.load(n)
	}
}

// load gives package css the next n bytes. It overwrites the byte after its
// input, and takes what follows a backslash for UTF-8: so it has a copy, of the
// same length, in which every byte of what is no ASCII is one that it knows for
// part of a name.
func (l *CssLexer) load(n int) {
	n = min(n, len(l.text)-l.Start)
	if l.in == nil || l.in.Len() < n {
		size := max(n, cssWindow)
		l.in = lex.NewInputBytes(make([]byte, size, size+1))
		l.lexer = css.NewLexer(l.in)
	}
	l.windowStart, l.windowEnd = l.Start, l.Start+n
	window := l.in.Bytes()[l.in.Len()-n:]
	for i, c := range l.text[l.windowStart:l.windowEnd] {
		if c == 0 || c >= utf8.RuneSelf {
			c = 0x80
		}
		window[i] = c
	}
	l.in.Reset()
}

// string reads a string (§4.3.5). One that a newline ends is bad.
func (l *CssLexer) string() css.TokenType {
	quote := l.text[l.Start]
	l.from = l.Start + 1
	if n := bytes.IndexByte(l.text[l.from:], quote); n >= 0 && isCSSStringPlain(l.text[l.from:l.from+n]) {
		l.to, l.End = l.from+n, l.from+n+1
		return css.StringToken
	}
	for i := skipUntil(l.text, l.from, &cssStringStops); i < len(l.text); i = skipUntil(l.text, i, &cssStringStops) {
		switch c := l.text[i]; {
		case c == quote:
			l.to, l.End = i, i+1
			return css.StringToken
		case ascii.IsNewline(c):
			l.End = i
			return css.BadStringToken
		case c == '\\' && i+1 == len(l.text):
			l.to, l.End = i, i+1 // it stands for nothing
			return css.StringToken
		case c == '\\':
			i = cssEscapeEnd(l.text, i)
		default:
			i++
		}
	}
	l.to, l.End = len(l.text), len(l.text)
	return css.StringToken
}

// isCSSStringPlain reports whether no byte in a string is more than itself.
func isCSSStringPlain(text []byte) bool {
	for _, c := range []byte("\\\n\r\f") {
		if bytes.IndexByte(text, c) >= 0 {
			return false
		}
	}
	return true
}

// identLike reads a name, a function up to its arguments, or a url() that is
// not in quotes (§4.3.4).
func (l *CssLexer) identLike() css.TokenType {
	l.from, l.to = l.Start, cssNameEnd(l.text, l.Start)
	l.End = l.to
	if l.End == len(l.text) || l.text[l.End] != '(' {
		return css.IdentToken
	}
	l.End++
	if !l.isNamed("url") {
		return css.FunctionToken
	}
	i := ascii.SkipSpace(l.text, l.End)
	if i < len(l.text) && ascii.IsQuote(l.text[i]) {
		return css.FunctionToken
	}
	return l.url(i)
}

// url reads what a url() token holds from i on (§4.3.6).
func (l *CssLexer) url(i int) css.TokenType {
	l.from = i
	for {
		if i = skipUntil(l.text, i, &cssURLStops); i == len(l.text) {
			l.to, l.End = i, i
			return css.URLToken
		}
		switch c := l.text[i]; {
		case c == ')' || ascii.IsSpace(c):
			l.to = i
			if i = ascii.SkipSpace(l.text, i); i < len(l.text) && l.text[i] != ')' {
				return l.badURL(i)
			}
			l.End = min(i+1, len(l.text))
			return css.URLToken
		case startsCSSEscape(l.text[i:]):
			i = cssEscapeEnd(l.text, i)
		default:
			return l.badURL(i)
		}
	}
}

// cssStringStops are the bytes that end a string, or begin what may be more than
// itself there; cssURLStops those in a url() token.
var cssStringStops, cssURLStops = func() (str, url [256]bool) {
	for i := range str {
		c := byte(i)
		str[i] = ascii.IsQuote(c) || ascii.IsNewline(c) || c == '\\'
		url[i] = ascii.IsQuote(c) || ascii.IsSpace(c) || isCSSControl(c) || c == '\\' || c == '(' || c == ')'
	}
	return str, url
}()

// skipUntil returns where the first byte of a set is in text from i on, or the
// length of the text.
func skipUntil(text []byte, i int, set *[256]bool) int {
	for i < len(text) && !set[text[i]] {
		i++
	}
	return i
}

// badURL reads the remnants of a url() that is none (§4.3.14).
func (l *CssLexer) badURL(i int) css.TokenType {
	for i < len(l.text) && l.text[i] != ')' {
		if startsCSSEscape(l.text[i:]) {
			i = cssEscapeEnd(l.text, i)
		} else {
			i++
		}
	}
	l.End = min(i+1, len(l.text))
	return css.BadURLToken
}

// isNamed reports whether the token, which has one, has that name.
func (l *CssLexer) isNamed(name string) bool { return ascii.EqualFold(l.unescapedName(), name) }

// unescapedName returns the name of the token, which has one.
func (l *CssLexer) unescapedName() []byte {
	raw := l.text[l.from:l.to]
	if bytes.IndexByte(raw, '\\') >= 0 {
		l.name = AppendCSSDecoded(l.name[:0], raw)
		return l.name
	}
	return raw
}

// startsCSSName reports whether text begins with a name (§4.3.9). "-->" does
// not (§4.3.1).
func startsCSSName(text []byte) bool {
	if text[0] != '-' {
		return isCSSName(text[0]) && !ascii.IsDigit(text[0]) || startsCSSEscape(text)
	}
	switch rest := text[1:]; {
	case len(rest) == 0:
		return false
	case rest[0] == '-':
		return len(rest) == 1 || rest[1] != '>'
	default:
		return startsCSSName(rest)
	}
}

// cssNameEnd returns where a name that i is in ends (§4.3.11).
func cssNameEnd(text []byte, i int) int {
	for i < len(text) {
		switch {
		case isCSSName(text[i]):
			i++
		case startsCSSEscape(text[i:]):
			i = cssEscapeEnd(text, i)
		default:
			return i
		}
	}
	return i
}

// startsCSSEscape reports whether text begins with a valid escape (§4.3.8),
// which is also a backslash at its end.
func startsCSSEscape(text []byte) bool {
	return text[0] == '\\' && (len(text) == 1 || !ascii.IsNewline(text[1]))
}

// cssEscapeEnd returns where the escape at i ends (§4.3.7), or the newline in a
// string. Of a character that is no ASCII it has the first byte; the others are
// as good without.
func cssEscapeEnd(text []byte, i int) int {
	_, n := cssHex(text[i+1:])
	switch i += 1 + n; {
	case i == len(text):
		return i
	case n == 0 && !ascii.IsNewline(text[i]):
		return i + 1
	case ascii.IsSpace(text[i]):
		return skipCSSSpace(text, i)
	}
	return i
}

// cssHex returns the number that up to six hexadecimal digits make, and how
// many there are.
func cssHex(text []byte) (r rune, n int) {
	for n < len(text) && n < 6 && ascii.Digit(text[n]) < 16 {
		r = r<<4 | ascii.Digit(text[n])
		n++
	}
	return r, n
}

// skipCSSSpace returns where the one white space at i ends: a CR and LF are one
// (§3.3).
func skipCSSSpace(text []byte, i int) int {
	if bytes.HasPrefix(text[i:], []byte("\r\n")) {
		return i + 2
	}
	return i + 1
}

// AppendCSSDecoded appends what a name, or the content of a string or url(),
// stands for: escapes are decoded, newlines that are escaped are nothing, and
// NUL is U+FFFD (§3.3, §4.3.7).
func AppendCSSDecoded(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		if c := raw[i]; c != '\\' {
			dst = appendCSSByte(dst, c)
			i++
			continue
		}
		end := cssEscapeEnd(raw, i)
		switch r, n := cssHex(raw[i+1:]); {
		case n > 0 && r > 0:
			dst = utf8.AppendRune(dst, r) // U+FFFD for what is no character
		case n > 0 || i+1 == len(raw):
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case !ascii.IsNewline(raw[i+1]):
			dst = appendCSSByte(dst, raw[i+1])
		}
		i = end
	}
	return dst
}

func appendCSSByte(dst []byte, c byte) []byte {
	if c == 0 {
		return utf8.AppendRune(dst, utf8.RuneError)
	}
	return append(dst, c)
}

// isCSSName reports whether a byte is part of a name; NUL is U+FFFD.
func isCSSName(c byte) bool {
	return ascii.IsAlnum(c) || c == '_' || c == '-' || c >= utf8.RuneSelf || c == 0
}

// isCSSControl reports whether a byte is non-printable (§4.2).
func isCSSControl(c byte) bool { return 0 < c && c < ' ' && !ascii.IsSpace(c) || c == 0x7f }
