package warc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync"

	"absolink/resolver"
	"absolink/rewriter"
)

// A run is one archive being read, worked on and written.
type run struct {
	*Rewriter
	workers int
	memory  *memory
	serial  bool               // nothing is decompressed ahead
	todo    chan func(*worker) // for the workers of pipe
	found   int64              // records, by read
	summary Summary
}

func newRun(r *Rewriter) *run {
	workers := r.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &run{Rewriter: r, workers: workers, serial: workers == 1, memory: newMemory(r.TempDir, workers)}
}

// An outcome is what became of a record.
type outcome uint8

const (
	passed outcome = iota
	rewritten
	unchanged
	failed
	damaged
)

// A job is a record on its way, or what else there is to know of an archive, in
// its order.
type job struct {
	record *Record
	page   *Page  // nil where the record has none
	block  *spool // of the record, where it is needed
	out    *spool // what is to be written

	outcome  outcome
	result   rewriter.Result
	warnings []error

	err    error   // what ends the run at this record
	damage error   // what Next said instead of a record
	extent *extent // that ends here

	memory *memory // that the heads of the record are counted in,
	held   int     // with so many bytes

	ready chan struct{} // closed when the work is done; nil where there is none
}

const maxWarnings = 16 // of one record

// warn keeps what Warn is to be told.
func (j *job) warn(err error) {
	if len(j.warnings) < maxWarnings {
		j.warnings = append(j.warnings, err)
	}
}

// hold counts the heads of the record, when there is memory for them.
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

// inFlight is how many jobs may wait: more would only be forgotten by the caches of
// processors.
const inFlight = 16

// pipe runs three stages at once: read emits jobs, work is called for those that
// have a page or a block, in several goroutines, and write for all of them in
// order, in this one. The first error in that order ends it, after all that was
// emitted before is written; the record of a job that it stands in has failed.
func (x *run) pipe(ctx context.Context, read func(ctx context.Context, emit func(*job) error) error, work func(*worker, *job) error, write func(*job) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waiting := max(inFlight, 2*x.workers)
	queue := make(chan *job, waiting)
	x.todo = make(chan func(*worker), waiting)
	emit := func(j *job) error {
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
			x.todo <- func(w *worker) { // workers take all there is
				if ctx.Err() == nil {
					j.err = work(w, j)
				}
				close(j.ready)
			}
		}
		return nil
	}
	var readErr error
	var workers sync.WaitGroup
	go func() {
		defer close(queue)
		defer close(x.todo)
		readErr = read(ctx, emit)
	}()
	for range x.workers {
		workers.Go(func() {
			w := newWorker(x)
			defer w.page.drop()
			for do := range x.todo {
				do(w)
				w.page.reset() // an idle worker holds no more than newMemory counts for it
			}
		})
	}
	for j := range queue {
		if j.ready != nil {
			<-j.ready
		}
		switch {
		case ctx.Err() != nil:
		case j.err != nil:
			x.summary.Failed++
			cancel(j.err)
		default:
			if err := write(j); err != nil {
				cancel(err)
			}
		}
		j.drop()
	}
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return readErr
}

// read emits the records of an archive. Blocks are read of those that have a page,
// or of all.
func (x *run) read(ctx context.Context, src io.Reader, all bool, emit func(*job) error) error {
	r := x.reader(ctx, src)
	r.MaxWindow = x.MaxWindow
	for {
		rec, err := r.Next()
		var damage *DamageError
		j := &job{record: rec}
		if errors.As(err, &damage) {
			j.damage = err
		} else if err != nil && err != io.EOF {
			return err
		}
		if extentErr := emitExtents(r, emit); extentErr != nil || err == io.EOF {
			return extentErr
		}
		if rec != nil {
			x.found++
			if err := x.readBlock(ctx, j, all); err != nil {
				j.drop()
				j.err = err
				return emit(j)
			}
			if err := j.hold(ctx, x.memory); err != nil {
				j.drop()
				return err
			}
			r.finish()
		}
		if rec != nil && !rec.whole {
			j.outcome = damaged
			j.block.drop()
			j.block = nil
		}
		if err := emit(j); err != nil {
			return err
		}
		if err := emitExtents(r, emit); err != nil {
			return err
		}
	}
}

// reader returns a Reader whose parts the workers decompress, if it may have one.
func (x *run) reader(ctx context.Context, src io.Reader) *Reader {
	in := newInput(src, inputSize)
	if start, _ := in.Peek(len(gzipMagic)); x.serial || string(start) != gzipMagic {
		return newReader(in, nil)
	}
	begin := func(p *part) {
		x.todo <- func(w *worker) {
			if ctx.Err() == nil {
				w.parts.unpack(p)
			}
			close(p.ready)
		}
	}
	return newReader(newInput(in, x.workers*aheadSize), &ahead{memory: x.memory, workers: x.workers, begin: begin})
}

func emitExtents(r *Reader, emit func(*job) error) error {
	for _, e := range r.closed {
		if err := emit(&job{extent: &e}); err != nil {
			return err
		}
	}
	r.closed = r.closed[:0]
	return nil
}

// readBlock reads the block of a record. An error is not the archive's.
func (x *run) readBlock(ctx context.Context, j *job, all bool) error {
	page := mayHavePage(j.record)
	if page {
		start, err := j.record.start()
		if err != nil {
			return nil
		}
		if j.page, err = pageIn(j.record, start); err != nil {
			j.warn(err)
		}
	}
	if j.page != nil && j.record.Length-int64(len(j.page.http.raw)) > x.maxPage() {
		j.page, j.outcome = nil, failed
		j.warn(longPage(x.maxPage()))
	}
	if j.page == nil && !all {
		return nil
	}
	var err error
	if j.block, err = newSpool(ctx, x.memory, j.record.Length); err != nil {
		return err
	}
	err = j.block.readFrom(j.record, j.record.Length)
	if j.record.err != nil {
		return nil
	}
	return err
}

// tell tells Warn what is wrong with a job.
func (x *run) tell(j *job) {
	var damage *DamageError
	if errors.As(j.damage, &damage) {
		x.summary.Damages++
		if x.Warn != nil {
			x.Warn(damage.Offset, damage)
		}
	}
	for _, err := range j.warnings {
		if url := j.record.URL(); url != "" {
			err = fmt.Errorf("%s: %w", quoted(url), err)
		}
		if x.Warn != nil {
			x.Warn(j.record.Offset, err)
		}
	}
}

// quoted returns what an archive says, or the beginning of it, for people to see.
func quoted(s string) string {
	const enough = 200
	s = resolver.Redact(s)
	if len(s) > enough {
		return fmt.Sprintf("%q…", s[:enough])
	}
	return strconv.Quote(s)
}

// count counts what became of a record.
func (s *Summary) count(o outcome, result rewriter.Result) {
	switch o {
	case passed:
		s.Passed++
	case rewritten:
		s.Rewritten++
	case unchanged:
		s.Unchanged++
	case failed:
		s.Failed++
	case damaged:
		s.Damaged++
	}
	s.Places.Add(result)
}

// errLost is a mistake in this package.
var errLost = errors.New("records were lost")

// sum returns the summary. All records that were read must be in it, or where err has
// ended the run those that were done.
func (x *run) sum(err error) (Summary, error) {
	s := &x.summary
	s.Records = s.Rewritten + s.Unchanged + s.Passed + s.Failed + s.Damaged
	if err == nil && s.Records != x.found {
		err = fmt.Errorf("%w: of %d %d are accounted for", errLost, x.found, s.Records)
	}
	return *s, err
}

// pages works on all pages of an archive and writes what comes of them to dst.
func (x *run) pages(ctx context.Context, dst io.Writer, src io.Reader, work func(*worker, *job) error) error {
	out := &output{dst: dst}
	return x.pipe(ctx,
		func(ctx context.Context, emit func(*job) error) error { return x.read(ctx, src, false, emit) },
		work,
		func(j *job) error {
			x.tell(j)
			if j.record != nil {
				x.summary.count(j.outcome, j.result)
			}
			return out.spool(j.out)
		})
}

// An output is where an archive is written.
type output struct {
	dst io.Writer
	n   int64
}

// spool writes what a spool holds, if there is one.
func (o *output) spool(s *spool) error {
	if s == nil {
		return nil
	}
	return o.copy(s.reader())
}

func (o *output) copy(r io.Reader) error {
	n, err := io.Copy(writerOnly{o.dst}, r)
	if o.n += n; err != nil {
		return &rewriter.Error{Op: "write", Offset: o.n, Err: err}
	}
	return nil
}

// writerOnly hides what a writer may do but write: an error is then one of
// writing.
type writerOnly struct{ io.Writer }
