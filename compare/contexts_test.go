package compare

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"absolink/internal/test/soak"
)

// A context is the beginning of a document, which brings the parser into a state, and the
// end of that state, after a bar. An underscore stands for a space.
var (
	// modes has the insertion modes of the standard, the integration points and foreign
	// content, and formatting elements.
	modes = strings.Fields(`| <!doctype_html>| <html>| <head>|</head> <head></head>| <body>|</body> <p>|</p> <body></body>| <html></html>|
	<noscript>|</noscript> <head><noscript>|</noscript> <table>|</table> <!doctype_html><p><table>|</table>
	<table><caption>|</caption> <table><colgroup>|</colgroup> <table><tbody>|</tbody> <table><tr>|</tr>
	<table><td>|</td> <select>|</select> <select><option>|</option> <table><select>|</table> <template>|</template>
	<template><col>|</template> <template><caption>|</template> <template><tbody>|</template>
	<template><tr>|</template> <template><td>|</template> <template><div>|</template>
	<template><col><template>|</template> <table><colgroup><template><col>|</template> <frameset>|</frameset>
	<frameset></frameset>| <frameset></frameset></html>| <svg>|</svg> <svg><desc>|</desc> <svg><title>|</title>
	<svg><foreignObject>|</foreignObject> <svg><style>|</style> <table><svg><desc>|</table> <math>|</math>
	<math><mi>|</mi> <math><annotation-xml>|</annotation-xml> <math><annotation-xml_encoding=text/html>|</math>
	<math><annotation-xml><svg>|</svg> <b>|</b> <a><div>|</a> <p><b></p>| <button>|</button> <ul><li>|</li>
	<form>|</form>`)

	// contexts has more ways into these states, out of them, and from one to another.
	contexts = strings.Fields(`<head><title>x</title>|</head> <head></head><title>x</title>| <div>|</div> x| <!doctype_html><p>|</p>
	<body></body></html>| <div></body>| <head></head><noscript>|</noscript> <p><noscript>|</noscript>
	<p><table>|</table> <table><caption></caption>|</table> <table><colgroup></colgroup>|</table>
	<table><colgroup><col>|</colgroup> <table><col>|</table> <table><thead>|</thead> <table><tfoot></tfoot>|</table>
	<table><tr></tr>|</table> <table><th>|</th> <table><td></td>|</table> <table><tr><td>|</table>
	<table><p>|</table> <table>x<b>|</table> <table><b>x|</table> <table><td><p>|</td>
	<table><caption><p>|</caption> <table><td><table>|</table> <table><td><table><tr>|</td>
	<table><caption><table>|</caption> <table><form>|</form> <form><table>|</form> <table><tr><form>|</table>
	<table><input_type=hidden>|</table> <table><div><tr>|</div> <div><table><tr>|</div>
	<select><optgroup>|</optgroup> <select><option><optgroup><option>|</select> <select><button>|</button>
	<select><div>|</select> <select><p>|</select> <table><td><select>|</td> <table><tr><select>|</tr>
	<div><select>|</div> <head><template>|</template> <head></head><template>|</template>
	<body><template>|</template> <template><colgroup>|</template> <template><colgroup><col>|</template>
	<template><colgroup></colgroup>|</template> <template><caption></caption>|</template>
	<template><tbody></tbody>|</template> <template><tr></tr>|</template> <template><td></td>|</template>
	<template><div></div>|</template> <template>x|</template> <template><title></title>|</template>
	<template><base>|</template> <template><style></style>|</template> <template><table>|</template>
	<template><table></table>|</template> <template><select>|</template> <template><table><col>|</template>
	<template><table><tr>|</template> <template><tr><td>|</template> <template><td><p>|</template>
	<template><td></td>x|</template> <template><col></template>| <template><col></template><template>|</template>
	<template><col>x<col>|</template> <template>x<col>|</template> <template></p><col>|</template>
	<template><col><template>|</template></template> <template><col><template><col>|</template>
	<template><col><template><tr></template>|</template> <template><col><div>|</div></template>
	<template><col></div>|</template> <template><col></table>|</template> <template><col></colgroup>|</template>
	<template><template><col>|</template> <template><template><col></template>|</template>
	<template><tr><template><td>|</template> <template><td><template><col></template>|</template>
	<template><template>|</template></template> <template><svg>|</template> <template><col><svg>|</template>
	<template><svg><col>|</template> <template><col><math><mi>|</template> <template><tr><svg>|</template>
	<template><td><svg><desc>|</template> <template><col><table>|</template> <template><col><frameset>|</template>
	<template><frameset>|</template> <template><head>|</template> <template><body>|</template>
	<template><link>|</template> <template><p><col>|</template> <template><a>|</template>
	<template><b><col>|</template> <table><template>|</template> <table><template><col>|</template>
	<table><colgroup><template>|</template> <table><colgroup><template></template>|</colgroup>
	<table><tr><template>|</template> <table><tr><template><td>|</template> <table><td><template><col>|</template>
	<table><caption><template><col>|</template> <select><template><col>|</template> <select><template>|</template>
	<p><template><col>|</template> <b><template><col>|</template> <b><template><col></template>|
	<a><div><template><col>|</template> <head><template><col></template>|</head> <template><col></template></head>|
	<template><tbody><col>|</template> <svg><template>|</template> <svg><template><col>|</template>
	<svg><desc><template>|</template> <svg><desc><template><col>|</template>
	<svg><desc><template><col></template>|</desc> <math><template><col>|</template>
	<math><mi><template><col>|</template> <svg><desc><template><col></desc>|</template>
	<svg><desc><template><col></svg>|</template> <svg><desc><template><col><svg>|</template>
	<svg><desc><template><svg>|</template> <template><noscript>|</noscript> <template><col><noscript>|</noscript>
	<frameset><frame>|</frameset> <frameset><frameset>|</frameset> <head></head><frameset>|</frameset>
	<frameset><noframes>|</noframes> <noframes>|</noframes> <div><frameset>|</frameset> x<frameset>|</frameset>
	<frameset><noframes></noframes>|</frameset> <b><frameset>|</frameset> <svg><frameset>|</frameset>
	<svg></svg><frameset>|</frameset> <frameset></frameset><noframes></noframes>| <svg><g>|</g>
	<svg><foreignobject>|</svg> <svg><desc><svg>|</svg> <svg><script>|</script> <svg><p>|</svg>
	<svg><desc><p>|</desc> <svg><desc><table>|</desc> <svg><desc><table><td>|</td>
	<svg><foreignObject><table><tr>|</foreignObject> <table><svg>|</svg> <table><td><svg>|</td>
	<table><tr><svg>|</tr> <svg><a>|</a> <b><svg>|</b> <b><svg><desc>|</b> <svg><b>|</svg> <a><svg><desc>|</a>
	<svg><select>|</svg> <select><svg>|</select> <select><svg><desc>|</select> <p><svg>|</p> <p><svg><desc>|</p>
	<svg></p>|</svg> <svg></br>|</svg> <svg><font_color>|</svg> <svg><desc><b></desc>|</svg>
	<svg><desc><b><p></desc>|</svg> <div><svg></div>|</svg> <svg><table>|</table> <svg/>| <svg><g/>|</svg>
	<svg><desc/>|</svg> <svg><textarea>|</textarea> <svg><noscript>|</noscript> <svg><![CDATA[x]]>|</svg>
	<svg><tr>|</svg> <svg><td>|</tr></svg> <math><mo>|</mo> <math><mn>|</mn> <math><ms>|</ms> <math><mtext>|</mtext>
	<math><mrow>|</mrow> <math><annotation-xml_encoding="Application/xhtml+xml">|</math>
	<math><annotation-xml><svg><desc>|</math> <math><mi><svg>|</math> <math><mi><mglyph>|</mglyph>
	<math><mi><malignmark>|</mi> <math><mi><p>|</mi> <math><mi><table>|</mi> <math><mi><b>|</mi>
	<math><mi><math>|</mi> <math><desc>|</desc> <svg><mi>|</mi> <svg><desc><math>|</svg> <math><style>|</style>
	<b><p>|</b> <b><i>|</b> <b><i><u>x|</b> <b><div><i>|</b> <p><b>|</p> <p><b></p>x|</b> <a>|</a>
	<a><table>|</table> <table><a>|</a> <table><a><td>|</a> <nobr>|</nobr> <nobr><div>|</nobr> <font>|</font>
	<b><table>|</b> <b><table><td>|</b> <b><object>|</b> <a><b><p>|</a> <b><b><b><b><p>|</b> <b><button>|</b>
	<b><a><div><i>|</b> <button><p>|</button> <form><div>|</form> <form></form>| <h1>|</h1> <h1><b>|</h2>
	<ul><li><p>|</ul> <dl><dd>|</dd> <dl><dt>|</dl> <ruby><rt>|</ruby> <ruby><rtc><rp>|</ruby> <object>|</object>
	<object><p>|</object> <marquee>|</marquee> <applet>|</applet> <option>|</option> <optgroup><option>|</optgroup>
	<pre>|</pre> <listing>|</listing> <pre>x|</pre> <center>|</center> <span>|</span> <x-y>|</x-y>
	<unknown>|</unknown> <br>| <img>| <input>| <fieldset>|</fieldset> <video>|</video>`)
)

// names has every element of the standard, obsolete ones, some of svg and math, and names
// that no element has.
var names = strings.Fields(`a abbr acronym address annotation-xml applet area article aside audio b base basefont bdi bdo
	bgsound big blink blockquote body br button canvas caption center cite code col colgroup data datalist dd del desc
	details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer foreignObject form frame frameset
	g h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen label legend li link
	listing main malignmark map mark marquee math menu menuitem meta meter mglyph mi mtext multicol nav nextid nobr
	noembed noframes noscript object ol optgroup option output p param picture plaintext portal pre progress q rb rbc
	rp rt rtc ruby s samp script search section select selectedcontent slot small source spacer span strike strong
	style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul unknown var
	video wbr x-y xmp`)

// rawNames has the elements whose content is not markup in HTML.
var rawNames = strings.Fields(`style title textarea script xmp iframe noembed noframes noscript plaintext`)

// mark returns the attributes with which the tag number i is marked.
func mark(i int) string { return fmt.Sprintf(` href="r%d" fill="url(f%[1]d)"`, i) }

// systematicDocument returns the document that enters a context and has a tag there. Then
// the raw text element stands twice, with links in it and after it. The end of the context
// stands in the first of the two, and between them.
func systematicDocument(context, tag, raw string) string {
	before, after, _ := strings.Cut(strings.ReplaceAll(context, "_", " "), "|")
	element := func(i int, content string) string {
		return "<" + raw + mark(i) + fmt.Sprintf(`>@import "s%d";<a`, i) + mark(i+1) + ">" + content + "</" + raw + ">"
	}
	return before + tag + element(1, after+"<a"+mark(3)+">") + "<a" + mark(4) + ">" + after + element(5, "") + "<a" + mark(7) + ">"
}

// systematicDocuments returns documents with every element in every context. In the modes,
// the start tag of every element stands before every raw text element. Everywhere
// else the raw text elements take turns.
func systematicDocuments() (all []string) {
	for i, context := range slices.Concat(modes, contexts) {
		for j, name := range names {
			start := "<" + name + mark(0) + ">"
			if slices.Contains([]string{"html", "body", "head", "frameset"}, name) {
				start = "<" + name + ">" // its attributes may go to another element
			}
			for k, raw := range rawNames {
				turn := (i+j+k)%len(rawNames) == 0
				if turn || i < len(modes) {
					all = append(all, systematicDocument(context, start, raw))
				}
				if turn {
					all = append(all, systematicDocument(context, "</"+name+">", raw))
				}
			}
		}
	}
	return all
}

// In every context, after every element and around every raw text element, the same tags
// are elements as in Chromium, the same are in SVG, the same are text, and the same text is
// a style sheet.
func TestContexts(t *testing.T) {
	tabs := startChromium(t)
	documents := soak.Every(systematicDocuments(), 4)
	var different atomic.Int64
	t.Run("documents", func(t *testing.T) {
		for chunk := range slices.Chunk(documents, 2000) {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				b := <-tabs
				defer func() { tabs <- b }()
				for i, difference := range b.nestingDifferences(t, chunk) {
					if difference != "" {
						different.Add(1)
					}
					if known := isOtherwise(chunk[i]); (difference != "") != known {
						t.Errorf("%s: %s, which is known: %v", chunk[i], difference, known)
					}
				}
			})
		}
	})
	t.Logf("%d documents, %d of them differ", len(documents), different.Load())
}

// otherwise lists where Chromium does not follow the standard, which absolink and x/net/html
// do: the documents that differ for that reason, and an example.
var otherwise = []struct {
	why     string
	pattern *regexp.Regexp
	example string
}{
	{
		"in a template, only link, meta, script, style and template leave the mode open; after others of the HEAD it is \"in body\"",
		regexp.MustCompile(`^<template><(base|title></title)><col [^>]*><(style|title|textarea|script|xmp|iframe|noembed|noframes|plaintext) `),
		`<template><title></title><col href="r0"><style href="r1"><a href="r2"></style>`,
	},
	{
		"in math, </foreignObject> closes no foreignObject, whose name is in another case",
		regexp.MustCompile(`^<svg><foreignObject><math .*</foreignObject>`),
		`<svg><foreignObject><math href="r0"></foreignObject><a href="r1" fill="url(f1)">`,
	},
	{
		"in a template, </form> is ignored after a special element in the form",
		regexp.MustCompile(`^<template><form><div><svg></form>`),
		`<template><form><div><svg></form><a href="r0" fill="url(f0)">`,
	},
	{
		"after a template in the HEAD, a frameset may still replace the body",
		regexp.MustCompile(`^<template></template><p><frameset>`),
		`<template></template><p><frameset><style href="r0"><a href="r1">`,
	},
}

// isOtherwise reports whether Chromium is known to read a document otherwise.
func isOtherwise(in string) bool {
	for _, o := range otherwise {
		if o.pattern.MatchString(in) {
			return true
		}
	}
	return false
}

// Chromium still reads the examples otherwise.
func TestOtherwise(t *testing.T) {
	b := <-startChromium(t)
	var examples []string
	for _, o := range otherwise {
		examples = append(examples, o.example)
	}
	for i, difference := range b.nestingDifferences(t, examples) {
		if in := examples[i]; difference == "" || !isOtherwise(in) {
			t.Errorf("%s: Chromium does not read it otherwise: %s", in, otherwise[i].why)
		}
	}
}
