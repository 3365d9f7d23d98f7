package syntax

import (
	"bytes"
	"sync"

	"github.com/tdewolff/parse/v2/css"

	"absolink/rewriter/internal/ascii"
)

// MayHoldCSSURL reports whether CSS may hold a reference, so that it has to be
// read: a function that takes one, @import, or an escape that may be part of
// such a name.
func MayHoldCSSURL(text []byte) bool {
	parenthesis, at := bytes.IndexByte(text, '('), bytes.IndexByte(text, '@')
	if parenthesis < 0 && at < 0 {
		return false
	}
	for i := parenthesis; i >= 0; i = ascii.NextByte(text, i, '(') {
		if endsInURLFunction(text[:i]) {
			return true
		}
	}
	for i := at; i >= 0; i = ascii.NextByte(text, i, '@') {
		if ascii.HasPrefixFold(text[i:], "@import") {
			return true
		}
	}
	return bytes.IndexByte(text, '\\') >= 0
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
	if len(text) == 0 || !ascii.IsLetter(text[len(text)-1]) {
		return false
	}
	for _, name := range urlFunctionsBy[ascii.Lower(text[len(text)-1])] {
		if ascii.HasSuffixFold(text, name) {
			return true
		}
	}
	return false
}

// CssReferences appends the references in CSS: a style sheet, or declarations,
// or the value of one. Those that are empty, which name nothing, and those that
// begin with "#", which stay in the document whatever its base (CSS Values 4
// §4.5.1), are left out. keys are Rule.Keys.
func CssReferences(dst []Reference, text []byte, sheet bool, keys string) []Reference {
	r := cssReaders.Get().(*CssReader)
	r.Keys = keys
	dst = r.ReadParts(dst, text, sheet)
	if r.in == nil || max(r.in.Len(), cap(r.open), cap(r.name)) <= 1<<20 {
		cssReaders.Put(r)
	}
	return dst
}

var cssReaders = sync.Pool{New: func() any { return new(CssReader) }}

// A CssReader finds references among tokens. It knows of grammar no more than
// what is open, and in which at-rule it is.
type CssReader struct {
	CssLexer
	sheet     bool
	Keys      string // of pairsFunction
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
func (r *CssReader) begin(text []byte, sheet bool) {
	*r = CssReader{CssLexer: r.CssLexer, sheet: sheet, Keys: r.Keys, open: r.open[:0]}
	r.Reset(text)
}

// Read appends the references in a text, of which it reads every token.
func (r *CssReader) Read(dst []Reference, text []byte, sheet bool) []Reference {
	r.begin(text, sheet)
	defer r.Reset(nil)
	for more := true; more; {
		dst, more = r.token(dst)
	}
	return dst
}

// token reads a token and appends the reference in it. There is no more at the
// end.
func (r *CssReader) token(dst []Reference) (_ []Reference, more bool) {
	token := r.Next()
	switch token {
	case css.ErrorToken:
		return dst, false
	case css.WhitespaceToken, css.CommentToken:
		return dst, true // also between @import and its string
	case css.URLToken:
		dst = r.reference(dst, FormCSSURL)
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
		r.close(r.text[r.Start])
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

func (r *CssReader) stringReference(dst []Reference) []Reference {
	if !r.importing && !r.inFunction(stringsAreURLs) && !(r.inFunction(takesPairs) && r.followsKey()) {
		return dst
	}
	if r.text[r.Start] == '"' {
		return r.reference(dst, FormCSSDouble)
	}
	return r.reference(dst, FormCSSSingle)
}

// inFunction reports whether what is open last is a function with a mark.
func (r *CssReader) inFunction(mark byte) bool {
	n := len(r.open)
	return n > 0 && r.open[n-1]&mark != 0
}

// followsKey reports whether the token is the value of a pair with one of the
// keys.
func (r *CssReader) followsKey() bool {
	before := ascii.TrimSpaceRight(r.text, 0, r.Start)
	if before == 0 || r.text[before-1] != '=' {
		return false
	}
	end := ascii.TrimSpaceRight(r.text, 0, before-1)
	start := end
	for start > 0 && isCSSName(r.text[start-1]) {
		start--
	}
	return isOneOf(r.text[start:end], r.Keys)
}

// spoil makes the strings that follow in the function mean nothing: what is in
// it is invalid.
func (r *CssReader) spoil() {
	if n := len(r.open); n > 0 {
		r.open[n-1] &^= marks
	}
}

// reference appends the content of the token.
func (r *CssReader) reference(dst []Reference, f Form) []Reference {
	if r.mute > 0 {
		return dst
	}
	ref := newReference(r.from, r.to, f)
	if text := ref.In(r.text); len(text) == 0 || text[0] == '#' {
		return dst
	}
	return append(dst, ref)
}

// function returns what closes the function that the token begins.
func (r *CssReader) function() byte {
	name := r.unescapedName()
	for _, f := range urlFunctions {
		if ascii.EqualFold(name, f) {
			return ')' | stringsAreURLs
		}
	}
	if r.Keys != "" && ascii.EqualFold(name, pairsFunction) {
		return ')' | takesPairs
	}
	return ')'
}

// close closes what is open last, if c does that. Within it, what closes
// something else is a token like any other (CSS Syntax 3 §5.4.8). A block or
// what an at-rule is in ends the rule too.
func (r *CssReader) close(c byte) {
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
func appendCSS(dst, url []byte, f Form) []byte {
	if ascii.ClassOf(url)&(ascii.Control|ascii.Space|ascii.DoubleQuote|ascii.SingleQuote|ascii.Angle) == 0 && !bytes.ContainsAny(url, "\\()\x7f") {
		return append(dst, url...)
	}
	for _, c := range url {
		switch {
		case c == 0:
			dst = append(dst, `\FFFD `...)
		case c < ' ' || c == 0x7f || c == '<' || c == '>':
			dst = append(dst, '\\')
			if c >= 0x10 {
				dst = append(dst, ascii.HexDigits[c>>4])
			}
			dst = append(dst, ascii.HexDigits[c&15], ' ')
		case f.escapes(c):
			dst = append(dst, '\\', c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// escapes reports whether a character needs a backslash in a form of CSS.
func (f Form) escapes(c byte) bool {
	switch c {
	case '\\':
		return true
	case '"':
		return f != FormCSSSingle
	case '\'':
		return f != FormCSSDouble
	case ' ', '(', ')':
		return f == FormCSSURL
	}
	return false
}
