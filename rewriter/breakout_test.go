package rewriter

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/syntax"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// A notation is a document with a %s where a reference is written, and how else a
// character can be written there.
type notation struct {
	in      string
	escapes string // of "css" and "json", and "" is none
}

// notations has one for every form that a reference is written in, by every
// quoting that the form can have.
var notations = func() (all []notation) {
	add := func(escapes string, documents ...string) {
		for _, in := range documents {
			all = append(all, notation{in, escapes})
		}
	}
	quoted := func(escapes, in string, quotes ...string) {
		for _, q := range quotes {
			add(escapes, strings.ReplaceAll(in, "'", q))
		}
	}
	quoted("", "<a href='%s'>", "'", `"`, "")
	quoted("", "<base -- href='%s'><a href=x>", "'", `"`, "")
	quoted("", `<base href='%s/'><a href=x><a ping=x><style>p{a:url(x)}</style><script type=importmap>{"imports":{"a":"./x"}}</script>`, "'", `"`, "")
	quoted("", "<img srcset='%s'>", "'", `"`, "")
	quoted("", "<img srcset='a,%s 1x, b 2x'>", "'", `"`)
	quoted("", "<a ping='%s'>", "'", `"`, "")
	quoted("", "<a ping='a %s b'>", "'", `"`)
	quoted("", "<applet archive='%s'>", "'", `"`, "")
	quoted("", "<svg><animate attributeName=href values='a;%s'/></svg>", "'", `"`, "")
	quoted("", "<meta name=msapplication-task content='name=x;action-uri=%s'>", "'", `"`, "")
	quoted("", "<meta http-equiv=refresh content='0;url=%s'>", "'", `"`, "")
	quoted("", "<p data-bg='%s'>", "'", `"`, "")
	quoted("css", "<p data-bg-set='url(%s) 1x,url(b)'>", "'", `"`)
	quoted("css", "<p style='background:url(%s)'>", "'", `"`, "")
	quoted("css", "<svg><path fill='url(%s)'/></svg>", "'", `"`, "")
	add("",
		`<meta http-equiv=refresh content="0;url='%s'x">`, `<meta http-equiv=refresh content='0;url="%s"x'>`,
		`<meta http-equiv=refresh content=0;url="%s">`, `<meta http-equiv=refresh content=0;url=&#39;%s&#39;>`,
	)
	add("css",
		`<p style="background:url('%s')">`, `<p style='background:url("%s")'>`, `<p style=background:url('%s')>`,
		`<p style=background:url(&quot;%s&quot;)>`,
	)
	for _, sheet := range []string{
		"p{a:url(%s)}", "p{a:url('%s')}", `p{a:url("%s")}`, "@import '%s';", `@import "%s"`, "p{a:image-set('%s' 1x)}", "p{a:AlphaImageLoader(src='%s')}", "url(%s",
	} {
		add("css", "<style>"+sheet+"</style>", "<svg><style>"+sheet+"</style></svg>", "<svg><style><![CDATA["+sheet+"]]></style></svg>")
	}
	for _, script := range []string{`{"imports":{"./%s":"./a"}}`, `{"imports":{"a":"./%s"}}`, `{"scopes":{"%s":{"a":"./b"}}}`} {
		add("json", "<script type=importmap>"+script+"</script>")
	}
	for _, script := range []string{`{"prefetch":[{"urls":["%s"]}]}`, `{"prefetch":[{"where":{"href_matches":"%s"}}]}`} {
		add("json", "<script type=speculationrules>"+script+"</script>")
	}
	for _, script := range []string{`import "./%s"`, "import '/%s'", "import(`./%s`)", "export * from '../%s';`</p>`"} {
		add("json", "<script type=module>"+script+"</script>")
	}
	return all
}()

// wrappers are what a document can stand in, in another.
var wrappers = []struct {
	name string
	wrap func(in string) string
}{
	{"", func(in string) string { return in }},
	{"comment", func(in string) string { return "<!--[if IE]>" + in + "<![endif]-->" }},
	{"any comment", func(in string) string { return "<!-- " + in + " -->" }},
	{"noscript", func(in string) string { return "<noscript>" + in + "</noscript>" }},
	{"double", func(in string) string {
		return `<iframe srcdoc="` + strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(in) + `"></iframe>`
	}},
	{"single", func(in string) string {
		return `<iframe srcdoc='` + strings.NewReplacer("&", "&amp;", "'", "&#39;").Replace(in) + `'></iframe>`
	}},
	{"unquoted", func(in string) string {
		return `<iframe srcdoc=` + strings.NewReplacer("&", "&amp;", "'", "&#39;", `"`, "&quot;", ">", "&gt;", " ", "&#32;", "\n", "&#10;", "\t", "&#9;", "\r", "&#13;", "\f", "&#12;").Replace(in) + `></iframe>`
	}},
}

// ways are how the characters of a reference can be written: as they are, or so
// that they end nothing.
var ways = []string{"raw", "references", "escapes", "both"}

// writtenIn returns the reference written in the notation, by one of the ways.
func (n notation) writtenIn(way, ref string) string {
	if way == "escapes" || way == "both" {
		var b strings.Builder
		for i := range len(ref) {
			switch c := ref[i]; {
			case c >= 0x80 || n.escapes == "":
				b.WriteByte(c)
			case n.escapes == "css":
				fmt.Fprintf(&b, `\%x `, c)
			default:
				fmt.Fprintf(&b, `\u%04x`, c)
			}
		}
		ref = b.String()
	}
	if way == "references" || way == "both" {
		var b strings.Builder
		for i := range len(ref) {
			if c := ref[i]; c < 0x80 {
				fmt.Fprintf(&b, "&#%d;", c)
			} else {
				b.WriteByte(c)
			}
		}
		ref = b.String()
	}
	return strings.Replace(n.in, "%s", ref, 1)
}

// skeleton returns what is in a document except for its URLs: a line for each node
// and each attribute, down to the documents in it.
func skeleton(t testing.TB, document string) []string {
	t.Helper()
	if rest, ok := strings.CutPrefix(document, "<!--"); ok {
		markup, after := cutComment(rest)
		condition := ""
		if ascii.HasPrefixFold([]byte(rest), "[if") {
			condition, markup, _ = strings.Cut(markup, "]>")
		}
		return slices.Concat([]string{"comment " + condition}, indented(skeleton(t, markup)), skeleton(t, after))
	}
	root, err := html.Parse(strings.NewReader(document))
	if err != nil {
		return []string{err.Error()}
	}
	return nodeSkeleton(t, root)
}

// cutComment splits what follows "<!--" where the comment ends (HTML Standard
// §13.2.5.43 to §13.2.5.52), its beginning aside.
func cutComment(s string) (inside, after string) {
	for i := range len(s) {
		for _, end := range []string{"-->", "--!>"} {
			if strings.HasPrefix(s[i:], end) {
				return s[:i], s[i+len(end):]
			}
		}
	}
	return s, ""
}

func nodeSkeleton(t testing.TB, n *html.Node) (all []string) {
	for c := range n.ChildNodes() {
		data := c.Data
		switch {
		case c.Type == html.TextNode && markup.IsHTML(n, "noscript"):
			all = append(all, indented(skeleton(t, data))...)
			continue
		case c.Type == html.TextNode && n.Data == "style":
			data = withoutURLs(SyntaxCSS, "src", true, data)
		case c.Type == html.TextNode && markup.IsHTML(n, "script") && markup.ValueOf(n, "type") == "importmap":
			data = withoutURLs(SyntaxImportMap, "", true, data)
		case c.Type == html.TextNode && markup.IsHTML(n, "script") && markup.ValueOf(n, "type") == "module":
			data = withoutURLs(SyntaxModule, "", true, data)
		case c.Type == html.TextNode && markup.IsHTML(n, "script"):
			data = withoutURLs(SyntaxSpeculation, "", true, data)
		}
		all = append(all, fmt.Sprintf("%d %s %q", c.Type, c.Namespace, data))
		for _, a := range c.Attr {
			all = append(all, fmt.Sprintf("%s %q=", a.Namespace, a.Key))
			if a.Key == "srcdoc" {
				all = append(all, indented(skeleton(t, a.Val))...)
				continue
			}
			all = append(all, fmt.Sprintf("%q", attributeSkeleton(c, a)))
		}
		all = append(all, indented(nodeSkeleton(t, c))...)
	}
	return all
}

func attributeSkeleton(n *html.Node, a html.Attribute) string {
	switch a.Key {
	case "href", "src", "action", "background", "data", "cite", "formaction", "poster", "longdesc", "lowsrc", "dynsrc", "itemid":
		return "URL"
	case "srcset":
		return withoutURLs(SyntaxSrcset, "", false, a.Val)
	case "ping":
		return withoutURLs(SyntaxList, "", false, a.Val)
	case "archive":
		return withoutURLs(SyntaxCommas, "", false, a.Val)
	case "values":
		return withoutURLs(SyntaxSemicolons, "", false, a.Val)
	case "data-bg":
		return withoutURLs(SyntaxImage, "", false, a.Val)
	case "data-bg-set":
		return withoutURLs(SyntaxImageSet, "", false, a.Val)
	case "style", "fill":
		return withoutURLs(SyntaxCSS, "src", false, a.Val)
	case "content":
		if strings.EqualFold(markup.ValueOf(n, "http-equiv"), "refresh") {
			return withoutURLs(SyntaxRefresh, "", false, a.Val)
		}
		return withoutURLs(SyntaxSemicolons, "action-uri", false, a.Val)
	}
	return a.Val
}

// withoutURLs returns a value with a mark in place of each URL, and for JSON the kinds
// of its tokens. In CSS these follow from the text between the URLs (TestCSSTokensStay
// in package syntax).
func withoutURLs(of Syntax, keys string, text bool, value string) string {
	p := &place{rule: newRule(Rule{Syntax: of, Keys: keys})}
	if text {
		p.notation = charref.RawText
	}
	if of == SyntaxImportMap || of == SyntaxSpeculation {
		return jsonWithoutURLs(value, findReferences(nil, p, []byte(value)))
	}
	var b strings.Builder
	last := 0
	for _, r := range findReferences(nil, p, []byte(value)) {
		b.WriteString(value[last:r.Start] + "URL")
		last = int(r.End)
	}
	b.WriteString(value[last:])
	return b.String()
}

// jsonWithoutURLs returns the tokens of JSON, with a mark in place of the references
// and of the strings that are absolute in some profile. Text that is not JSON comes
// back as it is.
func jsonWithoutURLs(value string, refs []syntax.Reference) string {
	if syntax.Speculation.Check([]byte(value)) != nil {
		return value
	}
	ends := make(map[int64]bool) // of references, after their quotes
	for _, r := range refs {
		ends[int64(r.End)+1] = true
	}
	var b strings.Builder
	d := json.NewDecoder(strings.NewReader(value))
	for token, err := d.Token(); err == nil; token, err = d.Token() {
		s, ok := token.(string)
		switch {
		case ok && (ends[d.InputOffset()] || (*resolver.Base)(nil).IsAbsolute([]byte(s))):
			b.WriteString(" URL")
		default:
			fmt.Fprintf(&b, " %T %q", token, fmt.Sprint(token))
		}
	}
	return b.String()
}

func indented(lines []string) []string {
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// parsesAsBrowsers reports whether the parser reads a document as browsers do,
// as far as this matters here: it decodes references in CDATA sections.
func parsesAsBrowsers(document string) bool {
	_, section, ok := strings.Cut(document, "<![CDATA[")
	return !ok || !strings.Contains(section, "&")
}

// allRewriters has a Rewriter with all rules for each profile.
var allRewriters = func() map[resolver.Profile]*Rewriter {
	all := make(map[resolver.Profile]*Rewriter)
	for _, p := range profiles {
		all[p] = everySet.on(Must(New(Options{Profile: p})))
	}
	return all
}()

// checkBreakOut checks that nothing but URLs is other in the rewritten document
// than in the document.
func checkBreakOut(t testing.TB, in, charset string, outer *resolver.Base) {
	t.Helper()
	out, _ := rewriteFrom(t, allRewriters[outer.Profile()], Source{Reader: strings.NewReader(in), Charset: charset}, outer)
	document := decodedFrom(t, charset, in)
	if strings.HasPrefix(charset, "utf-16") {
		testio.CheckStructure(t, []byte(document), []byte(decodedFrom(t, charset, out)))
	} else {
		testio.CheckStructure(t, []byte(in), []byte(out))
	}
	if out == in || !parsesAsBrowsers(document) {
		return
	}
	want, got := skeleton(t, document), skeleton(t, decodedFrom(t, charset, out))
	if !slices.Equal(got, want) {
		t.Errorf("%s, base %q\n%q\nbecomes\n%q\n%s", outer.Profile(), outer, in, out, cmp.Diff(want, got))
	}
}

// decodedFrom returns a document in UTF-8. Package charset is checked against browsers.
func decodedFrom(t testing.TB, label, document string) string {
	if label == "utf-8" {
		return document
	}
	var src charset.Source
	src.Open(strings.NewReader(document), label)
	text, err := io.ReadAll(&src)
	if err != nil {
		t.Fatal(err)
	}
	return string((&charset.Charset{Of: &src.EncodingOf}).Text(nil, text))
}

// nasty are texts that end something, begin something, or are something else, in
// one of the notations.
var nasty = []string{
	`"`, "'", "\\", `\"`, "\\\n", `\3c/style>`, "`", "</style>", "</script>", "</noscript>", "-->", "--!>", "-", "--", "--!", "->", ">", "!>", "]]>", "]]", "<![endif]-->",
	"<!--", "<!---->", "<script", "<![CDATA[", "&", "&quot;", "&#39", "&gt;", "&amp;gt;", "\n", "\r", "\t", "\f", "\x00", "\x7f", " ", "  x", ",", ";", ",,", ")", "(", "*/", "/*",
	"{}", "[", "}", "=", "x=y", "\u00e9", "\u0085", "\u2028", "\ufeff", "\U0001f600", "\xff", "\xed\xa0\x80", "\xed\xb0\xa2", "\xed\xb0\xbc", "\x1b$B", "\x1b(J", "#", "?", "..", "//", "./--",
}

// nastyBases returns base URLs with nasty texts in all parts of them.
func nastyBases() map[resolver.Profile][]*resolver.Base {
	all := make(map[resolver.Profile][]*resolver.Base)
	whole := strings.NewReplacer("#", "", "?", "").Replace(strings.Join(nasty, "x"))
	for _, url := range []string{
		"http://h/d/p", "http://h/" + whole + "/", "http://h/a-->b/", "http://h/a]]>b/</style>/</script>/p", "http://h/p?" + whole, "http://h/p?--", "http://h/p?--!",
		"http://h--", "http://h--!", "http://h/?a\"b'c<d", "http://h/\"'/", "http://u\"'>@h/", "http://h/\\/", "http://h/)/,/;/", "http://h/\x1b$B/", "http://h/\x1b(B", "http://h/\x83)\x83\\x/",
		"http://h/\xed\xb0\xa2\xed\xb0\xbc/",
	} {
		for _, p := range profiles {
			if b, err := resolver.ParseBase(url, p); err == nil {
				all[p] = append(all[p], b)
			}
		}
	}
	return all
}

// No reference ends the notation that it stands in, whatever it says and however
// it is written, on any base and in any profile.
func TestBreakOut(t *testing.T) {
	bases := nastyBases()
	turn := 0
	check := func(in string) { // each time on another base
		turn++
		of := bases[profiles[turn%len(profiles)]]
		checkBreakOut(t, in, "utf-8", of[turn/len(profiles)%len(of)])
	}
	for _, w := range wrappers {
		var all strings.Builder
		for _, n := range notations {
			all.WriteString(n.writtenIn("raw", "x"))
		}
		for _, p := range profiles {
			for _, outer := range soak.Every(bases[p], 3) {
				checkBreakOut(t, w.wrap(all.String()), "utf-8", outer)
			}
		}
	}
	written := func(n notation, way string, turn int) string {
		ref := nasty[turn%len(nasty)]
		return n.writtenIn(way, []string{ref, "x" + ref, "//" + ref + "/x"}[turn%3])
	}
	for i, n := range notations {
		for k := range nasty { // which may end the document
			check(wrappers[(i+k)%len(wrappers)].wrap(written(n, "raw", i+k)))
		}
		for _, way := range ways[1:] {
			var all strings.Builder
			for k := range nasty {
				all.WriteString(written(n, way, i+k))
			}
			for _, w := range soak.Every(wrappers, 4) {
				check(w.wrap(all.String()))
			}
		}
		if t.Failed() {
			return
		}
	}
}

// The fuzzer chooses the reference and the base. Of the notations, wrappers, ways
// and profiles it takes one by number.
func FuzzBreakOut(f *testing.F) {
	for i := range notations {
		f.Add("x"+nasty[i%len(nasty)], "h/"+nasty[i*7%len(nasty)]+"/", uint16(i), byte(i), byte(i))
	}
	for i, ref := range []string{"x-->y", "x-\t->y", "x--!>", `x\2d\2d\3e`, "\xed\xb0\xa2", "x\n<", "]]>", "</style><p>", "\\"} {
		for _, base := range []string{"h/d/p", "h/a-->b?--", "h/\xed\xb0\xa2\xed\xb0\xbc/"} {
			f.Add(ref, base, uint16(i*11), byte(1), byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, ref, base string, number uint16, wrapper, how byte) {
		p := profiles[int(how)%len(profiles)]
		outer, err := resolver.ParseBase("http://"+base, p)
		if err != nil {
			return
		}
		way := ways[int(how)/len(profiles)%len(ways)]
		if way == "raw" && strings.Contains(ref, "<") {
			return // it makes a document of its own, which is for FuzzNode
		}
		n, w := notations[int(number)%len(notations)], wrappers[int(wrapper)%len(wrappers)]
		checkBreakOut(t, w.wrap(n.writtenIn(way, ref)), "utf-8", outer)
	})
}

// Nor does it in another encoding, by bytes that are parts of characters or that
// change what follows them.
func TestBreakOutCharset(t *testing.T) {
	refs := []string{
		"\x83", "\x83\\", "\x83\\\"", "\x83]]>", "\x83\x83]]>", "\x83'", "\x81\x30", "\x81\x30\x81", "\x81\x30\x81\x30\\", "\xfc]", "\xfc\\", "\xa4\\", "\xff\\", "\x80\\",
		"\x95\\3c", "\x1b$B", "\x1b(J", "\x1b(J\\", "\x1b(B", "\x1b$B\"\x1b(B", "\x0e", "\x83\x22", "\x83&quot;", "\x83&#92;", "\x81&#48;",
		"\xbf>\xa89", "\xbf<\xa89", "--\xbf>\xa89", "\xbf=\xa89",
	}
	bases := nastyBases()
	for _, label := range []string{"shift_jis", "gbk", "gb18030", "big5", "euc-kr", "euc-jp", "iso-2022-jp", "windows-1252", "utf-16le", "utf-16be"} {
		for i, n := range notations {
			for k, ref := range soak.Every(refs, 5) {
				turn := i + k
				of := bases[profiles[turn%len(profiles)]]
				in := wrappers[turn%len(wrappers)].wrap(n.writtenIn(ways[turn/2%len(ways)], ref))
				if strings.HasPrefix(label, "utf-16") {
					in = string(charset.AppendAsUTF16(nil, []byte(in), label == "utf-16be"))
				}
				checkBreakOut(t, in, label, of[turn%len(of)])
			}
			if t.Failed() {
				return
			}
		}
	}
}

// What a caller has is not taken for marks, in an outer base or from Visit, streamed
// or in a tree, whatever is not UTF-8 in it.
func TestOutside(t *testing.T) {
	const quote, half = "\xed\xb0\xa2", "\xed\xb0"
	const in = `<a href="x">`
	for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986} {
		outer := mustParse(t, "http://h/"+quote+half+"/", p)
		written := func(string) string { return "" }
		rw := Must(New(Options{Profile: p})).With(Hooks{Visit: func(p *Place) error {
			if url := written(p.URL); url != "" {
				p.URL = url
			}
			return nil
		}})
		check := func(want string) {
			t.Helper()
			tree := parseNode(t, in, true)
			result, err := rw.RewriteNode(tree, outer)
			if err != nil {
				t.Fatal(err)
			}
			read, err := io.ReadAll(rw.NewReader(strings.NewReader(in), outer))
			if err != nil {
				t.Fatal(err)
			}
			got, _ := rewrite(t, rw, in, outer)
			if got != `<a href="`+want+`">` || string(read) != got || !slices.Equal(lines(tree), lines(parseNode(t, got, true))) {
				t.Errorf("%s: became %q, read %q, as a tree %q, want %q", p, got, read, lines(tree), want)
			}
			if b := result.Base.URL.String(); b != "http://h/%ED%B0%A2%ED%B0/" {
				t.Errorf("%s: the base is %q", p, b)
			}
		}
		check("http://h/%ED%B0%A2%ED%B0/x")
		written = func(string) string { return "http://e/\u00e9" + quote + half }
		check("http://e/&#xE9;%ED%B0%A2%ED%B0")
	}
}
