package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"absolink/internal/conversion"
	"absolink/rewriter"
)

// A Worker does archives. Its methods may be called from any number of goroutines.
type Worker struct {
	options Options
	hash    string
	out     *Dir
	html    *rewriter.Rewriter
	seed    func(archive string) string

	// Letter, if not nil, is told of each dead letter that Do writes, one at a time.
	Letter  func(Dead)
	letters sync.Mutex
}

// NewWorker returns a worker for a job.
func NewWorker(ctx context.Context, o *Options) (*Worker, error) {
	out, err := OpenDir(ctx, o.Out)
	room.once.Do(func() {
		room.size = int64(cmp.Or(o.Workers, runtime.GOMAXPROCS(0)))
		room.Weighted = semaphore.NewWeighted(room.size)
	})
	html := rewriter.Must(rewriter.New(rewriter.Options{Profile: o.Profile}))
	return &Worker{options: *o, hash: o.Hash(), out: out, html: html, seed: conversion.Seed(html)}, err
}

// Start clears away what an earlier run has left: unfinished files and dead letters.
// No worker may run at that time.
func (w *Worker) Start(ctx context.Context) error {
	err := w.out.RemoveTemporary()
	for _, dir := range []string{planDir, deadDir} {
		if err == nil {
			err = w.out.Remove(ctx, dir)
		}
	}
	return err
}

// Do does an archive, unless it has a valid report, or gives it a dead letter. Of an archive in
// parts, it does a part; the last part that is done makes the archive of all. An error is one
// that another worker may not have.
func (w *Worker) Do(ctx context.Context, t Task) error {
	if t.Part != nil {
		return w.doPart(ctx, t)
	}
	return w.attempts(ctx, t, false, func(src *Source) (*Report, error) { return w.whole(ctx, t, src) })
}

// An offsetError is an error at an offset of an archive.
type offsetError struct {
	offset int64
	error
}

func (e *offsetError) Unwrap() error { return e.error }

// before returns the report of an archive, or the mark in its place, and whether the archive is
// done: whether the report is still true, of the same input and options, with all outputs there.
func (w *Worker) before(ctx context.Context, t Task, src *Source) (r *Report, done bool, err error) {
	r = new(Report)
	if ok, err := w.out.ReadJSON(ctx, reportKey(t), r); !ok || err != nil {
		return r, false, err
	}
	if !w.isWhole(r, t) || !r.isOf(src.ETag) || r.Size != src.Size {
		return r, false, nil
	}
	for _, o := range r.Outputs {
		if ok, err := w.out.Has(ctx, o); !ok || err != nil {
			return r, false, err
		}
	}
	return r, true, nil
}

// isWhole reports whether r is a whole report of an archive, of this job's options.
func (w *Worker) isWhole(r *Report, t Task) bool {
	return w.isOurs(r) && r.Input == shown(t.Input) && r.check(maxCount) == nil && 0 <= r.Size && r.Size <= maxCount &&
		slices.EqualFunc(r.Outputs, w.products(t), func(o Output, p product) bool { return o.Key == p.key && o.Size >= 0 })
}

// isOurs reports whether a report is of this job's options.
func (w *Worker) isOurs(r *Report) bool { return r.Version == Version && r.Options == w.hash }

// isOf reports whether a report is of the content with an ETag. Without an ETag, nobody knows.
func (r *Report) isOf(etag string) bool { return r.ETag == etag && etag != "" }

// commit writes the report of an archive that is done, unless the input has changed in
// the meantime.
func (w *Worker) commit(ctx context.Context, t Task, src *Source, r *Report) error {
	if err := r.check(maxCount); err != nil {
		return err
	}
	now, err := OpenSource(ctx, t.Input)
	if err != nil {
		return err
	}
	if now.Size != src.Size || now.ETag != src.ETag {
		return errChanged
	}
	r.Version, r.Options = Version, w.hash
	r.Input, r.Size, r.ETag = shown(t.Input), src.Size, src.ETag
	return w.out.WriteJSON(ctx, reportKey(t), r)
}

// warn takes a warning. It is called from one goroutine, in the order of the archive.
func (r *Report) warn(offset int64, err error) {
	r.Warned++
	if len(r.Warnings) < maxWarnings {
		r.Warnings = append(r.Warnings, Warning{offset, err.Error()})
	}
}

// take takes what a run over the archive says. Where there are several outputs, the first one
// says which records and warnings there are; all have the same records.
func (r *Report) take(run *Report) error {
	switch {
	case run.Records == 0:
		return errNoRecord
	case len(r.Outputs) == 1:
		r.Counts, r.Warnings = run.Counts, run.Warnings
	case run.Records != r.Records:
		return fmt.Errorf("%d records were read the first time, %d the second time", r.Records, run.Records)
	}
	return nil
}

var errNoRecord = errors.New("no record of a web archive is in it")

// room bounds how many archives the process works on, whatever the engine starts. An archive
// that is worked on alone takes all of it.
var room struct {
	once sync.Once
	*semaphore.Weighted
	size int64
}

// A slot is the right to work on an archive: how much of room it takes.
type slot int64

func newSlot(ctx context.Context) (*slot, error) {
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

// attempts does an archive, and writes the report of it, unless do returns none, or a dead
// letter if that fails. An archive that changed while it was read is tried again, and so is
// one whose process ended: another error would come again. A Fault is returned. With beside,
// another worker may be about to do the same, so that its mark does not tell of an end.
func (w *Worker) attempts(ctx context.Context, t Task, beside bool, do func(src *Source) (*Report, error)) error {
	s, err := newSlot(ctx)
	if err != nil {
		return err
	}
	defer s.release()
	key, marked := reportKey(t), false
	for attempt := 1; ; attempt++ {
		err := w.recovered(func() error {
			src, err := OpenSource(ctx, t.Input)
			if err != nil {
				return err
			}
			before, done, err := w.before(ctx, t, src)
			if done || err != nil {
				return err
			}
			marked = true // until then, the report of an earlier run stays
			if beside {
				before.Attempts = 0
			}
			if attempt, err = w.begin(ctx, t, key, before.Attempts, attempt, s); err != nil {
				return err
			}
			report, err := do(src)
			if report == nil || err != nil {
				return err
			}
			return w.commit(ctx, t, src, report)
		})
		stop := isStop(ctx, err)
		switch {
		case err == nil || errors.Is(err, errBuried):
			return nil
		case !stop && errors.Is(err, errChanged) && attempt < w.options.Attempts && wait(ctx, pause<<min(attempt, 8)) == nil:
			continue
		}
		if marked {
			if failed := w.forget(ctx, key); failed != nil && !stop {
				return failed
			}
		}
		if stop {
			return err
		}
		return w.bury(ctx, t, err, attempt)
	}
}

// isStop reports whether an error of recovered stops the job.
func isStop(ctx context.Context, err error) bool {
	return errors.As(err, new(*Fault)) || ctx.Err() != nil
}

// maxBegun is how long the mark of an attempt is at most. Reports are longer.
const maxBegun = 40

func reportKey(t Task) string { return reportsDir + t.Name + ".json" }

var (
	errChanged = errors.New("the archive changed while it was read")
	errBuried  = errors.New("the archive has a dead letter")
	errDone    = errors.New("it is done")
	errKilled  = errors.New("the process ended each time it worked on this archive; look for a lack of memory")
)

// begin marks an attempt and returns its number. The mark is written where the report will
// stand, so that it also counts an attempt whose process ended. before is the number in the
// mark that was there, which is of this process or of one that is gone. After a process is
// gone, the work is done alone in the process. Otherwise both would end with the process, and
// nobody could tell which is to blame.
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
	return attempt, w.out.WriteJSON(ctx, key, map[string]int{"attempts": attempt})
}

// forget removes a mark, also after ctx is cancelled. After a stop, attempts count anew.
func (w *Worker) forget(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return w.out.delete(ctx, key)
}

// recovered calls f. It makes an error of a panic, and a Fault of an error that stops the job and
// is not the fault of an archive.
func (w *Worker) recovered(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	err = f()
	if stop, ok := errors.AsType[*Fault](err); ok {
		return stop
	}
	if isFull(err) {
		return &Fault{"cannot write to " + os.TempDir() + " or " + shown(w.options.Out), err}
	}
	return err
}

// bury writes a dead letter.
func (w *Worker) bury(ctx context.Context, t Task, err error, attempt int) error {
	dead := Dead{shown(t.Input), -1, err.Error(), attempt}
	if _, parameters := cutParameters(t.Input); parameters != "" && dead.Input != t.Input {
		dead.Error = strings.ReplaceAll(dead.Error, parameters, "")
	}
	if isGlob(t.Input) && isMissing(err) {
		dead.Error = "no archive matches this glob"
	}
	if at, ok := errors.AsType[*offsetError](err); ok {
		dead.Offset = at.offset
	}
	if err := w.out.WriteJSON(ctx, deadDir+t.Name+".json", dead); err != nil || w.Letter == nil {
		return err
	}
	w.letters.Lock()
	defer w.letters.Unlock()
	w.Letter(dead)
	return nil
}
