package markup

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// What skim does with a tag is what the tree construction does with it.
func TestSkim(t *testing.T) {
	names := elementNames("x", "my-tag", "div-", "a1234567")
	skimmed := 0
	for _, name := range names {
		for _, tag := range []string{"<" + name + ">", "<" + name + " id=x>", "</" + name + ">"} {
			got, ok := skimTag(t, tag)
			if !ok {
				continue
			}
			skimmed++
			if want := buildTag(t, tag); !slices.Equal(got, want) {
				t.Errorf("%s: skim notes %x, and the tree construction %x", tag, got, want)
			}
		}
	}
	if skimmed < 2*len(names) {
		t.Errorf("%d tags of %d names are skimmed", skimmed, len(names))
	}
}

// newSkimming returns a Context behind the HEAD, for a caller who wants these attributes.
func newSkimming(longTag int64, wanted ...string) *Context {
	c := new(Context)
	c.Reset(Options{Fragment: true, LongTag: longTag, Wanted: NewWanted(wanted)})
	c.headDone = true
	c.builder.makeRoom()
	return c
}

// skimTag returns what skim notes of a tag, and whether it goes past the tag.
func skimTag(t *testing.T, tag string) (noted []uint64, ok bool) {
	t.Helper()
	c := newSkimming(1 << 10)
	if c.skim([]byte(tag)) {
		t.Errorf("%s is returned, but nobody wants its attributes", tag)
	}
	return c.builder.noted[:c.builder.next], c.scan.state == inData && c.scan.pos == len(tag)
}

// buildTag returns what the tree construction notes of a tag. It is nil where more follows
// from the tag.
func buildTag(t *testing.T, tag string) []uint64 {
	t.Helper()
	var tb treeBuilder
	tb.reset()
	tb.makeRoom()
	if plain := build(t, &tb, tag); !plain || tb.next == inside || tb.templates || tb.pending() {
		return nil
	}
	return tb.noted[:tb.next]
}

// build follows tags, and reports whether they are of HTML, are not ignored, and have no raw
// text.
func build(t *testing.T, tb *treeBuilder, tags string) (plain bool) {
	t.Helper()
	plain = true
	var read Tag
	for b := []byte(tags); len(b) > 0; b = b[read.Pos:] {
		read.long = 1 << 10
		read.Begin(0, len(b)-len(bytes.TrimLeft(b, "</")))
		if !read.Scan(b) {
			t.Fatal(tags)
		}
		el := elementOf(read.Hash, read.Name.Of(b))
		if read.IsEnd {
			tb.endTag(el, &read, b)
		} else if ns, ignored := tb.startTag(el, &read, b); ns != NsHTML || ignored || el.kind&rawText != 0 {
			plain = false
		}
	}
	return plain
}

// Where skim has gone over a tag in svg and math, or has left it, the tree builder has done
// what the tree construction does with the tag.
func TestSkimForeign(t *testing.T) {
	names := elementNames("x", "svg", "g", "linearGradient", "foreignObjects")
	skimmed := 0
	for _, outer := range []string{"<svg>", "<math>", "<svg><g>", "<svg><linearGradient>", "<svg><desc>", "<svg><desc><svg>", "<math><mi>", "<math><annotation-xml>", "<svg>" + strings.Repeat("<g>", maxOpen-1)} {
		for _, name := range names {
			for _, tag := range []string{"<" + name + ">", "<" + name + "/>", "<" + name + " id=x>", "<" + name + " id=x />", "</" + name + ">", "</g></" + name + ">", "</" + name + " id='<x>'>"} {
				c := newSkimming(1 << 10)
				build(t, c.builder, outer)
				c.followsTag()
				if c.skim([]byte(tag)) {
					t.Errorf("%s is returned, but nobody wants its attributes", tag)
				}
				if c.scan.state == inData && c.scan.pos == len(tag) {
					skimmed++
				}
				for c.Next([]byte(tag), true) != None {
				}
				if c.InNoscript() {
					continue // which has a builder of its own
				}
				var tb treeBuilder
				tb.reset()
				tb.makeRoom()
				build(t, &tb, outer+tag)
				if got, want := c.builder, &tb; got.next != want.next || got.notes != want.notes || !slices.Equal(got.inner, want.inner) {
					t.Errorf("%s%s: %v are open, and by the tree construction %v", outer, tag, got.inner, want.inner)
				}
				if c.scan.cdata != (tb.current() != NsHTML) {
					t.Errorf("%s%s: CDATA sections count: %t", outer, tag, c.scan.cdata)
				}
			}
		}
	}
	if skimmed < 50 {
		t.Errorf("%d tags are skimmed", skimmed)
	}
}

// White space opens pending formatting elements again, as any other text does.
func TestBlankText(t *testing.T) {
	for text, open := range map[string]bool{"": false, " ": true, "\n\t": true, "x": true} {
		c := newSkimming(1 << 10)
		b := []byte("<svg><desc><p><b></p>" + text + "<p>")
		for c.Next(b, true) != None {
		}
		stack := c.builder.stack
		if got := stack[len(stack)-2].key == HashName("b"); got != open {
			t.Errorf("after %q the new p stands in b: %t, want %t", text, got, open)
		}
	}
}

// A start tag with a listed attribute is returned, in svg and math, too.
func TestSkimListed(t *testing.T) {
	for outer, ns := range map[string]Namespace{"": NsHTML, "<svg>": NsSVG, "<math><g>": NsMathML} {
		c := newSkimming(1<<10, "href")
		build(t, c.builder, outer)
		tag := []byte(`<use id=x href="y"/>`)
		if !c.skim(tag) {
			t.Fatalf("in %q the tag is not returned", outer)
		}
		el, got := c.Element()
		if el != &unknown || got != ns || len(c.Tag().Attrs) != 1 || string(c.Tag().Attrs[0].Value.Of(tag)) != "y" || c.Pos() != len(tag) {
			t.Errorf("in %q: %v in %d with %v, up to %d", outer, el, got, c.Tag().Attrs, c.Pos())
		}
	}
}

// A start tag is a LongTag if it is longer than LongTag, whether the window has the whole tag
// or it is read in pieces.
func TestSkimLongTag(t *testing.T) {
	tags := []string{"<p>", "<div>", "<article>", "<b>", "</b>", `<p title="a b c d">`, "<div class=x id=y>", "<b x y z>", "<p data-long-name='a value that is long'>", "<svg>", `<path d="m 0 0">`, "<g id=x>", "<path/>", "</g>", "</svg>"}
	doc := strings.Join(tags, "text")
	for long := range 50 {
		want := 0
		for _, tag := range tags {
			if tag[1] != '/' && len(tag) > long {
				want++
			}
		}
		for _, pieces := range []bool{false, true} {
			c := newSkimming(int64(long))
			got := 0
			for end := 1; end <= len(doc); end++ {
				if !pieces {
					end = len(doc)
				}
				for tok := c.Next([]byte(doc[:end]), end == len(doc)); tok != None; tok = c.Next([]byte(doc[:end]), end == len(doc)) {
					if tok == LongTag {
						got++
					}
				}
			}
			if got != want {
				t.Errorf("LongTag %d, in pieces %t: %d long tags, want %d", long, pieces, got, want)
			}
		}
	}
}
