package syntax

import (
	"bytes"
	"slices"

	"absolink/rewriter/internal/ascii"
)

// A jsToken is a kind of token in JavaScript (ECMA-262 §12). The kind of a punctuator
// that is not in this list is its first byte.
type jsToken int

const (
	jsEnd      jsToken = -1 - iota // the end of the text, or of what can be read for certain
	jsName                         // an identifier, a keyword or a private name
	jsNumber                       // a number
	jsString                       // a string
	jsTemplate                     // a template, or a part of it up to the next substitution
	jsRegExp                       // a regular expression with its flags
	jsArrow                        // =>
	jsUpdate                       // ++ or --
	jsSpread                       // ...
)

// A jsNext says what a slash means after a token.
type jsNext uint8

const (
	jsOperand  jsNext = iota // it begins a regular expression
	jsOperator               // it divides
	jsUnclear                // only a parser knows; the lexer ends there
)

// A jsBracket is an open bracket, or the substitution of a template.
type jsBracket struct {
	close byte   // the closing bracket; '`' for a substitution, which "}" ends
	after jsNext // what a slash means after the closing bracket
}

// A jsLexer splits a module script into tokens. It knows which brackets are open, and of
// the grammar only what tells a regular expression from a division. Where this is not
// certain, and at a syntax error, the tokens end. The text may be in any superset of
// ASCII: every byte from 0x80 on counts as part of a name, and what follows such a name is
// unclear, because the byte may be part of a white space character.
type jsLexer struct {
	text       []byte
	start, end int         // of the token
	token      jsToken     // the token that was read last
	after      jsNext      // what a slash means after it
	statement  bool        // a "(" after it belongs to if, for, while, with, switch or catch
	block      bool        // a "{" after it begins a block
	dotted     bool        // it follows "." or "?."
	newline    bool        // there is a newline before it
	escaped    bool        // the string or template has an escape
	open       []jsBracket // the brackets that are open
}

func newJSLexer(text []byte) jsLexer { return jsLexer{text: text, token: ';', block: true} }

// next reads a token.
func (l *jsLexer) next() jsToken {
	l.dotted = l.token == '.'
	if !l.skipSpace() || l.end == len(l.text) {
		return l.finish()
	}
	l.start = l.end
	switch c := l.text[l.start]; {
	case c == '"' || c == '\'':
		return l.string(c)
	case c == '`':
		return l.template()
	case ascii.IsDigit(c), c == '.' && ascii.IsDigit(l.byteAt(l.start+1)):
		l.end = skipUntil(l.text, l.start, &jsNumberStops)
		return l.is(jsNumber, jsOperator)
	case isJSName(c), c == '\\', c == '#':
		return l.name()
	case c == '/':
		return l.slash()
	default:
		return l.punctuator(c)
	}
}

// is sets what the token is, and what a slash means after it.
func (l *jsLexer) is(token jsToken, after jsNext) jsToken {
	l.token, l.after = token, after
	l.statement, l.block = false, false
	return token
}

// finish ends the tokens.
func (l *jsLexer) finish() jsToken {
	l.start, l.end = len(l.text), len(l.text)
	return l.is(jsEnd, jsUnclear)
}

// byteAt returns the byte at i, or 0 after the end of the text.
func (l *jsLexer) byteAt(i int) byte {
	if i < len(l.text) {
		return l.text[i]
	}
	return 0
}

// isNamed reports whether the token is the keyword or contextual keyword s.
func (l *jsLexer) isNamed(s string) bool {
	return l.token == jsName && !l.dotted && string(l.text[l.start:l.end]) == s
}

// skipSpace skips white space and comments (§12.2 to §12.4). It reports whether it is
// certain where they end.
func (l *jsLexer) skipSpace() bool {
	l.newline = false
	for ; l.end < len(l.text); l.end++ {
		switch c := l.text[l.end]; {
		case c == '\n' || c == '\r':
			l.newline = true
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
		case c == '/' && l.byteAt(l.end+1) == '/':
			n := bytes.IndexAny(l.text[l.end:], "\r\n")
			if n < 0 {
				n = len(l.text) - l.end
			}
			if hasJSNewline(l.text[l.end : l.end+n]) {
				return false
			}
			l.end += n - 1
		case c == '/' && l.byteAt(l.end+1) == '*':
			n := bytes.Index(l.text[l.end+len("/*"):], []byte("*/"))
			if n < 0 {
				return false
			}
			n += len("/*")
			l.newline = l.newline || hasJSNewline(l.text[l.end:l.end+n])
			l.end += n + 1
		default:
			return true
		}
	}
	return true
}

// hasJSNewline reports whether a text has a line terminator, or bytes that are one in
// UTF-8 (§12.3).
func hasJSNewline(text []byte) bool {
	newlines := []string{"\n", "\r", "\u2028", "\u2029"}
	return slices.ContainsFunc(newlines, func(s string) bool { return bytes.Contains(text, []byte(s)) })
}

// string reads a string (§12.9.4).
func (l *jsLexer) string(quote byte) jsToken {
	l.escaped = false
	for i := skipUntil(l.text, l.start+1, &jsStringStops); i < len(l.text); i = skipUntil(l.text, i, &jsStringStops) {
		switch c := l.text[i]; {
		case c == quote:
			l.end = i + 1
			return l.is(jsString, jsOperator)
		case ascii.IsQuote(c):
			i++
		case c != '\\': // a newline
			return l.finish()
		default:
			l.escaped = true
			if i += len(`\x`); l.byteAt(i-1) == '\r' && l.byteAt(i) == '\n' {
				i++
			}
		}
	}
	return l.finish()
}

// template reads a template up to its end or to its first substitution (§12.9.6). The
// token may be the end of a substitution.
func (l *jsLexer) template() jsToken {
	l.escaped = false
	for i := skipUntil(l.text, l.start+1, &jsTemplateStops); i < len(l.text); i = skipUntil(l.text, i+1, &jsTemplateStops) {
		switch c := l.text[i]; {
		case c == '`':
			l.end = i + 1
			return l.is(jsTemplate, jsOperator)
		case c == '\\':
			l.escaped = true
			i++
		case l.byteAt(i+1) == '{':
			l.end = i + len("${")
			l.open = append(l.open, jsBracket{close: '`'})
			return l.is(jsTemplate, jsOperand)
		}
	}
	return l.finish()
}

// slash reads what a slash begins that does not begin a comment.
func (l *jsLexer) slash() jsToken {
	switch l.after {
	case jsOperator:
		l.end++
		return l.is('/', jsOperand)
	case jsUnclear:
		return l.finish()
	}
	inClass := false
	for i := skipUntil(l.text, l.start+1, &jsRegExpStops); i < len(l.text); i = skipUntil(l.text, i+1, &jsRegExpStops) {
		switch c := l.text[i]; {
		case c == '\\' && !ascii.IsNewline(l.byteAt(i+1)):
			i++
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '/' && !inClass:
			l.end = skipUntil(l.text, i+1, &jsNameStops)
			return l.is(jsRegExp, jsOperator)
		case c != '/': // a newline
			return l.finish()
		}
	}
	return l.finish()
}

// jsKeywords are the words after which a slash does not divide, or may not. A module is
// strict code, in which all of them except "of" are reserved.
var jsKeywords = func() map[string]jsNext {
	words := make(map[string]jsNext)
	for _, w := range []string{
		"await", "case", "const", "default", "delete", "do", "else", "export", "extends", "finally", "in", "instanceof",
		"new", "return", "throw", "try", "typeof", "var", "void", "yield",
	} {
		words[w] = jsOperand
	}
	for _, w := range []string{"break", "continue", "debugger", "of"} {
		words[w] = jsUnclear
	}
	return words
}()

// name reads a name. After a name with bytes that may be white space, and after a label
// or a name that follows "of", a slash is unclear.
func (l *jsLexer) name() jsToken {
	inFor, after := l.statement, jsOperator
	if l.token == jsName && l.after == jsUnclear {
		after = jsUnclear
	}
	i := l.start
	if l.text[i] == '#' {
		i++
	}
	for i = skipUntil(l.text, i, &jsNameStops); l.byteAt(i) == '\\'; i = skipUntil(l.text, i, &jsNameStops) {
		_, n := jsUnicodeEscape(l.text[i:])
		if n == 0 {
			return l.finish()
		}
		i += n
	}
	if l.end = i; i == l.start {
		return l.finish()
	}
	word := l.text[l.start:i]
	if ascii.ClassOf(word)&ascii.NonASCII != 0 {
		after = jsUnclear
	}
	if l.dotted {
		return l.is(jsName, after)
	}
	if next, ok := jsKeywords[string(word)]; ok {
		after = next
	}
	l.is(jsName, after)
	switch string(word) {
	case "if", "for", "while", "with", "switch", "catch":
		l.statement = true
	case "await":
		l.statement = inFor
	case "else", "do", "try", "finally":
		l.block = true
	}
	return jsName
}

// punctuator reads a punctuator that begins with c, or its first byte: a slash after the
// byte means the same as after the punctuator.
func (l *jsLexer) punctuator(c byte) jsToken {
	rest := l.text[l.start:]
	switch {
	case bytes.HasPrefix(rest, []byte("=>")):
		l.end += len("=>")
		l.is(jsArrow, jsOperand)
		l.block = true
		return jsArrow
	case bytes.HasPrefix(rest, []byte("++")), bytes.HasPrefix(rest, []byte("--")):
		l.end += len("++")
		if l.after == jsOperator && l.newline {
			return l.is(jsUpdate, jsUnclear)
		}
		return l.is(jsUpdate, l.after)
	case bytes.HasPrefix(rest, []byte("...")):
		l.end += len("...")
		return l.is(jsSpread, jsOperand)
	case bytes.HasPrefix(rest, []byte("?.")) && !(len(rest) > 2 && ascii.IsDigit(rest[2])):
		l.end += len("?.")
		return l.is('.', jsOperand)
	}
	l.end++
	switch c {
	case '(', '[', '{':
		return l.opens(c)
	case ')', ']', '}':
		return l.closes(c)
	case ';':
		l.is(';', jsOperand)
		l.block = len(l.open) == 0 || l.open[len(l.open)-1].close == '}' // otherwise it is in the head of a for
		return ';'
	}
	return l.is(jsToken(c), jsOperand)
}

// opens follows an opening bracket.
func (l *jsLexer) opens(c byte) jsToken {
	bracket := jsBracket{close: ')', after: jsOperator}
	switch {
	case c == '(' && l.statement:
		bracket.after = jsOperand
	case c == '(' && l.token == jsName && l.after == jsUnclear: // the name may be white space and a keyword
		bracket.after = jsUnclear
	case c == '[':
		bracket.close = ']'
	case c == '{':
		bracket = jsBracket{'}', l.afterBraces()}
	}
	l.open = append(l.open, bracket)
	l.is(jsToken(c), jsOperand)
	l.block = c == '{'
	return l.token
}

// afterBraces returns what a slash means after the "}" of the "{" that is the token.
func (l *jsLexer) afterBraces() jsNext {
	switch {
	case l.block:
		return jsOperand
	case l.after != jsOperand, l.token == jsName, l.token == ':', l.token == ';', l.token == '@', l.token == jsUpdate:
		return jsUnclear
	}
	return jsOperator // an object, as an operand
}

// closes follows a closing bracket.
func (l *jsLexer) closes(c byte) jsToken {
	n := len(l.open) - 1
	if n < 0 {
		return l.finish()
	}
	bracket := l.open[n]
	l.open = l.open[:n]
	switch {
	case c == '}' && bracket.close == '`':
		return l.template()
	case c != bracket.close:
		return l.finish()
	}
	l.is(jsToken(c), bracket.after)
	l.block = bracket.after == jsOperand
	return l.token
}

func isJSName(c byte) bool { return ascii.IsAlnum(c) || c == '_' || c == '$' || c >= 0x80 }

// For each byte, whether a reader of a token has to look at it.
var jsNameStops, jsNumberStops, jsStringStops, jsTemplateStops, jsRegExpStops = func() (name, number, str, template, regExp [256]bool) {
	for c := range 256 {
		name[c] = !isJSName(byte(c))
		number[c] = name[c] && c != '.'
		str[c] = has("\"'\\\r\n", byte(c))
		template[c] = has("`\\$", byte(c))
		regExp[c] = has("/[]\\\r\n", byte(c))
	}
	return name, number, str, template, regExp
}()
