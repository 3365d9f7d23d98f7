package warc

import (
	"context"
	"errors"
	"io"

	"absolink/rewriter"
)

// linesSize is how much of the lines of a page gathers before it is kept.
const linesSize = 64 << 10

// List writes to dst what line appends to b for each place in the pages of src,
// in their order. line is called from several goroutines, but with the places of
// one page from one, in order. A page that cannot be decoded to its end has failed;
// the places before are listed.
func (r *Rewriter) List(ctx context.Context, dst io.Writer, src io.Reader, line func(b []byte, page *Page, p *rewriter.Place) []byte) (Summary, error) {
	if err := r.check(); err != nil {
		return Summary{}, err
	}
	if line == nil {
		return Summary{}, errors.New("warc.Rewriter: List needs a function that appends the line of a place; line is nil")
	}
	x := newRun(r)
	err := x.pages(ctx, dst, src, func(w *worker, j *job) error {
		if w.line == nil {
			w.line, w.html.Visit = line, w.visit
		}
		return w.list(j)
	})
	return x.sum(err)
}

func (w *worker) visit(p *rewriter.Place) error {
	w.lines = w.line(w.lines, w.job.page, p)
	if len(w.lines) < linesSize {
		return nil
	}
	return w.keepLines()
}

// keepLines moves the lines that have gathered to what is written.
func (w *worker) keepLines() error {
	_, err := w.job.out.Write(w.lines)
	w.lines = w.lines[:0]
	return err
}

func (w *worker) list(j *job) error {
	document, ok := w.open(j)
	if !ok {
		return nil
	}
	j.out = &spool{memory: w.memory, limit: w.maxPage()}
	result, pageErr, err := w.rewrite(j, nil, document)
	if err != nil {
		return err
	}
	if err := w.keepLines(); errors.Is(err, errLongPage) {
		pageErr = err
	} else if err != nil {
		return err
	}
	j.outcome, j.result = rewritten, result
	if pageErr != nil {
		j.outcome = failed
		j.warn(pageErr)
	}
	return nil
}
