package syntax

import (
	"bytes"
	"errors"
	"unicode/utf16"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
)

// Module is the syntax of a module script: JavaScript. The references are the module
// specifiers that are URLs, in import and export declarations, and in calls of import
// with a literal.
var Module = Syntax{
	Name: "module", Find: withoutOptions(moduleReferences), TextOf: "script", MayHold: mayHoldModule, Check: checkModule,
}

// ErrEscapedScript says that no reference in a module script can be replaced: the text
// after "<!--" decides where the script ends.
var ErrEscapedScript = errors.New("there is <!-- in the module script, which stays as it is")

func mayHoldModule(text []byte, _ Options) bool {
	return bytes.Contains(text, []byte("import")) || bytes.Contains(text, []byte("export"))
}

func checkModule(text []byte) error {
	if bytes.Contains(text, []byte("<!--")) && mayHoldModule(text, Options{}) {
		return ErrEscapedScript
	}
	return nil
}

// moduleReferences appends the references in a module script (ECMA-262 §16.2, HTML
// Standard, "resolve a module specifier"), as far as its tokens are certain.
func moduleReferences(dst []Reference, text []byte) []Reference {
	if !mayHoldModule(text, Options{}) {
		return dst
	}
	r := moduleReader{jsLexer: newJSLexer(text), refs: dst}
	for token := r.next(); token != jsEnd; {
		switch {
		case r.isNamed("import"):
			token = r.importing()
		case r.isNamed("export") && len(r.open) == 0:
			if token = r.next(); token == '*' || token == '{' {
				token = r.clause()
			}
		default:
			token = r.next()
		}
	}
	return r.refs
}

// A moduleReader finds references among tokens. Each of its methods that read a part of
// the grammar returns the first token after this part.
type moduleReader struct {
	jsLexer
	refs []Reference
}

// importing reads what follows "import": the rest of a declaration, up to its specifier,
// or the first argument of a call. Declarations do not stand in brackets.
func (r *moduleReader) importing() jsToken {
	declares := len(r.open) == 0
	switch token := r.next(); {
	case token == '(':
		return r.argument()
	case token == '.': // import.meta, or import.source("x")
		if r.next(); r.next() != '(' {
			return r.token
		}
		return r.argument()
	case token == jsString && declares:
		r.specifier()
		return r.next()
	case declares:
		return r.clause()
	}
	return r.token
}

// argument reads the first argument of a call. It is a reference if it is a literal.
func (r *moduleReader) argument() jsToken {
	token := r.next()
	if token != jsString && (token != jsTemplate || r.after != jsOperator) {
		return token
	}
	before := len(r.refs)
	r.specifier()
	if token = r.next(); token != ',' && token != ')' {
		r.refs = r.refs[:before]
	}
	return token
}

// clause reads the names that a declaration imports or exports, from the token on, and
// the specifier after them.
func (r *moduleReader) clause() jsToken {
	from, closed := false, false
	for token := r.token; ; token = r.next() {
		inBraces := len(r.open) > 0
		switch {
		case token == '*', token == ',', token == '{':
		case token == '}' && !inBraces:
			from, closed = false, true
			continue
		case token == jsString && from && !inBraces:
			r.specifier()
			return r.next()
		case token == jsString && inBraces:
		case token == jsName && (inBraces || r.isNamed("from")):
		case token == jsName && !closed && !r.isNamed("import") && !r.isNamed("export"):
		default:
			return token
		}
		from, closed = token == jsName && r.isNamed("from"), false
	}
}

// specifier appends the literal that is the token, if its text is a URL.
func (r *moduleReader) specifier() {
	ref := newReference(r.start+1, r.end-1, FormScript)
	text := ref.Of(r.text)
	if ref.Escaped = r.escaped; r.escaped {
		if !holdsJSEscapes(text) {
			return
		}
		text = appendJSDecoded(nil, text)
	}
	if isModuleURL(text) {
		r.refs = append(r.refs, ref)
	}
}

// holdsJSEscapes reports whether every escape in a literal is one that jsEscape reads.
func holdsJSEscapes(raw []byte) bool {
	for i := bytes.IndexByte(raw, '\\'); i >= 0; {
		_, n := jsEscape(raw[i:])
		if n == 0 {
			return false
		}
		i = ascii.NextByte(raw, i+n-1, '\\')
	}
	return true
}

// appendJSDecoded appends the text that the content of a literal stands for (ECMA-262
// §12.9.4.2), or of a string in JSON (RFC 8259 §7). Half of a surrogate pair, which only
// JSON may have here, stands for U+FFFD.
func appendJSDecoded(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			dst = append(dst, raw[i])
			i++
			continue
		}
		c, n := jsEscape(raw[i:])
		if n == 0 {
			c, n = utf8.RuneError, len(`\u0000`)
		}
		if c >= 0 {
			dst = utf8.AppendRune(dst, c)
		}
		i += n
	}
	return dst
}

// jsEscape returns the character that the escape at the start of raw stands for, and its
// length. c is -1 if it stands for nothing, as before a newline. n is 0 if it is not an
// escape, or one that module specifiers do not need: half of a surrogate pair, or a
// character beyond ASCII after the backslash.
func jsEscape(raw []byte) (c rune, n int) {
	if len(raw) < len(`\x`) || raw[1] >= utf8.RuneSelf || ascii.IsDigit(raw[1]) {
		return -1, 0
	}
	switch e := raw[1]; {
	case e == 'u':
		return jsUnicodeEscape(raw)
	case e == 'x':
		return jsHex(raw, len(`\x`), len(`\x00`))
	case e == '\r' && len(raw) > len(`\x`) && raw[2] == '\n':
		return -1, len("\\\r\n")
	case e == '\r', e == '\n':
		return -1, len("\\\n")
	default:
		if n := bytes.IndexByte([]byte("bfnrtv"), e); n >= 0 {
			e = "\b\f\n\r\t\v"[n]
		}
		return rune(e), len(`\x`)
	}
}

// jsUnicodeEscape is jsEscape for \u0041, \u{41} and the surrogate pair \ud83d\ude00.
func jsUnicodeEscape(raw []byte) (c rune, n int) {
	if bytes.HasPrefix(raw, []byte(`\u{`)) {
		end := bytes.IndexByte(raw[:min(len(raw), len(`\u{000000}`))], '}')
		if c, n = jsHex(raw, len(`\u{`), end); n > 0 {
			n++
		}
	} else if c, n = jsHex4(raw); utf16.IsSurrogate(c) {
		low, m := jsHex4(raw[n:])
		c, n = utf16.DecodeRune(c, low), n+m
		if c == utf8.RuneError {
			return -1, 0
		}
	}
	if !utf8.ValidRune(c) {
		return -1, 0
	}
	return c, n
}

// jsHex4 returns the number in the \u0041 at the start of raw, and its length.
func jsHex4(raw []byte) (c rune, n int) {
	if !bytes.HasPrefix(raw, []byte(`\u`)) {
		return -1, 0
	}
	return jsHex(raw, len(`\u`), len(`\u0000`))
}

// jsHex returns the number that stands in raw[start:end] in hexadecimal digits, and end.
func jsHex(raw []byte, start, end int) (c rune, n int) {
	if end <= start || end > len(raw) {
		return -1, 0
	}
	for _, d := range raw[start:end] {
		if ascii.Digit(d) > 15 {
			return -1, 0
		}
		c = c<<4 | ascii.Digit(d)
	}
	return c, end
}
