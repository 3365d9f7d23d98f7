package tree

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"absolink/internal/media"
	"absolink/rewriter"
)

// A worker reads files one after another.
type worker struct {
	*run
	html    *rewriter.Rewriter // the run's, with functions that know path
	path    string             // of the file that is read
	muted   bool               // it is read once more
	in      *bufio.Reader
	out     *bufio.Writer
	targets targets
}

func newWorker(r *run) *worker {
	w := &worker{run: r, in: bufio.NewReaderSize(nil, 64<<10), out: bufio.NewWriterSize(nil, 64<<10)}
	w.targets.run = r
	w.html = r.html.Clone()
	w.html.Visit = nil
	w.html.Warn = func(offset int64, err error) {
		if !w.muted {
			w.warn(w.path, offset, err)
		}
	}
	w.html.Unresolvable = func(p *rewriter.Place) {
		if w.Unresolvable != nil && !w.muted {
			w.tell(func() { w.Unresolvable(w.fullName(w.path), p) })
		}
	}
	if r.Missing != nil {
		w.html.Visit = w.visit
	}
	return w
}

func (w *worker) work(ctx context.Context) {
	for jobs := range w.jobs {
		for _, j := range jobs {
			if ctx.Err() == nil {
				w.file(ctx, j)
			}
			j.dir.release()
		}
	}
}

// file does what is to be done about one file.
func (w *worker) file(ctx context.Context, j job) {
	path := j.path()
	outcome, page, err := w.rewrite(ctx, j)
	if ctx.Err() != nil && err != nil {
		return // it is as if it had not been begun
	}
	if err != nil {
		w.lost(path, j.src.Size(), err)
		return
	}
	w.done(path, j.src.Size(), outcome, page)
}

// rewrite reads a file and writes what becomes of it.
func (w *worker) rewrite(ctx context.Context, j job) (outcome Outcome, page bool, _ *Error) {
	path := j.path()
	dir, name := j.dir.src, j.name
	if j.link {
		dir, name = w.src, path // from where it cannot lead out of the tree
	}
	f, info, err := w.openFile(dir, name)
	if err != nil {
		return Failed, false, w.srcError(path, "open", err)
	}
	defer f.Close()
	j.src = info
	w.in.Reset(&reader{ctx: ctx, File: f, was: j.src})
	start, err := w.in.Peek(media.Sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return Failed, false, w.srcError(path, "read", err)
	}
	if media.IsHTML(start, j.name) {
		outcome, err := w.rewritePage(ctx, j, f)
		return outcome, true, err
	}
	if w.target != toDestination || w.has(path, j.dst, j.src) {
		return Unchanged, false, nil
	}
	outcome, e := w.take(ctx, j, f)
	return outcome, false, e
}

// openFile opens a regular file. What has become something else since its
// directory was read is not waited for, as a FIFO would be.
func openFile(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	f, err := dir.OpenFile(name, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errSpecial
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// rewritePage rewrites a page. It is read twice where it is not sure that there
// is anything to write.
func (w *worker) rewritePage(ctx context.Context, j job, f *os.File) (Outcome, *Error) {
	path := j.path()
	outer, err := w.address.page(path)
	if err != nil {
		return Failed, w.srcError(path, "make a URL of its name", err)
	}
	copyTo := func(dst io.Writer) (rewriter.Result, error) {
		w.path = path
		result, err := w.html.Rewrite(dst, rewriter.Source{Reader: w.in, Charset: w.Charset}, outer)
		if err == nil {
			err = checkUnchanged(f, j.src)
		}
		return result, err
	}
	if w.target != toDestination || w.has(path, j.dst, j.src) {
		result, err := copyTo(nil)
		w.sum(result)
		switch {
		case err != nil:
			return Failed, w.srcError(path, "rewrite", err)
		case w.target != inPlace || result.Rewritten+result.Removed == 0:
			return Unchanged, nil
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return Failed, w.srcError(path, "read", err)
		}
		w.in.Reset(&reader{ctx: ctx, File: f, was: j.src})
		w.muted = true
		defer func() { w.muted = false }()
	}
	err = w.replace(ctx, j, func(to *os.File) error {
		w.out.Reset(to)
		result, err := copyTo(w.out)
		if !w.muted {
			w.sum(result)
		}
		if err == nil {
			err = w.out.Flush()
		}
		f.Close() // Windows replaces no file that is open
		return err
	}, w.page.date(path, j.src))
	if err != nil {
		return Failed, w.writeError(path, err)
	}
	return Rewritten, nil
}

// writeError names the file in source or destination, by what went wrong.
func (w *worker) writeError(path string, err error) *Error {
	var e *rewriter.Error
	if errors.As(err, &e) && e.Op == "read" || errors.Is(err, ErrChanged) {
		return w.srcError(path, "rewrite", err)
	}
	return w.dstError(path, "write", err)
}

func (w *worker) sum(result rewriter.Result) {
	result.Warnings = 0 // warn counts them
	w.tell(func() { w.result.Places.Add(result) })
}

// checkUnchanged returns ErrChanged where a file is not any more what it was.
func checkUnchanged(f *os.File, was fs.FileInfo) error {
	info, err := f.Stat()
	if err == nil && (info.Size() != was.Size() || !info.ModTime().Equal(was.ModTime())) {
		err = ErrChanged
	}
	return err
}

// A reader reads until the run is to end, or the file has become longer: one that
// grows all the time has no end.
type reader struct {
	ctx context.Context
	*os.File
	was  fs.FileInfo
	read int64
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.File.Read(p)
	if r.read += int64(n); n > 0 && r.read > r.was.Size() {
		return n, checkUnchanged(r.File, r.was)
	}
	return n, err
}
