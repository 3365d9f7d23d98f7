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

	"absolink/internal/test/soak"
	"absolink/internal/test/tagsoup"
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
		`<div><b><i></div>x<svg></b><style><x id=1></style><x id=2>`:                       "2",
		`<div><b><object></object></div>x<svg></b><style><x id=1></style><x id=2>`:         "2",
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

// What is ignored has no raw text: in a template whose mode is "in column group", and
// where a frameset stands in the place of the body. The marks are those of all tags,
// ignored or not. The parser of x/net/html has no say here, because it reads what it ignores
// as raw text. Chromium has: see TestContexts in compare.
func TestIgnored(t *testing.T) {
	for in, want := range map[string]string{
		// The mode comes with the first start tag that chooses one, and stays.
		`<template><col><style><x id=1></style></template><x id=2>`:                       "1, 2",
		`<template><col><style></template><x id=1>`:                                       "1",
		`<template><col></template><style><x id=1></style><x id=2>`:                       "2",
		`<template>x<!-- x --><style></style><link></p></table><col><xmp><x id=1></xmp>`:  "1",
		`<template><col>x<p></p></table></colgroup></col><col><title><x id=1></title>`:    "1",
		`<template><colgroup><style><x id=1></style><x id=2>`:                             "2",
		`<template><colgroup><col><style><x id=1></style></colgroup><xmp><x id=2></xmp>`:  "",
		`<template><tr><col><style><x id=1></style><x id=2>`:                              "2",
		`<template><td><col><style><x id=1></style><x id=2>`:                              "2",
		`<template><caption><col><style><x id=1></style><x id=2>`:                         "2",
		`<template><p><col><style><x id=1></style><x id=2>`:                               "2",
		`<template><body><col><style><x id=1></style><x id=2>`:                            "2",
		`<template><track><col><style><x id=1></style><x id=2>`:                           "2",
		`<template><frame><col><style><x id=1></style><x id=2>`:                           "2",
		`<template><noscript></noscript><col><style><x id=1></style><x id=2>`:             "2",
		`<table><colgroup><style><x id=1></style><col><xmp><x id=2></xmp><x id=3>`:        "3",
		`<table><colgroup><template><col><style><x id=1></style></template><xmp><x id=2>`: "1",
		// All raw text.
		`<template><col><textarea><x id=1></textarea><script><x id=2></script><iframe><x id=3></iframe>`:         "1, 2, 3",
		`<template><col><noembed><x id=1></noembed><noframes><x id=2></noframes><plaintext><x id=3>`:             "1, 2, 3",
		`<template><col><noscript><svg><x id=1></noscript><x id=2></template><noscript><svg></noscript><x id=3>`: "1, 2, 3",
		// Foreign content is ignored too.
		`<template><col><svg><style><x id=1></style></template><svg><style><x id=2>`:          "1, 2 svg",
		`<template><col><math></template><style><x id=1></style><x id=2>`:                     "2",
		`<svg><desc><template><col><svg></template><x id=1></x></desc><x id=2></svg><x id=3>`: "1, 2 svg, 3",
		`<svg><template><col><style><x id=1></style></template></svg><style><x id=2>`:         "1 svg",
		`<svg><desc><template><col></desc></svg><style><x id=1></style></template><x id=2>`:   "1, 2",
		// Templates in templates.
		`<template><col><template><style><x id=1></style><x id=2></template><style><x id=3>`:        "2, 3",
		`<template><col><template><tr></template><style><x id=1></style></template><style><x id=2>`: "1",
		`<template><template><col></template><style><x id=1></style><col><style><x id=2>`:           "2",
		`<template><tr><template><col></template><style><x id=1></style></tr><col><style><x id=2>`:  "",
		`<template><col><template><col><template><svg></template><style><x id=1></template><style>` +
			`<x id=2></template><style><x id=3>`: "1, 2",
		// In a template, </table> closes a row although there is no table.
		`<template><tr><svg></table><x id=1></template>`:             "1",
		`<template><caption><svg><desc></table><x id=1></template>`:  "1",
		`<template><tr><td><svg><desc></table><x id=1><svg><x id=2>`: "1, 2 svg",
		`<template><tr><td><svg></table><x id=1>`:                    "1 svg",
		`<template><tbody><tr><svg></tfoot><x id=1></table><x id=2>`: "1 svg, 2",
		// Framesets.
		`<frameset><title><x id=1></title><noframes><x id=2></noframes><style><x id=3></style>`:           "1, 3",
		`<frameset></frameset><xmp><x id=1></xmp></html><noframes><x id=2></noframes><plaintext><x id=3>`: "1, 3",
		`<frameset><svg><x id=1><style><x id=2></style></frameset><noscript><svg></noscript><x id=3>`:     "1, 2, 3",
		`<p><frameset><template><col></template><svg><style><x id=1>`:                                     "1",
		`<pre><frameset><style><x id=1></style><x id=2>`:                                                  "2",
	} {
		if got := seenMarks(t, in); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

// Random documents: each start tag that the parser of x/net/html makes an element
// of is one to a Context too, in the same namespace.
func TestRandomContexts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range soak.N(40_000) {
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
	27875: "in a template that begins with a col, the parser ignores the tags that a Context sees",
	33646: "to the parser, an svg element called tr is part of a table",
	33961: "in a template that begins with a col, the parser ignores the tags that a Context sees",
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

// The element that a start tag makes is known before its end, in random templates too.
func TestForesee(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		in := []byte(tagsoup.Templates(rnd))
		var c Context
		c.Reset(Options{LongTag: 0}) // every tag is a LongTag first
		var foreseen Namespace
		for tok := c.Next(in, true); tok != None; tok = c.Next(in, true) {
			switch tok {
			case LongTag:
				_, foreseen = c.Foresee(in)
			case StartTag:
				if _, ns := c.Element(); ns != foreseen {
					t.Errorf("%s: the tag at %d is %d, foreseen %d", in, c.Tag().Start, ns, foreseen)
				}
			}
		}
	}
}

// What is nested deeper than is followed stays in its namespace.
func TestDeepNesting(t *testing.T) {
	const deep = 4 * maxOpen
	many := strings.Repeat("<i id=1></i>", maxNoted/2)
	g, div := strings.Repeat("<g>", deep), strings.Repeat("<div>", deep)
	columns, ends := strings.Repeat("<template><col>", deep), strings.Repeat("</template>", deep)
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
		columns + "<svg><x id=1><style><x id=2></style>":                                   "1, 2",
		columns + ends + "<svg><x id=1></svg><style><x id=2></style><x id=3>":              "1 svg, 3",
		columns + ends + columns + "<style><x id=1></style>" + ends + "<xmp><x id=2>":      "1",
	} {
		if got := seenMarks(t, in); got != want {
			t.Errorf("%.20s…: got %q, want %q", in, got, want)
		}
	}
}
