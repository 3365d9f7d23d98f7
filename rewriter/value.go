package rewriter

import (
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/syntax"
)

// spliceValue is splice for a value in which there are any number of
// references.
func (e *engine) spliceValue(p *place, raw []byte) {
	inPlace := p.notation == charref.RawText && e.chars.IsInPlace(raw)
	if !inPlace && !p.holds && !mayHold(p.rule.row, raw, p.notation) {
		return
	}
	w := &e.writing
	w.begin(p)
	w.plain = p.rule.isOrdinary() && e.baseHeld && e.writesPlain()
	switch {
	case p.notation == charref.Comment:
		w.stands(raw)
		e.nest(false)
	case p.rule.row.Document:
		cs := e.chars.Unicode(raw)
		w.v.Decode(p.notation, raw, cs)
		e.nest(cs == nil && ascii.ClassOf(raw)&ascii.NonASCII != 0)
	case p.notation == charref.RawText && !inPlace:
		w.v.DecodeText(raw, &e.chars)
		e.references()
	case inPlace, ascii.PlainLen(raw) == len(raw):
		w.stands(raw)
		w.cs = e.chars.OfUTF8()
		e.references()
	default:
		w.v.Decode(p.notation, raw, &e.chars)
		e.references()
	}
	e.writeValue()
}

// writeValue goes on with the value that is being written, if any, to its end or to
// where the output pauses.
func (e *engine) writeValue() {
	w := &e.writing
	for w.open && e.err == nil && !e.root.paused {
		switch {
		case w.next < len(w.refs):
			w.next++
			e.writeReference(&w.refs[w.next-1])
		case w.child != nil:
			e.writeNested()
		default:
			e.closeValue()
		}
	}
}

// closeValue ends the value that is being written.
func (e *engine) closeValue() {
	w := &e.writing
	w.open, w.refs = false, w.refs[:0]
}

// rawValue returns the raw bytes of the value that is being written.
func (e *engine) rawValue() []byte {
	p := &e.writing.p
	return e.raw(p.start, p.end)
}

// references finds the references in the value.
func (e *engine) references() {
	w := &e.writing
	row := w.p.rule.row
	if row.Check != nil {
		if err := row.Check(w.v.Text); err != nil {
			e.warn(w.p.start, err)
			return
		}
	}
	w.refs = findReferences(w.refs[:0], &w.p, w.v.Text)
}

// findReferences appends the references in a value.
func findReferences(dst []syntax.Reference, p *place, text []byte) []syntax.Reference {
	row := p.rule.row
	if row.Find == nil || p.rule.Local.keeps(text) {
		return dst
	}
	return row.Find(dst, text, syntax.Options{Keys: p.rule.Keys, Text: p.notation == charref.RawText})
}

// writeReference writes what becomes of a reference in the value.
func (e *engine) writeReference(r *syntax.Reference) {
	w := &e.writing
	text := r.Of(w.v.Text)
	if !r.Escaped && r.Form != syntax.FormPattern && w.p.rule.isOrdinary() && e.isPlainAbsolute(text) {
		e.result.Absolute++
		return
	}
	if w.plain && e.writePlain(r, text) {
		return
	}
	start, end := w.v.Raw(int(r.Start)), w.v.Raw(int(r.End))
	raw := e.rawValue()
	ref := reference{start: w.p.start + offset(start), raw: raw[start:end]}
	e.ref = e.appendReference(e.ref[:0], r, text)
	ref.value, ref.newline = e.ref, r.Escaped && r.Form.HidesNewline(text)
	if n := e.frontOf(ref.start, ref.raw, text, r.Form); n < len(text) {
		text, end = text[:n], w.v.Raw(int(r.Start)+n)
		e.front = e.appendReference(e.front[:0], r, text)
		ref.front, ref.keeps = e.front, true
	}
	w.p.form = r.Form
	if url, what := e.become(&w.p, ref); what == rewritten && e.err == nil {
		e.edit(start, end, url, written{
			form: r.Form, spaces: hasSpacesOf(raw[start:end], text), escaped: r.Escaped,
			semicolon: r.Start > 0 && w.v.IsUnended(raw, int(r.Start)),
		})
	}
}

// writePlain does the same as writeReference at less cost, for most references: every byte
// that is read or written stands for itself in the form. It reports whether the reference,
// which is not absolute, is one of them.
func (e *engine) writePlain(r *syntax.Reference, text []byte) bool {
	w := &e.writing
	bits := ascii.ClassOf(text) | e.baseClass
	switch {
	case r.Escaped || len(text) == 0 || bits&^ascii.Ampersand != 0 || !e.hasPath(text):
		return false
	case r.Form == syntax.FormSpecifier || r.Form == syntax.FormPattern || r.Form == syntax.FormScript:
		return false
	}
	start, end, semicolon := int(r.Start), int(r.End), false
	if w.v.Decoded {
		semicolon = start > 0 && w.v.IsUnended(e.rawValue(), start)
		start, end = w.v.Raw(start), w.v.Raw(end)
	}
	if semicolon || !charref.IsPlain(bits, w.p.notation) {
		url, err := e.base.AppendResolve(e.part[:0], text)
		if err != nil {
			return false
		}
		e.part = url
		e.edit(start, end, url, written{semicolon: semicolon})
	} else {
		e.keep(w.p.start + offset(start))
		out, err := e.base.AppendResolve(e.out, text)
		if err != nil {
			return false
		}
		from, end := len(e.out), w.p.start+offset(end)
		e.out = out
		if w.v.Decoded && e.closesMarkup(from, end) {
			e.escapeLast(w.p.notation, r.Form)
		}
		e.replaced(from, end)
	}
	e.result.Rewritten++
	return true
}

// appendReference appends what a text, which is the text of a reference in the value or its
// front, stands for.
func (e *engine) appendReference(dst []byte, r *syntax.Reference, text []byte) []byte {
	w := &e.writing
	cs := w.cs
	if r.Form == syntax.FormPattern && !w.v.Decoded { // a pattern is not resolved: the document's bytes stay
		cs = charset.Marking
	}
	if !r.Escaped {
		return cs.Text(dst, text)
	}
	e.url = cs.Text(e.url[:0], text)
	return r.Form.AppendDecoded(dst, e.url)
}

// edit writes text in place of the raw value from start to end.
func (e *engine) edit(start, end int, text []byte, how written) {
	p := &e.writing.p
	how.notation = p.notation
	e.write(p.start+offset(start), p.start+offset(end), text, how)
}

// spliceInSheet is splice for a reference in the text of a style element in SVG.
func (e *engine) spliceInSheet(p *place, raw []byte) {
	v := &e.value
	v.Reset(true)
	v.AppendContent(p.notation, raw, 0, len(raw), &e.chars)
	text, end := v.Text, p.end
	e.ref = p.form.AppendDecoded(e.ref[:0], text)
	r := reference{start: p.start, raw: raw, value: e.ref, newline: p.form.HidesNewline(text)}
	if n := e.frontOf(p.start, raw, text, p.form); n < len(text) {
		text, end = text[:n], p.start+offset(v.Raw(n))
		e.front = p.form.AppendDecoded(e.front[:0], text)
		r.front, r.keeps = e.front, true
	}
	how := written{notation: p.notation, form: p.form, semicolon: p.semicolon}
	how.spaces = hasSpacesOf(e.raw(p.start, end), text)
	if url, what := e.become(p, r); what == rewritten {
		e.write(p.start, end, url, how)
	}
}
