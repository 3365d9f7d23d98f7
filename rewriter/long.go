package rewriter

import (
	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/markup"
)

// longValue is the length from which on a value is long if it need not be held:
// one that is no place, or an absolute URL, such as a data: URL. It is
// streamed, and no part of the tag's own size.
//
// What comes in pieces has to become the same as what comes at once. So a tag
// is looked at in parts, each up to a long value, in either case: in boundTag
// as they come, in longTag all together.
var longValue = 64 << 10

// measure looks at the attributes that have been read, for values that are
// long.
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

// longTag looks at the parts of a tag that has been read.
func (e *engine) longTag() {
	e.measure()
	e.limitTag(e.context.Tag().Pos, len(e.context.Tag().Attrs))
}

// boundTag keeps a tag that the window ends in from taking more memory than
// MaxTag and what a long value is before it is long. final says that the tag is
// cut off here.
func (e *engine) boundTag(final bool) {
	t := e.context.Tag()
	if !e.context.InTag() || t.Size() <= int64(e.tag.unmeasured) || e.err != nil {
		return
	}
	if t.IsEnd {
		e.endText(t.Start) // of which the window will lose the end
	}
	e.limitSheet(t.Start + t.Pos)
	e.checkHold(t.Start + t.Pos)
	e.measure()
	value, inValue := t.InValue()
	switch {
	case t.IsSkipped() && final:
	case t.IsSkipped():
		e.elideTail()
	case inValue && (value.Long || e.isLong(value)):
		if !value.Long {
			e.beforeLong(value)
		}
		if e.holdsNothing() && !t.IsSkipped() && !final {
			e.elide(int(value.Value.Start), t.Pos)
		}
	case inValue && (value.Value.Len() < beginning || e.mayStream(value)):
		e.limitTag(int(value.Value.Start), len(t.Attrs)) // it may become long
	default:
		e.limitTag(t.Pos, len(t.Attrs))
	}
}

// isLong reports whether the value of an attribute of the tag is long.
func (e *engine) isLong(a *markup.Attribute) bool {
	return a.Value.Len() > longValue && e.mayStream(a)
}

// beginning is how much of a value tells whether it is an absolute URL.
const beginning = 1 << 10

// mayStream reports whether the value of an attribute need not be held: nobody
// reads it, or it is a URL that is absolute by its beginning. All of a BASE is
// read.
func (e *engine) mayStream(a *markup.Attribute) bool {
	t := e.context.Tag()
	b := e.buf[t.Start:]
	name := a.Name.Of(b)
	if el, _ := e.context.Foresee(e.buf); el.Atom == atom.Base {
		return false
	}
	if rule := e.anyRule(a, b); rule != nil {
		if rule.Syntax != SyntaxURL {
			return false
		}
		raw := a.Value.Of(b)
		_, value := charref.AppendValue(nil, raw[:min(len(raw), beginning)], nil)
		return isAbsolute(trimURL(value), e.profile)
	}
	return !e.rw.set.facts[string(ascii.AppendLower(nil, name))]
}

// anyRule returns a rule that fits an attribute of the tag, or may fit it once
// all of the tag is known.
func (e *engine) anyRule(a *markup.Attribute, b []byte) *rule {
	t := e.context.Tag()
	rules := e.rw.set.attrs.Get(a.Hash, a.Name.Of(b))
	if rules == nil {
		return nil
	}
	_, ns := e.context.Foresee(e.buf)
	hash, tagName := t.RuleName(b, ns)
	return rules.first(hash, tagName)
}

// beforeLong looks at the attributes before one that is long. What comes after
// it in the tag may say more of those, so that fragments stay where that may
// matter.
func (e *engine) beforeLong(a *markup.Attribute) {
	if e.limitTag(int(a.Value.Start), e.tag.measured); e.context.Tag().IsSkipped() {
		return
	}
	_, ns := e.context.Foresee(e.buf)
	if e.held.len() == 0 && e.context.WillSettle(e.buf) {
		e.decideOuter()
	}
	if ns != markup.NsHTML {
		ns = markup.NsSVG
	}
	e.attributes(int(a.Value.Start), ns)
	a.Stream()
}

func (e *engine) maxTag() int {
	if e.rw.MaxTag == 0 {
		return defaultMaxTag
	}
	return min(e.rw.MaxTag, 1<<30) // spans are 32 bits
}

// limitTag lets the tag pass as it is from here on if its own size up to end,
// with what its attributes up to there take in memory, is more than MaxTag.
func (e *engine) limitTag(end, attrs int) {
	t := e.context.Tag()
	if !t.IsSkipped() && end-e.tag.longBytes+attrs*attributeSize > e.maxTag() {
		t.Skip()
		e.tag.looked, e.tag.measured = 0, 0
		e.warn(e.tagOffset(), errMaxTag(e.maxTag()))
	}
}

// attributeSize is what an attribute takes in memory.
const attributeSize = 32

// elideTail elides all of the tag but its name.
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

// holdsNothing reports whether what stands before the tag, and what has been looked
// at in it, can be passed on.
func (e *engine) holdsNothing() bool {
	return e.held.len() == 0 && e.sheet.rule == nil && !e.writing.open
}

// maxName is more than the length of any name that has a meaning.
const maxName = 256

// elide keeps what has been read of the tag, and cuts its bytes, from from up to to,
// out of the window.
func (e *engine) elide(from, to int) {
	start := e.context.Tag().Start
	e.keep(e.offsetOf(start + to))
	e.cut(start+from, start+to)
	e.context.Elide(to - from)
}
