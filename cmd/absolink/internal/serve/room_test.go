package serve

import (
	"bytes"
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
	r := newRoom(10, 1)
	first, err := r.enter(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	large := make(chan *stay)
	go func() {
		s, err := r.enter(context.Background(), 10)
		if err != nil {
			t.Error(err)
		}
		large <- s
	}()
	for {
		free, ok := r.tryEnter(1)
		if !ok {
			break // the large one waits
		}
		free.leave()
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.enter(ctx, 1); err == nil {
		t.Error("a small one comes before the large one")
	}
	first.leave()
	second := <-large
	if _, ok := r.tryEnter(1); ok {
		t.Error("the room is full, and takes one more")
	}
	second.shrink(7)
	second.shrink(8) // changes nothing
	third, ok := r.tryEnter(3)
	if _, more := r.tryEnter(1); !ok || more {
		t.Error("3 bytes are free, and not 4")
	}
	second.leave()
	second.leave() // changes nothing
	second.shrink(0)
	third.leave()
	if r.documents.Load() != 0 || r.taken.Load() != 0 {
		t.Errorf("%d documents are left, with %d bytes", r.documents.Load(), r.taken.Load())
	}
}

// What is known of a body before it is worked on: how long it is, and what it begins with.
func TestStart(t *testing.T) {
	type known struct {
		start  string // at most 5 bytes
		whole  bool
		length int64
	}
	long := strings.Repeat("x", 300<<10)
	for _, test := range []struct {
		name, coding string
		half         bool
		body         io.Reader
		want         known
	}{
		{"none", "", false, nil, known{"", true, 0}},
		{"short", "", false, strings.NewReader("short"), known{"short", true, 5}},
		{"long", "", false, strings.NewReader(long), known{"xxxxx", false, 300 << 10}},
		{"short, of no known length", "", true, io.MultiReader(strings.NewReader("short")), known{"short", true, 5}},
		{"long, of no known length", "", false, io.MultiReader(strings.NewReader(long)), known{"xxxxx", false, -1}},
		{"held back", "", true, io.MultiReader(strings.NewReader(long[:waitMemory])), known{"xxxxx", true, waitMemory}},
		{"long, held back", "", true, io.MultiReader(strings.NewReader(long)), known{"xxxxx", false, 300 << 10}},
		{"in a file", "", true, io.MultiReader(strings.NewReader(long), bytes.NewReader(make([]byte, 2*pumpMemory))), known{"xxxxx", false, 300<<10 + 2*pumpMemory}},
		{"short, in a coding", "gzip", false, strings.NewReader("\x1f\x8b\x08"), known{"\x1f\x8b\x08", true, -1}},
	} {
		var got known
		s := &Server{Jobs: 1, Memory: 1, HalfDuplex: test.half}
		server := startServer(t, s, echo)
		s.Handle("POST /known", func(x *Exchange) int64 {
			start, whole := x.Start()
			got = known{string(start[:min(len(start), 5)]), whole, x.Length()}
			return 0
		}, echo)
		r, _ := http.NewRequest("POST", server.URL+"/known", test.body)
		r.Header.Set("Content-Encoding", test.coding)
		if test.coding == "" {
			r.Header.Del("Content-Encoding")
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}
