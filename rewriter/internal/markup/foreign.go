package markup

import (
	"slices"

	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
)

// A Namespace is that of an element in the document.
type Namespace uint8

const (
	NsHTML Namespace = iota
	NsSVG
	NsMathML
)

// A Foreign follows tags and text to know in which namespace each element is:
// HTML, or inside svg and math. It is the tree construction of the HTML Standard
// (§13.2.6) without a tree: the stack of open elements and the list of active
// formatting elements, of bounded depth. The insertion mode is what is open.
//
// Most documents need none of that: what is open in svg and math says enough as
// long as no HTML is in there, and as every end tag closes something in there. So
// tags outside are noted, and followed only when more has to be known.
type treeBuilder struct {
	noted []uint64      // room for tags outside; see noted.go
	next  int           // noted[next] is for the next tag; inside where svg or math is open
	notes int           // how many there are, while it is
	inner []openElement // what is open in svg or math, as long as that says enough

	followed bool          // nothing is noted, and inner is part of stack
	stack    []openElement // stack[0] stands for html and body
	list     []formatted   // the active formatting elements
	counts   [countsOpen]int32
	foreign  int    // elements on the stack that are not HTML
	form     uint32 // the id of the form element that the form element pointer points to, or 0
	lastID   uint32

	watched  int // the index of the style element that a sheet reads
	document doctype
}

type openElement struct {
	key   uint64 // of the name
	kind  kind   // of the name in its namespace
	id    uint32 // of a form or a formatting element; 0 otherwise
	ns    Namespace
	count counted
	mode  templateMode
	point point
}

// A point says by which rules the content of an element in svg or math is read,
// if not by those for foreign content.
type point uint8

const (
	noPoint    point = iota
	htmlPoint        // HTML integration point
	mathPoint        // MathML text integration point
	annotation       // annotation-xml: svg is read by those for HTML
)

// maxOpen bounds the stack. Of what is nested deeper, the outer half is
// forgotten: one nameless element stands for it.
const maxOpen = 512

var root = openElement{kind: special | scope | tableScope}

// reset forgets the document.
func (f *treeBuilder) reset() {
	*f = treeBuilder{
		noted: f.noted, inner: f.inner[:0], stack: append(f.stack[:0], root), list: f.list[:0],
		document: doctype{raw: f.document.raw[:0]},
	}
}

// open returns the elements that are open, as far as they are followed.
func (f *treeBuilder) open() []openElement {
	if f.followed {
		return f.stack
	}
	return f.inner
}

func (f *treeBuilder) top() *openElement { return &f.stack[len(f.stack)-1] }

// current returns the namespace of the current node. The element that is an
// integration point is itself foreign.
func (f *treeBuilder) current() Namespace {
	if open := f.open(); len(open) > 0 {
		return open[len(open)-1].ns
	}
	return NsHTML
}

// startTag returns the namespace of the element that the start tag t creates;
// b begins at its "<".
func (f *treeBuilder) startTag(el *Element, t *Tag, b []byte) Namespace {
	if f.next != inside {
		if el.start != startForeign {
			f.noteStart(el, t, b)
			return NsHTML
		}
		f.note(keyBr)
	} else if open := f.open(); !open[len(open)-1].keeps(el, t, b) {
		return f.startInside(el, t, b)
	}
	o := f.foreignElement(el, t, b)
	if !t.SelfClosing {
		f.push(o)
	}
	return o.ns
}

// keeps reports whether a start tag in o makes an element of the same namespace,
// which is not HTML.
func (o *openElement) keeps(el *Element, t *Tag, b []byte) bool {
	return o.ns != NsHTML && !o.readsHTML(el) && !el.breaksOut(t, b)
}

// startInside follows a start tag inside of svg or math that is read by the rules
// for HTML content.
func (f *treeBuilder) startInside(el *Element, t *Tag, b []byte) Namespace {
	f.follow()
	if top := f.top(); top.ns != NsHTML && !top.readsHTML(el) {
		f.breakOut()
	}
	if el.start != startForeign {
		f.startHTML(el, t.key(b), t.attrsKey(el, b))
		f.rest()
		return NsHTML
	}
	f.startHTML(br, keyBr, 0)
	o := openElement{key: t.key(b), ns: foreignRoot(el)}
	if !t.SelfClosing {
		f.push(o)
	}
	return o.ns
}

// namespaceOf returns what startTag will return for a tag of which the name is
// read. What its attributes say comes too late.
func (f *treeBuilder) namespaceOf(el *Element) Namespace {
	if open := f.open(); len(open) > 0 {
		if top := &open[len(open)-1]; top.ns != NsHTML && !top.readsHTML(el) && el.kind&breakout == 0 {
			return top.ns
		}
	}
	if el.start == startForeign {
		return foreignRoot(el)
	}
	return NsHTML
}

// readsHTML reports whether a start tag in o, which is foreign, is read by the
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

// breaksOut reports whether a start tag in foreign content ends that.
func (el *Element) breaksOut(t *Tag, b []byte) bool {
	return el.kind&breakout != 0 || el.Atom == atom.Font && t.hasFontAttr(b)
}

// breakOut leaves foreign content for the nearest element whose content is
// HTML.
func (f *treeBuilder) breakOut() {
	n := len(f.stack)
	for f.stack[n-1].ns != NsHTML && f.stack[n-1].point != htmlPoint && f.stack[n-1].point != mathPoint {
		n--
	}
	f.pop(n)
}

func foreignRoot(el *Element) Namespace {
	if el.Atom == atom.Math {
		return NsMathML
	}
	return NsSVG
}

// foreignElement returns the element that a start tag in foreign content makes,
// or outside of that one that begins it.
func (f *treeBuilder) foreignElement(el *Element, t *Tag, b []byte) openElement {
	o := openElement{key: t.key(b), ns: f.current()}
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
func (f *treeBuilder) endTag(el *Element, t *Tag, b []byte) Namespace {
	key, ns := t.key(b), f.current()
	if f.next != inside {
		f.note(key | isEnd)
		return NsHTML
	}
	if ns != NsHTML && el.kind&endsAtP == 0 {
		open := f.open()
		if n := findForeign(open, key); n >= 0 {
			ns = open[n].ns
			f.popTo(n)
			return ns
		}
	}
	f.follow()
	if ns != NsHTML && el.kind&endsAtP != 0 {
		f.breakOut()
	}
	f.endHTML(el, key)
	f.rest()
	return NsHTML
}

// findForeign returns the index of the nearest element of that name in foreign
// content that no element of HTML is in, or -1.
func findForeign(open []openElement, key uint64) int {
	for n := len(open) - 1; n >= 0 && open[n].ns != NsHTML; n-- {
		if open[n].key == key {
			return n
		}
	}
	return -1
}

// push opens an element.
func (f *treeBuilder) push(o openElement) {
	if f.next != inside {
		f.notes, f.next = f.next, inside
	}
	if !f.followed && len(f.inner) < maxOpen {
		f.inner = append(f.inner, o)
		return
	}
	f.follow()
	if len(f.stack) == maxOpen {
		f.forget()
	}
	f.stack = append(f.stack, o)
	f.counts[o.count]++
	if o.ns != NsHTML {
		f.foreign++
	}
}

// popTo leaves n of the open elements.
func (f *treeBuilder) popTo(n int) {
	if f.followed {
		f.pop(n)
	} else {
		f.inner = f.inner[:n]
	}
	f.rest()
}

// pop leaves n elements on the stack.
func (f *treeBuilder) pop(n int) {
	l := len(f.list)
	for i := len(f.stack) - 1; i >= n; i-- {
		l = f.closed(&f.stack[i], l)
	}
	f.stack = f.stack[:n]
}

// closed follows that an element is taken off the stack. It is most probably the
// one before l in the list, and where it is there is the l for the next.
func (f *treeBuilder) closed(o *openElement, l int) int {
	f.counts[o.count]--
	if o.ns != NsHTML {
		f.foreign--
	}
	if o.id == 0 {
		return l
	}
	if l == 0 || f.list[l-1].id != o.id {
		l = f.listed(o.id) + 1
	}
	if l > 0 {
		f.list[l-1].open = false
		return l - 1
	}
	return 0
}

// remove takes the element at n off the stack.
func (f *treeBuilder) remove(n int) {
	f.closed(&f.stack[n], len(f.list))
	f.stack = slices.Delete(f.stack, n, n+1)
	if f.watched > n {
		f.watched--
	}
}

// forget makes room on the stack.
func (f *treeBuilder) forget() {
	n := maxOpen / 2
	last := f.stack[n]
	for i := 1; i <= n; i++ {
		f.closed(&f.stack[i], len(f.list))
		if l := f.listed(f.stack[i].id); l >= 0 {
			f.list = slices.Delete(f.list, l, l+1)
		}
	}
	f.stack[n] = openElement{kind: last.kind, ns: last.ns, point: last.point}
	if last.ns != NsHTML {
		f.foreign++
	}
	f.stack = slices.Delete(f.stack, 1, n)
	f.watched = max(f.watched-(n-1), 1)
}

// hasFontAttr reports what makes a font element leave foreign content.
func (t *Tag) hasFontAttr(b []byte) bool {
	for _, name := range []string{"color", "face", "size"} {
		if _, ok := t.Value(b, name); ok {
			return true
		}
	}
	return false
}

// isHTMLAnnotation reports what makes annotation-xml an HTML integration
// point.
func (t *Tag) isHTMLAnnotation(el *Element, b []byte) bool {
	if el.Atom != atom.AnnotationXml {
		return false
	}
	raw, _ := t.Value(b, "encoding")
	v := charref.AppendDecoded(nil, raw, nil)
	return ascii.EqualFold(v, "text/html") || ascii.EqualFold(v, "application/xhtml+xml")
}
