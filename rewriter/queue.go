package rewriter

// A queue has the places that wait, in document order: for a base, for the text of
// an SVG style element to end, or for output to be taken. No place waits anywhere
// else.
//
// Invariant: next <= len(places); next <= sheet and ready <= sheet where sheet is not -1.
type queue struct {
	places []place
	next   int // places[:next] are no longer held
	ready  int // places[next:ready] wait for output alone; the base is undecided
	sheet  int // places[sheet:] stand in the open SVG style element; -1 where none is open
}

// placeSize is about what a place takes in memory.
const placeSize = 80

func (q *queue) len() int { return len(q.places) - q.next }

// waiting returns how many places wait for more than output while the base is
// undecided.
func (q *queue) waiting() int { return len(q.places) - max(q.next, q.ready) }

func (q *queue) first() *place { return &q.places[q.next] }

// firstWaiting returns where the first place stands that waits for more than output.
func (q *queue) firstWaiting() offset { return q.places[max(q.next, q.ready)].start }

func (q *queue) push(p *place) {
	if q.next == len(q.places) {
		q.places, q.next, q.ready, q.sheet = q.places[:0], 0, 0, min(q.sheet, 0)
	}
	q.places = append(q.places, *p)
}

// pushReady is push for a place that waits for output alone, as all before it do.
func (q *queue) pushReady(p *place) {
	q.push(p)
	q.ready = len(q.places)
}

// pop takes the first place out.
func (q *queue) pop() place {
	p := q.places[q.next]
	q.next++
	return p
}

// openSheet says that the places which are pushed from now on stand in an SVG style
// element.
func (q *queue) openSheet() { q.sheet = len(q.places) }

// inSheet returns the places in the open SVG style element.
func (q *queue) inSheet() []place { return q.places[q.sheet:] }

// closeSheet takes the places in the SVG style element out.
func (q *queue) closeSheet() { q.places, q.sheet = q.places[:q.sheet], -1 }

// isDue reports whether the first place waits for nothing but output. decided says
// that the base cannot change any more.
func (q *queue) isDue(decided bool) bool {
	switch {
	case !decided:
		return q.next < q.ready
	case q.sheet >= 0:
		return q.next < q.sheet
	}
	return q.next < len(q.places)
}

// place holds a place or splices it.
func (e *engine) place(p *place) {
	switch {
	case e.sheet.rule != nil, !e.decided && (e.held.waiting() > 0 || e.needsBase(p)):
		e.held.push(p)
	case e.root.paused:
		e.held.pushReady(p)
	default:
		e.splice(p)
	}
}

// drain splices the places that are due.
func (e *engine) drain() {
	for e.held.isDue(e.decided) && e.err == nil && !e.root.paused {
		p := e.held.pop()
		e.splice(&p)
	}
}

// release keeps all that no held place and no unfinished tag withholds.
func (e *engine) release() {
	if e.err != nil {
		return
	}
	end := e.window.end()
	switch {
	case e.held.len() > 0:
		end = e.held.first().start
	case e.text.rule != nil:
		end = e.text.start
	case !e.eof:
		end = e.offsetOf(e.context.Unfinished(len(e.buf)))
	}
	if e.sheet.rule != nil {
		end = min(end, e.sheet.start)
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
	if e.decided || e.held.waiting() == 0 || e.parent != nil { // a nested document is in memory anyway
		return
	}
	limit := e.rw.Hold
	if limit == 0 {
		limit = defaultHold
	}
	first := e.held.firstWaiting()
	held := int64(e.offsetOf(pos) - first)
	if e.in.Wide != nil {
		held = 2 * (e.rawOffset(e.offsetOf(pos)) - e.rawOffset(first))
	}
	if held+int64(e.held.waiting())*placeSize > int64(limit) {
		e.warn(first, errHold(limit))
		e.settleLate()
	}
}
