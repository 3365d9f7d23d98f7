package rewriter

import (
	"absolink/rewriter/internal/markup"
)

// A longTag measures a tag, which may come in pieces. A value is long if it is longer than
// longValue and need not be held. A long value is streamed, and does not count towards the
// tag's own size, which is at most MaxTag.
//
// A tag that comes in pieces has to become the same as one that comes at once. So in both
// cases a tag is looked at in parts, each up to a long value.
type longTag struct {
	unmeasured int // a tag of this size or less is not long
	most       int // MaxTag
	measured   int // how many attributes have been measured
	long       int // the bytes of long values among them
}

// An action is what has to be done with a tag before more of it is read.
type action uint8

const (
	hold   action = iota // nothing
	stream               // the attribute may be streamed
	skip                 // the tag is too long, and passes as it is
	elide                // the value in which the tag ends for now is streamed
)

// grow returns what has to be done with a tag that has size bytes. The tag ends for now in
// value; where it ends elsewhere, value is nil. mayStream reports whether a value need not be
// held. grow is called again when an attribute is streamed.
func (l *longTag) grow(attrs []markup.Attribute, value *markup.Attribute, size int, mayStream func(*markup.Attribute) bool) (action, *markup.Attribute) {
	for ; l.measured < len(attrs); l.measured++ {
		a := &attrs[l.measured]
		switch {
		case a.Long:
			l.long += a.Value.Len()
		case a.Value.Len() > longValue && mayStream(a):
			return l.unless(stream, int(a.Value.Start)), a
		}
	}
	switch {
	case value == nil:
	case value.Long:
		return elide, value
	case value.Value.Len() > longValue && mayStream(value):
		return l.unless(stream, int(value.Value.Start)), value
	case value.Value.Len() < beginning || mayStream(value): // it may become long
		size = int(value.Value.Start)
	}
	return l.unless(hold, size), nil
}

// unless returns an action, or skip if the tag's own size up to end is more than MaxTag.
func (l *longTag) unless(a action, end int) action {
	if end-l.long > l.most {
		return skip
	}
	return a
}

// next begins another tag.
func (l *longTag) next() { l.measured, l.long = 0, 0 }

// followLong does what the long values of the tag in the window ask for. The tag ends for now
// in value; where it ends elsewhere, value is nil.
func (e *engine) followLong(value *markup.Attribute) {
	t := e.context.Tag()
	for !t.IsSkipped() {
		switch do, a := e.tag.long.grow(t.Attrs, value, t.Pos, e.mayStream); do {
		case stream:
			e.beforeLong(a)
		case skip:
			t.Skip()
			e.tag.looked = 0
			e.warn(e.tagOffset(), errMaxTag(e.tag.long.most))
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
	e.checkHold(t.Start + t.Pos)
	value, _ := t.InValue()
	e.followLong(value)
	switch {
	case final || !e.holdsNothing():
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
	a.Stream()
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

// holdsNothing reports whether no place and no value waits, so that the tag can be
// written up to where it was read.
func (e *engine) holdsNothing() bool {
	return e.held.Len() == 0 && !e.writing.open
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
