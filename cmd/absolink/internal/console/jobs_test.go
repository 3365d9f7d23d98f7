package console

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A printer is a worker that prints much, in pieces, and takes its time.
type printer struct {
	pieces, size int
	running      *atomic.Int64
}

func (p printer) do(ui *UI, task int) {
	defer p.running.Add(-1)
	p.running.Add(1)
	if rand.N(20) == 0 {
		time.Sleep(rand.N(time.Millisecond))
	}
	for i := range p.pieces {
		fmt.Fprintf(ui.Stdout, "%d.%d%s\n", task, i, strings.Repeat("x", p.size))
		ui.Print("task %d, piece %d", task, i)
	}
	if task%7 == 3 {
		ui.Damaged()
	}
}

// Whatever tasks print, and when, it appears in their order, and they end.
func TestTasksPrintInOrder(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ tasks, pieces, size int }{
		{1, 3, 10}, {3000, 2, 10}, {12, 3, 1 << 20}, {4, 2, 4<<20 + 1}, {2000, 0, 0}, {0, 0, 0},
	} {
		want, wantErr := new(bytes.Buffer), new(bytes.Buffer)
		running := new(atomic.Int64)
		work := func() Worker { return printer{row.pieces, row.size, running}.do }
		serial := &UI{Stdout: want, Stderr: wantErr}
		Each(serial, 1, row.tasks, work)
		for _, jobs := range []int{2, 5, 64} {
			got, gotErr := new(bytes.Buffer), new(bytes.Buffer)
			u := &UI{Stdout: got, Stderr: gotErr}
			Each(u, jobs, row.tasks, work)
			if !bytes.Equal(got.Bytes(), want.Bytes()) || !bytes.Equal(gotErr.Bytes(), wantErr.Bytes()) || u.Code != serial.Code {
				t.Errorf("%v, %d jobs: %d and %d bytes, not %d and %d; code %d", row, jobs, got.Len(), gotErr.Len(), want.Len(), wantErr.Len(), u.Code)
			}
		}
		if running.Load() != 0 {
			t.Errorf("%v: tasks still run", row)
		}
	}
}

// A stuck is a worker whose first task waits for a signal.
type stuck struct {
	first chan struct{}
	done  *atomic.Int64
}

func (s stuck) do(ui *UI, task int) {
	if task == 0 {
		<-s.first
	}
	fmt.Fprint(ui.Stdout, strings.Repeat("x", 512<<10))
	s.done.Add(1)
}

// What is held while the first task takes its time is bounded, in bytes and in tasks.
func TestTasksDoNotRunAhead(t *testing.T) {
	s := stuck{make(chan struct{}), new(atomic.Int64)}
	ended := make(chan struct{})
	go func() {
		Each(&UI{Stdout: io.Discard, Stderr: io.Discard}, 20, 100, func() Worker { return s.do })
		close(ended)
	}()
	for s.done.Load() < 8 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	if n := s.done.Load(); n > 8 {
		t.Errorf("%d tasks have ended before the first, and may print 4 MiB", n)
	}
	close(s.first)
	<-ended
	if n := s.done.Load(); n != 100 {
		t.Errorf("%d tasks have ended", n)
	}
	q := newQueue(&UI{Stdout: io.Discard, Stderr: io.Discard})
	var begun atomic.Int64
	first := q.begin(0)
	go func() {
		for i := range 2000 {
			q.begin(i + 1).end(ExitDone)
			begun.Add(1)
		}
	}()
	for begun.Load() < 999 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	if n := begun.Load(); n != 999 {
		t.Errorf("%d tasks run ahead", n)
	}
	first.end(ExitDone)
}

// A run has the exit code of its worst part, in whatever order the parts come.
func TestCodesOfParts(t *testing.T) {
	worst := []int{ExitDone, ExitStrict, ExitDamaged, ExitNotDone}
	for i, a := range worst {
		for j, b := range worst {
			u := &UI{Code: a}
			if u.add(b); u.Code != worst[max(i, j)] {
				t.Errorf("%d and %d make %d", a, b, u.Code)
			}
		}
	}
}
