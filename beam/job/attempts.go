package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// room bounds how many archives the process works on, whatever the engine starts. An archive
// that is worked on alone takes all of it.
var room struct {
	once sync.Once
	*semaphore.Weighted
	size int64
}

// A slot is the right to work on an archive: how much of room it takes.
type slot int64

func (w *Worker) slot(ctx context.Context) (*slot, error) {
	room.once.Do(func() {
		room.size = int64(cmp.Or(w.options.Workers, runtime.GOMAXPROCS(0)))
		room.Weighted = semaphore.NewWeighted(room.size)
	})
	s := new(slot)
	return s, s.take(ctx, 1)
}

// take waits until the slot has a size, instead of the one that it had.
func (s *slot) take(ctx context.Context, size int64) error {
	room.Release(int64(*s))
	*s = 0
	err := room.Acquire(ctx, size)
	if err == nil {
		*s = slot(size)
	}
	return err
}

func (s *slot) release() { room.Release(int64(*s)) }

// attempts does an archive, and writes a dead letter if that fails. An archive that changed
// while it was read is tried again, and so is one whose process ended: another error would
// come again. A Fault is returned.
func (w *Worker) attempts(ctx context.Context, t Task, do func(src *Source) error) error {
	s, err := w.slot(ctx)
	if err != nil {
		return err
	}
	defer s.release()
	key := reportKey(t)
	for attempt := 1; ; attempt++ {
		err := recovered(func() error {
			src, err := OpenSource(ctx, t.Input)
			if err != nil {
				return err
			}
			var before Report
			if ok, err := w.out.ReadJSON(ctx, key, &before); err != nil {
				return err
			} else if valid, err := w.valid(ctx, t, src, &before); ok && valid || err != nil {
				return err
			}
			if attempt, err = w.begin(ctx, t, key, before.Attempts, attempt, s); err != nil {
				return err
			}
			return do(src)
		})
		switch {
		case err == nil || errors.Is(err, errBuried):
			return nil
		case w.isStop(ctx, err):
			return errors.Join(err, w.forget(ctx, key))
		case !errors.Is(err, errChanged) || attempt >= w.options.Attempts:
			return w.bury(ctx, t, err, attempt)
		}
		if err := wait(ctx, pause<<min(attempt, 8)); err != nil {
			return err
		}
	}
}

// isStop reports whether an error stops the job, and is not the fault of an archive. It
// keeps the error for FaultOf.
func (w *Worker) isStop(ctx context.Context, err error) bool {
	var stop *Fault
	if errors.As(err, &stop) {
		faults.LoadOrStore(w.options.Out, stop)
	}
	return stop != nil || ctx.Err() != nil
}

// A begun is the mark of an attempt. It is written where the report will stand, before the
// attempt begins, so that it also counts an attempt whose process ended.
type begun struct {
	Attempts int `json:"attempts"`
}

// maxBegun is how long a begun is at most. Reports are longer.
const maxBegun = 40

func reportKey(t Task) string { return reportsDir + t.Name + ".json" }

var (
	errChanged = errors.New("the archive changed while it was read")
	errBuried  = errors.New("the archive has a dead letter")
	errKilled  = errors.New("the process ended each time it worked on this archive; look for a lack of memory")
)

// begin marks an attempt and returns its number. before is the number in the mark that was
// there, which is of this process or of one that is gone. After a process is gone, the work
// is done alone in the process: were it done beside other work, both would end with the
// process, and nobody could tell which is to blame.
func (w *Worker) begin(ctx context.Context, t Task, key string, before, attempt int, s *slot) (int, error) {
	var dead Dead
	switch ok, err := w.out.ReadJSON(ctx, deadDir+t.Name+".json", &dead); {
	case err != nil:
		return attempt, err
	case ok:
		return attempt, errBuried
	case before >= w.options.Attempts:
		return before, errKilled
	case before >= attempt:
		attempt = before + 1
		if err := s.take(ctx, room.size); err != nil {
			return attempt, err
		}
	}
	return attempt, w.out.WriteJSON(ctx, key, begun{attempt})
}

// forget removes a mark, also after ctx is cancelled.
func (w *Worker) forget(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return w.out.delete(ctx, key)
}

// recovered makes an error of a panic.
func recovered(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// bury writes a dead letter.
func (w *Worker) bury(ctx context.Context, t Task, err error, attempt int) error {
	dead := Dead{shown(t.Input), -1, err.Error(), attempt}
	if _, parameters, ok := strings.Cut(t.Input, "?"); ok && dead.Input != t.Input {
		dead.Error = strings.ReplaceAll(dead.Error, "?"+parameters, "")
	}
	if isGlob(t.Input) && isMissing(err) {
		dead.Error = "no archive matches this glob"
	}
	var at *offsetError
	if errors.As(err, &at) {
		dead.Offset = at.offset
	}
	if err := w.forget(ctx, reportKey(t)); err != nil {
		return err
	}
	return w.out.WriteJSON(ctx, deadDir+t.Name+".json", dead)
}
