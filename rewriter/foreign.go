package rewriter

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
	// open counts, by a hash of their names, the HTML elements that are open
	// outside: an end tag of theirs closes the foreign content in them.
	open [256]uint32
}

type openElement struct {
	name      uint64 // hash
	ns        namespace
	kind      kind
	htmlPoint bool // HTML integration point
	mathPoint bool // MathML text integration point
	annotate  bool // annotation-xml of MathML: svg in it is HTML's svg
}

// maxForeign bounds the stack. What is nested deeper is taken as a sibling.
const maxForeign = 512

// current returns the namespace by whose rules content is read now. The
// element that is an integration point is itself foreign.
func (f *foreign) current() namespace {
	if len(f.stack) == 0 {
		return nsHTML
	}
	return f.stack[len(f.stack)-1].ns
}

// startTag returns the namespace of the element that a start tag creates. tag
// is asked for the few attributes that matter.
func (f *foreign) startTag(name []byte, k kind, tag *startTag) namespace {
	if len(f.stack) == 0 && k&foreignAny == 0 {
		if k&void == 0 {
			f.open[uint8(hashName(name))]++
		}
		return nsHTML
	}
	if !f.htmlRules(name, k) {
		if k&breakout == 0 && !(string(name) == "font" && tag.hasFontAttr()) {
			ns := f.current()
			if !tag.selfClosing {
				f.push(foreignElement(name, ns, k, tag))
			}
			return ns
		}
		f.breakOut()
	}
	if k&foreignAny != 0 {
		ns := nsSVG
		if string(name) == "math" {
			ns = nsMathML
		}
		if !tag.selfClosing {
			f.push(openElement{name: hashName(name), ns: ns})
		}
		return ns
	}
	if len(f.stack) > 0 && k&void == 0 {
		f.push(openElement{name: hashName(name), ns: nsHTML, kind: k})
	}
	return nsHTML
}

// htmlRules reports whether a start tag is read by the rules for HTML content.
func (f *foreign) htmlRules(name []byte, k kind) bool {
	if len(f.stack) == 0 {
		return true
	}
	switch top := f.stack[len(f.stack)-1]; {
	case top.ns == nsHTML, top.htmlPoint:
		return true
	case top.mathPoint:
		return string(name) != "mglyph" && string(name) != "malignmark"
	case top.annotate:
		return string(name) == "svg"
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
		f.stack = f.stack[:n-1]
	}
}

func foreignElement(name []byte, ns namespace, k kind, tag *startTag) openElement {
	e := openElement{name: hashName(name), ns: ns}
	switch {
	case ns == nsSVG:
		e.htmlPoint = k&svgHTML != 0
	case string(name) == "annotation-xml":
		e.htmlPoint = tag.isHTMLAnnotation()
		e.annotate = true
	default:
		e.mathPoint = k&mathText != 0
	}
	return e
}

func (f *foreign) push(e openElement) {
	if len(f.stack) < maxForeign {
		f.stack = append(f.stack, e)
	}
}

// endTag follows an end tag.
func (f *foreign) endTag(name []byte, k kind) {
	hash := hashName(name)
	if len(f.stack) > 0 && f.current() != nsHTML {
		if k&endsAtP == 0 {
			f.endForeign(hash)
			return
		}
		f.breakOut()
	}
	if len(f.stack) == 0 {
		f.closeOutside(hash)
		return
	}
	barrier := special
	if k&special != 0 {
		barrier = scope
	}
	for n := len(f.stack) - 1; n >= 0; n-- {
		e := f.stack[n]
		if e.ns != nsHTML {
			return
		}
		if e.name == hash {
			f.stack = f.stack[:n]
			return
		}
		if e.kind&barrier != 0 {
			return
		}
	}
}

// endForeign closes the nearest element of that name; where none is on the
// stack, one that is open outside takes all of it along.
func (f *foreign) endForeign(hash uint64) {
	for n := len(f.stack) - 1; n >= 0; n-- {
		if f.stack[n].name == hash {
			f.stack = f.stack[:n]
			return
		}
	}
	if f.open[uint8(hash)] > 0 {
		f.stack = f.stack[:0]
		f.closeOutside(hash)
	}
}

func (f *foreign) closeOutside(hash uint64) {
	if f.open[uint8(hash)] > 0 {
		f.open[uint8(hash)]--
	}
}

// hashName is FNV-1a of a lower-case name, folded so that the low byte is
// worth using alone.
func hashName(name []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range name {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h ^ h>>32
}
