package rewriter

// A queue has the places that wait, in document order: for a base, for the text of
// an SVG style element to end, or for output to be taken.
type queue struct {
	places []place
	gone   int // of places, from the first on
	ready  int // of those that are left, from the first on: they wait for output alone
}

// placeSize is about what a place takes in memory.
const placeSize = 80

func (q *queue) len() int { return len(q.places) - q.gone }

func (q *queue) waiting() int { return q.len() - q.ready }

func (q *queue) first() *place { return &q.places[q.gone] }

// firstWaiting returns where in the input the first place stands that waits for
// more than output.
func (q *queue) firstWaiting() int64 { return q.places[q.gone+q.ready].start }

// from returns the places from the i-th on.
func (q *queue) from(i int) []place { return q.places[q.gone+i:] }

// cut drops the places from the i-th on.
func (q *queue) cut(i int) { q.places = q.places[:q.gone+i] }

func (q *queue) push(p *place) {
	if q.gone == len(q.places) {
		q.places, q.gone = q.places[:0], 0
	}
	q.places = append(q.places, *p)
}

// pop takes the first place out.
func (q *queue) pop() place {
	p := q.places[q.gone]
	q.gone++
	q.ready = max(0, q.ready-1)
	return p
}

// due returns how many places wait for nothing but output.
func (e *engine) due() int {
	switch {
	case !e.decided:
		return e.held.ready
	case e.sheet.rule != nil:
		return e.sheet.held
	}
	return e.held.len()
}

// drain splices the places that are due.
func (e *engine) drain() {
	for e.due() > 0 && e.err == nil && !e.root.paused {
		p := e.held.pop()
		if e.sheet.rule != nil {
			e.sheet.held--
		}
		e.splice(&p)
	}
}
