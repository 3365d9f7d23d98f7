package rewriter

import "bytes"

// A value is what a browser reads from a raw value, and where in that its bytes
// come from.
type value struct {
	text    []byte
	offsets []int32 // of text[i] in the raw value, and of its end; empty where they are the same
}

// decode sets v to what the raw bytes of an attribute value stand for. With
// mark, the document's bytes from 0x80 on are marked.
func (v *value) decode(raw []byte, mark bool) {
	v.text, v.offsets = v.text[:0], v.offsets[:0]
	if classOf(raw)&(ampersand|control|nonASCII) == 0 {
		v.text = append(v.text, raw...)
		return
	}
	for i := 0; i < len(raw); {
		n := 0
		before := len(v.text)
		if raw[i] == '&' {
			v.text, n = appendReference(v.text, raw[i:])
		}
		if n == 0 {
			n = 1
			if raw[i] == '\r' && i+1 < len(raw) && raw[i+1] == '\n' {
				n = 2
			}
			v.text = appendDecoded(v.text, raw[i:i+n], mark)
		}
		v.from(i, before)
		i += n
	}
	v.offsets = append(v.offsets, int32(len(raw)))
}

// from says that the text from before on comes from i.
func (v *value) from(i, before int) {
	for range len(v.text) - before {
		v.offsets = append(v.offsets, int32(i))
	}
}

// raw returns where text[i] comes from.
func (v *value) raw(i int) int {
	if len(v.offsets) == 0 {
		return i
	}
	return int(v.offsets[i])
}

// An edit is what is written in place of a part of a raw value.
type edit struct {
	start, end         int // of the part
	textStart, textEnd int // in engine.text
	semicolon          bool
}

// spliceValue is splice for a value in which there are any number of
// references.
func (e *engine) spliceValue(p *place, raw []byte) {
	if p.rule.Syntax == SyntaxCSS && !mayHoldReference(raw, p.quoting) {
		return
	}
	v := &e.value
	e.edits, e.text = e.edits[:0], e.text[:0]
	switch {
	case p.rule.Syntax == SyntaxDocument:
		v.decode(raw, false)
		e.nest(p, v)
	case p.quoting == unescaped: // raw text is what it says
		e.references(p, &value{text: raw}, raw)
	default:
		v.decode(raw, e.rw.marks())
		e.references(p, v, raw)
	}
	if len(e.edits) > 0 && e.writes() && e.err == nil {
		e.apply(p, raw)
	}
}

// references makes the edits of the references in a value.
func (e *engine) references(p *place, v *value, raw []byte) {
	e.refs = findReferences(e.refs[:0], p, v.text)
	for _, r := range e.refs {
		start, end := v.raw(r.start), v.raw(r.end)
		if e.ref = e.ref[:0]; p.quoting == unescaped && e.rw.marks() {
			e.ref = appendMarked(e.ref, r.text...)
		} else {
			e.ref = append(e.ref, r.text...)
		}
		url, what := e.become(p, p.start+int64(start), raw[start:end], trimURL(e.ref))
		if e.err != nil {
			return
		}
		if what != rewritten {
			continue
		}
		ed := edit{start: start, end: end, textStart: len(e.text)}
		e.text = appendForm(e.text, url, r.form)
		ed.textEnd = len(e.text)
		ed.semicolon = r.start > 0 && v.unended(raw, r.start)
		e.edits = append(e.edits, ed)
	}
}

// unended reports whether what stands before text[i] is a character reference
// that no semicolon ends: what follows it may change what it is.
func (v *value) unended(raw []byte, i int) bool {
	start, end := v.raw(i-1), v.raw(i)
	return raw[start] == '&' && end-start > 1 && raw[end-1] != ';'
}

// findReferences appends the references in a value.
func findReferences(dst []reference, p *place, text []byte) []reference {
	switch p.rule.Syntax {
	case SyntaxSrcset:
		return srcsetReferences(dst, text)
	case SyntaxList:
		return listReferences(dst, text)
	case SyntaxCommas:
		return commaReferences(dst, text)
	case SyntaxRefresh:
		return refreshReferences(dst, text)
	case SyntaxCSS:
		return cssReferences(dst, text, p.quoting == unescaped)
	}
	return dst
}

// mayHoldReference reports whether there may be a reference in CSS, given raw. A
// character reference may be any part of one.
func mayHoldReference(raw []byte, q quoting) bool {
	return mayHoldCSSURL(raw) || q != unescaped && bytes.IndexByte(raw, '&') >= 0
}

// nest makes the edits of a document in a value: rewritten as a whole, its base
// its own or this document's.
func (e *engine) nest(p *place, v *value) {
	if e.depth == maxDepth {
		return
	}
	n := e.rw.engine()
	n.reset(nil, e.base)
	n.parent, n.depth, n.origin, n.offsets, n.record = e, e.depth+1, p.start, v.offsets, true
	n.baseErr, n.visitor = e.baseErr, e.visitor
	n.buf, n.eof = v.text, true
	n.advance()
	e.result.add(n.result)
	if n.err != nil {
		e.fail(n.err)
	}
	e.text = append(e.text, n.out...)
	last := kept{}
	for _, k := range append(n.kept, kept{start: len(v.text), end: len(v.text), written: len(n.out)}) {
		if k.start > last.end || k.written > last.written {
			e.edits = append(e.edits, edit{start: v.raw(last.end), end: v.raw(k.start), textStart: last.written, textEnd: k.written})
		}
		last = k
	}
	n.buf = nil
	e.rw.release(n)
}

// maxDepth is how deep documents are nested in attributes before they stay as
// they are.
const maxDepth = 16

// kept is a part of a nested document that stays, and how much had been written
// in place of other parts before it.
type kept struct{ start, end, written int }

// add counts what a nested document's places became.
func (r *Result) add(n Result) {
	r.Rewritten += n.Rewritten
	r.Absolute += n.Absolute
	r.Left += n.Left
	r.Unresolvable += n.Unresolvable
	r.Warnings += n.Warnings
}

// apply writes a value with its edits. One that had no quotes gets them if the
// edits need them.
func (e *engine) apply(p *place, raw []byte) {
	base := int(p.start - e.off)
	e.pass(base)
	requote := p.quoting == unquoted && needsQuotes(e.text)
	quote := byte('"')
	if p.quoting == singleQuoted {
		quote = '\''
	}
	if requote {
		e.out = append(e.out, '"')
	}
	for _, ed := range e.edits {
		e.keepValue(base+ed.start, requote)
		if ed.semicolon {
			e.out = append(e.out, ';')
		}
		if text := e.text[ed.textStart:ed.textEnd]; p.quoting == unescaped {
			e.out = appendText(e.out, text)
		} else {
			e.out = appendQuoted(e.out, text, quote)
		}
		e.passed = base + ed.end
	}
	e.keepValue(base+len(raw), requote)
	if requote {
		e.out = append(e.out, '"')
	}
}

// keepValue passes the window up to end on, which is part of a value that may
// have got quotes.
func (e *engine) keepValue(end int, requoted bool) {
	if !requoted {
		e.pass(end)
		return
	}
	for ; e.passed < end; e.passed++ {
		if c := e.buf[e.passed]; c == '"' {
			e.out = append(e.out, "&quot;"...)
		} else {
			e.out = append(e.out, c)
		}
	}
}
