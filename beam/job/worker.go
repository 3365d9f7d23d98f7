package job

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"absolink/rewriter/warc"
)

// A Worker does archives. Its methods may be called from any number of goroutines.
type Worker struct {
	options Options
	hash    string
	out     *Dir
}

// NewWorker returns a worker for a job.
func NewWorker(ctx context.Context, o Options) (*Worker, error) {
	out, err := OpenDir(ctx, o.Out)
	if err != nil {
		return nil, err
	}
	return &Worker{options: o, hash: o.Hash(), out: out}, nil
}

// Start clears away what an earlier run has left: unfinished files and dead letters.
// No worker may run at that time.
func Start(ctx context.Context, out *Dir) error {
	if err := out.RemoveTemporary(); err != nil {
		return err
	}
	return out.Remove(ctx, deadDir)
}

// Do does an archive, unless it has a valid report, or gives it a dead letter. An error is
// one that another worker may not have.
func (w *Worker) Do(ctx context.Context, t Task) error {
	return w.attempts(ctx, t, func(src *Source) error {
		report, err := w.whole(ctx, t, src)
		if err != nil {
			return err
		}
		return w.commit(ctx, t, src, report)
	})
}

// An offsetError is an error at an offset of an archive.
type offsetError struct {
	offset int64
	error
}

func (e *offsetError) Unwrap() error { return e.error }

// valid reports whether the report of an archive is still true: of the same input and
// options, with all outputs there.
func (w *Worker) valid(ctx context.Context, t Task, src *Source, r *Report) (bool, error) {
	if !w.isOf(r, src.ETag) || r.Input != shown(t.Input) || r.Size != src.Size || r.check() != nil {
		return false, nil
	}
	if !slices.EqualFunc(r.Outputs, w.products(t), func(o Output, p product) bool { return o.Key == p.key }) {
		return false, nil
	}
	for _, o := range r.Outputs {
		if ok, err := w.out.Has(ctx, o); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// isOf reports whether a report is of this job's options, and of the content with an ETag.
func (w *Worker) isOf(r *Report, etag string) bool {
	return r.Version == Version && r.Options == w.hash && r.ETag == etag
}

// commit writes the report of an archive that is done, unless the input has changed in
// the meantime.
func (w *Worker) commit(ctx context.Context, t Task, src *Source, r *Report) error {
	if err := r.check(); err != nil {
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

// A notes gathers what a run over an archive says.
type notes struct {
	counts Counts
	kept   []Warning
}

// warn takes a warning. It is called from one goroutine, in the order of the archive.
func (n *notes) warn(offset int64, err error) {
	n.counts.Warned++
	if len(n.kept) < maxWarnings {
		n.kept = append(n.kept, Warning{offset, err.Error()})
	}
}

// add adds the counts of an archive. A WACZ has several archives.
func (n *notes) add(s *warc.Summary) {
	c := countsOf(s)
	n.counts.add(&c)
}

// end puts the counts into the report. Where there are several outputs, the first one
// says which records and warnings there are; all have the same records.
func (n *notes) end(r *Report) error {
	switch {
	case n.counts.Records == 0:
		return errNoRecord
	case len(r.Outputs) == 1:
		r.Counts, r.Warnings = n.counts, n.kept
	case n.counts.Records != r.Records:
		return fmt.Errorf("%d records were read the first time, %d the second time", r.Records, n.counts.Records)
	}
	return nil
}

var errNoRecord = errors.New("no record of a web archive is in it")
