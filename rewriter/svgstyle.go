package rewriter

import (
	"bytes"
	"errors"
	"slices"

	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/mark"
	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/syntax"
)

// A sheet is the text of a style element in SVG while it is read. It is markup
// and no raw text: what it says is the character data and the CDATA sections in
// the element itself, and all else in it, comments, tags and child elements, is
// a gap in that. The places in the gaps wait for those in the text, of which
// nothing is known before its end.
type sheet struct {
	rule    *Rule           // nil where no such element is open
	foreign *markup.Foreign // that it is open in
	start   int64           // of the text in the input
	gap     int64           // where the child element that is open begins, or -1
	gaps    []markup.Span   // tags and child elements, from start
	held    int             // from engine.held.at(held) on are the places in the gaps

	// Scratch.
	pieces []piece
	places []place
}

// A piece is a part of a value in which there is no gap.
type piece struct {
	start   int // in the value
	end     int // in the raw value
	quoting markup.Quoting
}

// errGap is what Warn is told of a reference in a style element in SVG that is
// not in one piece.
var errGap = errors.New("a comment or a tag is in the middle of the reference; it stays as it is")

// beginSheet looks for a rule for the text of a style element in SVG, whose
// start tag is in e.scan.
func (e *engine) beginSheet() {
	t := &e.scan.Tag
	if e.rw.set.text == nil || e.sheet.rule != nil || e.inSheet || t.Skip || t.SelfClosing {
		return
	}
	s := &e.sheet
	s.rule = e.pick(e.rw.set.text, t.Hash, t.Name.Of(e.buf[t.Start:]), markup.NsSVG, t.Pos)
	s.foreign, s.held = e.foreign, e.held.len()
	s.foreign.Sheet = len(s.foreign.Open()) - 1
	s.start, s.gap, s.gaps = e.off+int64(e.scan.Pos), -1, s.gaps[:0]
}

// sheetTag follows a tag that stands in the text, or ends it.
func (e *engine) sheetTag() {
	s := &e.sheet
	if s.foreign != e.foreign || e.limitSheet(e.scan.Pos) {
		return
	}
	if s.gap < 0 {
		s.gap = e.tagOffset()
	}
	switch n := len(e.foreign.Open()) - 1; {
	case n < e.foreign.Sheet:
		e.endSheet(s.gap)
	case n == e.foreign.Sheet:
		s.gaps = append(s.gaps, markup.NewSpan(int(s.gap-s.start), int(e.off-s.start)+e.scan.Pos))
		s.gap = -1
	}
}

// cutSheet ends the text where the input does.
func (e *engine) cutSheet() {
	s := &e.sheet
	if s.rule == nil || e.limitSheet(len(e.buf)) {
		return
	}
	switch {
	case s.gap >= 0:
		e.endSheet(s.gap)
	case e.scan.State == markup.InTag: // which is none
		e.endSheet(e.tagOffset())
	default:
		e.endSheet(e.off + int64(len(e.buf)))
	}
}

// limitSheet gives the text up if what has been read up to end in the window is
// longer than MaxTag, and reports that.
func (e *engine) limitSheet(end int) bool {
	s := &e.sheet
	limit := s.start + int64(e.maxTag())
	if s.rule == nil || e.off+int64(end) <= limit {
		return false
	}
	e.checkHold(int(limit + 1 - e.off))
	e.warn(s.start, errMaxTag(e.maxTag()))
	e.dropSheet()
	return true
}

// dropSheet gives the text up.
func (e *engine) dropSheet() {
	e.sheet.places = append(e.sheet.places[:0], e.held.from(e.sheet.held)...)
	e.closeSheet()
}

// closeSheet goes on with the places in the text and its gaps.
func (e *engine) closeSheet() {
	s := &e.sheet
	s.rule = nil
	e.held.cut(s.held)
	for i := range s.places {
		e.place(&s.places[i])
	}
}

// endSheet finds the references in the text, which ends at end in the input.
// Each is a place of its own.
func (e *engine) endSheet(end int64) {
	e.checkHold(e.scan.Pos)
	s := &e.sheet
	raw := e.buf[s.start-e.off : end-e.off]
	v := &e.value
	s.pieces = v.decodeSheet(s.pieces[:0], raw, s.gaps, &e.chars)
	e.refs = e.refs[:0]
	if syntax.MayHoldCSSURL(v.text) {
		e.refs = syntax.CssReferences(e.refs, v.text, true, s.rule.Keys)
	}
	inGaps, i := e.held.from(s.held), 0
	s.places = slices.Grow(s.places[:0], len(e.refs)+len(inGaps))
	for _, r := range e.refs {
		for i+1 < len(s.pieces) && s.pieces[i+1].start <= int(r.Start) {
			i++
		}
		p, ok := v.placeOf(r, s.pieces[i:], raw)
		p.start, p.end = p.start+s.start, p.end+s.start
		if !ok {
			e.warn(p.start, errGap)
			continue
		}
		for len(inGaps) > 0 && inGaps[0].start < p.start {
			s.places = append(s.places, inGaps[0])
			inGaps = inGaps[1:]
		}
		p.rule, p.element, p.local = s.rule, "style", true
		s.places = append(s.places, p)
	}
	s.places = append(s.places, inGaps...)
	e.closeSheet()
}

// placeOf returns the place, in the raw value, of a reference that begins in the
// first of the pieces; not ok if it does not end there.
func (v *value) placeOf(r syntax.Reference, pieces []piece, raw []byte) (p place, ok bool) {
	start, end := r.Span()
	p = place{start: int64(v.raw(start)), end: int64(v.raw(end)), form: r.Form, quoting: pieces[0].quoting}
	next := len(v.text)
	if len(pieces) > 1 {
		next = pieces[1].start
	}
	if end == next {
		p.end = int64(pieces[0].end)
	}
	p.semicolon = start > pieces[0].start && v.unended(raw, start)
	return p, end <= next
}

// spliceInSheet is splice for a reference in the text of a style element in SVG.
func (e *engine) spliceInSheet(p *place, raw []byte) {
	v := &e.value
	v.reset()
	v.decoded = true
	v.appendContent(raw, 0, len(raw), p.quoting, &e.chars)
	e.ref = syntax.AppendCSSDecoded(e.ref[:0], v.text)
	url, what := e.become(p, p.start, raw, e.ref)
	if what != rewritten {
		return
	}
	e.text = syntax.AppendForm(e.text[:0], url, p.form)
	e.pass(int(p.start - e.off))
	from := len(e.out)
	if e.writes() {
		if p.semicolon {
			e.out = append(e.out, ';')
		}
		e.out = appendSheetText(e.out, e.text)
	}
	e.replaced(from, int(p.end-e.off))
}

// appendSheetText appends CSS that appendCSS wrote so that it reads back as it is in
// character data and in a CDATA section: "&" is an escape of CSS, as "<" and ">" are
// already.
func appendSheetText(dst, text []byte) []byte {
	start := len(dst)
	dst = mark.AppendText(dst, text)
	if bytes.IndexByte(dst[start:], '&') < 0 {
		return dst
	}
	return append(dst[:start], bytes.ReplaceAll(dst[start:], []byte("&"), []byte(`\26 `))...)
}

// decodeSheet sets v to what the raw text with its gaps stands for, and appends
// the pieces of it.
func (v *value) decodeSheet(pieces []piece, raw []byte, gaps []markup.Span, cs *charset.Charset) []piece {
	v.reset()
	v.decoded = true
	start := 0
	for _, gap := range gaps {
		pieces = v.decodeContent(pieces, raw, start, int(gap.Start), cs)
		start = int(gap.End)
	}
	pieces = v.decodeContent(pieces, raw, start, len(raw), cs)
	v.comes(len(v.text), len(raw))
	return pieces
}

// decodeContent appends what raw[start:end], in which there is no tag, stands
// for.
func (v *value) decodeContent(pieces []piece, raw []byte, start, end int, cs *charset.Charset) []piece {
	for i := start; i < end; {
		text, q := i, markup.Characters
		var next int
		switch rest := raw[i:end]; {
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			text, q = i+len("<![CDATA["), markup.Cdata
			i, next = cs.IndexAfter(raw[:end], text, "]]>")
		case beginsMarkup(rest):
			i = commentEnd(raw[:end], i)
			continue
		default:
			i = textEnd(raw[:end], i)
			next = i
		}
		if before := len(v.text); text < i {
			v.appendContent(raw, text, i, q, cs)
			pieces = append(pieces, piece{before, i, q})
		}
		i = next
	}
	return pieces
}

// textEnd returns where the text at b[i] ends.
func textEnd(b []byte, i int) int {
	for i < len(b) && !beginsMarkup(b[i:]) {
		n := bytes.IndexByte(b[i+1:], '<')
		if n < 0 {
			return len(b)
		}
		i += 1 + n
	}
	return i
}

// beginsMarkup reports whether b, in which there is no tag, begins with markup.
func beginsMarkup(b []byte) bool {
	return len(b) > 1 && b[0] == '<' && (b[1] == '!' || b[1] == '?' || b[1] == '/' && len(b) > 2)
}

// commentEnd returns where the comment at b[i] ends, or what counts as one.
func commentEnd(b []byte, i int) int {
	s := markup.Scanner{State: markup.InBogus, Pos: i + len("<!")}
	if bytes.HasPrefix(b[i:], []byte("<!--")) {
		s.Pos += len("--")
		s.CommentStart(b, true)
	}
	switch s.State {
	case markup.InComment:
		s.SkipPast(b, markup.IsCommentEnd, 0)
	case markup.InBogus:
		s.SkipPast(b, func([]byte) bool { return true }, 0)
	}
	return s.Pos
}

// appendContent appends what raw[i:end] stands for, character data or that of a
// CDATA section. Bytes from 0x80 on are read by cs.
func (v *value) appendContent(raw []byte, i, end int, q markup.Quoting, cs *charset.Charset) {
	for i < end {
		n := 0
		before := len(v.text)
		if q == markup.Characters && raw[i] == '&' {
			v.text, n = charref.AppendTextReference(v.text, raw[i:end])
		}
		if n == 0 {
			n = v.appendLiteral(raw[i:end], cs)
		}
		v.from(i, before)
		i += n
	}
}
