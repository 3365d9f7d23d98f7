// Package waiting holds what has to wait, in order: for a decision, for the end of a
// group, or for nothing but output to be taken.
package waiting

// A Queue has the items that wait. While nothing is decided, the first items may be
// ready: these wait for output alone. The last items may form an open group. The zero
// value is not ready to use: see Reset.
//
// Invariants: next <= len(items); next <= group and ready <= group where group is not -1.
type Queue[T any] struct {
	items []T
	next  int // items[:next] no longer wait
	ready int // items[next:ready] are ready
	group int // items[group:] are the open group; -1 if none is open
}

// Reset empties q. It keeps the memory, unless that is more than limit items.
func (q *Queue[T]) Reset(limit int) {
	items := q.items[:0]
	if cap(items) > limit {
		items = nil
	}
	*q = Queue[T]{items: items, group: -1}
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
		q.items, q.next, q.ready, q.group = q.items[:0], 0, 0, min(q.group, 0)
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

// OpenGroup opens a group: the items that are pushed from now on belong to it.
func (q *Queue[T]) OpenGroup() { q.group = len(q.items) }

// Group returns the items of the open group. They are good until the next Push.
func (q *Queue[T]) Group() []T { return q.items[q.group:] }

// CloseGroup takes the items of the open group out, and closes the group.
func (q *Queue[T]) CloseGroup() { q.items, q.group = q.items[:q.group], -1 }

// IsDue reports whether the first item waits for nothing but output. decided says that
// the decision has been made.
func (q *Queue[T]) IsDue(decided bool) bool {
	switch {
	case !decided:
		return q.next < q.ready
	case q.group >= 0:
		return q.next < q.group
	}
	return q.next < len(q.items)
}
