package warc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"absolink/internal/coding"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// A worker is what one goroutine needs to work on one page after another.
type worker struct {
	run    *run
	html   *rewriter.Rewriter // HTML, which tells the worker what is wrong
	job    *job
	source rewriter.Source
	lines  []byte // of List, not yet in job.out
	page   *spool // the page, rewritten
	parts  partReader

	gzip *gzip.Writer
	zstd *zstd.Encoder
}

func newWorker(x *run) *worker {
	w := &worker{run: x, page: &spool{memory: x.memory, limit: x.options.maxDecoded()}}
	hooks := x.options.HTML.Hooks()
	if x.line != nil {
		hooks.Visit = w.visitLine
	}
	hooks.Warn = func(offset int64, err error) {
		w.job.warn(&PageError{Record: w.job.record.Offset, Offset: offset, Err: err})
	}
	w.html = x.options.HTML.With(hooks)
	return w
}

// open returns the page of a job, decoded. It is not ok where there is no HTML, and where
// the encodings cannot be undone: then the page has failed.
func (w *worker) open(j *job) (document io.Reader, ok bool) {
	if !j.page.html {
		return nil, false
	}
	document, err := j.page.open(j.block, w.run.options.maxDecoded())
	if err != nil {
		j.outcome = failed
		j.warn(err)
	}
	return document, err == nil
}

// output returns a spool for what is to be written of a job.
func (w *worker) output(j *job) *spool {
	out := &spool{memory: w.run.memory}
	out.makeRoom(j.block.size / 4)
	return out
}

const limitField = "MaxDecoded"

// tooLong is the error of a page that is longer than MaxDecoded bytes.
func tooLong(limit int64) error {
	text := fmt.Sprintf("the page, as it stands, decoded or rewritten, is longer than the limit of %d bytes (%s)", limit, limitField)
	return &rewriter.LimitError{Field: limitField, Limit: limit, Text: text}
}

func isTooLong(err error) bool {
	var limit *rewriter.LimitError
	return errors.As(err, &limit) && limit.Field == limitField
}

// rewrite rewrites the page of a job. pageErr says why the page ends early: it
// cannot be decoded further, or it is too long.
func (w *worker) rewrite(j *job, dst io.Writer, document io.Reader) (result rewriter.Result, pageErr, err error) {
	w.job = j
	of, err := j.page.document(w.html)
	if err != nil {
		j.warn(err)
	}
	limit := w.run.options.maxDecoded()
	if m, ok := document.(*bytes.Reader); !ok || m.Size() > limit {
		document = coding.NewReader(document, limit, tooLong(limit))
	}
	w.source = rewriter.Source{Reader: document, Charset: j.page.charset, Document: of}
	container.Begin(w.html, of)
	result, err = w.html.Rewrite(dst, &w.source, of.Outer.URL)
	container.Done(w.html, of, result)
	w.source = rewriter.Source{}
	pageErr, err = w.reason(err)
	return result, pageErr, err
}

// reason says why rewriting the page of a job ended: where pageErr is not nil, for
// a reason in the page.
func (w *worker) reason(err error) (pageErr, runErr error) {
	var e *rewriter.Error
	var lost *linesError
	switch {
	case !errors.As(err, &e): // nil, too
		return nil, err
	case errors.As(err, &lost):
		err = lost.error
	case e.Op == "visit":
		page := &PageError{URL: w.job.record.URL(), Record: w.job.record.Offset, Offset: e.Offset, Err: e.Err}
		return nil, &rewriter.Error{Op: "visit", Offset: page.Record, Err: page}
	default:
		err = e.Err // the offset is one in the page, or in a spool
	}
	if e.Op == "read" || isTooLong(err) {
		return err, nil
	}
	return nil, err
}

// encoderWindow is the window of the frames that are written. A larger one would
// take more memory and gain next to nothing: few pages are that long.
const encoderWindow = 1 << 20

// compress writes a record, in parts, to out: as one gzip member, as one Zstandard
// frame, or as it is.
func (w *worker) compress(out *spool, parts ...io.Reader) error {
	dst, err := w.encoder(out)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := io.Copy(writerOnly{dst}, part); err != nil {
			return err
		}
	}
	return dst.Close()
}

// encoder returns what compresses to out: the same each time, as a new one costs
// more than the page.
func (w *worker) encoder(out io.Writer) (dst io.WriteCloser, err error) {
	switch w.run.options.Output {
	case Gzip:
		if w.gzip == nil {
			if w.gzip, err = gzip.NewWriterLevel(nil, cmp.Or(w.run.options.Level, defaultLevel)); err != nil {
				return nil, err
			}
		}
		w.gzip.Reset(out)
		return w.gzip, nil
	case Zstd:
		if w.zstd == nil {
			if w.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(encoderWindow)); err != nil {
				return nil, err
			}
		}
		w.zstd.Reset(out)
		return w.zstd, nil
	}
	return coding.Plain(out), nil
}
