package rewriter

import (
	"absolink/rewriter/internal/markup"
)

// measure looks for long values among the attributes that have been read.
func (e *engine) measure() {
	t := e.context.Tag()
	for ; e.tag.measured < len(t.Attrs); e.tag.measured++ {
		a := &t.Attrs[e.tag.measured]
		if !a.Long && e.isLong(a) {
			e.beforeLong(a)
		}
		if a.Long {
			e.tag.longBytes += a.Value.Len()
		}
	}
}

// longTag follows a tag with long values that has been read as a whole.
func (e *engine) longTag() {
	e.measure()
	e.limitTag(e.context.Tag().Pos)
}

// boundTag bounds the memory of a tag that the window ends in: to MaxTag, and the
// part of a value that shows whether the value is long. final says that the tag is cut
// off here.
func (e *engine) boundTag(final bool) {
	t := e.context.Tag()
	if !e.context.InTag() || t.Size() <= int64(e.tag.unmeasured) || e.err != nil {
		return
	}
	if t.IsEnd {
		e.endText(t.Start) // while all of it is in the window
	}
	e.limitSheet(t.Start + t.Pos)
	e.checkHold(t.Start + t.Pos)
	e.measure()
	value, inValue := t.InValue()
	switch {
	case t.IsSkipped():
	case inValue && (value.Long || e.isLong(value)):
		if !value.Long {
			e.beforeLong(value)
		}
		if e.holdsNothing() && !t.IsSkipped() && !final {
			e.elide(int(value.Value.Start), t.Pos)
		}
	case inValue && (value.Value.Len() < beginning || e.mayStream(value)):
		e.limitTag(int(value.Value.Start)) // it may become long
	default:
		e.limitTag(t.Pos)
	}
	if t.IsSkipped() && !final {
		e.elideTail()
	}
}

// beforeLong looks at the attributes before a, which is long, and lets a be streamed.
// Whether a fragment stays depends on the namespace, which later attributes can change.
// Where it is not certainly HTML, fragments stay, as in SVG.
func (e *engine) beforeLong(a *markup.Attribute) {
	if e.limitTag(int(a.Value.Start)); e.context.Tag().IsSkipped() {
		return
	}
	_, ns := e.context.Foresee(e.buf)
	if e.held.Len() == 0 && e.context.WillSettle(e.buf) {
		e.settleOuter()
	}
	if ns != markup.NsHTML {
		ns = markup.NsSVG
	}
	e.attributes(int(a.Value.Start), ns)
	a.Stream()
}

// limitTag lets the tag pass as it is from here on, if its own size up to end is more than
// MaxTag.
func (e *engine) limitTag(end int) {
	t := e.context.Tag()
	if !t.IsSkipped() && end-e.tag.longBytes > e.maxTag() {
		t.Skip()
		e.tag.looked, e.tag.measured = 0, 0
		e.warn(e.tagOffset(), errMaxTag(e.maxTag()))
	}
}

// elideTail elides all of the tag except its name.
func (e *engine) elideTail() {
	t := e.context.Tag()
	from := int(t.Name.End)
	if t.InName() {
		from = min(int(t.Name.Start)+maxName, t.Pos)
	}
	if e.holdsNothing() {
		e.elide(from, t.Pos)
	}
}

// holdsNothing reports whether no place, sheet or value waits, so that the tag can be
// written up to where it was read.
func (e *engine) holdsNothing() bool {
	return e.held.Len() == 0 && e.sheet.rule == nil && !e.writing.open
}

// maxName is more than the length of any name that has a meaning.
const maxName = 256

// elide keeps the tag as it is up to its byte to, and cuts its bytes between from and to
// out of the window.
func (e *engine) elide(from, to int) {
	start := e.context.Tag().Start
	e.keep(e.offsetOf(start + to))
	e.cut(start+from, start+to)
	e.context.Elide(to - from)
}
