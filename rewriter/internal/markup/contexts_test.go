package markup

import (
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/net/html"

	"absolink/internal/tagsoup"
	"absolink/rewriter/internal/ascii"
)

// seenMarks returns the marks <x id=…> in a document that are start tags, each with
// its namespace.
func seenMarks(t testing.TB, in string) string {
	var marks []string
	drive(t, strings.NewReader(in), Options{}, func(_ int, c *Context, b []byte) {
		_, ns := c.Element()
		if id, ok := c.Tag().Value(b, "id"); ok && string(c.Tag().Name.Of(b)) == "x" {
			marks = append(marks, string(id)+[...]string{"", " svg", " math"}[ns])
		}
	})
	return strings.Join(marks, ", ")
}

// parsedMarks returns them as the parser of x/net/html sees them.
func parsedMarks(t testing.TB, in string) string {
	doc, err := html.Parse(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "x" {
			found[n.Attr[0].Val] = n.Namespace
		}
	}
	var marks []string
	for i := range 100 { // in the order in which they are written
		if ns, ok := found[fmt.Sprint(i)]; ok {
			marks = append(marks, strings.TrimSpace(fmt.Sprint(i)+" "+ns))
		}
	}
	return strings.Join(marks, ", ")
}

// Which tags are markup, and in which namespace: what the parser says, and what
// we say that it says.
func TestContexts(t *testing.T) {
	for in, want := range map[string]string{
		`<svg><style><x id=1></style><x id=2></svg><x id=3>`:                               "1 svg, 2 svg, 3",
		`<style><x id=1></style><x id=2>`:                                                  "2",
		`<svg><desc><style><x id=1></style><x id=2></desc><x id=3>`:                        "2, 3",
		`<svg><desc><style><x id=1></style></desc><x id=2>`:                                "2 svg",
		`<svg><title><x id=1></title><x id=2>`:                                             "1, 2",
		`<svg><foreignObject><style><x id=1></style><svg><style><x id=2>`:                  "2 svg",
		`<svg><p><x id=1><style><x id=2></style>`:                                          "1",
		`<svg><b><x id=1></b></svg>`:                                                       "1",
		`<svg><big><x id=1></big></svg>`:                                                   "1",
		`<svg><font><x id=1></font><font color=a><x id=2>`:                                 "1 svg, 2",
		`<svg><font face><x id=1>`:                                                         "1",
		`<svg><font size=1><x id=1>`:                                                       "1",
		`<svg></p><x id=1>`:                                                                "1",
		`<svg></br><x id=1>`:                                                               "1",
		`<math><mi><x id=1><style><x id=2></style></mi>`:                                   "1",
		`<math><mo><style><x id=1></style>`:                                                "",
		`<math><mn><style><x id=1></style>`:                                                "",
		`<math><ms><style><x id=1></style>`:                                                "",
		`<math><mtext><style><x id=1></style>`:                                             "",
		`<math><mrow><style><x id=1></style>`:                                              "1 math",
		`<math><mi><mglyph><x id=1></mglyph><x id=2>`:                                      "1 math, 2",
		`<math><mi><malignmark><x id=1>`:                                                   "1 math",
		`<math><annotation-xml><x id=1></x><svg><x id=2>`:                                  "1 math, 2 svg",
		`<math><annotation-xml encoding="text/HTML"><style><x id=1></style><x id=2>`:       "2",
		`<math><annotation-xml encoding="application/xhtml+xml"><style><x id=1></style>`:   "",
		`<math><annotation-xml encoding=x><style><x id=1></style>`:                         "1 math",
		`<math><annotation-xml><svg><desc><style><x id=1></style>`:                         "",
		`<div><svg></div><x id=1>`:                                                         "1",
		`<svg></div><x id=1>`:                                                              "1 svg",
		`<main><svg><path/></g><x id=1></svg>`:                                             "1 svg",
		`<svg><desc><div></desc><x id=1>`:                                                  "1",
		`<svg><desc><span></desc><x id=1>`:                                                 "1",
		`<svg><foreignObject><table><td><div></table><x id=1></x></foreignObject><x id=2>`: "1, 2 svg",
		`<svg><foreignObject><b><p></b><x id=1>`:                                           "1",
		`<svg><g/><x id=1></g><x id=2></svg>`:                                              "1 svg, 2 svg",
		`<svg/><x id=1>`:                                                                   "1",
		`<svg><img><svg></img><style><x id=1></style>`:                                     "1 svg",
		`<svg><![CDATA[<x id=1>]]><x id=2></svg><![CDATA[<x id=3>]]><x id=4>`:              "2 svg, 4",
		`<svg><desc><![CDATA[<x id=1>]]><p><![CDATA[<x id=2>]]>`:                           "",
		`<svg><desc><p></svg><x id=1>`:                                                     "1",
		`<frameset><title><x id=1></title>`:                                                "",
		`<svg><script><x id=1></script><script/><x id=2></svg><script><x id=3></script>`:   "1 svg, 2 svg",
		`<textarea><x id=1></textarea><xmp><x id=2></xmp><iframe><x id=3></iframe><noembed><x id=4></noembed><noframes><x id=5></noframes><plaintext><x id=6>`: "",
	} {
		if got := parsedMarks(t, in); got != want && !strings.HasPrefix(in, "<frameset>") {
			t.Errorf("%s: the parser sees %q, the table says %q", in, got, want)
		}
		if got := seenMarks(t, in); got != want && !strings.HasPrefix(in, "<frameset>") {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

// Random documents: each start tag that the parser of x/net/html makes an element
// of is one to a Context too, in the same namespace.
func TestRandomContexts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 40000 {
		in := tagsoup.Document(rnd)
		if givesUp(in) {
			continue
		}
		got := seenTags(t, strings.NewReader(in))
		difference := compareTags(t, in, got)
		if why := knownContexts[i]; (difference != "") != (why != "") {
			t.Errorf("%d: %s: %s, which is known: %q", i, in, difference, why)
		}
		if i%8 == 0 {
			if pieces := seenTags(t, iotest.OneByteReader(strings.NewReader(in))); !reflect.DeepEqual(got, pieces) {
				t.Errorf("%s: %v, in pieces %v", in, got, pieces)
			}
		}
	}
}

// knownContexts are the random documents that the parser reads otherwise, and why.
var knownContexts = map[int]string{
	27875: "in a template that begins with a col, all but col is ignored, and is followed",
	33646: "to the parser, an svg element called tr is part of a table",
	33961: "in a template that begins with a col, all but col is ignored, and is followed",
}

// givesUp reports whether the parser stops at a template in svg or math, as it may
// in a document.
func givesUp(in string) bool {
	return strings.Contains(in, "<template") && (strings.Contains(in, "<svg") || strings.Contains(in, "<math"))
}

// A markedTag is the start tag that is marked href="rN".
type markedTag struct {
	name string
	ns   Namespace
}

// seenTags returns the start tags that a Context sees, by their marks.
func seenTags(t testing.TB, in io.Reader) map[string]markedTag {
	tags := make(map[string]markedTag)
	drive(t, in, Options{WholeDocument: true}, func(_ int, c *Context, b []byte) {
		_, ns := c.Element()
		if mark, ok := c.Tag().Value(b, "href"); ok {
			tags[string(mark)] = markedTag{string(ascii.AppendLower(nil, c.Tag().Name.Of(b))), ns}
		}
	})
	return tags
}

// parsedTags returns the start tags that the parser makes elements of, by their marks.
// In a document with a frameset it ignores all others.
func parsedTags(t testing.TB, in string) (tags map[string]markedTag, frameset bool) {
	tags = make(map[string]markedTag)
	doc, err := html.Parse(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		frameset = frameset || IsHTML(n, "frameset")
		if i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "href" && a.Namespace == "" }); i >= 0 && n.Attr[i].Val != "" {
			tags[n.Attr[i].Val] = markedTag{strings.ToLower(n.Data), map[string]Namespace{"": NsHTML, "svg": NsSVG, "math": NsMathML}[n.Namespace]}
		}
	}
	return tags, frameset
}

// compareTags says what a Context sees otherwise than the parser. Start tags that the
// parser ignores are elements to a Context: what they hold means nothing.
func compareTags(t testing.TB, in string, got map[string]markedTag) string {
	want, frameset := parsedTags(t, in)
	for mark, w := range want {
		g, ok := got[mark]
		if g.name == "image" && w.name == "img" {
			g.name = "img"
		}
		if !ok || g != w {
			return fmt.Sprintf("%s is %v, the parser sees %v", mark, g, w)
		}
	}
	for mark, g := range got {
		_, ok := want[mark]
		mayBeIgnored := slices.Contains(strings.Fields("caption col colgroup tbody thead tr td th form select frame"), g.name) ||
			g.name == "table" && strings.Contains(in, "<template")
		if !ok && !frameset && !(g.ns == NsHTML && mayBeIgnored) {
			return fmt.Sprintf("%s is %v, the parser sees none", mark, g)
		}
	}
	return ""
}

// What is nested deeper than is followed stays in its namespace.
func TestDeepNesting(t *testing.T) {
	const deep = 4 * maxOpen
	many := strings.Repeat("<i id=1></i>", maxNoted/2)
	g, div := strings.Repeat("<g>", deep), strings.Repeat("<div>", deep)
	for in, want := range map[string]string{
		div + "<svg><x id=1></svg><x id=2>":                                                "1 svg, 2",
		"<svg>" + g + "<x id=1><desc><x id=2></x></desc><x id=3>":                          "1 svg, 2, 3 svg",
		"<svg>" + g + strings.Repeat("</g>", deep) + "<x id=1>":                            "1 svg",
		"<svg><desc>" + div + "<svg><x id=1></svg><x id=2>":                                "1 svg, 2",
		"<svg><desc>" + div + strings.Repeat("</div>", deep) + "<x id=1>":                  "1",
		"<svg>" + g + "<p><x id=1>":                                                        "1",
		"<svg>" + g + "</p><x id=1>":                                                       "1",
		"<b>" + div + "</b><svg><x id=1></svg><x id=2>":                                    "1 svg, 2",
		"<div><table><td>" + many + "<svg></div><x id=1></td><x id=2></svg>":               "1 svg, 2",
		"<div><table><td>" + many + "<svg><desc></td><x id=1><svg></desc></table><x id=2>": "1, 2",
		strings.Repeat("<table><td>", deep) + "<svg><x id=1><p><x id=2>":                   "1 svg, 2",
	} {
		if got := seenMarks(t, in); got != want {
			t.Errorf("%.20s…: got %q, want %q", in, got, want)
		}
	}
}
