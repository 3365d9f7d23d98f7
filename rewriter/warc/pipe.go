package warc

import (
	"context"
	"io"
	"sync"

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
	warnings []error // a *PageError is for HTML.Warn, any other for Warn

	err    error   // ends the run at this record
	damage error   // what Next returned instead of a record
	extent *extent // that ends here

	memory *memory // that has counted the heads of the record,
	held   int     // this many bytes

	ready chan struct{} // closed when the work is done; nil where there is no work
}

const maxWarnings = 16 // of one record

// warn keeps a warning until the job is written.
func (j *job) warn(err error) {
	if len(j.warnings) < maxWarnings {
		j.warnings = append(j.warnings, err)
	}
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

// drop frees what a job holds.
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
// work on those that have a block, and this one writes all of them in order. blocks
// says that every record is to have its block, not only one with a page. The first
// error, in the order of the records, ends the run after all records before it are
// written.
func (x *run) pipe(ctx context.Context, src io.Reader, blocks bool, work func(*worker, *job) error, write func(*job) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waiting := max(inFlight, 2*x.workers)
	queue := make(chan *job, waiting)
	x.todo = make(chan func(*worker), waiting)
	var readErr error
	go func() {
		defer close(queue)
		defer close(x.todo)
		readErr = x.read(ctx, src, blocks, func(j *job) error { return x.emit(ctx, queue, j, work) })
	}()
	var workers sync.WaitGroup
	for range x.workers {
		workers.Go(x.work)
	}
	for j := range queue {
		if err := x.conclude(ctx, j, write); err != nil {
			cancel(err)
		}
	}
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return readErr
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
		x.todo <- func(w *worker) {
			if ctx.Err() == nil {
				j.err = work(w, j)
			}
			close(j.ready)
		}
	}
	return nil
}

// work does what is to be done until there is no more.
func (x *run) work() {
	w := newWorker(x)
	defer w.page.drop()
	for do := range x.todo {
		do(w)
		w.page.reset() // an idle worker holds no more than newMemory counts for it
	}
}

// conclude writes a job when its work is done. After the end of ctx it only frees
// the job.
func (x *run) conclude(ctx context.Context, j *job, write func(*job) error) error {
	defer j.drop()
	if j.ready != nil {
		<-j.ready
	}
	switch {
	case ctx.Err() != nil:
		return nil
	case j.err != nil:
		x.summary.Failed++
		return j.err
	}
	return write(j)
}
