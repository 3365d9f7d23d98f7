package syntax

import (
	"bytes"
	"slices"
	"sync"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
)

// CSS is the syntax of a style sheet, of declarations, and of the value of a
// declaration.
var CSS = Syntax{Name: "css", Find: cssReferences, Keys: true, TextOf: "style", MayHold: mayHoldCSS}

// mayHoldCSS reports whether CSS may hold a reference and so has to be read. It looks
// for functions that take references and, in the text of an element, for @import. It also
// looks for escapes, which may be part of such names.
func mayHoldCSS(text []byte, o Options) bool {
	return mayHoldURLFunction(text) || o.Text && mayHoldImport(text)
}

func mayHoldURLFunction(text []byte) bool {
	first := bytes.IndexByte(text, '(')
	for i := first; i >= 0; i = ascii.NextByte(text, i, '(') {
		if endsInURLFunction(text[:i]) {
			return true
		}
	}
	return first >= 0 && bytes.IndexByte(text, '\\') >= 0
}

func mayHoldImport(text []byte) bool {
	first := bytes.IndexByte(text, '@')
	for i := first; i >= 0; i = ascii.NextByte(text, i, '@') {
		if ascii.HasPrefixFold(text[i:], "@import") {
			return true
		}
	}
	return first >= 0 && bytes.IndexByte(text, '\\') >= 0
}

// urlFunctions are the functions that take references (CSS Values 4 §4.5, CSS Images 4
// §2.2 and §2.3, Filter Effects §12). The references are strings; in url() there may be
// a reference without quotes instead. A string in an inner function, such as type(), is
// not a reference.
var urlFunctions = []string{"url", "src", "image", "image-set", "-webkit-image-set", "filter"}

// pairsFunction is a filter of MSHTML that takes pairs, as in
// AlphaImageLoader(src='x'). The value of a pair is a reference if Rule.Keys has its key.
const pairsFunction = "alphaimageloader"

// endsInURLFunction reports whether text ends in the name of one of urlFunctions, or in
// pairsFunction. It names them again, because a table made of them takes style sheets 8 %
// more time; TestEndsInURLFunction compares the two.
func endsInURLFunction(text []byte) bool {
	n := len(text)
	if n < len("url") {
		return false
	}
	const lower = 'a' - 'A' // only a letter becomes a letter in lower case by this bit
	switch uint32(text[n-3]|lower)<<16 | uint32(text[n-2]|lower)<<8 | uint32(text[n-1]|lower) {
	case 'u'<<16 | 'r'<<8 | 'l', 's'<<16 | 'r'<<8 | 'c':
		return true
	case 'a'<<16 | 'g'<<8 | 'e':
		return ascii.HasSuffixFold(text, "image")
	case 's'<<16 | 'e'<<8 | 't':
		return ascii.HasSuffixFold(text, "image-set")
	case 't'<<16 | 'e'<<8 | 'r':
		return ascii.HasSuffixFold(text, "filter")
	case 'd'<<16 | 'e'<<8 | 'r':
		return ascii.HasSuffixFold(text, pairsFunction)
	}
	return false
}

// cssReferences appends the references in CSS. It leaves out empty references, which
// name nothing. It also leaves out references that begin with "#": they stay in the
// document whatever its base (CSS Values 4 §4.5.1).
func cssReferences(dst []Reference, text []byte, o Options) []Reference {
	r := cssReader{keys: o.Keys}
	dst = r.readParts(dst, text, o.Text)
	r.release()
	return dst
}

// openMemory has the memory of readers. Few texts need any.
var openMemory = sync.Pool{New: func() any { return new([]byte) }}

// push takes note that a block or a function is open, which c closes.
func (r *cssReader) push(c byte) {
	if r.memory == nil {
		r.memory = openMemory.Get().(*[]byte)
		r.open = (*r.memory)[:0]
	}
	r.open = append(r.open, c)
}

// release gives the memory of the reader back, unless an exceptional text has made it
// large.
func (r *cssReader) release() {
	if r.memory != nil && cap(r.open) <= 1<<10 {
		*r.memory = r.open
		openMemory.Put(r.memory)
	}
}

// A cssReader finds references among tokens. Of the grammar it knows only which blocks
// and functions are open, and whether it is in one of three at-rules.
type cssReader struct {
	cssLexer
	sheet     bool
	keys      string  // the keys of pairsFunction whose values are references
	open      []byte  // the closing bracket of each open block and function, with its marks
	memory    *[]byte // for open; nil until something is opened
	importing bool    // a string here is the URL of an @import
	mute      int     // in @namespace or @charset: 1 + len(open) at its start; otherwise 0
	unclear   bool    // skipped tokens decide whether a bracket has ended @namespace or @charset
}

// The marks of a function in open.
const (
	stringsAreURLs = 0x80 // each of its strings is a reference
	takesPairs     = 0x02 // the string in a pair with one of the keys is a reference
	marks          = stringsAreURLs | takesPairs
)

// begin makes the reader ready for a text.
func (r *cssReader) begin(text []byte, sheet bool) {
	r.open, r.importing, r.mute, r.unclear = r.open[:0], false, 0, false
	r.sheet = sheet
	r.reset(text)
}

// read appends the references in a text. It reads every token.
func (r *cssReader) read(dst []Reference, text []byte, sheet bool) []Reference {
	r.begin(text, sheet)
	for token := r.next(); token != cssEnd; token = r.next() {
		dst = r.take(dst, token)
	}
	return dst
}

// take appends the reference in a token, if there is one, and takes note of what the
// token opens or ends.
func (r *cssReader) take(dst []Reference, token cssToken) []Reference {
	switch token {
	case cssSpace, cssComment:
		return dst // importing stays: they may stand between @import and its string
	case cssURL:
		dst = r.reference(dst, FormCSSURL)
	case cssString:
		dst = r.stringReference(dst)
	case cssBadString:
		r.spoil()
	case cssFunction:
		r.push(r.function())
	case '(':
		r.push(')')
	case '[':
		r.push(']')
	case '{':
		r.push('}')
	case ')', ']', '}':
		r.close(byte(token))
	case ';':
		if r.mute == len(r.open)+1 {
			r.mute = 0
		}
	case cssAtKeyword:
		if r.mute == 0 && (r.isNamed("namespace") || r.isNamed("charset")) {
			r.mute = len(r.open) + 1
		}
	}
	r.importing = token == cssAtKeyword && r.sheet && r.isNamed("import")
	return dst
}

// stringReference appends the string that is the token, if it is a reference.
func (r *cssReader) stringReference(dst []Reference) []Reference {
	if !r.importing && !r.inFunction(stringsAreURLs) && !(r.inFunction(takesPairs) && r.followsKey()) {
		return dst
	}
	return r.reference(dst, r.stringForm())
}

// stringForm returns the form of a reference that is the string which is the token.
func (r *cssReader) stringForm() Form {
	if r.text[r.start] == '"' {
		return FormCSSDouble
	}
	return FormCSSSingle
}

// inFunction reports whether the innermost open block or function has a mark.
func (r *cssReader) inFunction(mark byte) bool {
	n := len(r.open)
	return n > 0 && r.open[n-1]&mark != 0
}

// followsKey reports whether the token is the value of a pair whose key is one of keys.
func (r *cssReader) followsKey() bool {
	before := ascii.TrimSpaceRight(r.text, 0, r.start)
	if before == 0 || r.text[before-1] != '=' {
		return false
	}
	end := ascii.TrimSpaceRight(r.text, 0, before-1)
	start := end
	for start > 0 && isCSSName(r.text[start-1]) {
		start--
	}
	return isOneOf(r.text[start:end], r.keys)
}

// spoil removes the marks of the innermost open function: a bad string has made it
// invalid.
func (r *cssReader) spoil() {
	if n := len(r.open); n > 0 {
		r.open[n-1] &^= marks
	}
}

// reference appends the content of the token as a reference, unless it is one that
// cssReferences leaves out.
func (r *cssReader) reference(dst []Reference, f Form) []Reference {
	if r.mute > 0 {
		return dst
	}
	ref := newReference(r.from, r.to, f)
	text := ref.Of(r.text)
	if ref.Escaped = r.escaped; r.escaped {
		r.name = appendCSSDecoded(r.name[:0], text)
		text = r.name
	}
	if len(text) == 0 || text[0] == '#' {
		return dst
	}
	return append(dst, ref)
}

// function returns the byte in open for the function that the token begins.
func (r *cssReader) function() byte {
	name := r.unescapedName()
	for _, f := range urlFunctions {
		if ascii.EqualFold(name, f) {
			return ')' | stringsAreURLs
		}
	}
	if r.keys != "" && ascii.EqualFold(name, pairsFunction) {
		return ')' | takesPairs
	}
	return ')'
}

// close closes the innermost open block or function if c is its closing bracket. Any
// other closing bracket means nothing (CSS Syntax 3 §5.4.8). An at-rule ends with its
// own block, and with any block around it.
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

// appendCSSDecoded appends the text that a name, or the content of a string or url(),
// stands for. Escapes are decoded, escaped newlines are left out, and NUL becomes U+FFFD
// (CSS Syntax 3 §3.3, §4.3.7).
func appendCSSDecoded(dst, raw []byte) []byte {
	for i, end := 0, 0; i < len(raw); i = end {
		if raw[i] != '\\' {
			dst = appendCSSByte(dst, raw[i])
			end = i + 1
			continue
		}
		end = cssEscapeEnd(raw, i)
		switch r, n := cssHex(raw[i+1:]); {
		case n > 0 && r > 0:
			dst = utf8.AppendRune(dst, r) // U+FFFD if r is a surrogate or greater than U+10FFFF
		case n > 0 || i+1 == len(raw):
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case !ascii.IsNewline(raw[i+1]):
			dst = appendCSSByte(dst, raw[i+1])
		}
	}
	return dst
}

func appendCSSByte(dst []byte, c byte) []byte {
	if c == 0 {
		return utf8.AppendRune(dst, utf8.RuneError)
	}
	return append(dst, c)
}

// appendCSS appends a URL in one of the forms of CSS. Quotes, backquotes, "<", ">" and
// control characters are escapes of six digits, which read the same in every form. spaces
// says that white space stands for itself, where the form can hold it.
func appendCSS(dst, url []byte, f Form, spaces bool) []byte {
	if len(url) > longText {
		dst = slices.Grow(dst, len(url)+6*countEscaped(url))
	}
	escaped := false // the last character is an escape of digits, which white space would belong to
	for _, c := range url {
		isSpace := ascii.IsSpace(c)
		switch inURL := f == FormCSSURL; {
		case c == 0:
			dst, escaped = append(dst, `\00fffd`...), true
		case c < ' ' && !isSpace, c == 0x7f, ascii.IsStructure(c),
			isSpace && (c != ' ' || inURL || escaped || !spaces):
			dst, escaped = ascii.AppendCSSEscape(dst, c), true
		case c == '\\', inURL && (c == '(' || c == ')'):
			dst, escaped = append(dst, '\\', c), false
		default:
			dst, escaped = append(dst, c), false
		}
	}
	return dst
}

// longText is from how many bytes on a text is worth counting before it is appended.
const longText = 4 << 10

// countEscaped returns about how many bytes of a URL are escapes of six digits in CSS.
func countEscaped(url []byte) (n int) {
	for _, c := range url {
		if c < ' ' || c == 0x7f || ascii.IsStructure(c) {
			n++
		}
	}
	return n
}
