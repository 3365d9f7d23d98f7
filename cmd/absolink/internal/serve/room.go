package serve

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// A room is the memory that several documents take together. Documents enter it in the order
// in which they ask, so that small ones never keep a large one waiting for good.
type room struct {
	size, least int64 // in bytes: all of it, and what any document counts for
	weights     *semaphore.Weighted

	documents, taken atomic.Int64 // how many are in the room, and how many bytes they count for
}

func newRoom(size, least int64) *room {
	return &room{size: size, least: least, weights: semaphore.NewWeighted(size)}
}

// weight returns what a document counts for that may take n bytes. If that is more than
// the room has, the document counts for all of it, and is alone there.
func (r *room) weight(n int64) int64 { return min(max(n, r.least), r.size) }

// enter waits until there is room for a document that may take n bytes.
func (r *room) enter(ctx context.Context, n int64) (*stay, error) {
	if err := r.weights.Acquire(ctx, r.weight(n)); err != nil {
		return nil, err
	}
	return r.entered(n), nil
}

// tryEnter is enter for a document that does not wait.
func (r *room) tryEnter(n int64) (s *stay, ok bool) {
	if !r.weights.TryAcquire(r.weight(n)) {
		return nil, false
	}
	return r.entered(n), true
}

func (r *room) entered(n int64) *stay {
	weight := r.weight(n)
	r.documents.Add(1)
	r.taken.Add(weight)
	return &stay{room: r, weight: weight}
}

// A stay is the room that a document has, until it leaves.
type stay struct {
	room *room

	mu     sync.Mutex
	weight int64
	over   bool
}

// shrink has the document count for n bytes, if it counted for more.
func (s *stay) shrink(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if less := s.weight - s.room.weight(n); less > 0 && !s.over {
		s.release(less)
	}
}

// leave ends the stay, if it has not ended.
func (s *stay) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.over = true
		s.room.documents.Add(-1)
		s.release(s.weight)
	}
}

func (s *stay) release(n int64) {
	s.weight -= n
	s.room.taken.Add(-n)
	s.room.weights.Release(n)
}
