package console

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

// MaxJobs is how many jobs may be done at a time, in any command: each takes memory from
// the beginning.
const MaxJobs = 1 << 12

var ErrJobs = fmt.Errorf("--jobs takes a number from 1 to %d", MaxJobs)

// A Worker does tasks, which are numbered from 0, one after another.
type Worker func(ui *UI, task int)

// Each has n tasks done by several workers at the same time: as many as jobs says, where 0 is
// one for each processor. What the tasks print appears in their order.
func Each(ui *UI, jobs, n int, newWorker func() Worker) {
	jobs = min(cmp.Or(jobs, runtime.GOMAXPROCS(0)), n)
	if jobs <= 1 {
		w := newWorker()
		for task := range n {
			w(ui, task)
		}
		return
	}
	q, part := newQueue(ui), *ui
	part.Code = ExitDone
	var tasks atomic.Int64
	var working sync.WaitGroup
	for range jobs {
		w := newWorker()
		working.Go(func() {
			for task := int(tasks.Add(1)) - 1; task < n; task = int(tasks.Add(1)) - 1 {
				t := q.begin(task)
				its := part
				its.Stdout, its.Stderr = turnWriter{t, &ui.Stdout}, turnWriter{t, &ui.Stderr}
				w(&its, task)
				t.end(its.Code)
			}
		})
	}
	working.Wait()
}

// What a queue holds back at most.
const (
	maxHeld  = 4 << 20 // bytes of all tasks together
	maxAhead = 1000    // tasks
)

// A queue puts what tasks print in the order of the tasks. The first task that has not
// ended prints at once. What those after it print is held, and they wait when too much
// is held; so the first always goes on.
type queue struct {
	ui *UI

	mu    sync.Mutex
	moved sync.Cond     // for a change of first or room
	first int           // the task whose turn it is
	room  int           // how many more bytes may be held
	turns map[int]*turn // of the tasks that have begun and are not printed whole
}

func newQueue(ui *UI) *queue {
	q := &queue{ui: ui, room: maxHeld, turns: map[int]*turn{}}
	q.moved.L = &q.mu
	return q
}

// begin returns the turn of a task, as soon as the task is not too far ahead.
func (q *queue) begin(task int) *turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	for task >= q.first+maxAhead {
		q.moved.Wait()
	}
	t := &turn{q: q, task: task}
	q.turns[task] = t
	return t
}

// A turn is what one task prints.
type turn struct {
	q     *queue
	task  int
	held  []heldPiece
	ended bool
	code  int
}

// A heldPiece is what goes to standard output or standard error of the queue's ui.
type heldPiece struct {
	to    *io.Writer
	bytes []byte
}

// A turnWriter writes to a writer when the turn has come.
type turnWriter struct {
	*turn
	to *io.Writer
}

// Write writes b, or holds it until the turn has come.
func (w turnWriter) Write(b []byte) (int, error) {
	t, q := w.turn, w.q
	q.mu.Lock()
	defer q.mu.Unlock()
	for t.task != q.first && len(b) > q.room {
		q.moved.Wait()
	}
	if t.task != q.first {
		q.room -= len(b)
		if last := len(t.held) - 1; last >= 0 && t.held[last].to == w.to {
			t.held[last].bytes = append(t.held[last].bytes, b...)
		} else {
			t.held = append(t.held, heldPiece{w.to, bytes.Clone(b)})
		}
		return len(b), nil
	}
	if err := t.print(); err != nil {
		return 0, err
	}
	return (*w.to).Write(b)
}

// print writes what is held. It returns the error of standard output. An error of
// standard error, which takes messages, has nowhere to be told.
func (t *turn) print() (err error) {
	for _, p := range t.held {
		t.q.room += len(p.bytes)
		if _, failed := (*p.to).Write(p.bytes); failed != nil && p.to == &t.q.ui.Stdout && err == nil {
			err = failed
		}
	}
	t.held = nil
	t.q.moved.Broadcast()
	return err
}

// end ends the task with an exit code. If it is the first task, the tasks after it that
// have ended are printed too.
func (t *turn) end(code int) {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	t.ended, t.code = true, code
	for next := q.turns[q.first]; next != nil && next.ended; next = q.turns[q.first] {
		q.ui.Wrote(next.print())
		q.ui.add(next.code)
		delete(q.turns, q.first)
		q.first++
		q.moved.Broadcast()
	}
}

// add adds the exit code of a part to the run's exit code.
func (u *UI) add(code int) {
	switch {
	case code == ExitDamaged:
		u.Damaged()
	case code == ExitNotDone, u.Code == ExitDone:
		u.Code = code
	}
}

// AwaitTurn waits until standard output takes what this task prints.
func (u *UI) AwaitTurn() {
	w, ok := u.Stdout.(turnWriter)
	if !ok {
		return
	}
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	for w.task != w.q.first {
		w.q.moved.Wait()
	}
}
