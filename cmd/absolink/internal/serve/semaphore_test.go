package serve

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Documents that are worked on together never take more than Memory, and never are more
// than Jobs. One that may take more is worked on alone, and none waits for good.
func TestMemory(t *testing.T) {
	var documents, taken, most, sum atomic.Int64
	s := &Server{Jobs: 4, Memory: 400, Queue: 1000}
	raise := func(highest *atomic.Int64, to int64) {
		for before := highest.Load(); to > before && !highest.CompareAndSwap(before, to); before = highest.Load() {
		}
	}
	server := startServer(t, s, func(ctx context.Context, x *Exchange) error {
		weight := min(max(weightIn(x), 100), 400)
		raise(&most, documents.Add(1))
		raise(&sum, taken.Add(weight))
		_, err := io.Copy(io.Discard, x.Body)
		documents.Add(-1)
		taken.Add(-weight)
		return err
	})
	answers := make(chan error)
	n := 0
	for range 20 {
		for _, weight := range []int64{0, 1, 100, 150, 200, 300, 400, 401, 1 << 62} {
			n++
			go func() {
				resp, err := http.Post(fmt.Sprintf("%s/do?weight=%d", server.URL, weight), "text/plain", strings.NewReader(strings.Repeat("x", 300<<10)))
				if err == nil {
					resp.Body.Close()
				}
				if err == nil && resp.StatusCode != 200 {
					err = fmt.Errorf("weight %d: %s", weight, resp.Status)
				}
				answers <- err
			}()
		}
	}
	for range n {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	if most.Load() > 4 || sum.Load() > 400 {
		t.Errorf("%d documents together, with %d bytes", most.Load(), sum.Load())
	}
}

// A large document that waits comes before small ones that ask after it.
func TestMemoryOrder(t *testing.T) {
	m := newMemorySemaphore(10, 1)
	first, err := m.acquire(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	large := make(chan *lease)
	go func() {
		l, err := m.acquire(context.Background(), 10)
		if err != nil {
			t.Error(err)
		}
		large <- l
	}()
	for {
		free, ok := m.tryAcquire(1)
		if !ok {
			break // the large one waits
		}
		free.release()
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.acquire(ctx, 1); err == nil {
		t.Error("a small one comes before the large one")
	}
	first.release()
	second := <-large
	if _, ok := m.tryAcquire(1); ok {
		t.Error("all is acquired, and one more is")
	}
	second.reduce(7)
	second.reduce(8) // changes nothing
	third, ok := m.tryAcquire(3)
	if _, more := m.tryAcquire(1); !ok || more {
		t.Error("3 bytes are free, and not 4")
	}
	second.release()
	second.release() // changes nothing
	second.reduce(0)
	third.release()
	if m.documents.Load() != 0 || m.acquired.Load() != 0 {
		t.Errorf("%d documents are left, with %d bytes", m.documents.Load(), m.acquired.Load())
	}
}
