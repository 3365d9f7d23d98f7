package rewriter

import "golang.org/x/net/html/atom"

// A namespace is that of an element in the document.
type namespace uint8

const (
	nsHTML namespace = iota
	nsSVG
	nsMathML
)

// A foreign follows start and end tags to know in which namespace each
// element is: HTML, or inside svg and math (HTML Standard §13.2.6.5). It holds
// no tree, only the elements open inside the outermost svg or math.
type foreign struct {
	stack []openElement
	// open counts, by name, the HTML elements that are open outside: an end tag
	// of theirs closes the foreign content in them. inside counts those on the
	// stack.
	open, inside [nameIDs]uint32
	points       int // elements on the stack that are, or may be, integration points
}

type openElement struct {
	hash      uint64 // of the name
	element   *element
	ns        namespace
	htmlPoint bool // HTML integration point
	mathPoint bool // MathML text integration point
	point     bool // one of those or annotation-xml: "special" (§13.2.4.2)
}

// maxForeign bounds the stack. What is nested deeper is taken as a sibling.
const maxForeign = 512

// reset forgets the document.
func (f *foreign) reset() {
	for i := range f.stack {
		f.inside[idOf(f.stack[i].hash)] = 0
	}
	f.stack, f.points = f.stack[:0], 0
	clear(f.open[:])
}

// current returns the namespace by whose rules content is read now. The
// element that is an integration point is itself foreign.
func (f *foreign) current() namespace {
	if len(f.stack) == 0 {
		return nsHTML
	}
	return f.stack[len(f.stack)-1].ns
}

// startTag returns the namespace of the element that the start tag t creates;
// b begins at its "<".
func (f *foreign) startTag(el *element, t *tag, b []byte) namespace {
	if len(f.stack) == 0 && el.kind&foreignAny == 0 {
		f.openOutside(el, t.hash)
		return nsHTML
	}
	if !f.htmlRules(el) {
		if el.kind&breakout == 0 && !(el.atom == atom.Font && t.hasFontAttr(b)) {
			ns := f.current()
			if !t.selfClosing {
				f.push(foreignElement(el, ns, t, b))
			}
			return ns
		}
		f.breakOut()
	}
	if el.kind&foreignAny != 0 {
		ns := nsSVG
		if el.atom == atom.Math {
			ns = nsMathML
		}
		if !t.selfClosing {
			f.push(openElement{hash: t.hash, element: el, ns: ns})
		}
		return ns
	}
	switch {
	case len(f.stack) == 0:
		f.openOutside(el, t.hash)
	case el.kind&void == 0:
		f.push(openElement{hash: t.hash, element: el, ns: nsHTML})
	}
	return nsHTML
}

// htmlRules reports whether a start tag is read by the rules for HTML content.
func (f *foreign) htmlRules(el *element) bool {
	if len(f.stack) == 0 {
		return true
	}
	switch top := f.stack[len(f.stack)-1]; {
	case top.ns == nsHTML, top.htmlPoint:
		return true
	case top.mathPoint:
		return el.atom != atom.Mglyph && el.atom != atom.Malignmark
	case top.ns == nsMathML && top.element.atom == atom.AnnotationXml:
		return el.atom == atom.Svg
	}
	return false
}

// breakOut leaves foreign content for the nearest element whose content is
// HTML.
func (f *foreign) breakOut() {
	for n := len(f.stack); n > 0; n-- {
		if top := f.stack[n-1]; top.ns == nsHTML || top.htmlPoint || top.mathPoint {
			return
		}
		f.pop(n - 1)
	}
}

func foreignElement(el *element, ns namespace, t *tag, b []byte) openElement {
	o := openElement{hash: t.hash, element: el, ns: ns}
	switch {
	case ns == nsSVG:
		o.htmlPoint = el.kind&svgHTML != 0
	case el.atom == atom.AnnotationXml:
		o.htmlPoint = t.isHTMLAnnotation(b)
		o.point = true
	default:
		o.mathPoint = el.kind&mathText != 0
	}
	o.point = o.point || o.htmlPoint || o.mathPoint
	return o
}

func (f *foreign) push(o openElement) {
	if len(f.stack) < maxForeign {
		f.stack = append(f.stack, o)
		f.inside[idOf(o.hash)]++
		if o.point {
			f.points++
		}
	}
}

// pop leaves n elements on the stack.
func (f *foreign) pop(n int) {
	for _, o := range f.stack[n:] {
		f.inside[idOf(o.hash)]--
		if o.point {
			f.points--
		}
	}
	f.stack = f.stack[:n]
}

// endTag follows the end tag t and returns the namespace of the element that
// it closes.
func (f *foreign) endTag(el *element, t *tag) namespace {
	if len(f.stack) > 0 && f.current() != nsHTML {
		if el.kind&endsAtP == 0 {
			return f.endForeign(el, t)
		}
		f.breakOut()
	}
	if len(f.stack) == 0 {
		f.closeOutside(t.hash)
		return nsHTML
	}
	if f.inside[idOf(t.hash)] > 0 {
		f.endHTML(el, t, len(f.stack)-1)
	}
	return nsHTML
}

// endHTML follows an end tag by the rules for HTML content, from stack[n] down.
// Below the elements of HTML there is always an integration point, which stops
// it.
func (f *foreign) endHTML(el *element, t *tag, n int) {
	barrier := special
	switch {
	case el.kind&tablePart != 0:
		barrier = tableScope
	case el.kind&special != 0:
		barrier = scope
	}
	for ; n >= 0 && f.stack[n].ns == nsHTML; n-- {
		if f.stack[n].hash == t.hash {
			f.pop(n)
			return
		}
		if f.stack[n].element.kind&barrier != 0 {
			return
		}
	}
}

// endForeign follows an end tag in foreign content: it closes the nearest
// element of its name. Where one of HTML comes first, or all are outside, the
// rules for HTML content decide.
func (f *foreign) endForeign(el *element, t *tag) namespace {
	if f.inside[idOf(t.hash)] > 0 {
		for n := len(f.stack) - 1; n >= 0; n-- {
			if f.stack[n].ns == nsHTML {
				f.endHTML(el, t, n)
				return nsHTML
			}
			if ns := f.stack[n].ns; f.stack[n].hash == t.hash {
				f.pop(n)
				return ns
			}
		}
	}
	if f.points > 0 || f.open[idOf(t.hash)] == 0 {
		return f.current()
	}
	f.pop(0)
	f.closeOutside(t.hash)
	return nsHTML
}

// openOutside counts an element outside of svg and math.
func (f *foreign) openOutside(el *element, hash uint64) {
	if el.kind&void == 0 {
		f.open[idOf(hash)]++
	}
}

func (f *foreign) closeOutside(hash uint64) {
	if id := idOf(hash); f.open[id] > 0 {
		f.open[id]--
	}
}

// hasFontAttr reports what makes a font element leave foreign content.
func (t *tag) hasFontAttr(b []byte) bool {
	for _, name := range []string{"color", "face", "size"} {
		if _, ok := t.value(b, name); ok {
			return true
		}
	}
	return false
}

// isHTMLAnnotation reports what makes annotation-xml an HTML integration
// point.
func (t *tag) isHTMLAnnotation(b []byte) bool {
	raw, _ := t.value(b, "encoding")
	v := appendDecoded(nil, raw, nil)
	return equalFold(v, "text/html") || equalFold(v, "application/xhtml+xml")
}
