// Package tagsoup makes small random documents for tests that compare how programs
// read the nesting of elements. The documents are full of difficult cases: svg and
// math with HTML in them, formatting elements that cross others, parts of tables,
// elements that close their siblings, and end tags that close nothing.
package tagsoup

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The names of tags. A name that stands twice is twice as frequent. Each document has
// all of foreign, and one or two of the groups.
var (
	foreign = strings.Fields(`svg svg svg math g rect desc title foreignObject foreignObject style script a image
		mi mo mtext mglyph annotation-xml annotation-xml font use base x-y a-very-long-name`)
	groups = [][]string{
		strings.Fields(`p p div span address ul ol li li dl dd dt`),
		strings.Fields(`b i a a nobr font em code u s`),
		strings.Fields(`table table caption colgroup col tbody thead tr tr td td th`),
		strings.Fields(`button h1 h2 select option optgroup hr input form ruby rb rt rp rtc pre textarea`),
		strings.Fields(`object marquee br img embed iframe xmp noembed noframes plaintext frameset frame dialog`),
	}
	// One document in eight has these too.
	rare = strings.Fields(`template body html head frameset frameset noframes template`)
	// Documents of templates have these and nothing else.
	templates = strings.Fields(`template template template col col colgroup table caption tbody tr td a b p div select
		style style xmp svg desc math mi annotation-xml`)
)

// raw lists the elements whose content is not markup in HTML.
const raw = " style script title textarea iframe xmp noembed noframes "

// unmarked lists the elements whose attributes may go to another element.
const unmarked = " html body head frameset "

// Document returns a random document. Its start tags have the attributes href="rN" and
// fill="url(fN)", where N counts them. Elements whose attributes may go to another
// element have neither.
func Document(rnd *rand.Rand) string {
	names := append([]string(nil), foreign...)
	for range 1 + rnd.IntN(2) {
		names = append(names, groups[rnd.IntN(len(groups))]...)
	}
	if rnd.IntN(8) == 0 {
		names = append(names, rare...)
	}
	return of(rnd, names)
}

// Templates returns a random document like those of Document, but of templates: in them
// and around them are parts of tables, raw text and foreign content.
func Templates(rnd *rand.Rand) string { return of(rnd, templates) }

// of returns a random document of tags with the names.
func of(rnd *rand.Rand, names []string) string {
	var d document
	switch rnd.IntN(4) {
	case 0:
		d.WriteString("<!DOCTYPE html>")
	case 1:
		d.WriteString(`<!doctype HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">`)
	}
	for range 3 + rnd.IntN(22) {
		d.piece(rnd, names)
	}
	return d.String()
}

type document struct {
	strings.Builder
	tags int      // start tags with attributes so far
	open []string // names of the start tags so far; their end tags are the most frequent
}

func (d *document) piece(rnd *rand.Rand, names []string) {
	name := names[rnd.IntN(len(names))]
	switch rnd.IntN(20) {
	case 0, 1, 2, 3:
		if len(d.open) > 0 {
			name = d.open[len(d.open)-1-rnd.IntN(min(len(d.open), 5))]
		}
		fallthrough
	case 4, 5:
		fmt.Fprintf(d, "</%s>", name)
	case 6:
		d.WriteString([]string{" ", "x", "x", "<![CDATA[x]]>", "\x00", "<!-- x -->"}[rnd.IntN(6)])
	case 7:
		d.start(rnd, name, "/")
	default:
		d.start(rnd, name, "")
	}
}

func (d *document) start(rnd *rand.Rand, name, slash string) {
	d.WriteString("<" + name)
	if name == "annotation-xml" && rnd.IntN(2) == 0 {
		d.WriteString(" encoding=text/html")
	}
	if name == "font" && rnd.IntN(3) == 0 {
		d.WriteString(" color=x")
	}
	if name == "input" && rnd.IntN(2) == 0 {
		d.WriteString(" type=hidden")
	}
	if !strings.Contains(unmarked, " "+name+" ") {
		fmt.Fprintf(d, ` href="r%d" fill="url(f%[1]d)"`, d.tags)
		d.tags++
	}
	d.WriteString(slash + ">")
	d.open = append(d.open, name)
	if strings.Contains(raw, " "+name+" ") && rnd.IntN(4) > 0 {
		if rnd.IntN(2) == 0 {
			d.start(rnd, "x-y", "")
		}
		fmt.Fprintf(d, "</%s>", name)
	}
}
