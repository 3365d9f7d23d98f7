package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"absolink/rewriter"
)

// A worker does what is to be done with one page after the other.
type worker struct {
	*run
	html *rewriter.Rewriter
	line func(b []byte, page *Page, p *rewriter.Place) []byte // for List

	job   *job
	lines []byte
	page  *spool // as it is rewritten
	parts partReader

	gzip *gzip.Writer
	zstd *zstd.Encoder
}

func newWorker(x *run) *worker {
	w := &worker{run: x, html: x.html(), page: &spool{memory: x.memory, limit: x.maxPage()}}
	w.html.Warn = func(offset int64, err error) { w.job.warn(fmt.Errorf("at %d of the page: %w", offset, err)) }
	return w
}

// open returns the page of a job, decoded; not ok where nothing of it can be.
func (w *worker) open(j *job) (document io.Reader, ok bool) {
	document, err := j.page.open(j.block, w.maxPage())
	if err != nil {
		j.outcome = failed
		j.warn(err)
	}
	return document, err == nil
}

// output returns the spool for what is written of a job.
func (w *worker) output(j *job) *spool {
	out := &spool{memory: w.memory}
	out.expect(j.block.size / 4)
	return out
}

// errLongPage is for a page of more than MaxPage bytes.
var errLongPage = errors.New("the page, as it stands, decoded or rewritten, is longer than the limit")

func longPage(limit int64) error {
	return fmt.Errorf("%w of %d bytes (MaxPage)", errLongPage, limit)
}

// A limited reader fails where there is more than limit bytes.
type limited struct {
	r     io.Reader
	limit int64
	n     int64 // what is left of it
}

func (l *limited) Read(p []byte) (int, error) {
	if l.n == 0 {
		if n, err := l.r.Read(make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, longPage(l.limit)
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.n)])
	l.n -= int64(n)
	return n, err
}

// rewrite rewrites the page of a job. pageErr says why it ends early: it cannot be
// decoded further, or is too long.
func (w *worker) rewrite(j *job, dst io.Writer, document io.Reader) (result rewriter.Result, pageErr, err error) {
	w.job = j
	base, err := j.page.base(w.html)
	if err != nil {
		j.warn(err)
	}
	limit := w.maxPage()
	if m, ok := document.(*bytes.Reader); !ok || m.Size() > limit {
		document = &limited{document, limit, limit}
	}
	result, err = w.html.Rewrite(dst, j.page.source(document), base)
	var e *rewriter.Error
	switch {
	case errors.As(err, &e) && (e.Op == "read" || errors.Is(err, errLongPage)):
		return result, e.Err, nil
	case e != nil: // of a spool, and not at that offset of what is written
		err = e.Err
	}
	return result, nil, err
}

// encoderWindow is that of the frames that are written. Larger ones take more memory
// for next to nothing: few pages are as long.
const encoderWindow = 1 << 20

// compress writes parts to out, compressed together on their own.
func (w *worker) compress(out *spool, parts ...io.Reader) error {
	var dst io.WriteCloser
	switch w.Output {
	case Gzip:
		if w.gzip == nil {
			level := w.Level
			if level == 0 {
				level = defaultLevel
			}
			var err error
			if w.gzip, err = gzip.NewWriterLevel(nil, level); err != nil {
				return err
			}
		}
		w.gzip.Reset(out)
		dst = w.gzip
	case Zstd:
		if w.zstd == nil {
			var err error
			if w.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(encoderWindow)); err != nil {
				return err
			}
		}
		w.zstd.Reset(out)
		dst = w.zstd
	case None:
		for _, part := range parts {
			if _, err := io.Copy(out, part); err != nil {
				return err
			}
		}
		return nil
	}
	for _, part := range parts {
		if _, err := io.Copy(writerOnly{dst}, part); err != nil {
			return err
		}
	}
	return dst.Close()
}
