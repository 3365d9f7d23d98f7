package rewriter

import (
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/syntax"
)

// splice keeps the document up to a place, and replaces the place if it gets a new
// value.
func (e *engine) splice(p *place) {
	if e.err != nil {
		return
	}
	raw := e.raw(p.start, p.end)
	if e.splicePlain(p, raw) {
		return
	}
	if p.rule.Syntax != SyntaxURL {
		e.spliceValue(p, raw)
		return
	}
	var value []byte
	e.ref, value = e.valueIn(e.ref[:0], p, raw)
	e.spliceReference(p, rawRef{start: p.start, end: p.end, raw: raw, text: value, value: value}, nil, 0)
}

// spliceReference replaces the front of a reference in a place. The text of the reference
// stands in v from at on. Where v is nil, the text is the whole value.
func (e *engine) spliceReference(p *place, r rawRef, v *charref.Value, at int) {
	if n, mayGo := e.frontOf(r.start, r.raw, r.text, p.form); n < len(r.text) {
		if v == nil {
			v = &e.value
			raw := r.raw
			if mayGo { // the front is ASCII, and so are the bytes that stand for it
				raw = raw[:charset.PrefixLen(raw)]
			}
			v.Decode(p.notation, raw, &e.chars)
		}
		if mayGo {
			r.whole = r.end
		}
		r.end, r.text, r.rest = r.start+docOffset(v.Raw(at+n)-v.Raw(at)), r.text[:n], r.text[n:]
		e.front = e.appendMeaning(e.front[:0], r.text, p, r.cs)
		r.front, r.keeps = e.front, true
	}
	how := writeStyle{
		notation: p.notation, form: p.form, escaped: p.escaped, semicolon: p.semicolon,
		spaces: hasSpacesOf(e.raw(r.start, r.end), r.text),
	}
	if p.rule == cut {
		e.spliceCut(r, how)
	} else if url, what := e.become(p, &r); what == rewritten && e.err == nil {
		how.front = r.keeps
		e.put(r.start, r.end, url, how)
	}
}

// appendMeaning appends what the text of a reference in a place, or a part of the text,
// stands for. cs reads the bytes from 0x80 on.
func (s *scratch) appendMeaning(dst, text []byte, p *place, cs *charset.Charset) []byte {
	if !p.escaped {
		return cs.Text(dst, text)
	}
	s.text = cs.Text(s.text[:0], text)
	return p.form.AppendDecoded(dst, s.text)
}

// spliceCut is spliceReference for the href of a BASE that goes. What is left of the href
// is a fragment, which is the URL of the document, as if there were no BASE.
func (e *engine) spliceCut(r rawRef, how writeStyle) {
	if value := syntax.TrimURL(r.value); e.isUsable() && len(value) > 0 && value[0] != '#' {
		e.put(r.start, r.end, []byte("#"), how)
		e.result.Removed++
	}
}

// splicePlain does the same as splice at less cost, for most places: every byte that is
// read or written stands for itself. It reports whether p is such a place.
func (e *engine) splicePlain(p *place, raw []byte) bool {
	if len(raw) == 0 || !p.rule.plain || !e.usesBase(p) || !e.writesPlain() {
		return false
	}
	class := e.baseClass
	switch {
	case raw[0] == '#':
		if p.local || e.keepsFragments(p) {
			return false
		}
		class = e.fullClass
	case !e.hasPath(raw):
		return false
	}
	if class|classOf(raw) != 0 {
		return false
	}
	e.keep(p.start)
	out, err := e.base.AppendResolve(e.out, raw)
	if err != nil {
		return false
	}
	e.result.Rewritten++
	from := len(e.out)
	e.out = out
	e.replaced(from, p.end)
	return true
}
