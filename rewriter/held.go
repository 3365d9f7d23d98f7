package rewriter

import (
	"absolink/rewriter/internal/syntax"
)

// placeSize is about what a place takes in memory.
const placeSize = 80

// place holds a place or splices it.
func (e *engine) place(p *place) {
	switch {
	case !e.decided && (e.held.Waiting() > 0 || e.needsBase(p)):
		e.held.Push(p)
	case e.root.paused:
		e.held.PushReady(p)
	default:
		e.splice(p)
	}
}

// passBy counts a place that nobody wants, and that Visit would have to wait for: Hold ends in
// the same place whoever listens.
func (e *engine) passBy() {
	if !e.decided && e.held.Waiting() > 0 {
		e.passedBy++
	}
}

// keepSettled keeps all that no held place and no unfinished tag withholds.
func (e *engine) keepSettled() {
	if e.err != nil {
		return
	}
	end := e.end()
	switch {
	case e.held.Len() > 0:
		end = e.held.First().start
	case e.text.rule != nil:
		end = e.text.start
	case !e.eof:
		end = e.offsetOf(e.context.Unfinished(e.ready()))
	}
	if end > e.passed {
		e.keep(end)
	}
	if e.ended {
		e.keepTail()
	}
}

// checkHold decides for the outer base if more than Hold bytes are held once the window
// has been read up to pos.
func (e *engine) checkHold(pos int) {
	if e.decided || e.held.Waiting() == 0 || e.parent != nil { // a nested document is in memory anyway
		return
	}
	limit := e.set.Hold
	first := e.held.FirstWaiting().start
	held := int64(e.offsetOf(pos) - first)
	if e.in.Wide != nil {
		held = 2 * (e.rawOffset(e.offsetOf(pos)) - e.rawOffset(first))
	}
	if held+int64(e.held.Waiting()+e.passedBy)*placeSize > int64(limit) {
		e.warn(first, &LimitError{"Hold", int64(limit), "the head goes on from here for more bytes than may be held; a BASE after that does not count"})
		e.settleLate()
	}
}

// tooLong tells Warn of a text that begins at start and is longer than MaxTag. However the input
// comes, Hold is told of before if that was reached before.
func (e *engine) tooLong(start docOffset) {
	e.checkHold(e.index(start) + e.maxTag + 1)
	e.warn(start, errMaxTag(e.maxTag))
}

// needsBase reports whether what becomes of a place may depend on the base that
// is still to be found.
func (e *engine) needsBase(p *place) bool {
	switch {
	case p.rule == cut:
		return true
	case p.early && e.outer.URL != nil && !e.wantsCanonical():
		return false
	}
	raw := e.raw(p.start, p.end)
	if p.rule.Syntax != SyntaxURL {
		return p.checked || mayHold(p.rule.row, raw, p.notation)
	}
	var value []byte
	e.ref, value = e.valueIn(e.ref[:0], p, raw)
	ref := syntax.TrimURL(value)
	if e.isKept(ref) {
		return false
	}
	to := e.target(p, ref)
	return to == toBase || to == toOuter && e.outer.URL == nil
}
