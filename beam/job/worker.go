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
	return errors.Join(out.Remove(ctx, planKey), out.Remove(ctx, deadDir))
}

// Do does an archive, unless it has a valid report. It returns nil if the archive got a
// dead letter instead. An error is one that another worker may not have.
func (w *Worker) Do(ctx context.Context, t Task) (*Done, error) {
	return w.attempts(ctx, t, func(src *Source) error {
		report, err := w.whole(ctx, t, src)
		if err != nil {
			return err
		}
		return w.commit(ctx, t, src, report)
	})
}

// A Done is an archive that is done.
type Done struct {
	Name  string
	Stamp string // names its content
}

// An offsetError is an error at an offset of an archive.
type offsetError struct {
	offset int64
	error
}

func (e *offsetError) Unwrap() error { return e.error }

// valid reports whether an archive has a report that is still true: of the same input
// and options, with all outputs there.
func (w *Worker) valid(ctx context.Context, t Task, src *Source) (bool, error) {
	var r Report
	ok, err := w.out.ReadJSON(ctx, reportsDir+t.Name+".json", &r)
	if !ok || err != nil {
		return false, err
	}
	if r.Version != Version || r.Options != w.hash || r.Input != shown(t.Input) || r.Size != src.Size || r.ETag != src.ETag || r.check() != nil {
		return false, nil
	}
	if !slices.EqualFunc(r.Outputs, w.keys(t), func(o Output, key string) bool { return o.Key == key }) {
		return false, nil
	}
	for _, o := range r.Outputs {
		if ok, err := w.out.Has(ctx, o); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// keys returns the names of all that is written for an archive, in the order of a report.
func (w *Worker) keys(t Task) (keys []string) {
	name, _ := compression(t.Name)
	if w.options.List != "" {
		keys = append(keys, listKey(t, w.options.List))
	}
	if w.options.Convert {
		keys = append(keys, "converted/"+name)
	}
	if w.options.Replace {
		keys = append(keys, "replaced/"+name)
	}
	return keys
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
	return w.out.WriteJSON(ctx, reportsDir+t.Name+".json", r)
}

// whole does an archive, without its report.
func (w *Worker) whole(ctx context.Context, t Task, src *Source) (*Report, error) {
	in, err := w.open(ctx, t, src)
	if err != nil {
		return nil, err
	}
	defer in.close()
	r := &Report{Outputs: []Output{}}
	if w.options.List != "" {
		if err := w.writeList(ctx, t, in, r); err != nil {
			return nil, err
		}
	}
	if w.options.Convert {
		if err := w.writeConverted(ctx, t, in, r); err != nil {
			return nil, err
		}
	}
	if w.options.Replace {
		if err := w.writeReplaced(ctx, t, in, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// A notes gathers what a run over an archive says.
type notes struct {
	report *Report
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
func (n *notes) end(first bool) error {
	if n.counts.Records == 0 {
		return errNoRecord
	}
	if first {
		n.report.Counts, n.report.Warnings = n.counts, n.kept
		return nil
	}
	if n.counts.Records != n.report.Records {
		return fmt.Errorf("%d records were read the first time, %d the second time", n.report.Records, n.counts.Records)
	}
	return nil
}

var errNoRecord = errors.New("no record of a web archive is in it")
