package rewriter

import (
	"absolink/rewriter/internal/markup"
)

// followLong does what the long values of the tag in the window ask for. The tag ends for now
// in value; if it ends elsewhere, value is nil. In a tag that is not skipped, Hold is looked at
// in long values alone, so that Warn is told in the same order however the tag comes.
func (e *engine) followLong(value *markup.Attribute) {
	t := e.context.Tag()
	e.checkHold(t.Start)
	for !t.IsSkipped() {
		for _, a := range t.Attrs[e.tag.long.measured:] {
			if a.Long {
				e.checkHold(t.Start + int(a.Value.End))
			}
		}
		switch do, a := e.tag.long.grow(t.Attrs, value, t.Pos, e.mayStream); do {
		case stream:
			e.beforeLong(a)
		case skip:
			t.Skip()
			e.tag.looked = 0
			e.warn(e.tagOffset(), errMaxTag(e.maxTag))
		default:
			return
		}
	}
}

// boundTag bounds the memory of a tag that the window ends in: to MaxTag, and the part of a
// value that shows whether the value is long. final says that the tag is cut off here.
func (e *engine) boundTag(final bool) {
	t := e.context.Tag()
	if !e.context.InTag() || t.Size() <= int64(e.tag.long.unmeasured) || e.err != nil {
		return
	}
	e.tagInText() // while all of the text is in the window
	value, _ := t.InValue()
	e.followLong(value)
	if t.IsSkipped() || value != nil && value.Long {
		e.checkHold(t.Start + t.Pos)
	}
	switch {
	case final || e.held.Len() > 0 || e.writing.open: // a place or a value waits
	case t.IsSkipped():
		e.elideTail()
	case value != nil && value.Long:
		e.elide(int(value.Value.Start), t.Pos)
	}
}

// beforeLong looks at the attributes before a, which is long, and lets a be streamed.
// Whether a fragment stays depends on the namespace, which later attributes can change.
// Where it is not certainly HTML, fragments stay, as in SVG.
func (e *engine) beforeLong(a *markup.Attribute) {
	_, ns := e.context.Foresee(e.buf)
	if e.held.Len() == 0 && e.context.WillSettle(e.buf) {
		e.settleOuter()
	}
	if ns != markup.NsHTML {
		ns = markup.NsSVG
	}
	e.attributes(int(a.Value.Start), ns)
	a.Long = true
}

// elideTail elides all of the tag except its name.
func (e *engine) elideTail() {
	t := e.context.Tag()
	from := int(t.Name.End)
	if t.InName() {
		from = min(int(t.Name.Start)+maxName, t.Pos)
	}
	e.elide(from, t.Pos)
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
