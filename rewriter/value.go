package rewriter

import (
	"bytes"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/mark"
	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/syntax"
)

// A value is what a browser reads from a raw value, and where in that its bytes
// come from.
type value struct {
	text      []byte
	stretches []stretch
	decoded   bool // text may be more than a copy of the raw value
}

// A stretch is where text comes from that stands in the raw value as it is: text[text]
// is raw[raw], and so on up to the next. What is before the first stands where
// it does in text.
type stretch struct{ text, raw int32 }

// rawOf returns where in the raw value text[i] comes from.
func rawOf(stretches []stretch, i int) int {
	low, high := 0, len(stretches) // what is before low begins at i or before, what is from high on after that
	for low < high {
		if middle := (low + high) / 2; int(stretches[middle].text) <= i {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == 0 {
		return i
	}
	r := stretches[low-1]
	return int(r.raw) + i - int(r.text)
}

// raw returns where text[i] comes from; with its length, where it ends.
func (v *value) raw(i int) int { return rawOf(v.stretches, i) }

// rawSpan returns where what a reference replaces comes from.
func (v *value) rawSpan(r syntax.Reference) (start, end int) {
	start, end = r.Span()
	return v.raw(start), v.raw(end)
}

// reset empties v.
func (v *value) reset() {
	v.text, v.stretches, v.decoded = v.text[:0], v.stretches[:0], false
}

// comes says that what is text[i:] comes from raw on, unless that is known.
func (v *value) comes(i, raw int) {
	if n := len(v.stretches); n == 0 && i == raw || n > 0 && int(v.stretches[n-1].raw)+i-int(v.stretches[n-1].text) == raw {
		return
	}
	v.stretches = append(v.stretches, stretch{int32(i), int32(raw)})
}

// from says that each byte of the text from before on comes from raw.
func (v *value) from(raw, before int) {
	for i := before; i < len(v.text); i++ {
		v.comes(i, raw)
	}
}

// plain appends raw[start:end], whose bytes stand for themselves.
func (v *value) plain(raw []byte, start, end int) {
	v.comes(len(v.text), start)
	v.text = append(v.text, raw[start:end]...)
}

// decode sets v to what the raw bytes of an attribute value stand for, those
// from 0x80 on by cs.
func (v *value) decode(raw []byte, cs *charset.Charset) {
	v.reset()
	if ascii.ClassOf(raw)&(ascii.Ampersand|ascii.Control|ascii.NonASCII) == 0 {
		v.text = append(v.text, raw...)
		return
	}
	v.decoded = true
	for i := 0; i < len(raw); {
		before := len(v.text)
		if n := ascii.PlainLen(raw[i:]); n > 0 {
			v.plain(raw, i, i+n)
			i += n
			continue
		}
		n := 0
		if raw[i] == '&' {
			v.text, n = charref.AppendReference(v.text, raw[i:])
		}
		if n == 0 {
			n = v.appendLiteral(raw[i:], cs)
		}
		v.from(i, before)
		i += n
	}
	v.comes(len(v.text), len(raw))
}

// appendLiteral appends what raw begins with, which is no character reference: a
// character, or a newline. It returns its length.
func (v *value) appendLiteral(raw []byte, cs *charset.Charset) (n int) {
	if raw[0] >= utf8.RuneSelf {
		v.text, n = cs.Next(v.text, raw)
		return n
	}
	n = 1
	if bytes.HasPrefix(raw, []byte("\r\n")) {
		n = 2
	}
	v.text = charref.AppendDecoded(v.text, raw[:n], nil)
	return n
}

// decodeText is decode for text in which there are no character references.
func (v *value) decodeText(raw []byte, cs *charset.Charset) {
	v.reset()
	if cs == nil || ascii.IsASCII(raw) {
		v.text = append(v.text, raw...)
		return
	}
	v.decoded = true
	for i := 0; i < len(raw); {
		if start := i; raw[i] < utf8.RuneSelf {
			for i < len(raw) && raw[i] < utf8.RuneSelf {
				i++
			}
			v.plain(raw, start, i)
			continue
		}
		before, n := len(v.text), 0
		v.text, n = cs.Next(v.text, raw[i:])
		v.from(i, before)
		i += n
	}
	v.comes(len(v.text), len(raw))
}

// kept returns v with its memory alone, and of that not what an exceptional value
// took.
func (v *value) kept() value {
	return value{text: keep(v.text, 1<<20), stretches: keep(v.stretches, 1<<17)}
}

// A valueRun is a value with any number of references in it that is being written,
// one after another: what has been resolved is written at once, however long it
// is. Where the output pauses in it, all that follows it waits.
type valueRun struct {
	open bool
	p    place
	v    *value           // what the raw value stands for: decoded, or literal
	cs   *charset.Charset // reads the bytes from 0x80 on in the references
	refs []syntax.Reference
	next int // of refs

	// A document in the value.
	child  *engine
	marks  *charset.Charset // reads the bytes from 0x80 on in what the child writes
	at     int              // in the document: what comes before has been written
	stayed bool             // the part just before that stays

	decoded, literal value
}

// spliceValue is splice for a value in which there are any number of
// references.
func (e *engine) spliceValue(p *place, raw []byte) {
	inPlace := p.quoting == markup.Unescaped && e.chars.IsInPlace(raw)
	if p.rule.Syntax == SyntaxCSS && !inPlace && !mayHoldReference(raw, p.quoting) {
		return
	}
	w := &e.writing
	w.open, w.p, w.v = true, *p, &w.decoded
	switch {
	case p.quoting == markup.Comment:
		w.stands(raw)
		e.nest(false)
	case p.rule.Syntax == SyntaxDocument:
		cs := e.chars.Unicode(raw)
		w.v.read(p.quoting, raw, cs)
		e.nest(cs == nil && ascii.ClassOf(raw)&ascii.NonASCII != 0)
	case p.quoting == markup.Unescaped && !inPlace:
		w.v.decodeText(raw, &e.chars)
		e.references()
	case inPlace, ascii.ClassOf(raw)&(ascii.Ampersand|ascii.Control|ascii.NonASCII) == 0:
		w.stands(raw)
		w.cs = e.chars.OfUTF8()
		e.references()
	default:
		w.v.read(p.quoting, raw, &e.chars)
		e.references()
	}
	e.writeValue()
}

// stands makes raw the value: it is what it says.
func (w *valueRun) stands(raw []byte) {
	w.literal = value{text: raw}
	w.v = &w.literal
}

// writeValue goes on with the value that is being written, if there is one, to its
// end or to where the output pauses.
func (e *engine) writeValue() {
	w := &e.writing
	for w.open && e.err == nil && !e.root.paused {
		switch {
		case w.child != nil:
			e.writeNested()
		case w.next < len(w.refs):
			w.next++
			e.writeReference(&w.refs[w.next-1])
		default:
			e.closeValue()
		}
	}
}

// closeValue ends the value that is being written.
func (e *engine) closeValue() {
	w := &e.writing
	*w = valueRun{decoded: w.decoded, refs: w.refs[:0]}
}

// rawValue returns the raw bytes of the value that is being written.
func (e *engine) rawValue() []byte {
	p := &e.writing.p
	return e.buf[p.start-e.off : p.end-e.off]
}

// references finds the references in the value.
func (e *engine) references() {
	w := &e.writing
	if w.p.rule.Syntax.isJSON() {
		if err := w.p.rule.Syntax.checkJSON(w.v.text); err != nil {
			e.warn(w.p.start, err)
			return
		}
	}
	w.refs = findReferences(w.refs[:0], &w.p, w.v.text)
}

// writeReference writes what becomes of a reference in the value.
func (e *engine) writeReference(r *syntax.Reference) {
	w := &e.writing
	ref := r.In(w.v.text)
	if e.isPlainAbsolute(w.p.rule, ref) {
		e.result.Absolute++
		return
	}
	start, end := w.v.rawSpan(*r)
	raw := e.rawValue()
	w.p.form = r.Form
	url, what := e.become(&w.p, w.p.start+int64(start), raw[start:end], e.readReference(w.v, r, ref, w.cs))
	if what == rewritten && e.err == nil {
		e.text = syntax.AppendForm(e.text[:0], url, r.Form)
		e.edit(start, end, e.text, r.Start > 0 && w.v.unended(raw, int(r.Start)))
	}
}

// edit writes text in place of the raw value from start to end. semicolon says that
// one has to end what stands before.
func (e *engine) edit(start, end int, text []byte, semicolon bool) {
	if !e.writes() {
		return
	}
	w := &e.writing
	base := int(w.p.start - e.off)
	e.pass(base + start)
	from := len(e.out)
	if semicolon {
		e.out = append(e.out, ';')
	}
	e.out = appendInValue(e.out, text, w.p.quoting)
	e.replaced(from, base+end)
}

// appendInValue appends text so that it reads back as it is in a value that is
// quoted as q, and stays so.
func appendInValue(dst, text []byte, q markup.Quoting) []byte {
	switch {
	case q == markup.Comment: // a document, whose values are written already
		return append(dst, text...)
	case q == markup.Unescaped:
		return mark.AppendText(dst, text)
	case q == markup.Decoded:
		return appendCharacters(dst, text)
	case q == markup.SingleQuoted:
		return charref.AppendQuoted(dst, text, '\'')
	case q == markup.Unquoted:
		return charref.AppendUnquoted(dst, text)
	}
	return charref.AppendQuoted(dst, text, '"')
}

// readReference returns what a reference in a value, which is ref itself, stands for.
// The bytes from 0x80 on in the value are read by cs.
func (e *engine) readReference(v *value, r *syntax.Reference, ref []byte, cs *charset.Charset) []byte {
	text := v.text[r.Start:r.End]
	switch {
	case r.Form == syntax.FormPattern: // which the resolver does not see: bytes of the document stay
		e.ref = syntax.AppendJSONDecoded(e.ref[:0], text, cs != nil || !v.decoded)
		return e.ref
	case r.Form == syntax.FormJSON || r.Form == syntax.FormSpecifier:
		e.ref = syntax.AppendJSONDecoded(e.ref[:0], text, cs != nil)
	case r.Form.IsCSS() && cs != nil && ascii.ClassOf(ref)&ascii.NonASCII != 0: // of the document or of an escape
		e.url = cs.Text(e.url[:0], text)
		e.ref = syntax.AppendCSSDecoded(e.ref[:0], e.url)
	default:
		e.ref = cs.Text(e.ref[:0], ref)
	}
	return e.ref
}

// unended reports whether what stands before text[i] is a character reference
// that no semicolon ends: what follows it may change what it is.
func (v *value) unended(raw []byte, i int) bool {
	start, end := v.raw(i-1), v.raw(i)
	return raw[start] == '&' && end-start > 1 && raw[end-1] != ';'
}

// findReferences appends the references in a value.
func findReferences(dst []syntax.Reference, p *place, text []byte) []syntax.Reference {
	if p.rule.Local.keeps(text) {
		return dst
	}
	switch p.rule.Syntax {
	case SyntaxSrcset:
		return syntax.SrcsetReferences(dst, text)
	case SyntaxList:
		return syntax.ListReferences(dst, text)
	case SyntaxCommas:
		return syntax.Separated{Separator: ',', Form: syntax.FormComma, Keys: p.rule.Keys}.References(dst, text)
	case SyntaxSemicolons:
		return syntax.Separated{Separator: ';', Form: syntax.FormSemicolon, Keys: p.rule.Keys}.References(dst, text)
	case SyntaxImage:
		return syntax.ImageReferences(dst, text)
	case SyntaxImageSet:
		return syntax.ImageSetReferences(dst, text)
	case SyntaxRefresh:
		return syntax.RefreshReferences(dst, text)
	case SyntaxCSS:
		return syntax.CssReferences(dst, text, p.quoting == markup.Unescaped, p.rule.Keys)
	case SyntaxImportMap:
		return syntax.ImportMapReferences(dst, text)
	case SyntaxSpeculation:
		return syntax.SpeculationReferences(dst, text)
	}
	return dst
}

// mayHoldReference reports whether there may be a reference in CSS, given raw. A
// character reference may be any part of one.
func mayHoldReference(raw []byte, q markup.Quoting) bool {
	switch q {
	case markup.Characters, markup.Cdata:
		return true
	case markup.Unescaped:
		return syntax.MayHoldCSSURL(raw)
	}
	return bytes.IndexByte(raw, '(') >= 0 && syntax.MayHoldCSSURL(raw) || bytes.IndexByte(raw, '&') >= 0
}

// nest begins a document in the value: rewritten as a whole, its base its own or
// this document's. same says that its bytes from 0x80 on are what they are in
// this document.
func (e *engine) nest(same bool) {
	if e.depth == maxDepth {
		return
	}
	w := &e.writing
	n := e.rw.engine()
	n.begins(nil, e.base)
	n.splicer = (*nested)(e)
	n.parent, n.root, n.depth, n.origin, n.stretches = e, e.root, e.depth+1, w.p.start, w.v.stretches
	n.baseErr, n.visitor = e.baseErr, e.visitor
	n.chars.Of = nil
	if w.p.quoting == markup.Comment {
		n.continues(e)
		n.chars = e.chars
	}
	if same {
		w.marks = charset.Marking
	}
	n.holds(w.v.text)
	w.child = n
}

// maxDepth is how deep documents are nested in attributes before they stay as
// they are.
const maxDepth = 16

// writeNested goes on with the document in the value.
func (e *engine) writeNested() {
	w := &e.writing
	n := w.child
	n.advance()
	if n.err != nil {
		e.fail(n.err)
	}
	if n.done || n.err != nil {
		w.child = nil
		e.result.Add(n.result)
		e.rw.release(n)
	}
}

// nested is told what becomes of the document in a value, and writes it there.
type nested engine

func (n *nested) Keep(end int64) error {
	n.writing.at, n.writing.stayed = int(end), true
	return nil
}

func (n *nested) Replace(end int64, b []byte) error {
	e, w := (*engine)(n), &n.writing
	start := w.v.raw(w.at)
	e.text = w.marks.Text(e.text[:0], b)
	e.edit(start, w.v.raw(int(end)), e.text, w.stayed && w.v.unended(e.rawValue(), w.at))
	w.at, w.stayed = int(end), false
	return nil
}

// put writes ASCII in place of the window up to end.
func (e *engine) put(s string, end int) {
	from := len(e.out)
	if e.writes() {
		e.out = append(e.out, s...)
	}
	e.replaced(from, end)
}
