package job

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"absolink/rewriter/warc"
)

// parts returns an archive as tasks: the parts of one that is long enough to be done in parts.
// An archive that cannot be read stays whole, so that whoever does it says why.
func (w *Worker) parts(ctx context.Context, t Task) (tasks []Task, err error) {
	err = w.recovered(func() error {
		src, err := OpenSource(ctx, t.Input)
		if err != nil || src.ETag == "" { // nobody knows whether parts are of the same content
			return err
		}
		bounds, err := w.bounds(ctx, src)
		for i := range len(bounds) - 1 {
			tasks = append(tasks, Task{t.Input, t.Name, &Part{bounds[i], bounds[i+1], len(bounds) - 1, src.ETag}})
		}
		return err
	})
	if isStop(ctx, err) {
		return nil, err
	}
	if err != nil || len(tasks) < 2 {
		return []Task{t}, nil
	}
	return tasks, nil
}

// bounds returns the offsets at which the parts of an archive begin, and its size.
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

// partKeys is the beginning of the names of what is written for the parts of an archive that
// is cut in this way. What was written for another content, or cut otherwise, has other names.
// The name of the archive is not in them: a list of a directory takes "__0x2f__" for "/".
func (w *Worker) partKeys(t Task) string {
	return fmt.Sprintf("%s%.16x/", partsDir, sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%s", t.Name, w.hash, w.options.Split, t.Part.ETag)))
}

func (w *Worker) partKey(t Task) string {
	return fmt.Sprintf("%s%d-%d.", w.partKeys(t), t.Part.Begin, t.Part.End)
}

// doPart does a part of an archive, and then the archive if all other parts are done too.
func (w *Worker) doPart(ctx context.Context, t Task) error {
	isNew, err := w.part(ctx, t)
	if err != nil {
		return err
	}
	parts, err := w.partsDone(ctx, t)
	if err != nil || len(parts) < t.Part.Of {
		return err
	}
	return w.attempts(ctx, t, isNew, func(src *Source) (*Report, error) {
		report, err := w.joined(ctx, t, src, parts)
		if err == nil && report == nil {
			return w.whole(ctx, t, src)
		}
		return report, err
	})
}

// partsDone returns the parts of an archive that have a report, in their order.
func (w *Worker) partsDone(ctx context.Context, t Task) (parts []Part, err error) {
	err = w.out.Keys(ctx, w.partKeys(t), func(key string, size int64) error {
		p := *t.Part
		if strings.HasSuffix(key, ".json") && size > maxBegun {
			fmt.Sscanf(path.Base(key), "%d-%d.", &p.Begin, &p.End)
			parts = append(parts, p)
		}
		return nil
	})
	if isMissing(err) { // an unfinished file of another worker has gone while the directory was read
		return w.partsDone(ctx, t)
	}
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.Begin, b.Begin) })
	return parts, err
}

// part does a part, unless it or the archive is done. What it writes waits for joined. The
// report of a part that cannot be done says so, by its size, and the archive is then done whole.
// For a part that ends its process each time, the archive gets a dead letter. isNew says that
// the part is done now, and was not before.
func (w *Worker) part(ctx context.Context, t Task) (isNew bool, err error) {
	s, err := newSlot(ctx)
	if err != nil {
		return false, err
	}
	defer s.release()
	key, attempt, marked := w.partKey(t)+"json", 1, false
	r := &Report{Version: Version, Options: w.hash, Input: shown(t.Input), ETag: t.Part.ETag}
	err = w.recovered(func() error {
		src, err := OpenSource(ctx, t.Input)
		if err != nil {
			return err
		}
		if _, done, err := w.before(ctx, t, src); done || err != nil {
			return cmp.Or(err, errDone)
		}
		var before Report
		if ok, err := w.out.ReadJSON(ctx, key, &before); err != nil {
			return err
		} else if ok && w.isOurs(&before) && before.isOf(r.ETag) {
			return errDone
		}
		marked = true
		if attempt, err = w.begin(ctx, t, key, before.Attempts, attempt, s); err != nil {
			return err
		}
		if src.ETag != r.ETag {
			return errChanged
		}
		if err := w.writePart(ctx, t, src, r); err != nil {
			return err
		}
		return w.out.WriteJSON(ctx, key, r)
	})
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, errDone) || errors.Is(err, errBuried):
		return false, nil
	case isStop(ctx, err):
		if marked {
			w.forget(ctx, key)
		}
		return false, err
	case errors.Is(err, errKilled):
		return false, w.bury(ctx, t, err, attempt)
	}
	r.Size = -1
	return true, w.out.WriteJSON(ctx, key, r)
}

// writePart writes what waits for joined, and fills the report.
func (w *Worker) writePart(ctx context.Context, t Task, src *Source, r *Report) error {
	for i, product := range w.products(t) {
		run := new(Report)
		_, info, err := product.begin(io.Discard)
		if err != nil {
			return err
		}
		_, err = w.out.Write(ctx, w.partKey(t)+product.kind, func(dst io.Writer) error {
			part := src.Reader(ctx, t.Part.Begin)
			defer part.Close()
			c := w.rewriter(t, archive{}, run)
			c.Info = info
			s, err := product.write(ctx, c, archive{}, dst, &warc.Part{Reader: part, Begin: t.Part.Begin, End: t.Part.End})
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
	return nil
}

// joined returns the report of an archive that is made of its parts; nil if the parts do not
// count, because they do not fit together, or one of them has damage or is missing.
func (w *Worker) joined(ctx context.Context, t Task, src *Source, parts []Part) (*Report, error) {
	all := new(Report)
	end := int64(0)
	for i := range parts {
		var r Report
		t.Part = &parts[i]
		ok, err := w.out.ReadJSON(ctx, w.partKey(t)+"json", &r)
		if err != nil {
			return nil, err
		}
		if !ok || !w.isOurs(&r) || !r.isOf(src.ETag) || r.check(maxCount) != nil || r.Damages > 0 || parts[i].Begin != end {
			return nil, nil
		}
		end = r.Size
		all.Counts.add(&r.Counts)
		all.Warnings = append(all.Warnings, r.Warnings[:min(len(r.Warnings), maxWarnings-len(all.Warnings))]...)
	}
	if end < src.Size {
		return nil, nil
	}
	for _, product := range w.products(t) {
		err := w.make(ctx, product, all, func(f io.Writer, _ string) error { return w.concat(ctx, f, t, parts, product.kind) })
		if isMissing(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return all, all.take(all)
}

// concat writes what was written for each part, in their order.
func (w *Worker) concat(ctx context.Context, dst io.Writer, t Task, parts []Part, kind string) error {
	for i := range parts {
		t.Part = &parts[i]
		r, err := w.out.Open(ctx, w.partKey(t)+kind)
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
