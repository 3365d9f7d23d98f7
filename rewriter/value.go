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
	isInPlace := p.notation.IsText() && e.chars.IsInPlace(raw)
	if !isInPlace && !p.checked && !mayHold(p.rule.row, raw, p.notation) {
		return
	}
	w := &e.writing
	w.begin(p)
	w.plain = p.rule.ordinary && e.usesBase(p) && e.baseHeld && e.writesPlain()
	switch {
	case p.notation == charref.Comment:
		w.stands(raw)
		e.nest(false)
	case p.rule.Syntax == SyntaxDocument:
		cs := e.chars.Unicode(raw)
		w.v.Decode(p.notation, raw, cs)
		e.nest(cs == nil && ascii.ClassOf(raw)&ascii.NonASCII != 0)
	case p.notation.IsText() && !isInPlace:
		w.v.DecodeText(raw, &e.chars)
		e.references()
	case isInPlace, ascii.PlainLen(raw) == len(raw):
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
			w.open, w.refs = false, w.refs[:0]
		}
	}
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
	if row.Find == nil || p.rule.Local.exempts(text) {
		return dst
	}
	return row.Find(dst, text, syntax.Options{Keys: p.rule.Keys, Text: p.notation.IsText()})
}

// writeReference writes what becomes of a reference in the value.
func (e *engine) writeReference(r *syntax.Reference) {
	w := &e.writing
	text := r.Of(w.v.Text)
	if !r.Escaped && r.Form != syntax.FormPattern && w.p.rule.ordinary && e.hooks.Visit == nil && e.isPlainAbsolute(text) {
		e.result.Absolute++
		return
	}
	if w.plain && e.writePlain(r, text) {
		return
	}
	cs := w.cs
	if r.Form == syntax.FormPattern && !w.v.Decoded { // a pattern is not resolved: the document's bytes stay
		cs = charset.Marking
	}
	start, end, raw := w.v.Raw(int(r.Start)), w.v.Raw(int(r.End)), e.rawOf(&w.p)
	w.p.form, w.p.escaped = r.Form, r.Escaped
	w.p.semicolon = r.Start > 0 && w.v.IsUnended(raw, int(r.Start))
	e.ref = e.appendMeaning(e.ref[:0], text, &w.p, cs)
	e.spliceReference(&w.p, rawRef{
		start: w.p.start + docOffset(start), end: w.p.start + docOffset(end), raw: raw[start:end], text: text,
		value: e.ref, cs: cs, newline: r.Escaped && r.Form.HidesNewline(text),
	}, w.v, int(r.Start))
}

// writePlain does the same as writeReference at less cost, for most references: every byte
// that is read or written stands for itself in the form. It reports whether the reference,
// which is not absolute, is one of them.
func (e *engine) writePlain(r *syntax.Reference, text []byte) bool {
	w := &e.writing
	bits := classOf(text) | e.baseClass
	switch {
	case r.Escaped || len(text) == 0 || bits&^ascii.Ampersand != 0 || !e.hasPath(text):
		return false
	case r.Form == syntax.FormSpecifier || r.Form == syntax.FormPattern || r.Form == syntax.FormScript:
		return false
	}
	start, end, semicolon := int(r.Start), int(r.End), false
	if w.v.Decoded {
		semicolon = start > 0 && w.v.IsUnended(e.rawOf(&w.p), start)
		start, end = w.v.Raw(start), w.v.Raw(end)
	}
	if semicolon || !charref.IsPlain(bits, w.p.notation) {
		url, err := e.base.AppendResolve(e.part[:0], text)
		if err != nil {
			return false
		}
		e.part = url
		e.edit(start, end, url, writeStyle{semicolon: semicolon})
	} else {
		e.keep(w.p.start + docOffset(start))
		out, err := e.base.AppendResolve(e.out, text)
		if err != nil {
			return false
		}
		from, end := len(e.out), w.p.start+docOffset(end)
		e.out = out
		if w.v.Decoded && e.closesMarkup(from, end) {
			e.escapeLast(w.p.notation, r.Form)
		}
		e.replaced(from, end)
	}
	e.result.Rewritten++
	return true
}

// edit writes text in place of the raw value from start to end.
func (e *engine) edit(start, end int, text []byte, how writeStyle) {
	p := &e.writing.p
	how.notation = p.notation
	e.put(p.start+docOffset(start), p.start+docOffset(end), text, how)
}
