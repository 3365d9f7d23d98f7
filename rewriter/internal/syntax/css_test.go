package syntax

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	lex "github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

func readSheet(dst []Reference, text []byte) []Reference {
	return cssReferences(dst, text, Options{Text: true, Keys: ""})
}

func readStyle(dst []Reference, text []byte) []Reference {
	return cssReferences(dst, text, Options{Text: false, Keys: ""})
}

// readFilters reads by a rule that has keys.
func readFilters(dst []Reference, text []byte) []Reference {
	return cssReferences(dst, text, Options{Text: true, Keys: "src a-b"})
}

// cssRows hold in a style sheet and in a style attribute.
var cssRows = []syntaxRow{
	{"URL( a.png )", []string{"a.png"}},
	{`u\72l(a.png)`, []string{"a.png"}},
	{`\75rl(a.png)`, []string{"a.png"}},
	{"url (a.png)", nil},
	{"myurl(a.png)", nil},
	{`url-prefix("x")`, nil},
	{`url(a\ b.png)`, []string{"a b.png"}},
	{`url(a\)b)`, []string{"a)b"}},
	{`url(\61.png)`, []string{"a.png"}},
	{`url(img\bg.png)`, []string{"img\vg.png"}},
	{"url(a b)", nil},
	{`url(a"b)`, nil},
	{"url(a(b).png)", nil},
	{`url(data:image/svg+xml,<svg xmlns="x"/>)`, nil},
	{"url(/*c*/a.png)", []string{"/*c*/a.png"}},
	{`url("a.png" /*c*/)`, []string{"a.png"}},
	{"url(\"a\\\nb.png\")", []string{"ab.png"}},
	{"url(\"a\nb.png\")", nil},
	{"url(a.png", []string{"a.png"}},
	{`url("a.png`, []string{"a.png"}},
	{"/* url(x) */", nil},
	{`content:"url(x)"`, nil},
	{`@namespace "a"`, nil},
	{"@namespace p url(a)", nil},
	{`@charset "a"`, nil},
	{`image-set("a.png" 1x, url(b) type("image/png"))`, []string{"a.png", "b"}},
	{`image("x")`, []string{"x"}},
	{`src("x")`, []string{"x"}},
	{`filter("x", blur(1px))`, []string{"x"}},
	{`cross-fade(url(a), url("b"), "c")`, []string{"a", "b"}},
	{`format("x") tech("x") local("x") url-pattern("x") symbols("x")`, nil},
	{"url(#id)", nil},
	{"url()", nil},
	{`url("")`, nil},
	{"--x:url(a.png)", []string{"a.png"}},
	{`filter:progid:DXImageTransform.Microsoft.AlphaImageLoader(src='a.png',sizingMethod="scale")`, nil},

	// Names.
	{`\55\52\4C(a)`, []string{"a"}},
	{`\000075 rl(a)u\000072l(b)`, []string{"a", "b"}},
	{"u\\72\r\nl(a)", []string{"a"}},
	{`u\l(a)`, nil},
	{`ur\l(a)`, []string{"a"}},
	{`\url("a")`, []string{"a"}},
	{"u\\\nrl(a)", nil},
	{"\\\nurl(a)", []string{"a"}},
	{"-url(a)--url(b)_url(c)\u00e9url(d)\x00url(e)", nil},
	{"1url(a)1-url(b)1eurl(c)1e1url(d)#url(e)@url(f)", nil},
	{"1.url(a)+url(b)1%url(c)1+url(d)", []string{"a", "b", "c", "d"}},
	{"1\\75\r\nurl(a)#\\75\r\nurl(b)", nil},
	{"1\\\xe4)url(a)", []string{"a"}},
	{"\\\xe4)url(a)", []string{"a"}},
	{"-->url(a)<!--url(b)--url(c)", []string{"a", "b"}},
	{"u+26url(a)U+url(b)u+f(c)u+filter('d')", []string{"b", "d"}},
	{`IMAGE-SET("a")-webkit-image-set("b")im\61ge("c")\73rc("d")`, []string{"a", "b", "c", "d"}},

	// url().
	{"url( \t\r\n\f a \n)", []string{"a"}},
	{"url(a\tb)url(c)", []string{"c"}},
	{"url( /*c*/ x)", nil},
	{`url(/*c*/"x")`, nil},
	{`url(a'b)url(c)`, []string{"c"}},
	{`url(a"b\)c)url(d)`, []string{"d"}},
	{"url(a\\\nb)url(c)", []string{"c"}},
	{"url(a\x7fb)url(a\x01)url(c)", []string{"c"}},
	{"url(a\x00b)", []string{"a\ufffdb"}},
	{`url(\0)url(\d800 )url(\110000)`, []string{"\ufffd", "\ufffd", "\ufffd"}},
	{"url(a\\62  )", []string{"ab"}},
	{"url(a\\62\r\n)", []string{"ab"}},
	{"url(\\\u00e9\\\xe9)", []string{"\u00e9\xe9"}},
	{"url(", nil},
	{"url( ", nil},
	{"url(a ", []string{"a"}},
	{`url(a\`, []string{"a\ufffd"}},
	{"url(a\x00", []string{"a\ufffd"}},
	{`url(\#id)url("#id")url('\23 id')`, nil},
	{"url(a)url(b)", []string{"a", "b"}},
	{"url(a;b}c)", []string{"a;b}c"}},
	{"URL(//h/p?q#f)", []string{"//h/p?q#f"}},
	{"url(a\u00a0b\xff)", []string{"a\u00a0b\xff"}},

	// Strings.
	{`url('a\'b"c')`, []string{`a'b"c`}},
	{"url('a\\\r\nb\\\fc')", []string{"abc"}},
	{"url('a\\62\r\nc')", []string{"abc"}},
	{"url('\\\n')", nil},
	{`url("a\`, []string{"a"}},
	{`url("a\61`, []string{"aa"}},
	{`url("`, nil},
	{"url( \n 'a' )", []string{"a"}},
	{"url('a\\\xe9')url(b)", []string{"a\xe9", "b"}},
	{"url('a\x00')", []string{"a\ufffd"}},
	{"'a\nurl(b)", []string{"b"}},
	{"'url(a)\\'url(b)'url(c)", []string{"c"}},
	{`url("a" var(--x))`, []string{"a"}},

	// What is open.
	{`image-set(("a") foo("b") ["c"] {"d"} "e")"f"`, []string{"e"}},
	{`image-set(] "a" } "b" ) "c"`, []string{"a", "b"}},
	{`foo(image-set("a") "b") "c"`, []string{"a"}},
	{`image-set(/* ) */ "a" 1x, "b" 2x)`, []string{"a", "b"}},
	{"a:url(b", []string{"b"}},
	{`@namespace "a";url(b)`, []string{"b"}},
	{`@NAMESPACE a url("b") (;url(c)) [url(d)];url(e)`, []string{"e"}},
	{`{@namespace url(a)}url(b)`, []string{"b"}},
	{`(@namespace url(a))url(b)`, []string{"b"}},
	{`@namespace url(a){url(b);}url(c)`, []string{"c"}},
	{`@n\61mespace url(a);url(b)`, []string{"b"}},
	{`@charset url(a);url(b)`, []string{"b"}},
	{`@media x{a{b:url(c)}}`, []string{"c"}},

	{"", nil},
	{`\`, nil},
	{"-", nil},
	{"/*", nil},
	{"/*/url(a)*/url(b)", []string{"b"}},
	{"\x00\xff", nil},
}

// importRows hold in a style sheet alone, where @import is a rule.
var importRows = []syntaxRow{
	{`@import "a.css";`, []string{"a.css"}},
	{`@import url(a.css) layer(x) supports(a:"b") screen;`, []string{"a.css"}},
	{`@im\70ort "a.css"`, []string{"a.css"}},
	{`@IMPORT'a.css'"b"`, []string{"a.css"}},
	{"@import/**/ \n/**/\"a.css\"", []string{"a.css"}},
	{`@import url("a.css") "b"`, []string{"a.css"}},
	{`@import layer "b"`, nil},
	{`@import;"b"`, nil},
	{`@importx "b"`, nil},
	{`@ import "b"`, nil},
	{`@import "#a";@import ""`, nil},
	{`@namespace @import "a";`, nil},
	{"@import \"a\nurl(b)", []string{"b"}},
	{`@import "a`, []string{"a"}},
	{`@import src("a")`, []string{"a"}},
	{`<!-- @import "a"; -->`, []string{"a"}},
	{`@import 1\31 src('a')`, nil},
	{`@import @\31 url(x)`, nil},
	{`@import@\URL(,`, nil},
	{`@import 1e3\(url(u+url("'b'url(/*`, []string{"'b'url(/*"}},
}

// filterRows hold by a rule that has keys: they are for filters, which take pairs.
var filterRows = []syntaxRow{
	{`a:progid:DXImageTransform.Microsoft.AlphaImageLoader(src='a.png',sizingMethod='b')`, []string{"a.png"}},
	{`ALPHAIMAGELOADER( x = "a" , SRC	=
"b\"c" )`, []string{`b"c`}},
	{`alph\61imageloader(src='a')`, []string{"a"}},
	{`alphaimageloader(src='a',src='b',a-b='c',-src='d',asrc='e',src 'f',='g','h',src='')`, []string{"a", "b", "c"}},
	{`alphaimageloader(x(src='a') [src='b'] src=('c'))`, nil},
	{`xalphaimageloader(src='a')alphaimageloader (src='b')src='c'x[src='d']{src='e'}`, nil},
	{"alphaimageloader(src='a\nb',src='c')", nil},
	{`@namespace alphaimageloader(src='a');alphaimageloader(src='b')url(c)`, []string{"b", "c"}},
	{`url(a)image-set('b' src='c')@import 'd';`, []string{"a", "b", "c", "d"}},
	{`"alphaimageloader(src='a')"/*alphaimageloader(src='b')*/`, nil},
}

func TestCSS(t *testing.T) {
	testRows(t, readSheet, cssRows)
	testRows(t, readStyle, cssRows)
	testRows(t, readSheet, importRows)
	testRows(t, readFilters, filterRows)
	testRows(t, readStyle, []syntaxRow{{`@import "a.css";`, nil}, {`@import url(a.css)`, []string{"a.css"}}})
}

func TestMayHoldCSS(t *testing.T) {
	for text, want := range map[string]bool{
		"":                              false,
		"color:red":                     false,
		"color:rgba(0,0,0,.5)":          false,
		"width:calc(1px + var(--x))":    false,
		`content:"\f101"`:               false,
		"@media print{}":                false,
		"@imports":                      true,
		"@font-face{}@IMPORT 'a'":       true,
		"@":                             false,
		"(":                             false,
		"rl(":                           false,
		"a:b(c) URL(d)":                 true,
		"src('a')":                      true,
		"Image-Set('a')":                true,
		"image('a')":                    true,
		"-webkit-image-set('a')":        true,
		"filter('a')":                   true,
		"filter:alpha(opacity=50)":      false,
		"AlphaImageLoader(src='a')":     true,
		`u\72l(a)`:                      true,
		`@im\70ort "a"`:                 true,
		"background:url (a)":            false,
		"color:RGB(1,1,1);a:b(url(c))":  true,
		"url-prefix('a')url-pattern(b)": false,
	} {
		if got := mayHoldCSS([]byte(text), Options{Text: true}); got != want {
			t.Errorf("mayHoldCSS(%q) = %t", text, got)
		}
		if got := mayHoldCSS([]byte(text), Options{}); got != (want && !bytes.HasPrefix([]byte(text), []byte("@"))) {
			t.Errorf("mayHoldCSS(%q) = %t in an attribute", text, got)
		}
	}
}

func TestAppendCSS(t *testing.T) {
	const url = "\\\"'`() b\t\n\f\r\x1f\x7f</STYLE>f\x00\u00e9\xff,;< >"
	const rest = `b\000009\00000a\00000c\00000d\00001f\00007f\00003c/STYLE\00003ef\00fffd` + "\u00e9\xff,;" + `\00003c\000020\00003e`
	for form, want := range map[Form][2]string{ // without spaces, and with them
		FormCSSURL:    {`\\\000022\000027\000060\(\)\000020`, `\\\000022\000027\000060\(\)\000020`},
		FormCSSDouble: {`\\\000022\000027\000060()\000020`, `\\\000022\000027\000060() `},
		FormCSSSingle: {`\\\000022\000027\000060()\000020`, `\\\000022\000027\000060() `},
	} {
		for i, spaces := range []bool{false, true} {
			if got := string(form.Append(nil, []byte(url), spaces)); got != want[i]+rest {
				t.Errorf("form %d: %q, want %q", form, got, want[i]+rest)
			}
		}
	}
}

// A reader that is used again allocates nothing.
func TestCSSAllocations(t *testing.T) {
	var r cssReader
	for _, read := range []func([]Reference, []byte, bool) []Reference{r.read, r.readParts} {
		readSheet := func(dst []Reference, text []byte) []Reference { return read(dst, text, true) }
		noAllocations(t, readSheet, "",
			`@import "a.css";@media x{a{background:url(b.png) no-repeat;color:rgba(0,0,0,.5)}}`,
			`a{b:u\72l(c) image-set("d" 1x) /* e */ 1\70x}`)
	}
}

// Reading takes time that is linear in the text, even where a token is as long as the
// text, or where nothing that is opened is closed. Nothing is timed: with quadratic time
// each of these would take minutes.
func TestCSSIsLinear(t *testing.T) {
	for _, s := range []string{
		"a", "(", "url(", "url(a ", `url("a`, "url('a'", "\\", "\\a", "1\\\xe4)", "1\\\xe4", "u+", "u+a", "-", "1e-", "/*", "'\n", "@", "@namespace ", "#\\\r\n", "url( ", "image-set(", "\x00",
		"a\\(", "\\(url", "@a\\", "@@", "#url(", "<!--url(", "\\75rl(a)", "\"\"(", "@namespace x)", "}@namespace ",
	} {
		text := bytes.Repeat([]byte(s), 1<<20/len(s))
		cssReferences(nil, text, Options{Text: true, Keys: ""})
	}
}

// A cssDifference is a kind of token that package css reads in another way than CSS
// Syntax 3.
type cssDifference struct {
	why     string
	pattern *regexp.Regexp // of the longer of the two tokens
	example string
}

// cssDifferences are all that are known. For each, why says what CSS Syntax 3 has.
var cssDifferences = []cssDifference{
	{"url() with a string is a function and its arguments (§4.3.4)", regexp.MustCompile(`(?i)^url\([ \t\r\n\f]*["']`), `url( "a")`},
	{"the name of url() may have escapes (§4.3.4)", regexp.MustCompile(`^[^(]*\\[^(]*\(`), `\75rl(a)`},
	{"the name of a function may begin with two hyphens (§4.3.4)", regexp.MustCompile(`^--[^(]*\($`), "--a(b)"},
	{"a bad string ends before the newline (§4.3.5)", regexp.MustCompile(`^["'](?s:.*)[\r\n\f]$`), "'a\n'"},
	{"NUL is U+FFFD, which is part of a name (§3.3)", regexp.MustCompile(`\x00`), "a\x00b"},
	{"CR and LF after an escape are one newline (§3.3)", regexp.MustCompile(`\\[0-9A-Fa-f]{1,6}\r\n`), "\\61\r\nb"},
	{"a backslash at the end of the text is an escape (§4.3.8)", regexp.MustCompile(`\\$`), `a\`},
	{"a byte that is not UTF-8 is a character", regexp.MustCompile(`\\\x{fffd}`), "a\\\xe4 "},
	{"a range of code points is not one token (§4.3.1)", regexp.MustCompile(`^[Uu]\+`), "u+26"},
	{"an operator of two characters is not one token (§4.3.1)", regexp.MustCompile(`^([~|^$*]=|\|\|)$`), "~="},
}

// cssKinds says what our kind is for a kind of package css. A kind that is not there
// is a delimiter.
var cssKinds = map[css.TokenType]cssToken{
	css.ErrorToken:              cssEnd,
	css.WhitespaceToken:         cssSpace,
	css.CommentToken:            cssComment,
	css.StringToken:             cssString,
	css.BadStringToken:          cssBadString,
	css.URLToken:                cssURL,
	css.BadURLToken:             cssBadURL,
	css.IdentToken:              cssIdent,
	css.CustomPropertyNameToken: cssIdent,
	css.FunctionToken:           cssFunction,
	css.AtKeywordToken:          cssAtKeyword,
	css.HashToken:               cssHash,
	css.NumberToken:             cssNumber,
	css.PercentageToken:         cssNumber,
	css.DimensionToken:          cssNumber,
	css.CDOToken:                cssCDO,
	css.CDCToken:                cssCDC,
}

// compareCSSToken reads the next token of l, and the same token with package css. It
// returns how the two differ, or "", and the longer of them.
func compareCSSToken(l *cssLexer) (difference, longer string) {
	got, rest := l.next(), string(l.text[l.start:])
	theirs, raw := css.NewLexer(lex.NewInputString(rest)).Next()
	want, ok := cssKinds[theirs]
	if !ok {
		want = cssToken(raw[0])
	}
	longer = rest[:max(len(raw), l.end-l.start)]
	if got != want || l.end-l.start != len(raw) {
		difference = fmt.Sprintf("token %d %q, by package css %d %q", got, l.text[l.start:l.end], want, raw)
	}
	return difference, longer
}

// checkCSSTokens checks that the tokens of a text partition it, and that package css
// reads the same tokens, apart from cssDifferences.
func checkCSSTokens(t *testing.T, text string) {
	var l cssLexer
	l.reset([]byte(text))
	for l.end < len(text) {
		before := l.end
		difference, longer := compareCSSToken(&l)
		if l.start != before || l.end <= before {
			t.Fatalf("%q: a token after %d is from %d to %d", text, before, l.start, l.end)
		}
		known := func(d cssDifference) bool { return d.pattern.MatchString(longer) }
		if difference != "" && !slices.ContainsFunc(cssDifferences, known) {
			t.Fatalf("%q: %s", text, difference)
		}
	}
}

// Our tokens are the same as package css's where that package is right. Each known
// difference is still there.
func TestCSSTokens(t *testing.T) {
	checkCSSTokens(t, "a{b:c(1.5e3px,+.5%,#d) \"e\" 'f\\'g' url(h) url( i )} @j-k <!-- --> /* l */ ~= |= ^= $= *= || [m=n] -o --p -1q \u00e9 !important;")
	checkCSSTokens(t, "1. 1.e3 1e+ 1e-2 1-1 +1-->@-->#-->-- - -. -.5.5 +a -\\61 -\\\n\\\n1--a .a #1 #\\\n # @1 @- @-a @\\a / /*")
	for _, d := range cssDifferences {
		var l cssLexer
		l.reset([]byte(d.example))
		if difference, longer := compareCSSToken(&l); difference == "" || !d.pattern.MatchString(longer) {
			t.Errorf("%s: %q is no example: %q", d.why, d.example, difference)
		}
	}
}

func FuzzCSSTokens(f *testing.F) {
	for _, row := range slices.Concat(cssRows, importRows, filterRows) {
		f.Add(row.value)
	}
	f.Fuzz(checkCSSTokens)
}

// nastyURLs are texts that end or begin something in CSS, or escape it.
var nastyURLs = []string{
	`"`, "'", "\\", `\"`, "\\\n", "\\", "\n", "\r", "\f", "\t", "\x00", "\x7f", " ", "  x", ")", "(", "*/", "/*", ";", "{}", "[", "}", "<!--", "-->", "@import", "url(", "\xff", "\u00e9",
	"</style>", `\3c/style>`, "#", ",", "!important",
}

// A URL in the place of a reference leaves the kinds of all tokens as they are.
func TestCSSTokensStay(t *testing.T) {
	for _, row := range slices.Concat(cssRows, importRows, filterRows) {
		for _, nasty := range nastyURLs {
			for _, read := range []valueSyntax{readSheet, readStyle, readFilters} {
				checkCSSTokensStay(t, read, row.value, absoluteURL(nasty))
				checkCSSTokensStay(t, read, row.value, absoluteURL("x"+nasty+"x"))
			}
		}
	}
}

func checkCSSTokensStay(t *testing.T, read valueSyntax, text, url string) {
	t.Helper()
	written := replaceAll(text, read(nil, []byte(text)), true, func(Reference) []byte { return []byte(url) })
	if got, want := cssKindsOf(written), cssKindsOf(text); !slices.Equal(got, want) {
		t.Errorf("%q has tokens %v;\nwith %q in it, %v", text, want, url, got)
	}
}

func cssKindsOf(text string) (kinds []cssToken) {
	var l cssLexer
	l.reset([]byte(text))
	for kind := l.next(); kind != cssEnd; kind = l.next() {
		kinds = append(kinds, kind)
	}
	return kinds
}

func FuzzCSS(f *testing.F) {
	for _, row := range slices.Concat(cssRows, importRows, filterRows) {
		f.Add(row.value, `a"b'c(d) \<e`)
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		url := absoluteURL(path)
		for _, read := range []valueSyntax{readSheet, readStyle, readFilters} {
			references := read(nil, []byte(text))
			if len(references) > 0 && !mayHoldCSS([]byte(text), Options{Text: true}) {
				t.Fatalf("mayHoldCSS(%q) = false: it holds %q", text, texts(text, references))
			}
			checkSyntax(t, read, text, url)
			checkCSSTokensStay(t, read, text, url)
		}
		if references := readStyle(nil, []byte(text)); len(references) > 0 && !mayHoldCSS([]byte(text), Options{}) {
			t.Fatalf("mayHoldCSS(%q) = false in an attribute: it holds %q", text, texts(text, references))
		}
		for _, r := range []struct {
			sheet bool
			keys  string
		}{{false, ""}, {true, ""}, {true, "src"}} {
			whole := (&cssReader{keys: r.keys}).read(nil, []byte(text), r.sheet)
			if parts := (&cssReader{keys: r.keys}).readParts(nil, []byte(text), r.sheet); !reflect.DeepEqual(parts, whole) {
				t.Fatalf("%q in parts has %q, as a whole %q", text, texts(text, parts), texts(text, whole))
			}
		}
		for form := FormCSSURL; form <= FormCSSSingle; form++ {
			if s := form.Append(nil, []byte(url), true); bytes.IndexByte(s, '<') >= 0 {
				t.Fatalf("%q is written as %q", url, s)
			}
		}
	})
}

// endsInURLFunction knows the functions that the reader knows, in any case, and nothing that
// differs from them in one of the last three letters.
func TestEndsInURLFunction(t *testing.T) {
	for _, name := range append([]string{pairsFunction}, urlFunctions...) {
		for _, text := range []string{name, strings.ToUpper(name), "x" + name} {
			if !endsInURLFunction([]byte(text)) {
				t.Errorf("%s is not known", text)
			}
		}
		for i := range 3 {
			text := []byte(name)
			if text[len(name)-1-i] ^= 0x40; endsInURLFunction(text) {
				t.Errorf("%q is known", text)
			}
		}
		if n := len(name) - 1; endsInURLFunction([]byte(name[:n])) || endsInURLFunction([]byte(name[n-1:])) {
			t.Errorf("a part of %s is known", name)
		}
	}
}
