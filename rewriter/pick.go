package rewriter

import (
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/markup"
)

// pick returns the first of the rules that fits the tag's element, or nil. The tag is
// known up to end.
func (e *engine) pick(rules *attrRules, hash uint64, name []byte, ns markup.Namespace, end int) *rule {
	if of := rules.byElement.Get(hash, name); of != nil {
		for _, r := range *of {
			if !r.conditional || e.fits(r, ns, end) {
				return r.unlessDrop()
			}
		}
	}
	for _, r := range rules.every {
		if !r.conditional || e.fits(r, ns, end) {
			return r.unlessDrop()
		}
	}
	return nil
}

// fits reports whether the conditions of a rule hold for the tag, which is known up to
// end.
func (e *engine) fits(r *rule, ns markup.Namespace, end int) bool {
	if r.SVG && ns != markup.NsSVG {
		return false
	}
	if r.when.attr == "" {
		return true
	}
	value, has := e.attr(r.when.attr, end)
	return r.when.holds(value, has, end == e.context.Tag().Pos)
}

// attr returns the value of the first attribute of a name in the tag, which is known up
// to end. The value is good until the next call.
func (e *engine) attr(name string, end int) (value []byte, ok bool) {
	t := e.context.Tag()
	raw, ok := t.Value(e.buf[t.Start:t.Start+end], name)
	if e.inTree {
		return raw, ok
	}
	e.attrValue = charref.AppendDecoded(e.attrValue[:0], raw, nil)
	return e.attrValue, ok
}
