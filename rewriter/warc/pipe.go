package warc

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"absolink/internal/panics"
	"absolink/rewriter"
)

// An outcome is what became of a record.
type outcome uint8

const (
	passed outcome = iota
	rewritten
	unchanged
	failed
	damaged
)

// A job is a record on its way through the pipe. One without a record carries
// damage between records, or the end of an extent, in the order of the archive.
type job struct {
	record *Record
	page   *Page  // nil where the record has none
	block  *spool // the block of the record, where it is needed
	out    *spool // what is to be written

	outcome  outcome
	result   rewriter.Result
	warnings []error // a *PageError is of the page, any other of the record

	err    error        // ends the run at this record
	damage *DamageError // what Next returned instead of a record
	extent *extent      // that ends here

	memory *memory // that has counted the heads of the record,
	held   int     // this many bytes

	ready chan struct{} // closed when the work is done; nil where there is no work
}

const maxWarnings = 16 // of one record, besides limits

// warn keeps a warning until the job is written. The first that is about a limit is kept
// for each field, however many there are.
func (j *job) warn(err error) {
	if len(j.warnings) < maxWarnings || j.isNewLimit(err) {
		j.warnings = append(j.warnings, err)
	}
}

// isNewLimit reports whether an error says that a limit was reached, and no warning so far
// is about the same field.
func (j *job) isNewLimit(err error) bool {
	var limit *rewriter.LimitError
	return errors.As(err, &limit) && !slices.ContainsFunc(j.warnings, func(err error) bool {
		var other *rewriter.LimitError
		return errors.As(err, &other) && other.Field == limit.Field
	})
}

// hold waits until there is memory for the heads of the record, and takes it.
func (j *job) hold(ctx context.Context, m *memory) error {
	n := len(j.record.raw)
	if j.page != nil {
		n += len(j.page.http.raw)
	}
	err := m.wait(ctx, n)
	if err == nil {
		j.memory, j.held = m, n
	}
	return err
}

func (j *job) wait() {
	if j.ready != nil {
		<-j.ready
	}
}

func (j *job) drop() {
	j.block.drop()
	j.out.drop()
	if j.memory != nil {
		j.memory.give(j.held)
	}
	j.block, j.out, j.memory = nil, nil, nil
}

// inFlight is how many jobs may wait at least. With many more, what a job needs
// leaves the processor's cache before its turn comes.
const inFlight = 16

// pipe runs three stages at once: one goroutine reads the records of src, several
// work on those that have a block, and this one writes all of them in order. The first
// error, in the order of the records, ends the run after all records before it are
// written. So does a panic of a function of the caller, which pipe passes on when all of
// the run is over.
func (x *run) pipe(ctx context.Context, src io.Reader, work func(*worker, *job) error, write func(*job) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	waiting := max(inFlight, 2*x.workers)
	queue := make(chan *job, waiting)
	x.todo = make(chan func(*worker), waiting)
	var readErr, others error
	go func() {
		defer close(queue)
		defer close(x.todo)
		panics.Catch(&readErr, func() {
			readErr = x.read(ctx, src, func(j *job) error { return x.emit(ctx, queue, j, work) })
		})
	}()
	var workers sync.WaitGroup
	for range x.workers {
		workers.Go(func() { x.work(&workers) })
	}
	defer func() { // also after runtime.Goexit
		cancel()
		for j := range queue {
			j.wait()
			others = errors.Join(others, j.err)
			j.drop()
		}
		workers.Wait()
		panics.Pass(errors.Join(err, others, readErr))
	}()
	panics.Catch(&err, func() {
		for j := range queue {
			if err = x.conclude(ctx, j, write); err != nil {
				return
			}
		}
		err = cmp.Or(context.Cause(ctx), readErr)
	})
	return err
}

// emit puts a job into the queue, and its work before the workers, who take all
// that there is: sending to them never blocks for good.
func (x *run) emit(ctx context.Context, queue chan<- *job, j *job, work func(*worker, *job) error) error {
	if j.block != nil {
		j.ready = make(chan struct{})
	}
	select {
	case queue <- j:
	case <-ctx.Done():
		j.drop()
		return context.Cause(ctx)
	}
	if j.ready != nil {
		x.assign(ctx, j.ready, &j.err, func(w *worker) { j.err = work(w, j) })
	}
	return nil
}

// assign has a worker do something, unless ctx has ended by then, and close ready. A panic
// is caught in err.
func (x *run) assign(ctx context.Context, ready chan struct{}, err *error, do func(*worker)) {
	x.todo <- func(w *worker) {
		defer close(ready)
		if ctx.Err() == nil {
			panics.Catch(err, func() { do(w) })
		}
	}
}

// work does what is to be done until there is no more. If a function of the caller ends
// the goroutine (runtime.Goexit), another takes its place.
func (x *run) work(workers *sync.WaitGroup) {
	ended := false
	defer func() {
		if !ended {
			workers.Go(func() { x.work(workers) })
		}
	}()
	w := newWorker(x)
	defer w.page.drop()
	for do := range x.todo {
		do(w)
		w.page.reset() // an idle worker holds no more than newMemory counts for it
	}
	ended = true
}

// conclude writes a job when its work is done, unless ctx has ended, and frees the job.
func (x *run) conclude(ctx context.Context, j *job, write func(*job) error) error {
	defer j.drop()
	j.wait()
	switch {
	case j.err != nil:
		x.summary.Failed++
		return j.err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return write(j)
}
