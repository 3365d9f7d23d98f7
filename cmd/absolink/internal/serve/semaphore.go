package serve

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// A memorySemaphore bounds how much memory several documents take together. Documents acquire
// it in the order in which they ask, so that small ones never keep a large one waiting for good.
type memorySemaphore struct {
	size, least int64 // in bytes: all of it, and what any document counts for
	weighted    *semaphore.Weighted

	documents, acquired atomic.Int64 // how many have a lease, and how many bytes they count for
}

func newMemorySemaphore(size, least int64) *memorySemaphore {
	return &memorySemaphore{size: size, least: least, weighted: semaphore.NewWeighted(size)}
}

// weight returns what a document counts for that may take n bytes. If that is more than
// there is, the document counts for all of it, and is alone.
func (m *memorySemaphore) weight(n int64) int64 { return min(max(n, m.least), m.size) }

// acquire waits until a document may take n bytes.
func (m *memorySemaphore) acquire(ctx context.Context, n int64) (*lease, error) {
	if err := m.weighted.Acquire(ctx, m.weight(n)); err != nil {
		return nil, err
	}
	return m.lease(n), nil
}

// tryAcquire is acquire for a document that does not wait.
func (m *memorySemaphore) tryAcquire(n int64) (l *lease, ok bool) {
	if !m.weighted.TryAcquire(m.weight(n)) {
		return nil, false
	}
	return m.lease(n), true
}

func (m *memorySemaphore) lease(n int64) *lease {
	weight := m.weight(n)
	m.documents.Add(1)
	m.acquired.Add(weight)
	return &lease{semaphore: m, weight: weight}
}

// A lease is the memory that a document has acquired.
type lease struct {
	semaphore *memorySemaphore

	mu       sync.Mutex
	weight   int64 // 0 after release
	released bool
}

// reduce has the document count for n bytes, if it counted for more.
func (l *lease) reduce(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free(max(0, l.weight-l.semaphore.weight(n)))
}

// release ends the lease, if it has not ended.
func (l *lease) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free(l.weight)
	if !l.released {
		l.released = true
		l.semaphore.documents.Add(-1)
	}
}

// free gives n bytes back.
func (l *lease) free(n int64) {
	l.weight -= n
	l.semaphore.acquired.Add(-n)
	l.semaphore.weighted.Release(n)
}
