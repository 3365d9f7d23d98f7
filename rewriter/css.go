package rewriter

import (
	"bytes"
	"sync"

	"github.com/tdewolff/parse/v2/css"
)

// mayHoldCSSURL reports whether CSS may hold a reference, so that it has to be
// read: a function that takes one, @import, or an escape that may be part of
// such a name.
func mayHoldCSSURL(text []byte) bool {
	parenthesis, at := bytes.IndexByte(text, '('), bytes.IndexByte(text, '@')
	if parenthesis < 0 && at < 0 {
		return false
	}
	for i := parenthesis; i >= 0; i = nextByte(text, i, '(') {
		if endsInURLFunction(text[:i]) {
			return true
		}
	}
	for i := at; i >= 0; i = nextByte(text, i, '@') {
		if hasPrefixFold(text[i:], "@import") {
			return true
		}
	}
	return bytes.IndexByte(text, '\\') >= 0
}

// nextByte returns where the next c is after i, or -1.
func nextByte(text []byte, i int, c byte) int {
	n := bytes.IndexByte(text[i+1:], c)
	if n < 0 {
		return -1
	}
	return i + 1 + n
}

// urlFunctions are the functions that take references: url() as a token or a
// string, the others as strings (CSS Values 4 §4.5, CSS Images 4 §2.2 and §2.3,
// Filter Effects §12). A string further inside, as in type(), is none.
var urlFunctions = []string{"url", "src", "image", "image-set", "-webkit-image-set", "filter"}

// pairsFunction takes pairs, of which some values are references where a rule
// has the keys: a filter of MSHTML, AlphaImageLoader(src='x').
const pairsFunction = "alphaimageloader"

// urlFunctionsBy has the names of all of them by their last letter.
var urlFunctionsBy = func() (by ['z' + 1][]string) {
	for _, name := range append([]string{pairsFunction}, urlFunctions...) {
		last := name[len(name)-1]
		by[last] = append(by[last], name)
	}
	return by
}()

// endsInURLFunction reports whether text ends in the name of one.
func endsInURLFunction(text []byte) bool {
	if len(text) == 0 || !isLetter(text[len(text)-1]) {
		return false
	}
	for _, name := range urlFunctionsBy[lower(text[len(text)-1])] {
		if hasSuffixFold(text, name) {
			return true
		}
	}
	return false
}

func hasSuffixFold(text []byte, suffix string) bool {
	n := len(text) - len(suffix)
	return n >= 0 && equalFold(text[n:], suffix)
}

func hasPrefixFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && equalFold(text[:len(prefix)], prefix)
}

// cssReferences appends the references in CSS: a style sheet, or declarations,
// or the value of one. Those that are empty, which name nothing, and those that
// begin with "#", which stay in the document whatever its base (CSS Values 4
// §4.5.1), are left out. keys are Rule.Keys.
func cssReferences(dst []reference, text []byte, sheet bool, keys string) []reference {
	r := cssReaders.Get().(*cssReader)
	r.keys = keys
	dst = r.readParts(dst, text, sheet)
	if r.in == nil || max(r.in.Len(), cap(r.open), cap(r.name)) <= 1<<20 {
		cssReaders.Put(r)
	}
	return dst
}

var cssReaders = sync.Pool{New: func() any { return new(cssReader) }}

// A cssReader finds references among tokens. It knows of grammar no more than
// what is open, and in which at-rule it is.
type cssReader struct {
	cssLexer
	sheet     bool
	keys      string // of pairsFunction
	open      []byte // what closes the blocks and functions that are open
	importing bool   // a string here is what @import names
	mute      int    // 1 + how much was open at @namespace or @charset; 0: not in one
	unclear   bool   // what ends @namespace or @charset began before what was read
}

// What marks in open a function whose strings are references: all of them, or
// those of pairs.
const (
	stringsAreURLs = 0x80
	takesPairs     = 0x02
	marks          = stringsAreURLs | takesPairs
)

// begin makes the reader ready for a text.
func (r *cssReader) begin(text []byte, sheet bool) {
	*r = cssReader{cssLexer: r.cssLexer, sheet: sheet, keys: r.keys, open: r.open[:0]}
	r.reset(text)
}

// read appends the references in a text, of which it reads every token.
func (r *cssReader) read(dst []reference, text []byte, sheet bool) []reference {
	r.begin(text, sheet)
	defer r.reset(nil)
	for more := true; more; {
		dst, more = r.token(dst)
	}
	return dst
}

// token reads a token and appends the reference in it. There is no more at the
// end.
func (r *cssReader) token(dst []reference) (_ []reference, more bool) {
	token := r.next()
	switch token {
	case css.ErrorToken:
		return dst, false
	case css.WhitespaceToken, css.CommentToken:
		return dst, true // also between @import and its string
	case css.URLToken:
		dst = r.reference(dst, formCSSURL)
	case css.StringToken:
		dst = r.stringReference(dst)
	case css.BadStringToken:
		r.spoil()
	case css.FunctionToken:
		r.open = append(r.open, r.function())
	case css.LeftParenthesisToken:
		r.open = append(r.open, ')')
	case css.LeftBracketToken:
		r.open = append(r.open, ']')
	case css.LeftBraceToken:
		r.open = append(r.open, '}')
	case css.RightParenthesisToken, css.RightBracketToken, css.RightBraceToken:
		r.close(r.text[r.start])
	case css.SemicolonToken:
		if r.mute == len(r.open)+1 {
			r.mute = 0
		}
	case css.AtKeywordToken:
		if r.mute == 0 && (r.isNamed("namespace") || r.isNamed("charset")) {
			r.mute = len(r.open) + 1
		}
	}
	r.importing = token == css.AtKeywordToken && r.sheet && r.isNamed("import")
	return dst, true
}

func (r *cssReader) stringReference(dst []reference) []reference {
	if !r.importing && !r.inFunction(stringsAreURLs) && !(r.inFunction(takesPairs) && r.followsKey()) {
		return dst
	}
	if r.text[r.start] == '"' {
		return r.reference(dst, formCSSDouble)
	}
	return r.reference(dst, formCSSSingle)
}

// inFunction reports whether what is open last is a function with a mark.
func (r *cssReader) inFunction(mark byte) bool {
	n := len(r.open)
	return n > 0 && r.open[n-1]&mark != 0
}

// followsKey reports whether the token is the value of a pair with one of the
// keys.
func (r *cssReader) followsKey() bool {
	before := trimSpaceRight(r.text, 0, r.start)
	if before == 0 || r.text[before-1] != '=' {
		return false
	}
	end := trimSpaceRight(r.text, 0, before-1)
	start := end
	for start > 0 && isCSSName(r.text[start-1]) {
		start--
	}
	return isOneOf(r.text[start:end], r.keys)
}

// spoil makes the strings that follow in the function mean nothing: what is in
// it is invalid.
func (r *cssReader) spoil() {
	if n := len(r.open); n > 0 {
		r.open[n-1] &^= marks
	}
}

// reference appends the content of the token.
func (r *cssReader) reference(dst []reference, f form) []reference {
	if r.mute > 0 {
		return dst
	}
	ref := newReference(r.from, r.to, f)
	if text := ref.in(r.text); len(text) == 0 || text[0] == '#' {
		return dst
	}
	return append(dst, ref)
}

// function returns what closes the function that the token begins.
func (r *cssReader) function() byte {
	name := r.unescapedName()
	for _, f := range urlFunctions {
		if equalFold(name, f) {
			return ')' | stringsAreURLs
		}
	}
	if r.keys != "" && equalFold(name, pairsFunction) {
		return ')' | takesPairs
	}
	return ')'
}

// close closes what is open last, if c does that. Within it, what closes
// something else is a token like any other (CSS Syntax 3 §5.4.8). A block or
// what an at-rule is in ends the rule too.
func (r *cssReader) close(c byte) {
	n := len(r.open) - 1
	if n < 0 || r.open[n]&^marks != c {
		r.unclear = r.unclear || n < 0 && r.mute > 0
		return
	}
	r.open = r.open[:n]
	if r.mute > n+1 || r.mute == n+1 && c == '}' {
		r.mute = 0
	}
}

// appendCSS appends a URL in a form that is one of CSS, where "<" and ">" are
// escapes too: what is written ends no style element, CDATA section or comment.
func appendCSS(dst, url []byte, f form) []byte {
	if classOf(url)&(control|space|doubleQuote|singleQuote|angle) == 0 && !bytes.ContainsAny(url, "\\()\x7f") {
		return append(dst, url...)
	}
	for _, c := range url {
		switch {
		case c == 0:
			dst = append(dst, `\FFFD `...)
		case c < ' ' || c == 0x7f || c == '<' || c == '>':
			dst = append(dst, '\\')
			if c >= 0x10 {
				dst = append(dst, hexDigits[c>>4])
			}
			dst = append(dst, hexDigits[c&15], ' ')
		case f.escapes(c):
			dst = append(dst, '\\', c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// escapes reports whether a character needs a backslash in a form of CSS.
func (f form) escapes(c byte) bool {
	switch c {
	case '\\':
		return true
	case '"':
		return f != formCSSSingle
	case '\'':
		return f != formCSSDouble
	case ' ', '(', ')':
		return f == formCSSURL
	}
	return false
}
