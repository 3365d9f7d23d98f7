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
type Foreign struct {
	Noted []uint64      // room for tags outside; see noted.go
	next  int           // noted[next] is for the next tag; inside where svg or math is open
	notes int           // how many there are, while it is
	inner []openElement // what is open in svg or math, as long as that says enough

	followed bool          // nothing is noted, and inner is part of stack
	Stack    []openElement // stack[0] stands for html and body
	List     []formatted   // the active formatting elements
	counts   [countsOpen]int32
	foreign  int    // elements on the stack that are not HTML
	form     uint32 // the id of the form element that the form element pointer points to, or 0
	lastID   uint32

	Sheet    int // the index of the style element that a sheet reads
	Document doctype
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

// MaxOpen bounds the stack. Of what is nested deeper, the outer half is
// forgotten: one nameless element stands for it.
const MaxOpen = 512

var root = openElement{kind: special | scope | tableScope}

// Reset forgets the document.
func (f *Foreign) Reset() {
	*f = Foreign{
		Noted: f.Noted, inner: f.inner[:0], Stack: append(f.Stack[:0], root), List: f.List[:0],
		Document: doctype{Raw: f.Document.Raw[:0]},
	}
}

// Open returns the elements that are open, as far as they are followed.
func (f *Foreign) Open() []openElement {
	if f.followed {
		return f.Stack
	}
	return f.inner
}

func (f *Foreign) top() *openElement { return &f.Stack[len(f.Stack)-1] }

// Current returns the namespace of the current node. The element that is an
// integration point is itself foreign.
func (f *Foreign) Current() Namespace {
	if open := f.Open(); len(open) > 0 {
		return open[len(open)-1].ns
	}
	return NsHTML
}

// StartTag returns the namespace of the element that the start tag t creates;
// b begins at its "<".
func (f *Foreign) StartTag(el *Element, t *Tag, b []byte) Namespace {
	if f.next != inside {
		if el.Start != startForeign {
			f.noteStart(el, t, b)
			return NsHTML
		}
		f.note(keyBr)
	} else if open := f.Open(); !open[len(open)-1].keeps(el, t, b) {
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
func (f *Foreign) startInside(el *Element, t *Tag, b []byte) Namespace {
	f.follow()
	if top := f.top(); top.ns != NsHTML && !top.readsHTML(el) {
		f.breakOut()
	}
	if el.Start != startForeign {
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

// NamespaceOf returns what startTag will return for a tag of which the name is
// read. What its attributes say comes too late.
func (f *Foreign) NamespaceOf(el *Element) Namespace {
	if open := f.Open(); len(open) > 0 {
		if top := &open[len(open)-1]; top.ns != NsHTML && !top.readsHTML(el) && el.Kind&breakout == 0 {
			return top.ns
		}
	}
	if el.Start == startForeign {
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
	return el.Kind&breakout != 0 || el.Atom == atom.Font && t.hasFontAttr(b)
}

// breakOut leaves foreign content for the nearest element whose content is
// HTML.
func (f *Foreign) breakOut() {
	n := len(f.Stack)
	for f.Stack[n-1].ns != NsHTML && f.Stack[n-1].point != htmlPoint && f.Stack[n-1].point != mathPoint {
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
func (f *Foreign) foreignElement(el *Element, t *Tag, b []byte) openElement {
	o := openElement{key: t.key(b), ns: f.Current()}
	switch {
	case o.ns == NsHTML:
		o.ns = foreignRoot(el)
		return o
	case o.ns == NsSVG && el.Kind&svgHTML != 0, o.ns == NsMathML && t.isHTMLAnnotation(el, b):
		o.point = htmlPoint
	case o.ns == NsMathML && el.Atom == atom.AnnotationXml:
		o.point = annotation
	case o.ns == NsMathML && el.Kind&mathText != 0:
		o.point = mathPoint
	default:
		return o
	}
	o.kind = special | scope
	return o
}

// EndTag follows the end tag t and returns the namespace of the element that
// it closes.
func (f *Foreign) EndTag(el *Element, t *Tag, b []byte) Namespace {
	key, ns := t.key(b), f.Current()
	if f.next != inside {
		f.note(key | IsEnd)
		return NsHTML
	}
	if ns != NsHTML && el.Kind&endsAtP == 0 {
		open := f.Open()
		if n := findForeign(open, key); n >= 0 {
			ns = open[n].ns
			f.popTo(n)
			return ns
		}
	}
	f.follow()
	if ns != NsHTML && el.Kind&endsAtP != 0 {
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
func (f *Foreign) push(o openElement) {
	if f.next != inside {
		f.notes, f.next = f.next, inside
	}
	if !f.followed && len(f.inner) < MaxOpen {
		f.inner = append(f.inner, o)
		return
	}
	f.follow()
	if len(f.Stack) == MaxOpen {
		f.forget()
	}
	f.Stack = append(f.Stack, o)
	f.counts[o.count]++
	if o.ns != NsHTML {
		f.foreign++
	}
}

// popTo leaves n of the open elements.
func (f *Foreign) popTo(n int) {
	if f.followed {
		f.pop(n)
	} else {
		f.inner = f.inner[:n]
	}
	f.rest()
}

// pop leaves n elements on the stack.
func (f *Foreign) pop(n int) {
	l := len(f.List)
	for i := len(f.Stack) - 1; i >= n; i-- {
		l = f.closed(&f.Stack[i], l)
	}
	f.Stack = f.Stack[:n]
}

// closed follows that an element is taken off the stack. It is most probably the
// one before l in the list, and where it is there is the l for the next.
func (f *Foreign) closed(o *openElement, l int) int {
	f.counts[o.count]--
	if o.ns != NsHTML {
		f.foreign--
	}
	if o.id == 0 {
		return l
	}
	if l == 0 || f.List[l-1].id != o.id {
		l = f.listed(o.id) + 1
	}
	if l > 0 {
		f.List[l-1].open = false
		return l - 1
	}
	return 0
}

// remove takes the element at n off the stack.
func (f *Foreign) remove(n int) {
	f.closed(&f.Stack[n], len(f.List))
	f.Stack = slices.Delete(f.Stack, n, n+1)
	if f.Sheet > n {
		f.Sheet--
	}
}

// forget makes room on the stack.
func (f *Foreign) forget() {
	n := MaxOpen / 2
	last := f.Stack[n]
	for i := 1; i <= n; i++ {
		f.closed(&f.Stack[i], len(f.List))
		if l := f.listed(f.Stack[i].id); l >= 0 {
			f.List = slices.Delete(f.List, l, l+1)
		}
	}
	f.Stack[n] = openElement{kind: last.kind, ns: last.ns, point: last.point}
	if last.ns != NsHTML {
		f.foreign++
	}
	f.Stack = slices.Delete(f.Stack, 1, n)
	f.Sheet = max(f.Sheet-(n-1), 1)
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
