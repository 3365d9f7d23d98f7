package rewriter

import (
	"absolink/rewriter/internal/markup"
)

// attributes finds the places among the attributes that have been read and not yet
// looked at, up to end in the tag. ns is the namespace of the tag's element.
func (e *engine) attributes(end int, ns markup.Namespace) {
	attrs := e.context.Tag().Attrs
	var p place
	for i := e.tag.looked; i < len(attrs); i++ {
		a := &attrs[i]
		if int(a.Value.End) > end {
			e.tag.looked = i
			return
		}
		if e.placeIn(&p, i, end, ns) {
			e.place(&p)
		}
	}
	e.tag.looked = len(attrs)
}

// placeIn reports whether the attribute at i in the tag is a place that needs more than
// counting, and sets p to it. A reference that is surely absolute is only counted.
func (e *engine) placeIn(p *place, i, end int, ns markup.Namespace) bool {
	t := e.context.Tag()
	a, b := &t.Attrs[i], e.buf[t.Start:]
	if e.set.RemoveBase && t.Hash == hashBase && a.Hash == hashHref && ns == markup.NsHTML {
		*p = e.valuePlace(a, cut)
		return a.Index >= 0
	}
	rules := e.set.rules.of(a)
	if rules == nil {
		return false
	}
	raw := a.Value.Of(b)
	holds := rules.row != nil && !a.Long
	if holds && !mayHold(rules.row, raw, a.Notation) {
		return false
	}
	hash, name := t.RuleName(b, ns)
	rule := e.pick(rules, hash, name, ns, end)
	if rule == nil {
		return false
	}
	if a.Long || rule.plain && e.hooks.Visit == nil && e.isPlainAbsolute(raw) {
		e.result.Absolute++
		if !a.Long {
			e.passBy()
		}
		return false
	}
	*p = e.valuePlace(a, rule)
	p.checked = holds
	p.local = ns == markup.NsSVG || rule.Local == LocalStay || rule.Local == LocalExpect && mayBeFragment(raw) && e.expects(end)
	p.early = e.isEarly(rule, hash, end)
	if e.hooks.Visit != nil || e.hooks.Unresolvable != nil {
		text := ""
		if e.hooks.Text {
			text = e.linkText(rule, hash, end)
		}
		p.element, p.tag = markup.LowerName(hash, name), e.shownTo(end, text, e.held.Len() > 0 || e.writing.open)
	}
	return true
}

// mayBeFragment reports whether the reference in a value may begin with "#".
func mayBeFragment(raw []byte) bool {
	return len(raw) > 0 && (raw[0] <= ' ' || raw[0] == '#' || raw[0] == '&')
}
