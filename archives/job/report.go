package job

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"

	"absolink/rewriter/warc"

	"golang.org/x/sync/errgroup"
)

// A Report says what became of an archive, or of a part of one. It is written after all
// outputs: an archive without a valid report is not done. Before an attempt, a mark stands in
// its place, which has only the number of the attempt.
type Report struct {
	Attempts int `json:"attempts,omitempty"` // in a mark

	Version int    `json:"version"`
	Options string `json:"options"` // Options.Hash
	Input   string `json:"input"`   // as shown gives it
	Size    int64  `json:"size"`    // of a part, where the next record begins
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

func countsOf(s *warc.Summary) *Counts {
	urls := s.Places.Rewritten + s.Places.Absolute + s.Places.Left + s.Places.Unresolvable
	return &Counts{
		Records: s.Records, Rewritten: s.Rewritten, Unchanged: s.Unchanged, Passed: s.Passed,
		Failed: s.Failed, Damaged: s.Damaged, Damages: s.Damages,
		Places: int64(urls), Unresolvable: int64(s.Places.Unresolvable),
	}
}

func (c *Counts) add(d *Counts) {
	sum, more := reflect.ValueOf(c).Elem(), reflect.ValueOf(d).Elem()
	for i := range sum.NumField() {
		sum.Field(i).SetInt(sum.Field(i).Int() + more.Field(i).Int())
	}
}

// maxCount is more than anybody counts in an archive. The sum over millions of archives stays
// below the largest number.
const maxCount = 1 << 42

// check returns an error unless every record is accounted for, and no count is negative or more
// than max.
func (c *Counts) check(max int64) error {
	for _, v := range reflect.ValueOf(c).Elem().Fields() {
		if n := v.Int(); n < 0 || n > max {
			return fmt.Errorf("%d is not a count", n)
		}
	}
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

// atOnce is how many small files are read at the same time.
const atOnce = 16

// Finish reads the reports of all archives of a job. It writes outputs.jsonl, which names
// the files that count, dead.jsonl and totals.json. No worker may run at that time.
func (w *Worker) Finish(ctx context.Context, archives []Task) (*Totals, error) {
	out, reports, dead := w.out, make([]*Report, len(archives)), make([]*Dead, len(archives))
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i, t := range archives {
		all.Go(func() (err error) {
			reports[i], dead[i], err = w.result(ctx, t)
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	totals := &Totals{Archives: int64(len(archives))}
	var letters, outputs []any
	for i, r := range reports {
		if dead[i] != nil {
			totals.Dead++
			letters = append(letters, dead[i])
			continue
		}
		totals.Done++
		totals.Bytes += r.Size
		totals.Counts.add(&r.Counts)
		for _, o := range r.Outputs {
			o.Input = r.Input
			outputs = append(outputs, o)
		}
	}
	err := totals.check(math.MaxInt64)
	for _, step := range []func() error{
		func() error { return out.writeLines(ctx, "dead.jsonl", letters) },
		func() error { return out.writeLines(ctx, "outputs.jsonl", outputs) },
		func() error { return out.Remove(ctx, partsDir) },
		func() error { return out.Remove(ctx, planDir) },
		out.RemoveTemporary, // of calls that were killed
		func() error { return out.WriteJSON(ctx, "totals.json", totals) },
	} {
		if err == nil {
			err = step()
		}
	}
	return totals, err
}

// result reads what became of an archive: its report, or its dead letter.
func (w *Worker) result(ctx context.Context, t Task) (*Report, *Dead, error) {
	dead, report := new(Dead), new(Report)
	if ok, err := w.out.ReadJSON(ctx, deadDir+t.Name+".json", dead); ok || err != nil {
		return nil, dead, err
	}
	ok, err := w.out.ReadJSON(ctx, reportKey(t), report)
	if err != nil {
		return nil, nil, err
	}
	if !ok || !w.isWhole(report, t) {
		return nil, nil, fmt.Errorf("%s: is not done; do it, or start the job again", shown(t.Input))
	}
	report.Warnings = nil // of many archives
	return report, nil, nil
}

// Progress counts the archives that have a report, or a dead letter. Reports from an earlier
// run count from the beginning on.
func (w *Worker) Progress(ctx context.Context) (done, dead int, err error) {
	err = errors.Join(
		w.out.Keys(ctx, reportsDir, func(_ string, size int64) error {
			if size > maxBegun {
				done++
			}
			return nil
		}),
		w.out.Keys(ctx, deadDir, func(string, int64) error { dead++; return nil }))
	return done, dead, err
}
