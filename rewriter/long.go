package rewriter

import "golang.org/x/net/html/atom"

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
	t := &e.scan.tag
	for ; e.measured < len(t.attrs); e.measured++ {
		a := &t.attrs[e.measured]
		if !a.long && e.isLong(a) {
			e.beforeLong(a)
		}
		if a.long {
			e.longBytes += a.value.len()
		}
	}
}

// longTag looks at the parts of a tag that has been read.
func (e *engine) longTag() {
	e.measure()
	e.limitTag(e.scan.tag.pos, len(e.scan.tag.attrs))
}

// boundTag keeps a tag that the window ends in from taking more memory than
// MaxTag and what a long value is before it is long. final says that the tag is
// cut off here.
func (e *engine) boundTag(final bool) {
	t := &e.scan.tag
	if e.scan.state != inTag || int64(t.pos)+e.elided <= int64(e.unmeasured) || e.err != nil {
		return
	}
	if t.isEnd {
		e.endText(t.start) // of which the window will lose the end
	}
	e.limitSheet(t.start + t.pos)
	e.checkHold(t.start + t.pos)
	e.measure()
	inValue := t.step == quotedValue || t.step == unquotedValue
	if inValue {
		t.cur.value.end = int32(t.pos)
	}
	switch {
	case t.skip && final:
	case t.skip:
		e.elideTail()
	case inValue && (t.cur.long || e.isLong(&t.cur)):
		if !t.cur.long {
			e.beforeLong(&t.cur)
		}
		if e.holdsNothing() && !t.skip && !final {
			e.elide(int(t.cur.value.start), t.pos)
		}
	case inValue && (t.cur.value.len() < beginning || e.mayStream(&t.cur)):
		e.limitTag(int(t.cur.value.start), len(t.attrs)) // it may become long
	default:
		e.limitTag(t.pos, len(t.attrs))
	}
}

// isLong reports whether the value of an attribute of the tag is long.
func (e *engine) isLong(a *attribute) bool {
	return a.value.len() > longValue && e.mayStream(a)
}

// beginning is how much of a value tells whether it is an absolute URL.
const beginning = 1 << 10

// mayStream reports whether the value of an attribute need not be held: nobody
// reads it, or it is a URL that is absolute by its beginning. All of a BASE is
// read.
func (e *engine) mayStream(a *attribute) bool {
	t := &e.scan.tag
	b := e.buf[t.start:]
	name := a.name.of(b)
	if elementOf(t.hash, t.name.of(b)).atom == atom.Base {
		return false
	}
	if rule := e.anyRule(a, b); rule != nil {
		if rule.Syntax != SyntaxURL {
			return false
		}
		raw := a.value.of(b)
		_, value := appendValue(nil, raw[:min(len(raw), beginning)], nil)
		return e.rw.isAbsolute(trimURL(value))
	}
	return !e.rw.set.facts[string(appendLower(nil, name))]
}

// anyRule returns a rule that fits an attribute of the tag, or may fit it once
// all of the tag is known.
func (e *engine) anyRule(a *attribute, b []byte) *Rule {
	t := &e.scan.tag
	rules := e.rw.set.attrs.get(a.hash, a.name.of(b))
	if rules == nil {
		return nil
	}
	hash, tagName := t.ruleName(b, e.foreign.namespaceOf(elementOf(t.hash, t.name.of(b))))
	return rules.first(hash, tagName)
}

// isLong reports whether an attribute of a name has a long value, of which nothing
// is known.
func (t *tag) isLong(b []byte, name string) bool {
	for i := range t.attrs {
		if a := &t.attrs[i]; a.long && equalFold(a.name.of(b), name) {
			return true
		}
	}
	return false
}

// beforeLong looks at the attributes before one that is long. What comes after
// it in the tag may say more of those, so that fragments stay where that may
// matter.
func (e *engine) beforeLong(a *attribute) {
	if e.limitTag(int(a.value.start), e.measured); e.scan.tag.skip {
		return
	}
	t := &e.scan.tag
	b := e.buf[t.start:]
	el := elementOf(t.hash, t.name.of(b))
	ns := e.foreign.namespaceOf(el)
	if h := e.head; e.held.len() == 0 && !e.noscript.open {
		if h.startTag(el, ns, t, b); h.settled() {
			e.decideOuter()
		}
	}
	if ns != nsHTML {
		ns = nsSVG
	}
	e.attributes(int(a.value.start), ns)
	a.long = true
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
	t := &e.scan.tag
	if !t.skip && end-e.longBytes+attrs*attributeSize > e.maxTag() {
		t.skip, t.attrs = true, t.attrs[:0]
		e.looked, e.measured = 0, 0
		e.warn(e.tagOffset(), errMaxTag(e.maxTag()))
	}
}

// attributeSize is what an attribute takes in memory.
const attributeSize = 32

// elideTail elides all of the tag but its name.
func (e *engine) elideTail() {
	t := &e.scan.tag
	from := int(t.name.end)
	if t.step == tagName {
		from = min(int(t.name.start)+maxName, t.pos)
	}
	if e.holdsNothing() {
		e.elide(from, t.pos)
	}
}

// holdsNothing reports whether what stands before the tag, and what has been looked
// at in it, can be passed on.
func (e *engine) holdsNothing() bool {
	return e.held.len() == 0 && e.sheet.rule == nil && !e.writing.open
}

// maxName is more than the length of any name that has a meaning.
const maxName = 256

// elide passes what has been read of the tag on, and takes its bytes from, up
// to to, out of the window.
func (e *engine) elide(from, to int) {
	t := &e.scan.tag
	n := to - from
	e.pass(t.start + to)
	if e.memory != nil {
		e.buf, e.memory = append(e.memory[:0], e.buf...), nil
	}
	e.buf = append(e.buf[:t.start+from], e.buf[t.start+to:]...)
	if e.in.wide != nil {
		e.in.wide.drop(t.start+from, t.start+to)
	}
	e.off += int64(n)
	e.elided += int64(n)
	e.passed -= n
	e.noscript.searched -= n
	t.pos -= n
}
