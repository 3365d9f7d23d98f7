package rewriter

import (
	"absolink/resolver"
	"absolink/rewriter/internal/charref"
)

// Reference makes one reference absolute that stands outside of documents: in the header of
// a response, or in a container itself. What becomes of the reference, and who is told, is as
// in a document in UTF-8 whose outer base is base, which may be nil.
//
// p has the reference in Ref, and says where that stands: the hooks are told the same. Of its
// Rule, which may be nil, Empty, Outer and Local, except LocalExpect, count. Reference trims Ref, and sets URL and
// Err. Afterwards, URL is what takes the place of the reference, or "" where that stays. As in
// a document, what follows the first quote, backquote, "<" or ">" of a relative reference is
// the same in URL.
//
// The counts in the result are those of one place. An error is an [*Error] and says that
// Visit failed, or it is the one of CheckBase. What is wrong with base, Warn is told at offset
// 0, as by Rewrite.
func (rw *Rewriter) Reference(p *Place, base *resolver.Base) (Result, error) {
	if err := rw.CheckBase(base); err != nil {
		return Result{}, err
	}
	e := rw.newRun(nil, base)
	e.chars.Of = nil // Ref is UTF-8
	e.lone = loneReference{place: p, ref: p.Ref}
	e.splicer = &e.lone
	if p.Rule != nil {
		e.lone.rule.Rule = Rule{Empty: p.Rule.Empty, Local: p.Rule.Local, Outer: p.Rule.Outer}
	}
	if e.refused != nil {
		e.warnOf(0, e.refused)
	}
	e.decideOuter()
	e.buf = append(e.buf, p.Ref...)
	rule := &e.lone.rule
	e.splice(&place{end: e.end(), rule: rule, notation: charref.Plain, local: rule.Local == LocalStay})
	if e.result.Rewritten+e.result.Absolute == 0 {
		p.URL = ""
	}
	result, err := e.result, e.err
	e.free()
	return result, err
}
