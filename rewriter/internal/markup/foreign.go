package markup

import (
	"slices"

	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
)

// A Namespace is the namespace of an element.
type Namespace uint8

const (
	NsHTML Namespace = iota
	NsSVG
	NsMathML
)

// A treeBuilder follows tags and text to know the namespace of each element. It does
// the tree construction of the HTML Standard (§13.2.6) without a tree: it has the stack
// of open elements and the list of active formatting elements, both of bounded length.
// The insertion mode follows from the open elements.
//
// Most documents need little of that. In svg and math, the elements that are open there
// say enough, as long as no HTML stands in them and every end tag closes one of them. So
// tags outside of svg and math are noted, and followed only when more has to be known.
//
// Templates and framesets ignore start tags that have raw text elsewhere. While such an
// element is open, tags are not noted either.
type treeBuilder struct {
	noted []uint64      // the tags outside of svg and math, and room for more; see noted.go
	next  int           // noted[next] is for the next tag; it is the constant inside if no tags are noted now
	notes int           // while next is inside: how many tags are noted
	inner []openElement // the open elements from svg or math on, as long as they say enough

	templates bool // a template is among the noted tags

	followed bool          // all noted tags have been followed, and inner is part of stack
	stack    []openElement // the stack of open elements; stack[0] stands for html and body
	list     []formatted   // the active formatting elements
	counts   [countsOpen]int32
	exacting int    // elements on the stack that are exacting
	form     uint32 // the id of the form element that the form element pointer points to, or 0
	lastID   uint32

	document doctype
}

type openElement struct {
	key   uint64 // of the name
	kind  kind   // of the name in its namespace
	id    uint32 // of a form or a formatting element; 0 otherwise
	ns    Namespace
	count counted
	mode  mode
	point point
}

// A point says which content of an element in svg or math is read by the rules for
// HTML. All other content is read by the rules for foreign content.
type point uint8

const (
	noPoint    point = iota
	htmlPoint        // HTML integration point
	mathPoint        // MathML text integration point
	annotation       // annotation-xml, in which svg is read by the rules for HTML
)

// maxOpen bounds the stack. When it is full, the outer half of the elements is
// forgotten: one element without a name stands for them.
const maxOpen = 512

var root = openElement{kind: special | scope | tableScope}

// reset makes the builder ready for a document.
func (tb *treeBuilder) reset() {
	*tb = treeBuilder{
		noted: tb.noted, inner: tb.inner[:0], stack: append(tb.stack[:0], root), list: tb.list[:0],
		document: doctype{raw: tb.document.raw[:0]},
	}
}

// open returns the open elements that are known: all of them, or those in svg and math.
func (tb *treeBuilder) open() []openElement {
	if tb.followed {
		return tb.stack
	}
	return tb.inner
}

func (tb *treeBuilder) top() *openElement { return &tb.stack[len(tb.stack)-1] }

// current returns the namespace of the current node. An integration point is itself
// not in the HTML namespace.
func (tb *treeBuilder) current() Namespace {
	if open := tb.open(); len(open) > 0 {
		return open[len(open)-1].ns
	}
	return NsHTML
}

// startTag follows the start tag t and returns the namespace of the element that it
// makes. If the tag is ignored, so that its content is not raw text, the namespace is that
// of HTML. b begins at the tag's "<".
func (tb *treeBuilder) startTag(el *Element, t *Tag, b []byte) (ns Namespace, ignored bool) {
	if tb.next != inside {
		if el.start != startForeign {
			tb.noteStart(el, t, b)
			return NsHTML, false
		}
		tb.note(keyBr)
	} else if open := tb.open(); !open[len(open)-1].keeps(el, t, b) {
		return tb.startInside(el, t, b)
	}
	o := tb.foreignElement(el, t, b)
	if !t.SelfClosing {
		tb.push(o)
	}
	return o.ns, false
}

// keeps reports whether o is not HTML, and a start tag in o makes an element of the
// same namespace.
func (o *openElement) keeps(el *Element, t *Tag, b []byte) bool {
	return o.ns != NsHTML && !o.readsHTML(el) && !el.breaksOut(t, b)
}

// startInside follows a start tag that is read by the rules for HTML content and is not
// noted.
func (tb *treeBuilder) startInside(el *Element, t *Tag, b []byte) (ns Namespace, ignored bool) {
	tb.follow()
	if tb.ignores(el) {
		return NsHTML, true
	}
	if top := tb.top(); top.ns != NsHTML && !top.readsHTML(el) {
		tb.breakOut()
	}
	if el.start != startForeign {
		tb.startHTML(el, t.key(b), t.attrsKey(el, b))
		tb.rest()
		return NsHTML, false
	}
	tb.startHTML(br, keyBr, 0)
	o := openElement{key: t.key(b), ns: foreignRoot(el)}
	if !t.SelfClosing {
		tb.push(o)
	}
	return o.ns, false
}

// namespaceOf returns what startTag will return for a tag with the name of el, without
// knowing its attributes.
func (tb *treeBuilder) namespaceOf(el *Element) Namespace {
	if open := tb.open(); len(open) > 0 {
		if top := &open[len(open)-1]; top.ns != NsHTML && !top.readsHTML(el) && el.kind&breakout == 0 {
			return top.ns
		}
	}
	if el.start == startForeign && !tb.ignores(el) {
		return foreignRoot(el)
	}
	return NsHTML
}

// readsHTML reports whether a start tag in o, which is in svg or math, is read by the
// rules for HTML content.
func (o *openElement) readsHTML(el *Element) bool {
	switch o.point {
	case htmlPoint:
		return true
	case mathPoint:
		return el.Atom != atom.Mglyph && el.Atom != atom.Malignmark
	case annotation:
		return el.Atom == atom.Svg
	}
	return false
}

// breaksOut reports whether a start tag in foreign content leaves it.
func (el *Element) breaksOut(t *Tag, b []byte) bool {
	return el.kind&breakout != 0 || el.Atom == atom.Font && t.hasFontAttr(b)
}

// breakOut closes elements up to the nearest one whose content is HTML.
func (tb *treeBuilder) breakOut() {
	n := len(tb.stack)
	for tb.stack[n-1].ns != NsHTML && tb.stack[n-1].point != htmlPoint && tb.stack[n-1].point != mathPoint {
		n--
	}
	tb.pop(n)
}

// foreignRoot returns the namespace of svg or math.
func foreignRoot(el *Element) Namespace {
	if el.Atom == atom.Math {
		return NsMathML
	}
	return NsSVG
}

// foreignElement returns the element that a start tag makes in foreign content, or that
// svg or math makes in HTML.
func (tb *treeBuilder) foreignElement(el *Element, t *Tag, b []byte) openElement {
	o := openElement{key: t.key(b), ns: tb.current()}
	switch {
	case o.ns == NsHTML:
		o.ns = foreignRoot(el)
		return o
	case o.ns == NsSVG && el.kind&svgHTML != 0, o.ns == NsMathML && t.isHTMLAnnotation(el, b):
		o.point = htmlPoint
	case o.ns == NsMathML && el.Atom == atom.AnnotationXml:
		o.point = annotation
	case o.ns == NsMathML && el.kind&mathText != 0:
		o.point = mathPoint
	default:
		return o
	}
	o.kind = special | scope
	return o
}

// endTag follows the end tag t and returns the namespace of the element that
// it closes.
func (tb *treeBuilder) endTag(el *Element, t *Tag, b []byte) Namespace {
	key, ns := t.key(b), tb.current()
	if tb.next != inside {
		tb.note(key | isEnd)
		return NsHTML
	}
	if ns != NsHTML && el.kind&endsAtP == 0 {
		open := tb.open()
		if n := findForeign(open, key); n >= 0 {
			ns = open[n].ns
			tb.popTo(n)
			return ns
		}
	}
	tb.follow()
	if ns != NsHTML && el.kind&endsAtP != 0 {
		tb.breakOut()
	}
	tb.endHTML(el, key)
	tb.rest()
	return NsHTML
}

// findForeign returns the index of the nearest open element with the name, or -1 if an
// element of HTML is nearer.
func findForeign(open []openElement, key uint64) int {
	for n := len(open) - 1; n >= 0 && open[n].ns != NsHTML; n-- {
		if open[n].key == key {
			return n
		}
	}
	return -1
}

// push opens an element.
func (tb *treeBuilder) push(o openElement) {
	if tb.next != inside {
		tb.notes, tb.next = tb.next, inside
	}
	if !tb.followed && len(tb.inner) < maxOpen {
		tb.inner = append(tb.inner, o)
		return
	}
	tb.follow()
	if len(tb.stack) == maxOpen {
		tb.forget()
	}
	tb.stack = append(tb.stack, o)
	tb.counts[o.count]++
	if o.isExacting() {
		tb.exacting++
	}
}

// popTo closes all but n of the known open elements.
func (tb *treeBuilder) popTo(n int) {
	if tb.followed {
		tb.pop(n)
	} else {
		tb.inner = tb.inner[:n]
	}
	tb.rest()
}

// pop closes all but n elements on the stack.
func (tb *treeBuilder) pop(n int) {
	l := len(tb.list)
	for i := len(tb.stack) - 1; i >= n; i-- {
		l = tb.closed(&tb.stack[i], l)
	}
	tb.stack = tb.stack[:n]
}

// closed takes note that an element leaves the stack. If the element is in the list, it
// most probably stands just before l. closed returns the l for the next element.
func (tb *treeBuilder) closed(o *openElement, l int) int {
	tb.counts[o.count]--
	if o.isExacting() {
		tb.exacting--
	}
	if o.id == 0 {
		return l
	}
	if l == 0 || tb.list[l-1].id != o.id {
		l = tb.listed(o.id) + 1
	}
	if l > 0 {
		tb.list[l-1].open = false
		return l - 1
	}
	return 0
}

// remove takes the element at n off the stack.
func (tb *treeBuilder) remove(n int) {
	tb.closed(&tb.stack[n], len(tb.list))
	tb.stack = slices.Delete(tb.stack, n, n+1)
}

// forget makes room on the stack: it forgets the outer half of the elements.
func (tb *treeBuilder) forget() {
	n := maxOpen / 2
	last := tb.stack[n]
	for i := 1; i <= n; i++ {
		tb.closed(&tb.stack[i], len(tb.list))
		if l := tb.listed(tb.stack[i].id); l >= 0 {
			tb.list = slices.Delete(tb.list, l, l+1)
		}
	}
	tb.stack[n] = openElement{kind: last.kind, ns: last.ns, point: last.point}
	if last.ns != NsHTML {
		tb.exacting++
	}
	tb.stack = slices.Delete(tb.stack, 1, n)
}

// hasFontAttr reports whether the tag has an attribute with which font leaves foreign
// content.
func (t *Tag) hasFontAttr(b []byte) bool {
	return slices.ContainsFunc([]string{"color", "face", "size"}, func(name string) bool {
		_, ok := t.Value(b, name)
		return ok
	})
}

// isHTMLAnnotation reports whether the tag is an annotation-xml that is an HTML
// integration point.
func (t *Tag) isHTMLAnnotation(el *Element, b []byte) bool {
	if el.Atom != atom.AnnotationXml {
		return false
	}
	raw, _ := t.Value(b, "encoding")
	v := charref.AppendDecoded(nil, raw, nil)
	return ascii.EqualFold(v, "text/html") || ascii.EqualFold(v, "application/xhtml+xml")
}
