package rewriter

import (
	"errors"
	"slices"

	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/syntax"
)

// errGap is the warning for a reference in a style element in SVG that is not in one
// piece.
var errGap = errors.New("a comment or a tag is in the middle of the reference; it stays as it is")

// beginSheet looks for a rule for the text of a style element in SVG, whose
// start tag was followed.
func (e *engine) beginSheet() {
	t := e.context.Tag()
	if e.rw.set.text == nil || e.sheet.rule != nil || e.inSheet || t.IsSkipped() || t.SelfClosing {
		return
	}
	s := &e.sheet
	s.rule = e.pick(e.rw.set.text, t.Hash, t.Name.Of(e.buf[t.Start:]), markup.NsSVG, t.Pos)
	if s.rule == nil {
		return
	}
	e.held.OpenGroup()
	e.context.Watch()
	s.start, s.gap, s.gaps = e.offsetOf(e.context.Pos()), -1, s.gaps[:0]
}

// sheetTag follows a tag that stands in the text, or ends it.
func (e *engine) sheetTag() {
	s := &e.sheet
	depth, known := e.context.Depth()
	if !known || e.limitSheet(e.context.Pos()) {
		return
	}
	if s.gap < 0 {
		s.gap = e.tagOffset()
	}
	switch {
	case depth < 0:
		e.endSheet(s.gap)
	case depth == 0:
		s.gaps = append(s.gaps, markup.NewSpan(int(s.gap-s.start), int(e.offsetOf(e.context.Pos())-s.start)))
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
	case e.context.InTag(): // the input ends in it, so it is not a tag
		e.endSheet(e.tagOffset())
	default:
		e.endSheet(e.end())
	}
}

// limitSheet gives the text up if it is longer than MaxTag, where it has been read up
// to end in the window. It reports whether it did.
func (e *engine) limitSheet(end int) bool {
	s := &e.sheet
	limit := s.start + offset(e.maxTag())
	if s.rule == nil || e.offsetOf(end) <= limit {
		return false
	}
	e.checkHold(e.index(limit + 1))
	e.warn(s.start, errMaxTag(e.maxTag()))
	e.dropSheet()
	return true
}

// dropSheet gives the text up.
func (e *engine) dropSheet() {
	e.sheet.places = append(e.sheet.places[:0], e.held.Group()...)
	e.closeSheet()
}

// closeSheet goes on with the places in the text and its gaps.
func (e *engine) closeSheet() {
	s := &e.sheet
	s.rule = nil
	e.context.Unwatch()
	e.held.CloseGroup()
	for i := range s.places {
		e.place(&s.places[i])
	}
}

// endSheet finds the references in the text, which ends at end. Each is a place of
// its own.
func (e *engine) endSheet(end offset) {
	e.checkHold(e.context.Pos())
	s := &e.sheet
	raw := e.raw(s.start, end)
	v := &e.value
	s.pieces = markup.DecodeContent(v, s.pieces[:0], raw, s.gaps, &e.chars)
	e.refs = e.refs[:0]
	sheet := place{rule: s.rule, notation: charref.RawText}
	if mayHold(s.rule.row, v.Text, sheet.notation) {
		e.refs = findReferences(e.refs, &sheet, v.Text)
	}
	inGaps, i := e.held.Group(), 0
	s.places = slices.Grow(s.places[:0], len(e.refs)+len(inGaps))
	for _, r := range e.refs {
		for i+1 < len(s.pieces) && s.pieces[i+1].Start <= int(r.Start) {
			i++
		}
		p, ok := placeOf(v, r, s.pieces[i:], raw, s.start)
		if !ok {
			e.warn(p.start, errGap)
			continue
		}
		for len(inGaps) > 0 && inGaps[0].start < p.start {
			s.places = append(s.places, inGaps[0])
			inGaps = inGaps[1:]
		}
		p.rule, p.element, p.local, p.early = s.rule, "style", true, e.isEarly(s.rule, 0, 0)
		s.places = append(s.places, p)
	}
	s.places = append(s.places, inGaps...)
	e.closeSheet()
}

// placeOf returns the place of a reference in the text v, whose raw value stands at at.
// The reference begins in the first of the pieces. It is not ok if the reference does not
// end there.
func placeOf(v *charref.Value, r syntax.Reference, pieces []markup.Piece, raw []byte, at offset) (p place, ok bool) {
	start, end := int(r.Start), int(r.End)
	p = place{start: at + offset(v.Raw(start)), end: at + offset(v.Raw(end)), form: r.Form, escaped: r.Escaped, notation: pieces[0].Notation}
	next := len(v.Text)
	if len(pieces) > 1 {
		next = pieces[1].Start
	}
	if end == next {
		p.end = at + offset(pieces[0].End)
	}
	p.semicolon = start > pieces[0].Start && v.IsUnended(raw, start)
	return p, end <= next
}
