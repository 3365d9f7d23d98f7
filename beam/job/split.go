package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"absolink/rewriter/warc"
)

// A Piece is a part of an archive that is long enough to be done in parts.
type Piece struct {
	Task
	ETag       string
	Begin, End int64 // End of the last one is the size of the archive
	Number, Of int
}

// Cut cuts an archive into pieces. An archive with a valid report has none, and is done;
// an archive with a dead letter has none either.
func (w *Worker) Cut(ctx context.Context, t Task) (pieces []Piece, done *Done, err error) {
	done, err = w.attempts(ctx, t, func(src *Source) error {
		bounds, err := w.bounds(ctx, src)
		if err != nil {
			return err
		}
		pieces = nil
		for i := range len(bounds) - 1 {
			pieces = append(pieces, Piece{t, src.ETag, bounds[i], bounds[i+1], i, len(bounds) - 1})
		}
		return w.ended(ctx, attemptsKey(t)) // Join would count what stays
	})
	if len(pieces) > 0 {
		done = nil
	}
	return pieces, done, err
}

// bounds returns the offsets at which the pieces of an archive begin, and its size.
func (w *Worker) bounds(ctx context.Context, src *Source) ([]int64, error) {
	bounds := []int64{0}
	at := readerAt(func(p []byte, offset int64) (int, error) { return src.ReadAt(ctx, p, offset) })
	start := make([]byte, 4)
	if _, err := at(start, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if string(start) == "PK\x03\x04" {
		return []int64{0, src.Size}, nil
	}
	for from := w.options.Split; from < src.Size; {
		begin, err := warc.NextRecord(at, src.Size, from)
		if err != nil {
			return nil, err
		}
		if begin < src.Size {
			bounds = append(bounds, begin)
		}
		from = begin + w.options.Split
	}
	return append(bounds, src.Size), nil
}

type readerAt func(p []byte, offset int64) (int, error)

func (f readerAt) ReadAt(p []byte, offset int64) (int, error) { return f(p, offset) }

// A pieceReport says what became of a piece. It is written after the outputs of the
// piece.
type pieceReport struct {
	Options string    `json:"options"`
	ETag    string    `json:"etag"`
	End     int64     `json:"end"` // where the next record begins
	Counts  Counts    `json:"counts"`
	Kept    []Warning `json:"warnings"`
}

// key is the beginning of the names of what is written for a piece.
func (p *Piece) key() string { return fmt.Sprintf("%s%s/%d-%d.", partsDir, p.Name, p.Begin, p.End) }

// DoPiece does a piece, unless it is done. What it writes waits for Join. A piece that
// cannot be done is left out, and Join then does the archive whole. For a piece that ends
// its process each time, the archive gets a dead letter.
func (w *Worker) DoPiece(ctx context.Context, p Piece) error {
	if p.Of == 1 {
		return nil
	}
	s := w.slot()
	defer s.release()
	var before pieceReport
	if ok, err := w.out.ReadJSON(ctx, p.key()+"json", &before); err != nil {
		return err
	} else if ok && before.Options == w.hash && before.ETag == p.ETag {
		return nil
	}
	attempt := 1
	err := recovered(func() (err error) {
		if attempt, err = w.begin(ctx, p.Task, p.key()+"begun", attempt, s); err != nil {
			return err
		}
		return w.piece(ctx, &p)
	})
	var stop *Fault
	switch {
	case ctx.Err() != nil:
		return errors.Join(ctx.Err(), w.ended(ctx, p.key()+"begun"))
	case errors.As(err, &stop):
		faults.LoadOrStore(w.options.Out, stop)
		return errors.Join(stop, w.ended(ctx, p.key()+"begun"))
	case errors.Is(err, errKilled):
		return w.bury(ctx, p.Task, err, attempt)
	case err != nil:
		return w.out.Remove(ctx, p.key())
	}
	w.ended(ctx, p.key()+"begun") // what stays does no harm: the piece is done
	return nil
}

func (w *Worker) piece(ctx context.Context, p *Piece) error {
	src, err := OpenSource(ctx, p.Input)
	if err != nil {
		return err
	}
	if src.ETag != p.ETag {
		return errChanged
	}
	// Each run has notes of its own; all runs see the same records.
	var n *notes
	var end int64
	part := func(read func(n *notes, part io.Reader) (warc.Summary, error)) error {
		n = &notes{report: new(Report)}
		r := src.Reader(ctx, p.Begin)
		defer r.Close()
		s, err := read(n, &warc.Part{Reader: r, Begin: p.Begin, End: p.End})
		n.add(&s)
		end = s.End
		return err
	}
	if w.options.Convert {
		info, err := w.writeInfo(io.Discard, p.Task)
		if err != nil {
			return err
		}
		_, err = w.out.Write(ctx, p.key()+"converted", func(dst io.Writer) error {
			return part(func(n *notes, src io.Reader) (warc.Summary, error) {
				c := w.rewriter(p.Task, archive{}, n)
				_, c.Output = compression(p.Name)
				c.Info = info
				return c.Convert(ctx, dst, src)
			})
		})
		if err != nil {
			return err
		}
	}
	if w.options.List != "" {
		if err := w.listPiece(ctx, p, part); err != nil {
			return err
		}
	}
	return w.out.WriteJSON(ctx, p.key()+"json", pieceReport{w.hash, p.ETag, end, n.counts, n.kept})
}

// listPiece writes the rows of a piece, as they are before the format of the list.
func (w *Worker) listPiece(ctx context.Context, p *Piece, part func(func(*notes, io.Reader) (warc.Summary, error)) error) error {
	_, err := w.out.Write(ctx, p.key()+"rows", func(dst io.Writer) error {
		return part(func(n *notes, src io.Reader) (warc.Summary, error) {
			return w.list(ctx, p.Task, archive{}, n, dst, src)
		})
	})
	return err
}

// Join makes the outputs of an archive from its pieces' outputs, and writes the report.
// Where the pieces do not fit together, or one of them has damage, the archive is done
// whole.
func (w *Worker) Join(ctx context.Context, pieces []Piece) (done *Done, err error) {
	slices.SortFunc(pieces, func(a, b Piece) int { return a.Number - b.Number })
	t := pieces[0].Task
	done, err = w.attempts(ctx, t, func(src *Source) error {
		report, err := w.joined(ctx, t, src, pieces)
		if err == nil && report == nil {
			report, err = w.whole(ctx, t, src)
		}
		if err != nil {
			return err
		}
		return w.commit(ctx, t, src, report)
	})
	if err == nil {
		err = w.out.Remove(ctx, partsDir+t.Name+"/")
	}
	return done, err
}

// joined returns the report of an archive that is made of pieces; nil if the pieces do
// not count.
func (w *Worker) joined(ctx context.Context, t Task, src *Source, pieces []Piece) (*Report, error) {
	n := &notes{report: &Report{Outputs: []Output{}}}
	for i, p := range pieces {
		var r pieceReport
		ok, err := w.out.ReadJSON(ctx, p.key()+"json", &r)
		if err != nil {
			return nil, err
		}
		last := i == len(pieces)-1
		if !ok || r.Options != w.hash || r.ETag != src.ETag || r.Counts.Damages > 0 || !last && r.End != pieces[i+1].Begin || last && r.End < src.Size {
			return nil, nil
		}
		n.counts.add(&r.Counts)
		n.kept = append(n.kept, r.Kept[:min(len(r.Kept), maxWarnings-len(n.kept))]...)
	}
	report := n.report
	if w.options.List != "" {
		o, err := w.writeRows(ctx, t, func(dst io.Writer) error { return w.concat(ctx, dst, pieces, "rows") })
		if err != nil {
			return nil, err
		}
		report.Outputs = append(report.Outputs, o)
	}
	if w.options.Convert {
		name, _ := compression(t.Name)
		o, err := w.out.Write(ctx, "converted/"+name, func(dst io.Writer) error {
			if _, err := w.writeInfo(dst, t); err != nil {
				return err
			}
			return w.concat(ctx, dst, pieces, "converted")
		})
		if err != nil {
			return nil, err
		}
		report.Outputs = append(report.Outputs, o)
	}
	return report, n.end(true)
}

// concat writes what was written for each piece, in their order.
func (w *Worker) concat(ctx context.Context, dst io.Writer, pieces []Piece, kind string) error {
	for _, p := range pieces {
		r, err := w.out.Open(ctx, p.key()+kind)
		if err != nil {
			return err
		}
		_, err = io.Copy(dst, r)
		r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
