// Package waiting holds what has to wait, in order: for a decision, or for nothing but
// output to be taken.
package waiting

// A Queue has the items that wait. While nothing is decided, the first items may be
// ready: these wait for output alone. The zero value is an empty Queue.
//
// Invariant: next and ready are at most len(items).
type Queue[T any] struct {
	items []T
	next  int // items[:next] no longer wait
	ready int // items[next:ready] are ready
}

// Reset empties q. It keeps the memory, unless that is more than limit items.
func (q *Queue[T]) Reset(limit int) {
	items := q.items[:0]
	if cap(items) > limit {
		items = nil
	}
	*q = Queue[T]{items: items}
}

// Len returns how many items wait.
func (q *Queue[T]) Len() int { return len(q.items) - q.next }

// Waiting returns how many items are not ready.
func (q *Queue[T]) Waiting() int { return len(q.items) - max(q.next, q.ready) }

// First returns the first item. There must be one.
func (q *Queue[T]) First() *T { return &q.items[q.next] }

// FirstWaiting returns the first item that is not ready. There must be one.
func (q *Queue[T]) FirstWaiting() *T { return &q.items[max(q.next, q.ready)] }

// Cap returns how many items the memory of q holds.
func (q *Queue[T]) Cap() int { return cap(q.items) }

// Push adds an item.
func (q *Queue[T]) Push(item *T) {
	if q.next == len(q.items) {
		q.items, q.next, q.ready = q.items[:0], 0, 0
	}
	q.items = append(q.items, *item)
}

// PushReady adds an item that is ready, as all before it are.
func (q *Queue[T]) PushReady(item *T) {
	q.Push(item)
	q.ready = len(q.items)
}

// Pop takes the first item out.
func (q *Queue[T]) Pop() T {
	item := q.items[q.next]
	q.next++
	return item
}

// IsDue reports whether the first item waits for nothing but output. decided says that
// the decision has been made.
func (q *Queue[T]) IsDue(decided bool) bool {
	if !decided {
		return q.next < q.ready
	}
	return q.next < len(q.items)
}
