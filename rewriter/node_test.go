package rewriter

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/markup"
)

// Parsing what Rewrite makes of a document gives the tree that RewriteNode makes
// of the parsed document, in every profile, with scripting enabled and disabled.
func TestNode(t *testing.T) {
	type document struct{ name, url, in string }
	var documents []document
	for _, page := range pages(t) {
		if !page.isUTF16() { // which is to be decoded before it is parsed
			documents = append(documents, document{page.name, page.url, string(page.data)})
		}
	}
	for _, c := range cases(t) {
		documents = append(documents, document{c.name, c.url, string(c.in)})
	}
	for in := range knownNodes {
		documents = append(documents, document{in, "http://h/\u00e9/p", in})
	}
	for _, d := range documents {
		check := func(scripting bool, why string) {
			differs := ""
			for _, p := range profiles {
				for _, outer := range []*resolver.Base{mustParse(t, d.url, p), nil} {
					if diff := nodeDiff(t, d.in, outer, p, scripting); diff != "" {
						differs = p.String() + ": " + diff
					}
				}
			}
			switch {
			case differs != "" && why == "":
				t.Errorf("%s, scripting: %v: the tree is not as streamed, %s", d.name, scripting, differs)
			case differs == "" && why != "":
				t.Errorf("%s, scripting: %v: the tree is as streamed; it was not, for: %s", d.name, scripting, why)
			}
		}
		check(true, knownNodes[d.name]+knownCases[d.name])
		if d.in != d.name {
			check(false, knownWithoutScripting[d.name]+knownCases[d.name])
		}
	}
}

// knownNodes are documents whose tree differs, and why.
var knownNodes = map[string]string{
	`<a href="&#x81;">`: "a tree does not say which characters were references; a C1 control that was one is percent-encoded when streamed",
	`<base href="/&eacute;/"><style>@import "x"</style>`:                           "nor this one, which in raw text is percent-encoded",
	"<noscript><a href='a\x00b'></noscript>":                                       "the text has U+FFFD for the NUL, which is streamed as a reference",
	"<style>url(a\x00b)</style>":                                                   "likewise, and in a style sheet that is percent-encoded",
	"<a href/>":                                                                    "a tree does not say that a slash follows, which would become part of the value",
	`<script><!-- a<5 <script></script><a href=x></script>`:                        "the parser ends the script at the first end tag",
	`<frameset><textarea><frame src=" x">`:                                         "the parser reads raw text, of which white space stays, where there is no element",
	`<p><b itemid=x><b itemid=x><b itemid=x><b itemid="http://h/&eacute;/x"></p>y`: "of four elements that are the same the parser opens three again",
}

// knownCases are names of documents whose tree differs, and why.
var knownCases = map[string]string{
	"svg-style/cdata":        "the parser decodes references in CDATA sections",
	"svg-style/cut-in-cdata": "likewise",
}

// knownWithoutScripting are names of documents whose tree differs where it is
// parsed with scripting disabled, and why.
var knownWithoutScripting = map[string]string{
	"base-hidden":                "a BASE in noscript, which is none, closes that and is one",
	"base/in-noscript":           "likewise",
	"contexts/noscript-comment":  "a comment in noscript goes on after that",
	"contexts/noscript-style":    "so does raw text",
	"svg-style/noscript-in-head": "a BASE in noscript, as above",
}

var profiles = []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG}

// dropSVGStyles takes the text of style elements in SVG out of a tree.
func dropSVGStyles(root *html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Namespace == "svg" && n.Parent.Data == "style" {
			n.Data = ""
		}
	}
}

// nodeDiff returns how the tree of the rewritten document differs from the
// rewritten tree of the document; "" is that it does not.
func nodeDiff(t testing.TB, in string, outer *resolver.Base, p resolver.Profile, scripting bool) string {
	t.Helper()
	stays := false // a style element in SVG, of which a tree does not say what else than text it held
	rw := Must(New(Options{Profile: p})).With(Hooks{Warn: func(_ int64, err error) { stays = stays || err == errSVGStyle }})
	out, streamed := rewriteUTF8(t, rw, in, outer)
	want, root := parseNode(t, out, scripting), parseNode(t, in, scripting)
	result, err := rw.RewriteNode(root, outer)
	if err != nil {
		t.Fatal(err)
	}
	if result.Base.URL.String() != streamed.Base.URL.String() || result.Base.Source != streamed.Base.Source {
		return fmt.Sprintf("base %s, %s; streamed %s, %s", result.Base.URL, result.Base.Source, streamed.Base.URL, streamed.Base.Source)
	}
	if stays {
		dropSVGStyles(want)
		dropSVGStyles(root)
	}
	return cmp.Diff(lines(want), lines(root))
}

// rewriteUTF8 rewrites a document that is UTF-8 whatever it says, as it is to the
// parser.
func rewriteUTF8(t testing.TB, rw *Rewriter, in string, outer *resolver.Base) (string, Result) {
	t.Helper()
	out, r := rewriteFrom(t, rw, Source{Reader: strings.NewReader(in), Charset: "utf-8"}, outer)
	testio.CheckStructure(t, []byte(in), []byte(out))
	return out, r
}

func parseNode(t testing.TB, in string, scripting bool) *html.Node {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(in), html.ParseOptionEnableScripting(scripting))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// lines returns a line for each node and each attribute under n.
func lines(n *html.Node) []string {
	var all []string
	for c := range n.ChildNodes() {
		all = append(all, fmt.Sprintf("%d %s %q", c.Type, c.Namespace, c.Data))
		for _, a := range c.Attr {
			all = append(all, fmt.Sprintf("%s %q=%q", a.Namespace, a.Key, a.Val))
		}
		for _, line := range lines(c) {
			all = append(all, "  "+line)
		}
	}
	return all
}

func FuzzNode(f *testing.F) {
	for _, page := range pages(f) {
		f.Add(string(page.data), page.url, byte(0))
	}
	for _, c := range cases(f) {
		f.Add(string(c.in), c.url, byte(1))
	}
	for i, row := range structureRows {
		f.Add(row.in, row.url, byte(i))
	}
	for _, s := range []string{
		"<noscript><a href=x><style>url(x)", "<noscript><style>url(x)</noscript>", "<noscript><noscript><a href=x></noscript>",
		"<noscript><base href=b/><iframe srcdoc='<a href=x>'></noscript><svg><noscript><a href=x>", "<noscript><svg><a href=#x></noscript>",
		"<iframe srcdoc='&lt;a href=&quot;\xe9&eacute;&quot;>\r\n<style>url(\xe9)'>", "<base href=/\xe9/><style>url(\xe9)\r\n@import '\\e9 '</style>",
		"<base href=b/ href=c/><body background=x><body background=y itemid=z><html itemid=x>", "<svg><animate href=x><USE HREF=#x XLINK:href=y>",
		"<table><a href=x><td><p><b itemid=x></p></table><template><base href=x><a href=y></template>",
		"<style>url(x)" + strings.Repeat(" ", 200<<10) + "url(y)</style><a href='" + strings.Repeat("x", 20<<10) + "'>",
		"<a ping='\r\nx\ty' style='background:url(\"\\27 x\\\r\ny\")'><link rel=&#101;xpect href='&#35;x'>",
	} {
		f.Add(s, "http://h/\u00e9/p", byte(0))
		f.Add(s, "http://h/a/p", byte(2))
	}
	f.Fuzz(func(t *testing.T, in, url string, profile byte) {
		p := resolver.Profile(profile % 3)
		outer, err := resolver.ParseBase(url, p)
		if err != nil {
			return
		}
		if _, err := html.Parse(strings.NewReader(in)); err != nil || mayDiffer(t, in, outer, p) {
			return
		}
		if diff := nodeDiff(t, in, outer, p, true); diff != "" {
			t.Errorf("the tree is not as streamed: %s", diff)
		}
	})
}

// mayDiffer reports whether the tree of a document may not be as streamed for
// one of the reasons of knownNodes.
func mayDiffer(t testing.TB, in string, outer *resolver.Base, p resolver.Profile) bool {
	if charset.ByteOrderMark([]byte(in)) != nil {
		return true // the parser takes it for text
	}
	seen := attrLines([]byte(in))
	slash := false
	rw := Must(New(Options{Profile: p})).With(Hooks{Warn: func(_ int64, err error) { slash = slash || err == ErrStructure }})
	out, _ := rewriteUTF8(t, rw, in, outer)
	if slash {
		return true
	}
	before := parseNode(t, in, true)
	if textOf(before) != textOf(parseNode(t, out, true)) {
		return true // there was a tag in what is text to the parser
	}
	for n := range before.Descendants() {
		switch {
		case (markup.IsHTML(n, "noscript") || n.Data == "style") && strings.Contains(in, "\x00"):
			return true
		case n.Data == "style" && n.Namespace == "svg" && strings.Contains(in, "<![CDATA["):
			return true // which the tree does not show
		}
		for _, a := range n.Attr {
			switch name := strings.TrimPrefix(a.Namespace+":"+a.Key, ":"); {
			case n.Type != html.ElementNode:
			case !seen[attrLine(n.Namespace, n.Data, name, a.Val)]:
				return true // it stands in no tag, or in one of another namespace
			case strings.ContainsFunc(a.Val, func(r rune) bool { return r >= 0x80 && (r < 0xa0 || n.Data == "base") }):
				return true
			}
		}
	}
	return false
}

// attrLines returns the lines of all attributes of start tags in a document.
func attrLines(in []byte) map[string]bool {
	seen := make(map[string]bool)
	var c markup.Context
	c.Reset(markup.Options{LongTag: math.MaxInt64})
	for {
		switch c.Next(in, true) {
		case markup.StartTag:
			tag := c.Tag()
			b := in[tag.Start:]
			_, ns := c.Element()
			_, name := tag.RuleName(b, ns)
			for _, a := range tag.Attrs {
				value := charref.AppendDecoded(nil, a.Value.Of(b), nil)
				seen[attrLine([...]string{"", "svg", "math"}[ns], string(name), string(a.Name.Of(b)), string(value))] = true
			}
		case markup.NoscriptEnd:
			c.LeaveNoscript()
		case markup.None:
			return seen
		}
	}
}

func attrLine(namespace, element, name, value string) string {
	names := ascii.AppendLower(nil, []byte(namespace+" "+element+" "+name))
	return strings.ReplaceAll(string(names), "\x00", "\ufffd") + "=" + value
}

// textOf returns the text of a tree that is no place.
func textOf(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type != html.ElementNode && !markup.IsHTML(n.Parent, "style") && !markup.IsHTML(n.Parent, "noscript") {
			fmt.Fprintln(&b, n.Data)
		}
	}
	return b.String()
}

// A tree does not say where its places stood.
func TestNodeVisit(t *testing.T) {
	var seen []string
	show := func(p *Place) string {
		return fmt.Sprintf("%d %s %s %s %q %q %q %v", p.Offset, p.Element, p.Attr, p.Rel, p.Raw, p.Ref, p.URL, p.Err)
	}
	rw := new(Rewriter).With(Hooks{Visit: func(p *Place) error {
		seen = append(seen, show(p))
		if p.Ref == "stays" {
			p.URL = ""
		}
		return nil
	}})
	const in = `<link rel="a b" href=" x?&amp;&eacute; "><style>@import "y"</style><base href=/b/><a href=stays>` +
		`<iframe srcdoc="<a href=z&amp;quot;>"></iframe><noscript><img src="&amp;"></noscript><svg><linearGradient xlink:href="#a" viewBox=x></svg>`
	root := parseNode(t, in, true)
	result, err := rw.RewriteNode(root, mustParse(t, "http://h/a/p", resolver.RFC1808))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`-1 link href a b " x?&é " "x?&é" "http://h/b/x?&é" <nil>`,
		`-1 style   "y" "y" "http://h/b/y" <nil>`,
		`-1 base href  "/b/" "/b/" "http://h/b/" <nil>`,
		`-1 a href  "stays" "stays" "http://h/b/stays" <nil>`,
		`-1 a href  "z&quot;" "z\"" "http://h/b/z\"" <nil>`,
		`-1 img src  "&amp;" "&" "http://h/b/&" <nil>`,
		`-1 lineargradient xlink:href  "#a" "#a" "" <nil>`,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	if result.Base.URL.String() != "http://h/b/" || result.Base.Source != EmbeddedBase || result.Base.Offset != -1 || result.Rewritten != 5 || result.Left != 2 {
		t.Errorf("%+v", result)
	}

	seen = nil
	warned := int64(0)
	rw = new(Rewriter).With(Hooks{Unresolvable: func(p *Place) { seen = append(seen, show(p)) }, Warn: func(offset int64, err error) { warned = offset }})
	if _, err := rw.RewriteNode(parseNode(t, `<base href="data:,"><a href=x>`, true), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`-1 a href  "x" "x" "" no base URL is known`}, seen); diff != "" || warned != -1 {
		t.Errorf("warned at %d, %s", warned, diff)
	}
}

// When Visit fails, the tree is rewritten up to there.
func TestNodeError(t *testing.T) {
	broken := errors.New("broken")
	const in = `<a href=1></a><noscript><a href=2><a href=3></noscript><a href=4></a><p style="background:url(5) url(6)" itemid=7></p>`
	for n, want := range []string{
		1: `href="1" href=2 href=3 href="4" url(5) url(6) itemid="7"`,
		2: `href="http://h/1" href=2 href=3 href="4" url(5) url(6) itemid="7"`,
		3: `href="http://h/1" href=http://h/2 href=3 href="4" url(5) url(6) itemid="7"`,
		5: `href="http://h/1" href=http://h/2 href=http://h/3 href="http://h/4" url(5) url(6) itemid="7"`,
		6: `href="http://h/1" href=http://h/2 href=http://h/3 href="http://h/4" url(5) url(6) itemid="7"`,
		7: `href="http://h/1" href=http://h/2 href=http://h/3 href="http://h/4" url(http://h/5) url(http://h/6) itemid="7"`,
	} {
		if want == "" {
			continue
		}
		places := 0
		rw := new(Rewriter).With(Hooks{Visit: func(*Place) error {
			if places++; places == n {
				return broken
			}
			return nil
		}})
		root := parseNode(t, in, true)
		_, err := rw.RewriteNode(root, mustParse(t, "http://h/", resolver.RFC1808))
		if !errors.Is(err, broken) || err.Error() != "visit: broken" {
			t.Errorf("visit error: %v", err)
		}
		var out strings.Builder
		html.Render(&out, root)
		if got := strings.Join(valuePattern.FindAllString(out.String(), -1), " "); got != want {
			t.Errorf("place %d: %s, want %s", n, got, want)
		}
	}
}

var valuePattern = regexp.MustCompile(`(href|itemid)="?[^">]*"?|url\([^)]*\)`)

// A part of a document has the document's base. A node that no parser makes is rewritten
// too.
func TestNodePart(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	root := parseNode(t, `<base href=/b/><a href=x></a><p><a href=y></a></p>`, true)
	var p *html.Node
	for n := range root.Descendants() {
		if n.Data == "p" {
			p = n
		}
	}
	result, err := new(Rewriter).RewriteNode(p, outer)
	if err != nil || result.Rewritten != 1 || result.Base.Source != EmbeddedBase || p.FirstChild.Attr[0].Val != "http://h/b/y" {
		t.Errorf("%+v, %v, %v", result, err, p.FirstChild.Attr)
	}
	n := &html.Node{Type: html.ElementNode, Data: "use", Namespace: "svg", Attr: []html.Attribute{
		{Namespace: "xlink", Key: "href", Val: "x"}, {Key: "XLINK:href", Val: "twice"}, {Key: "href", Val: "#x"}, {Namespace: "x", Key: "href", Val: "y"},
	}}
	result, err = new(Rewriter).RewriteNode(n, outer)
	if err != nil || result.Rewritten != 1 || result.Base.Source != OuterBase || fmt.Sprint(n.Attr) != "[{xlink href http://h/x} { XLINK:href twice} { href #x} {x href y}]" {
		t.Errorf("%+v, %v, %v", result, err, n.Attr)
	}
}
