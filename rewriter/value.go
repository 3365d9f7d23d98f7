package rewriter

import (
	"bytes"
	"unicode/utf8"
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
func (v *value) decode(raw []byte, cs *charset) {
	v.reset()
	if classOf(raw)&(ampersand|control|nonASCII) == 0 {
		v.text = append(v.text, raw...)
		return
	}
	v.decoded = true
	for i := 0; i < len(raw); {
		before := len(v.text)
		if n := plainLen(raw[i:]); n > 0 {
			v.plain(raw, i, i+n)
			i += n
			continue
		}
		n := 0
		if raw[i] == '&' {
			v.text, n = appendReference(v.text, raw[i:])
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
func (v *value) appendLiteral(raw []byte, cs *charset) (n int) {
	if raw[0] >= utf8.RuneSelf {
		v.text, n = cs.next(v.text, raw)
		return n
	}
	n = 1
	if bytes.HasPrefix(raw, []byte("\r\n")) {
		n = 2
	}
	v.text = appendDecoded(v.text, raw[:n], nil)
	return n
}

// decodeText is decode for text in which there are no character references.
func (v *value) decodeText(raw []byte, cs *charset) {
	v.reset()
	if cs == nil || isASCII(raw) {
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
		v.text, n = cs.next(v.text, raw[i:])
		v.from(i, before)
		i += n
	}
	v.comes(len(v.text), len(raw))
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
	v := &e.value
	e.edits, e.text = e.edits[:0], e.text[:0]
	switch inPlace := p.quoting == unescaped && e.chars.isInPlace(raw); {
	case p.rule.Syntax == SyntaxCSS && !inPlace && !mayHoldReference(raw, p.quoting):
		return
	case p.quoting == comment && e.baseEndsComment(raw):
		e.warn(p.start, errCommentEnd)
	case p.quoting == comment:
		e.nest(p, &value{text: raw}, false)
	case p.rule.Syntax == SyntaxDocument:
		cs := e.chars.unicode(raw)
		v.read(p.quoting, raw, cs)
		e.nest(p, v, cs == nil && classOf(raw)&nonASCII != 0)
	case p.quoting == unescaped && !inPlace:
		v.decodeText(raw, &e.chars)
		e.references(p, v, raw, nil)
	case inPlace, classOf(raw)&(ampersand|control|nonASCII) == 0: // it is what it says
		e.references(p, &value{text: raw}, raw, e.chars.ofUTF8())
	default:
		v.read(p.quoting, raw, &e.chars)
		e.references(p, v, raw, nil)
	}
	if len(e.edits) > 0 && e.writes() && e.err == nil {
		e.apply(p, raw)
	}
}

// references makes the edits of the references in a value. Their bytes from 0x80
// on are read by cs.
func (e *engine) references(p *place, v *value, raw []byte, cs *charset) {
	if p.rule.Syntax.isJSON() && !holdsJSON(v.text) {
		e.warn(p.start, errNoJSON)
		return
	}
	e.refs = findReferences(e.refs[:0], p, v.text)
	for _, r := range e.refs {
		if e.isPlainAbsolute(p.rule, r.text) {
			e.result.Absolute++
			continue
		}
		start, end := v.raw(r.start), v.raw(r.end)
		p.form = r.form
		url, what := e.become(p, p.start+int64(start), raw[start:end], e.readReference(v, r, cs))
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

// readReference returns what a reference in a value says. The bytes from 0x80 on
// in the value are read by cs.
func (e *engine) readReference(v *value, r reference, cs *charset) []byte {
	text := v.text[r.start:r.end]
	switch {
	case r.form == formPattern: // which the resolver does not see: bytes of the document stay
		e.ref = appendJSONDecoded(e.ref[:0], text, cs != nil || !v.decoded)
		return e.ref
	case r.form == formJSON:
		e.ref = appendJSONDecoded(e.ref[:0], text, cs != nil)
	case r.form.isCSS() && cs != nil && classOf(r.text)&nonASCII != 0: // of the document or of an escape
		e.url = cs.text(e.url[:0], text)
		e.ref = appendCSSDecoded(e.ref[:0], e.url)
	default:
		e.ref = cs.text(e.ref[:0], r.text)
	}
	return trimURL(e.ref)
}

// unended reports whether what stands before text[i] is a character reference
// that no semicolon ends: what follows it may change what it is.
func (v *value) unended(raw []byte, i int) bool {
	start, end := v.raw(i-1), v.raw(i)
	return raw[start] == '&' && end-start > 1 && raw[end-1] != ';'
}

// findReferences appends the references in a value.
func findReferences(dst []reference, p *place, text []byte) []reference {
	if p.rule.Local.keeps(text) {
		return dst
	}
	switch p.rule.Syntax {
	case SyntaxSrcset:
		return srcsetReferences(dst, text)
	case SyntaxList:
		return listReferences(dst, text)
	case SyntaxCommas:
		return separated{',', formComma, p.rule.Keys}.references(dst, text)
	case SyntaxSemicolons:
		return separated{';', formSemicolon, p.rule.Keys}.references(dst, text)
	case SyntaxImage:
		return imageReferences(dst, text)
	case SyntaxImageSet:
		return imageSetReferences(dst, text)
	case SyntaxRefresh:
		return refreshReferences(dst, text)
	case SyntaxCSS:
		return cssReferences(dst, text, p.quoting == unescaped, p.rule.Keys)
	case SyntaxImportMap:
		return importMapReferences(dst, text)
	case SyntaxSpeculation:
		return speculationReferences(dst, text)
	}
	return dst
}

// mayHoldReference reports whether there may be a reference in CSS, given raw. A
// character reference may be any part of one.
func mayHoldReference(raw []byte, q quoting) bool {
	switch q {
	case characters, cdata:
		return true
	case unescaped:
		return mayHoldCSSURL(raw)
	}
	return bytes.IndexByte(raw, '(') >= 0 && mayHoldCSSURL(raw) || bytes.IndexByte(raw, '&') >= 0
}

// nest makes the edits of a document in a value: rewritten as a whole, its base
// its own or this document's. same says that its bytes from 0x80 on are what
// they are in this document.
func (e *engine) nest(p *place, v *value, same bool) {
	if e.depth == maxDepth {
		return
	}
	n := e.rw.engine()
	n.begins(nil, e.base)
	n.parent, n.depth, n.origin, n.stretches, n.record = e, e.depth+1, p.start, v.stretches, true
	n.baseErr, n.visitor = e.baseErr, e.visitor
	n.chars.of = nil
	if p.quoting == comment {
		n.continues(e)
		n.chars = e.chars
	}
	n.read(v.text)
	if n.err != nil {
		e.fail(n.err)
	}
	raw := e.buf[p.start-e.off : p.end-e.off]
	var cs *charset
	if same {
		cs = marking
	}
	last := kept{}
	for _, k := range append(n.kept, kept{start: len(v.text), end: len(v.text), written: len(n.out)}) {
		if k.start > last.end || k.written > last.written {
			ed := edit{start: v.raw(last.end), end: v.raw(k.start), textStart: len(e.text)}
			ed.semicolon = last.end > 0 && v.unended(raw, last.end)
			e.text = cs.text(e.text, n.out[last.written:k.written])
			ed.textEnd = len(e.text)
			e.edits = append(e.edits, ed)
		}
		last = k
	}
	if p.quoting == comment && len(e.edits) > 0 && e.visitor != nil && e.editsEndComment(v.text) {
		e.edits = e.edits[:0]
		n.result.Left, n.result.Rewritten, n.result.Removed = n.result.Left+n.result.Rewritten, 0, 0
		e.warn(p.start, errCommentEnd)
	}
	e.result.Add(n.result)
	e.rw.release(n)
}

// maxDepth is how deep documents are nested in attributes before they stay as
// they are.
const maxDepth = 16

// kept is a part of a nested document that stays, and how much had been written
// in place of other parts before it.
type kept struct{ start, end, written int }

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
		e.put(`"`, base)
	}
	for _, ed := range e.edits {
		e.keepValue(base+ed.start, requote)
		from := len(e.out)
		if ed.semicolon {
			e.out = append(e.out, ';')
		}
		switch text := e.text[ed.textStart:ed.textEnd]; p.quoting {
		case comment: // a document, whose values are written already
			e.out = append(e.out, text...)
		case unescaped:
			e.out = appendText(e.out, text)
		case decoded:
			e.out = appendCharacters(e.out, text)
		default:
			e.out = appendQuoted(e.out, text, quote)
		}
		e.replaced(from, base+ed.end)
	}
	e.keepValue(base+len(raw), requote)
	if requote {
		e.put(`"`, e.passed)
	}
}

// put writes ASCII in place of the window up to end.
func (e *engine) put(s string, end int) {
	from := len(e.out)
	if e.writes() {
		e.out = append(e.out, s...)
	}
	e.replaced(from, end)
}

// keepValue passes the window up to end on, which is part of a value that may
// have got quotes.
func (e *engine) keepValue(end int, requoted bool) {
	for requoted {
		n := bytes.IndexByte(e.buf[e.passed:end], '"')
		if n < 0 {
			break
		}
		e.pass(e.passed + n)
		e.put("&quot;", e.passed+1)
	}
	e.pass(end)
}
