package rewriter

import (
	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/markup"
)

// startTag finds the places of the start tag that was followed.
func (e *engine) startTag() {
	c := &e.context
	t := c.Tag()
	el, ns := c.Element()
	if e.sheet.rule != nil {
		e.sheetTag()
	}
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
	if c.HasRawText() {
		e.beginText(el)
	}
	if len(t.Attrs) > 0 {
		e.attributes(t.Pos, ns)
	}
	if ns == markup.NsSVG && el.Atom == atom.Style {
		e.beginSheet()
	}
	e.nextTag()
}

// beginText looks for a rule for the text of an element that begins here.
func (e *engine) beginText(el *markup.Element) {
	t := e.context.Tag()
	rules := e.rw.set.text
	if rules == nil || t.IsSkipped() {
		return
	}
	e.text.rule = e.pick(rules, t.Hash, []byte(el.Name), markup.NsHTML, t.Pos)
	e.text.start, e.text.name = e.offsetOf(e.context.Pos()), el.Name
}

// endText ends the text of an element at end in the window.
func (e *engine) endText(end int) {
	if e.text.rule == nil || e.limitText(end) {
		return
	}
	p := place{start: e.text.start, end: e.offsetOf(end), rule: e.text.rule, element: e.text.name, notation: charref.RawText}
	p.early = e.isEarly(p.rule, 0, 0)
	e.text.rule = nil
	e.place(&p)
}

// limitText gives up the text of an element, which has been read up to end in the
// window, if the text is longer than MaxTag. It reports whether it did.
func (e *engine) limitText(end int) bool {
	if e.text.rule == nil || e.offsetOf(end)-e.text.start <= offset(e.maxTag()) {
		return false
	}
	e.text.rule = nil
	e.warn(e.text.start, errMaxTag(e.maxTag()))
	return true
}

// leaveNoscript goes on with the document after the content of noscript, even in the
// middle of a tag or a comment there.
func (e *engine) leaveNoscript() {
	_, inNoscript := e.context.Depth()
	e.context.LeaveNoscript()
	e.text.rule = nil
	e.nextTag()
	if e.sheet.rule != nil && inNoscript {
		e.checkHold(e.context.Pos())
		e.dropSheet()
	}
}

// endTag follows what an end tag ends.
func (e *engine) endTag() {
	c := &e.context
	if e.text.rule != nil { // rarely true
		e.endText(c.Tag().Start)
	}
	if e.sheet.rule != nil {
		e.sheetTag()
	}
	if c.HeadChanged() {
		e.checkHold(c.Pos())
		e.headChanged()
	}
}
