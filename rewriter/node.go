package rewriter

import (
	"bytes"
	"iter"
	"strings"

	"golang.org/x/net/html"

	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/markup"
)

// RewriteNode makes the references in root and all that is under it absolute, in
// place: in a parsed document, or in a part of one. Parsing what Rewrite makes
// of a document gives the tree that RewriteNode makes of the parsed document.
//
// The base embedded in the whole document counts, even if root is only a part of it. outer
// is the base URL where the document embeds none; it may be nil. A noscript
// element with nothing but text in it is what a parser with scripting enabled
// makes of it, as html.Parse does unless told otherwise: the text is markup.
//
// The text in the tree is UTF-8: a document in another encoding, or with a byte
// order mark, is to be decoded before it is parsed. The WHATWG profile then
// encodes queries as UTF-8.
//
// A tree does not say what was a character reference, a CDATA section, a stray end tag, or a
// tag that ends SVG. So the text of a style element in SVG is rewritten even where Rewrite
// lets it stay for these.
//
// Where a place stood in the input is not known: its Offset is -1. Hold and
// MaxTag do not limit what is in the tree already.
//
// An error is an [*Error] and says that Visit failed; what comes before that
// place in the tree is then rewritten. Any other error is one of Rewrite's, and
// nothing has changed.
func (rw *Rewriter) RewriteNode(root *html.Node, outer *resolver.Base) (Result, error) {
	if err := rw.CheckBase(outer); err != nil {
		return Result{}, err
	}
	t := tree{}
	t.engine = rw.newRun(&t.became, outer)
	t.inTree, t.chars.Of = true, nil // text is UTF-8
	if t.refused != nil {
		t.warn(0, t.refused)
	}
	t.readBase(root)
	t.beforeBase = t.baseNode != nil && isBefore(root, t.baseNode)
	t.node(root)
	for n := range root.Descendants() {
		t.node(n)
	}
	result := t.results()
	err := t.err
	t.engine.free()
	return result, err
}

// A tree is a run over nodes. Each element stands in the engine's window as a tag with
// decoded values, each text as it is.
type tree struct {
	*engine
	became   bytes.Buffer // what a value or a text becomes
	baseNode *html.Node   // the BASE that decided
}

// readBase decides the base by the first BASE with an href in the HEAD of the
// document that n is part of.
func (t *tree) readBase(n *html.Node) {
	n = topOf(n)
	if n.Type == html.DocumentNode {
		t.readSaved(n)
	}
	if t.decided {
		return
	}
	if t.set.WholeDocument {
		t.embedFirst(n.Descendants())
	} else if n.Type == html.DocumentNode {
		if head := markup.ChildOf(markup.ChildOf(n, "html"), "head"); head != nil {
			t.embedFirst(head.ChildNodes())
		}
	}
	t.settleOuter()
}

// readSaved finds the retrieval URL that a document names before its body, among the
// children of n.
func (t *tree) readSaved(n *html.Node) {
	for c := range n.ChildNodes() {
		switch {
		case c.Type == html.CommentNode && !t.set.IgnoreSaved:
			t.savedFrom([]byte(c.Data), -1)
		case markup.IsHTML(c, "body") || markup.IsHTML(c, "frameset"):
			return
		case markup.IsHTML(c, "html"):
			t.readSaved(c)
			return
		case markup.IsHTML(c, "head"):
			t.readSaved(c)
		case markup.IsHTML(c, "base") && markup.HrefOf(c) >= 0 && !t.decided:
			t.embed(c)
		case c.Type == html.ElementNode && c.Namespace == "":
			t.readCanonical(c.Data, -1, func(name string) ([]byte, error) { return []byte(markup.ValueOf(c, name)), nil })
		}
	}
}

// embedFirst decides by the first BASE with an href among nodes.
func (t *tree) embedFirst(nodes iter.Seq[*html.Node]) {
	for base := range nodes {
		if markup.IsHTML(base, "base") && markup.HrefOf(base) >= 0 && !markup.IsHidden(base) {
			t.embed(base)
			return
		}
	}
}

// embed decides by a BASE.
func (t *tree) embed(base *html.Node) {
	t.baseNode = base
	t.settleEmbedded(t.chars.Text(nil, []byte(base.Attr[markup.HrefOf(base)].Val)), -1)
}

// node rewrites the places in n: in an element the attributes and the text, and
// in a comment.
func (t *tree) node(n *html.Node) {
	switch {
	case t.err != nil:
	case n.Type == html.ElementNode:
		t.beforeBase = t.beforeBase && n != t.baseNode
		t.rewriteElement(n)
	case n.Type == html.CommentNode:
		t.comment(n)
	}
}

// rewriteElement rewrites the places in an element: its attributes and the text in it.
func (t *tree) rewriteElement(n *html.Node) {
	ns := markup.NsHTML
	switch n.Namespace {
	case "svg":
		ns = markup.NsSVG
	case "math":
		ns = markup.NsMathML
	}
	t.layOut(n)
	tag := t.context.Tag()
	var p place
	for i := range tag.Attrs {
		if t.placeIn(&p, i, tag.Pos, ns) {
			t.update(&n.Attr[i].Val, &p)
		}
	}
	t.tag.number++
	if t.err != nil {
		return
	}
	if ns == markup.NsHTML && n.Data == "noscript" {
		t.noscript(n)
		return
	}
	if ns == markup.NsMathML || t.set.rules.text == nil {
		return
	}
	rule := t.pick(t.set.rules.text, tag.Hash, []byte(n.Data), ns, tag.Pos)
	switch {
	case rule == nil:
	case ns == markup.NsHTML:
		t.text(n, rule)
	case n.Data == "style":
		t.svgStyle(n, rule)
	}
}

// layOut makes an element the tag in the window.
func (t *tree) layOut(n *html.Node) {
	tag := t.context.Tag()
	b := append(t.buf[:0], n.Data...)
	tag.Make(n.Data)
	for _, a := range n.Attr {
		start := len(b)
		if a.Namespace != "" {
			b = append(append(b, a.Namespace...), ':')
		}
		b = append(b, a.Key...)
		end := len(b)
		b = append(b, a.Val...)
		tag.Add(b, markup.NewSpan(start, end), markup.NewSpan(end, len(b)))
	}
	t.buf = b
}

// update replaces *value, in which p is the place, by the rewritten value.
func (t *tree) update(value *string, p *place) {
	t.became.Reset()
	t.passed, t.out = p.start, t.out[:0]
	t.splice(p)
	t.keep(p.end)
	t.flush()
	if b := t.became.Bytes(); t.err == nil && string(b) != *value {
		*value = string(b)
	}
}

// text rewrites the text in an element. rule is the one that picked it.
func (t *tree) text(n *html.Node, rule *rule) {
	p := place{rule: rule, element: n.Data, notation: charref.RawText, early: t.isEarly(rule, 0, 0)}
	for c := range n.ChildNodes() {
		if c.Type == html.TextNode {
			t.buf = append(t.buf[:0], c.Data...)
			p.end = t.end()
			t.update(&c.Data, &p)
		}
	}
}

// svgStyle rewrites the text of a style element in SVG, where that is all it has.
func (t *tree) svgStyle(n *html.Node, rule *rule) {
	if text := n.FirstChild; text != nil && text.Type == html.TextNode && text.NextSibling == nil {
		t.buf = append(t.buf[:0], text.Data...)
		t.update(&text.Data, &place{
			end: t.end(), rule: rule, element: n.Data, notation: charref.CDATA, local: true, early: t.isEarly(rule, 0, 0),
		})
		return
	}
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode || c.Type == html.TextNode && strings.ContainsAny(c.Data, urlSigns) {
			t.warn(0, errSVGStyle)
			return
		}
	}
}

// comment rewrites the part of a comment that is markup.
func (t *tree) comment(n *html.Node) {
	before, content := "", n.Data
	switch t.set.rules.comments {
	case markup.NoComments:
		return
	case markup.ConditionalComments:
		i := strings.Index(n.Data, "]>")
		if i < 0 || !ascii.HasPrefixFold([]byte(n.Data), "[if") {
			return
		}
		before, content = n.Data[:i+len("]>")], n.Data[i+len("]>"):]
	}
	p := place{rule: t.set.rules.comment, element: commentName, notation: charref.Comment, end: docOffset(len(content))}
	t.buf = append(t.buf[:0], content...)
	t.update(&content, &p)
	n.Data = before + content
}

// noscript rewrites the content of a noscript element if that is text, which stands for
// markup.
func (t *tree) noscript(n *html.Node) {
	for c := range n.ChildNodes() {
		if c.Type != html.TextNode {
			return
		}
	}
	for c := range n.ChildNodes() {
		if t.err != nil {
			return
		}
		t.buf = append(t.buf[:0], c.Data...)
		t.became.Reset()
		t.fragment(t.buf)
		c.Data = t.became.String()
	}
}

// fragment writes what becomes of a fragment of the document, on its base.
func (t *tree) fragment(b []byte) {
	n := t.child(true, true)
	n.dst = &t.became
	n.holds(b)
	n.advance()
	n.keep(n.end()) // what an error left
	n.flush()
	t.result.Add(n.result)
	if n.err != nil {
		t.fail(n.err)
	}
	n.free()
}
