package job

import (
	"context"
	"errors"
	"fmt"

	"absolink/rewriter/warc"

	"golang.org/x/sync/errgroup"
)

// A Report says what became of an archive, or of a piece of one. It is written after all
// outputs: an archive without a valid report is not done. Before an attempt, a mark stands in
// its place, which has only the number of the attempt.
type Report struct {
	Attempts int `json:"attempts,omitempty"` // in a mark

	Version int    `json:"version"`
	Options string `json:"options"` // Options.Hash
	Input   string `json:"input"`   // as shown gives it
	Size    int64  `json:"size"`    // of a piece, where the next record begins
	ETag    string `json:"etag"`

	Counts
	Outputs  []Output  `json:"outputs"`
	Warnings []Warning `json:"warnings,omitempty"`
}

// Counts count records by what became of them, and places.
type Counts struct {
	Records   int64 `json:"records"`
	Rewritten int64 `json:"rewritten"` // pages whose links were written
	Unchanged int64 `json:"unchanged"`
	Passed    int64 `json:"passed"`
	Failed    int64 `json:"failed"`
	Damaged   int64 `json:"damaged"`
	Damages   int64 `json:"damages"` // places where an archive is damaged

	Places       int64 `json:"places"`
	Unresolvable int64 `json:"unresolvable"`
	Warned       int64 `json:"warned"` // how many warnings there were
}

// A Warning is one of the first warnings about an archive.
type Warning struct {
	Offset int64  `json:"offset"`
	Text   string `json:"text"`
}

const maxWarnings = 10

func countsOf(s *warc.Summary) Counts {
	urls := s.Places.Rewritten + s.Places.Absolute + s.Places.Left + s.Places.Unresolvable
	return Counts{
		Records: s.Records, Rewritten: s.Rewritten, Unchanged: s.Unchanged, Passed: s.Passed,
		Failed: s.Failed, Damaged: s.Damaged, Damages: s.Damages,
		Places: int64(urls), Unresolvable: int64(s.Places.Unresolvable),
	}
}

func (c *Counts) add(d *Counts) {
	c.Records += d.Records
	c.Rewritten += d.Rewritten
	c.Unchanged += d.Unchanged
	c.Passed += d.Passed
	c.Failed += d.Failed
	c.Damaged += d.Damaged
	c.Damages += d.Damages
	c.Places += d.Places
	c.Unresolvable += d.Unresolvable
	c.Warned += d.Warned
}

// check returns an error unless every record is accounted for.
func (c *Counts) check() error {
	if sum := c.Rewritten + c.Unchanged + c.Passed + c.Failed + c.Damaged; sum != c.Records {
		return fmt.Errorf("%d records in, but %d accounted for", c.Records, sum)
	}
	return nil
}

// A Dead is the letter about an archive that could not be done.
type Dead struct {
	Input   string `json:"input"`
	Offset  int64  `json:"offset"` // where in the archive; -1 if that is not known
	Error   string `json:"error"`
	Attempt int    `json:"attempt"` // after how many attempts
}

// Totals are the sums of all reports.
type Totals struct {
	Archives int64 `json:"archives"`
	Done     int64 `json:"done"`
	Dead     int64 `json:"dead"`
	Bytes    int64 `json:"bytes"` // of the archives that are done
	Counts
}

// Finish reads the reports of all archives in the plan. It writes outputs.jsonl, which
// names the files that count, dead.jsonl and totals.json.
func Finish(ctx context.Context, o *Options, out *Dir) (*Totals, error) {
	tasks, err := ReadPlan(ctx, out)
	if err != nil {
		return nil, err
	}
	f := &finish{out: out, hash: o.Hash(), tasks: tasks, results: make([]result, len(tasks))}
	if err := f.read(ctx); err != nil {
		return nil, err
	}
	totals := f.sum()
	if err := totals.check(); err != nil {
		return nil, err
	}
	if err := errors.Join(f.write(ctx), out.Remove(ctx, partsDir)); err != nil {
		return nil, err
	}
	return totals, out.WriteJSON(ctx, "totals.json", totals)
}

// A finish gathers what became of the archives of a plan.
type finish struct {
	out     *Dir
	hash    string
	tasks   []Task
	results []result // of each task
}

// A result is what became of a task: one of the two.
type result struct {
	report *Report
	dead   *Dead
}

// readers is how many reports are read at the same time.
const readers = 16

func (f *finish) read(ctx context.Context) error {
	var all errgroup.Group
	all.SetLimit(readers)
	for i := range f.tasks {
		all.Go(func() error { return f.readOne(ctx, i) })
	}
	return all.Wait()
}

func (f *finish) readOne(ctx context.Context, i int) error {
	t := f.tasks[i]
	var dead Dead
	if ok, err := f.out.ReadJSON(ctx, deadDir+t.Name+".json", &dead); ok || err != nil {
		f.results[i].dead = &dead
		return err
	}
	report := new(Report)
	ok, err := f.out.ReadJSON(ctx, reportKey(t), report)
	if err != nil {
		return err
	}
	if !ok || report.Options != f.hash || report.Input != t.Input {
		return fmt.Errorf("%s: has neither a report nor a dead letter; start the job again", t.Input)
	}
	report.Warnings = nil
	f.results[i].report = report
	return report.check()
}

// sum adds up the reports.
func (f *finish) sum() *Totals {
	t := &Totals{Archives: int64(len(f.tasks))}
	for _, r := range f.results {
		if r.dead != nil {
			t.Dead++
			continue
		}
		t.Done++
		t.Bytes += r.report.Size
		t.Counts.add(&r.report.Counts)
	}
	return t
}

// write writes the dead letters, and the names of the files that count.
func (f *finish) write(ctx context.Context) error {
	var dead, outputs []any
	for _, r := range f.results {
		if r.dead != nil {
			dead = append(dead, r.dead)
			continue
		}
		for _, o := range r.report.Outputs {
			outputs = append(outputs, listedOutput{o, r.report.Input})
		}
	}
	return errors.Join(f.out.writeLines(ctx, "dead.jsonl", dead), f.out.writeLines(ctx, "outputs.jsonl", outputs))
}

// A listedOutput is a line of outputs.jsonl.
type listedOutput struct {
	Output
	Input string `json:"input"`
}

// A Progress says how far a job is.
type Progress struct{ Archives, Done, Dead int }

// ReadProgress counts the archives that have a report, or a dead letter. Reports from an
// earlier run count from the beginning on.
func ReadProgress(ctx context.Context, out *Dir) (Progress, error) {
	tasks, err := ReadPlan(ctx, out)
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Archives: len(tasks)}
	err = errors.Join(
		out.Keys(ctx, reportsDir, func(_ string, size int64) error {
			if size > maxBegun {
				p.Done++
			}
			return nil
		}),
		out.Keys(ctx, deadDir, func(string, int64) error { p.Dead++; return nil }))
	p.Done = min(p.Done, p.Archives-p.Dead)
	return p, err
}
