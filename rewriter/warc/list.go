package warc

import (
	"context"
	"errors"
	"io"

	"absolink/rewriter"
)

// linesSize is how many bytes of lines a worker gathers before it writes them to the
// spool.
const linesSize = 64 << 10

// List writes to dst what line appends to b for each place in the pages of src, in
// the order of the archive and of the page. line is called after Visit, and like it:
// from several goroutines at a time, for the places of one page from one goroutine,
// in order. b is empty at the first place of a page; later it has what line has
// appended for places of that page, or is empty again. A page that cannot be decoded to
// its end has failed; its places up to there are listed.
//
// To only look at the places, line returns b as it is, and dst is io.Discard. Pages in
// conversion records are listed as well, so that the output of Convert can be listed.
//
// The URLs in the header of an HTTP response are places too, whether HTML follows or not:
// Location, Content-Location, Link and Refresh. Their Element is "#http", their Attr is
// the name of the field in lower case, and their Offset counts from the start of the
// header. They are resolved against the URL of the page.
func (r *Rewriter) List(ctx context.Context, dst io.Writer, src io.Reader, line func(b []byte, page *Page, p *rewriter.Place) []byte) (Summary, error) {
	if err := r.Validate(); err != nil {
		return Summary{}, err
	}
	if line == nil {
		return Summary{}, errors.New("warc.Rewriter: List needs a function that appends the line of a place; line is nil")
	}
	x := newRun(r)
	x.line = line
	err := x.writeAll(ctx, &output{dst: dst}, src, (*worker).list)
	return x.sum(err)
}

// visitLine is the Visit of a list.
func (w *worker) visitLine(p *rewriter.Place) error {
	if visit := w.run.options.HTML.Hooks().Visit; visit != nil {
		if err := visit(p); err != nil {
			return err
		}
	}
	w.lines = w.run.line(w.lines, w.job.page, p)
	if len(w.lines) < linesSize {
		return nil
	}
	if err := w.keepLines(); err != nil {
		return &linesError{err}
	}
	return nil
}

// A linesError is an error of writing lines. Other errors of visitLine come from the
// caller's Visit.
type linesError struct{ error }

// keepLines moves the lines gathered so far to the spool.
func (w *worker) keepLines() error {
	_, err := w.job.out.Write(w.lines)
	w.lines = w.lines[:0]
	return err
}

// list lists the places in the header and in the page of a job.
func (w *worker) list(j *job) error {
	w.job, w.lines, j.outcome = j, w.lines[:0], rewritten
	j.out = &spool{memory: w.run.memory, limit: w.run.options.maxDecoded()}
	pageErr, err := w.listHeader(j)
	if err != nil {
		return err
	}
	if document, ok := w.open(j); ok && pageErr == nil {
		var result rewriter.Result
		if result, pageErr, err = w.rewrite(j, nil, document); err != nil {
			return err
		}
		j.result.Add(result)
	}
	if err := w.keepLines(); isTooLong(err) {
		pageErr = err
	} else if err != nil {
		return err
	}
	if pageErr != nil {
		j.outcome = failed
		j.warn(pageErr)
	}
	return nil
}
