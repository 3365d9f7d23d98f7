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

// Cut cuts an archive into pieces. An archive with a valid report or a dead letter has none.
func (w *Worker) Cut(ctx context.Context, t Task) (pieces []Piece, err error) {
	err = w.attempts(ctx, t, func(src *Source) (*Report, error) {
		bounds, err := w.bounds(ctx, src)
		if err != nil {
			return nil, err
		}
		pieces = nil
		for i := range len(bounds) - 1 {
			pieces = append(pieces, Piece{t, src.ETag, bounds[i], bounds[i+1], i, len(bounds) - 1})
		}
		return nil, w.forget(ctx, reportKey(t)) // Join would count the mark
	})
	return pieces, err
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

// key is the beginning of the names of what is written for a piece.
func (p *Piece) key() string { return fmt.Sprintf("%s%s/%d-%d.", partsDir, p.Name, p.Begin, p.End) }

// DoPiece does a piece, unless it is done. What it writes waits for Join. A piece that
// cannot be done is left out, and Join then does the archive whole. For a piece that ends
// its process each time, the archive gets a dead letter.
func (w *Worker) DoPiece(ctx context.Context, p Piece) error {
	if p.Of == 1 {
		return nil
	}
	s, err := w.slot(ctx)
	if err != nil {
		return err
	}
	defer s.release()
	key := p.key() + "json"
	var before Report
	if ok, err := w.out.ReadJSON(ctx, key, &before); err != nil {
		return err
	} else if ok && w.isOf(&before, p.ETag) {
		return nil
	}
	attempt := 1
	err = recovered(func() (err error) {
		if attempt, err = w.begin(ctx, p.Task, key, before.Attempts, attempt, s); err != nil {
			return err
		}
		return w.piece(ctx, &p, key)
	})
	switch {
	case err == nil:
		return nil
	case w.isStop(ctx, err):
		return errors.Join(err, w.forget(ctx, key))
	case errors.Is(err, errKilled):
		return w.bury(ctx, p.Task, err, attempt)
	}
	return w.out.Remove(ctx, p.key())
}

func (w *Worker) piece(ctx context.Context, p *Piece, key string) error {
	src, err := OpenSource(ctx, p.Input)
	if err != nil {
		return err
	}
	if src.ETag != p.ETag {
		return errChanged
	}
	r := &Report{Version: Version, Options: w.hash, Input: shown(p.Input), ETag: p.ETag}
	for i, product := range w.products(p.Task) {
		run := new(Report)
		_, info, err := product.begin(io.Discard)
		if err != nil {
			return err
		}
		_, err = w.out.Write(ctx, p.key()+product.kind, func(dst io.Writer) error {
			part := src.Reader(ctx, p.Begin)
			defer part.Close()
			c := w.rewriter(p.Task, archive{}, run)
			c.Info = info
			s, err := product.write(ctx, c, archive{}, dst, &warc.Part{Reader: part, Begin: p.Begin, End: p.End})
			run.Counts.add(countsOf(&s))
			if i == 0 { // as in Report.take
				r.Size, r.Counts, r.Warnings = s.End, run.Counts, run.Warnings
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return w.out.WriteJSON(ctx, key, r)
}

// Join makes the outputs of an archive from its pieces' outputs, and writes the report.
// Where the pieces do not fit together, or one of them has damage, the archive is done
// whole.
func (w *Worker) Join(ctx context.Context, pieces []Piece) error {
	slices.SortFunc(pieces, func(a, b Piece) int { return a.Number - b.Number })
	t := pieces[0].Task
	err := w.attempts(ctx, t, func(src *Source) (*Report, error) {
		report, err := w.joined(ctx, t, src, pieces)
		if err == nil && report == nil {
			return w.whole(ctx, t, src)
		}
		return report, err
	})
	if err != nil {
		return err
	}
	return w.out.Remove(ctx, partsDir+t.Name+"/")
}

// joined returns the report of an archive that is made of pieces; nil if the pieces do
// not count.
func (w *Worker) joined(ctx context.Context, t Task, src *Source, pieces []Piece) (*Report, error) {
	all := new(Report)
	for i, p := range pieces {
		var r Report
		ok, err := w.out.ReadJSON(ctx, p.key()+"json", &r)
		if err != nil {
			return nil, err
		}
		last := i == len(pieces)-1
		if !ok || !w.isOf(&r, src.ETag) || r.Damages > 0 || !last && r.Size != pieces[i+1].Begin || last && r.Size < src.Size {
			return nil, nil
		}
		all.Counts.add(&r.Counts)
		all.Warnings = append(all.Warnings, r.Warnings[:min(len(r.Warnings), maxWarnings-len(all.Warnings))]...)
	}
	for _, product := range w.products(t) {
		err := w.make(ctx, product, all, func(f io.Writer, _ string) error { return w.concat(ctx, f, pieces, product.kind) })
		if err != nil {
			return nil, err
		}
	}
	return all, all.take(all)
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
