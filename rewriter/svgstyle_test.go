package rewriter

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"absolink/internal/test/soak"
	"absolink/resolver"
	"absolink/rewriter/internal/mark"
	"absolink/rewriter/internal/syntax"
)

// A style element in SVG that holds more than text stays, and Warn is told where there may be
// a URL in it.
func TestSVGStyleStays(t *testing.T) {
	const start, end = "<svg><style>", "</style><image href=z />"
	for text, warns := range map[string]bool{
		"":                        false,
		"a<!-- b -->c":            false,
		"url(a)<!-- b -->":        true,
		"u<!-- -->rl(a)":          true,
		"u&#114;l&lpar;a)":        true,
		"url(a)<g>":               true,
		"<g>url(a)":               true,
		"url(a)</g>":              true,
		"<![CDATA[]]>url(a)":      true,
		"<![CDATA[a]]><![CDATA[(": true, // up to the end of the document
	} {
		var warned []string
		rw := new(Rewriter).With(Hooks{Warn: func(offset int64, err error) { warned = append(warned, fmt.Sprint(offset, err)) }})
		in := start + text + end
		got, r := rewrite(t, rw, in, mustParse(t, "http://h/", resolver.RFC1808))
		rest := strings.TrimPrefix(got, start+text)
		if rest == got || (len(warned) == 1) != warns || warns && warned[0] != fmt.Sprint(len(start), " ", errSVGStyle) || r.Warnings != len(warned) {
			t.Errorf("%s\ngot %s\nwarned %q", in, got, warned)
		}
	}
}

// The content is bounded from its start tag to its end tag.
func TestSVGStyleMaxTag(t *testing.T) {
	const start, end = "<svg><style>", "</style><image href=z />"
	for text, fits := range map[string]bool{
		"url(a)" + strings.Repeat(" ", 100):                      true,
		"url(a)" + strings.Repeat(" ", 200):                      false,
		"<![CDATA[url(a)" + strings.Repeat(" ", 200) + "]]>":     false,
		"url(a)<!" + strings.Repeat(" ", 200):                    false, // a comment up to the next ">"
		"url(a)<!--" + strings.Repeat(" ", 200) + "-->":          false,
		"url(a)</style " + strings.Repeat("x", 200) + "><style>": true,
	} {
		var warned []string
		rw := Must(New(Options{MaxTag: 200})).With(Hooks{Warn: func(offset int64, err error) { warned = append(warned, fmt.Sprint(offset, err)) }})
		in := start + text + end
		got, _ := rewrite(t, rw, in, mustParse(t, "http://h/", resolver.RFC1808))
		want := strings.NewReplacer("href=", "href=http://h/").Replace(in)
		if fits {
			want = strings.Replace(want, "(a", "(http://h/a", 1)
		}
		if got != want || (len(warned) == 0) != fits || !fits && warned[0] != fmt.Sprint(len(start), " ", errMaxTag(0)) {
			t.Errorf("%s\ngot %s\nwarned %q", in, got, warned)
		}
		checkBounds(t, []byte(in), mustParse(t, "http://h/", resolver.RFC1808))
	}
}

func TestSheetRule(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	const in = "<style>url(a)</style><svg><style media=x>url(b)</style><style>url(c)</style></svg>"
	for _, tt := range []struct {
		rule Rule
		want string
	}{
		{Rule{Element: "style", Drop: true}, in},
		{Rule{Element: "style", SVG: true, Syntax: SyntaxCSS}, strings.NewReplacer("b", "http://h/b", "(c", "(http://h/c").Replace(in)},
		{Rule{Element: "style", When: "media=x", Syntax: SyntaxCSS}, strings.Replace(in, "b", "http://h/b", 1)},
	} {
		if got, _ := rewrite(t, Must(New(Options{Rules: []Rule{{Attr: "href"}, tt.rule}})), in, outer); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.rule, got, tt.want)
		}
	}
}

// Whatever is in the text, again and again, takes time that is linear in it. Nothing is
// timed: with quadratic time each of these would take minutes.
func TestSheetIsLinear(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	for _, s := range soak.Every([]string{
		"<", "<!", "<!-->", "<!--", "<![CDATA[", "<![CDATA[]]>", "]]>", "&", "&not", "&a", "&#", "</g>", "<g>", "<g/>", "<g href=a>", "url(a)<!---->", "url(a<!---->", "url(&not", "\r",
		"<![CDATA[\x83]]>", "<![CDATA[\x83]]>]]>", "\x83",
	}, 4) {
		rewrite(t, new(Rewriter), "<meta charset=shift_jis><svg><style>url(a)"+strings.Repeat(s, 1<<20/len(s)-1)+"</style>", outer)
	}
}

// sheets returns the texts of the style elements in SVG, except for style elements in
// another one.
func sheets(t *testing.T, in string) []string {
	doc, err := xhtml.Parse(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	var walk func(n *xhtml.Node)
	walk = func(n *xhtml.Node) {
		if n.Data == "style" && n.Namespace == "svg" {
			text := ""
			for c := range n.ChildNodes() {
				if c.Type == xhtml.TextNode {
					text += c.Data
				}
			}
			all = append(all, text)
			return
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(doc)
	return all
}

var otherTags = regexp.MustCompile(`(?i)</?([a-f]|g[^\s/>]|[h-z])`)

// The text is what the parser has in the tree, and with its references replaced it is what
// is in the tree then. Where it stays, that is said.
func FuzzSheet(f *testing.F) {
	for _, s := range []string{
		"url(a)", "<![CDATA[url(a&amp;b)]]>url(c&amp;d)", "url(a<!-- -->b)<!-- -->url(c)", "url(&quot;a&quot)url('&#98'c)",
		"url(a)<g>url(b)</g>url(c)<g/>url(d)</g>", "@import '&gt;\r\n\x00';", "<![CDATA[url(a)", "url(a)<!", "url(a)</", "url(a)<!--->url(b)<?>",
		"url(\"a]]<![CDATA[\")]]>", "image-set(&quot&ltb\")", "url(\\&#33;)", "<![CDATA[<![CDATA[]]>]]>",
	} {
		f.Add(s, "x&>'\"<]")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		if otherTags.MatchString(text) {
			t.Skip() // TestContexts knows them
		}
		in := "<svg><style>" + text + "</style></svg>"
		outer := mustParse(t, "http://h/", resolver.RFC1808)
		url := "http://h/" + path
		seen, stay, stays := 0, 0, false
		rw := new(Rewriter).With(Hooks{
			Warn: func(int64, error) { stays = true },
			Visit: func(p *Place) error {
				if p.Element == "style" {
					seen++
					if p.URL = url; strings.ContainsAny(p.Ref, structure) {
						p.URL = "" // all of it cannot be replaced
						stay++
					}
				}
				return nil
			},
		})
		got, _ := rewrite(t, rw, in, outer)
		before, after := sheets(t, in), sheets(t, got)
		if len(before) != len(after) {
			t.Fatalf("%q\nrewritten\n%q\nhas %d sheets, not %d", in, got, len(after), len(before))
		}
		all, replaced := 0, 0
		for i := range before {
			a, b := syntax.CSS.Find(nil, []byte(before[i]), syntax.Options{Text: true}), syntax.CSS.Find(nil, []byte(after[i]), syntax.Options{Text: true})
			all += len(a)
			if len(a) != len(b) || fmt.Sprintf("%q", between(before[i], a)) != fmt.Sprintf("%q", between(after[i], b)) {
				t.Fatalf("sheet %q\nbecame %q", before[i], after[i])
			}
			is, was := texts(after[i], b), texts(before[i], a)
			for k := range is {
				if is[k] == writtenInText(url) {
					replaced++
				} else if was[k] != is[k] {
					t.Fatalf("%q in %q became %q in %q", was[k], before[i], is[k], after[i])
				}
			}
		}
		if !stays && seen != all || stays && seen > 0 || replaced < seen-stay {
			t.Fatalf("%q has %d references, %d were seen; it stays: %v; %q has %d", in, all, seen, stays, got, replaced)
		}
		checkPromises(t, []byte(in), outer)
		checkBounds(t, []byte(in), outer)
	})
}

// writtenInText returns what is read back where url was written.
func writtenInText(url string) string {
	return strings.ReplaceAll(string(mark.AppendUnspaced(nil, mark.AppendText(nil, mark.AppendOutside(nil, url)))), "\x00", "�") // CSS Syntax §3.3
}

// between returns what stands between the references in a value, in pieces. The white space
// that they begin with is left out: an escape at the end of a reference takes the first of it
// (CSS Syntax §4.3.7).
func between(value string, references []syntax.Reference) []string {
	var s []string
	last := 0
	for _, r := range references {
		s = append(s, strings.TrimLeft(value[last:r.Start], " \t\n\f\r"))
		last = int(r.End)
	}
	return append(s, strings.TrimLeft(value[last:], " \t\n\f\r"))
}

func texts(value string, references []syntax.Reference) []string {
	var s []string
	for _, r := range references {
		s = append(s, string(r.Form.AppendDecoded(nil, r.Of([]byte(value)))))
	}
	return s
}
