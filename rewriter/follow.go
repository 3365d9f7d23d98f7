package rewriter

import (
	"bytes"
	"errors"

	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/markup"
)

// startTag finds the places of the start tag that was followed.
func (e *engine) startTag() {
	c := &e.context
	t := c.Tag()
	el, ns := c.Element()
	e.tagInText()
	if c.HeadChanged() {
		e.checkHold(c.Pos())
		if c.InHead() && !t.IsSkipped() {
			e.canonicalTag(el)
		}
		e.headChanged()
		if c.IsBase() && !e.decided && !t.IsSkipped() {
			e.readBase()
		}
	}
	if c.HasRawText() || ns == markup.NsSVG && el.Atom == atom.Style && !t.SelfClosing {
		e.beginText(el.Name, ns)
	}
	if len(t.Attrs) > 0 {
		e.attributes(t.Pos, ns)
	}
	e.nextTag()
}

// beginText looks for a rule for the text of an element that begins here.
func (e *engine) beginText(name string, ns markup.Namespace) {
	t := e.context.Tag()
	rules := e.set.rules.text
	if rules == nil || t.IsSkipped() {
		return
	}
	e.text = textRun{
		rule: e.pick(rules, t.Hash, []byte(name), ns, t.Pos), start: e.offsetOf(e.context.Pos()), name: name, inSVG: ns == markup.NsSVG,
	}
	if e.text.rule != nil && e.text.inSVG {
		e.context.WantTag()
	}
}

// tagInText ends the text of an element, if there is one, at the tag in the window. In SVG
// every tag except the end tag breaks the text, so that the element stays.
func (e *engine) tagInText() {
	if e.text.rule == nil { // as nearly always
		return
	}
	if t := e.context.Tag(); !e.text.inSVG || t.IsEnd && t.Hash == hashStyle && t.Name.Len() == len("style") {
		e.endText(t.Start)
		return
	}
	e.breakText(e.context.Tag().Start)
}

// breakText gives up the text of a style element in SVG, which has been read up to end in the
// window and holds markup.
func (e *engine) breakText(end int) {
	if e.text.rule != nil && !e.limitText(end) {
		e.checkHold(end)
		e.warn(e.text.start, errSVGStyle)
		e.text.rule = nil
	}
}

// endText ends the text of an element at end in the window.
func (e *engine) endText(end int) {
	if e.text.rule == nil || e.limitText(end) {
		return
	}
	p := place{start: e.text.start, end: e.offsetOf(end), rule: e.text.rule, element: e.text.name, notation: charref.RawText}
	p.early = e.isEarly(p.rule, 0, 0)
	e.text.rule = nil
	start, content := p.start, e.raw(p.start, p.end)
	switch {
	case !e.text.inSVG || e.textInSVG(&p, content):
		e.place(&p)
	case bytes.ContainsAny(content, urlSigns):
		e.checkHold(end)
		e.warn(start, errSVGStyle)
	}
}

// urlSigns are characters without which there is no URL in a style element.
const urlSigns = "(@&"

// errSVGStyle is the warning for a style element in SVG that is not read.
var errSVGStyle = errors.New("this style element in SVG holds more than text; it stays as it is")

// textInSVG narrows a place that is the raw content of a style element in SVG to its text, if
// that stands alone or in one CDATA section. It reports whether the text does.
func (w *window) textInSVG(p *place, raw []byte) bool {
	const begin, end = "<![CDATA[", "]]>"
	p.notation, p.local = charref.CDATA, true
	start := ascii.SkipSpace(raw, 0)
	if !bytes.HasPrefix(raw[start:], []byte(begin)) {
		return bytes.IndexByte(raw, '<') < 0 && !charref.HasReference(raw)
	}
	start += len(begin)
	n, found := w.chars.Search(raw[start:], end, true)
	if !found {
		n = len(raw) - start
	}
	after := bytes.TrimPrefix(raw[start+n:], []byte(end))
	p.end = p.start + docOffset(start+n)
	p.start += docOffset(start)
	return ascii.SkipSpace(after, 0) == len(after)
}

// limitText gives up the text of an element, which has been read up to end in the
// window, if the text is longer than MaxTag. It reports whether it did.
func (e *engine) limitText(end int) bool {
	if e.text.rule == nil || e.offsetOf(end)-e.text.start <= docOffset(e.maxTag) {
		return false
	}
	e.text.rule = nil
	e.tooLong(e.text.start)
	return true
}

// leaveNoscript goes on with the document after the content of noscript, even in the
// middle of a tag or a comment there.
func (e *engine) leaveNoscript() {
	if e.text.inSVG {
		e.breakText(e.context.Pos())
	}
	e.context.LeaveNoscript()
	e.text.rule = nil
	e.nextTag()
}
