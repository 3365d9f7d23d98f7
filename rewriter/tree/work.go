package tree

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"absolink/internal/access"
	"absolink/internal/local"
	"absolink/internal/media"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// A worker reads files one after another.
type worker struct {
	run      *run
	telling  *rewriter.Rewriter                 // HTML, with hooks that call its own one at a time
	document *rewriter.Document                 // the page that is read
	rewrites func(*rewriter.Rewriter) Rewriting // returns what rewrites that page
	in       *bufio.Reader
	out      *bufio.Writer
	targets  targets
	local    local.Page // the same page, for KeepLocal
	keeps    bool       // KeepLocal counts: the file is a page, which is read in the tree
	places   rewriter.Result
}

func newWorker(r *run) *worker {
	w := &worker{run: r, in: bufio.NewReaderSize(nil, 64<<10), out: bufio.NewWriterSize(nil, 64<<10)}
	w.targets.run = r
	telling := rewriter.Hooks{Text: r.hooks.Text}
	if r.hooks.Visit != nil || r.checks() || r.options.KeepLocal {
		telling.Visit = w.visit
	}
	if r.hooks.Unresolvable != nil {
		telling.Unresolvable = func(p *rewriter.Place) {
			p.Document = w.document
			w.run.tell(func() { w.run.hooks.Unresolvable(p) })
		}
	}
	if r.hooks.Warn != nil {
		telling.Warn = func(offset int64, err error) {
			w.run.tell(func() { r.hooks.Warn(offset, &Error{nameOf(r.srcName, w.document.Name), offset, "", err}) })
		}
	}
	w.telling = r.options.HTML.With(telling)
	return w
}

func (w *worker) work(ctx context.Context) {
	for jobs := range w.run.jobs {
		w.files(ctx, jobs)
	}
}

func (w *worker) files(ctx context.Context, jobs []job) {
	defer release(jobs)
	for _, j := range jobs {
		if ctx.Err() == nil {
			w.file(ctx, j)
		}
	}
}

// file rewrites, copies or links one file, and tells what became of it.
func (w *worker) file(ctx context.Context, j job) {
	path := j.path()
	w.places = rewriter.Result{}
	outcome, page, err := w.rewrite(ctx, j)
	if err != nil {
		if ctx.Err() == nil { // otherwise the next run begins this file anew
			w.run.lost(path, j.src.Size(), err)
		}
		return
	}
	w.run.noteFile(j.dir.dst, j.name, path)
	w.run.done(File{Path: path, Bytes: j.src.Size(), Outcome: outcome, Page: page, Places: w.places})
}

// rewrite reads a file, and writes what becomes of it.
func (w *worker) rewrite(ctx context.Context, j job) (outcome Outcome, page bool, _ *Error) {
	path := j.path()
	dir, name := j.dir.src, j.name
	if j.link {
		dir, name = w.run.src, path // from there the link cannot lead out of the tree
	}
	f, info, err := w.run.openFile(dir, name)
	if err != nil {
		return Failed, false, w.run.srcError(path, "open", err)
	}
	defer f.Close()
	j.src, j.rights = info, access.Of(f, info)
	w.in.Reset(&reader{ctx: ctx, File: f, was: j.src})
	start, err := w.in.Peek(startSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return Failed, false, w.run.srcError(path, "read", err)
	}
	if w.rewrites = w.rewritingOf(start, path); w.rewrites != nil {
		outcome, err := w.rewritePage(ctx, j, f)
		return outcome, true, err
	}
	if w.run.target != toDestination || w.run.has(path, j.dst, j.src) {
		return Unchanged, false, nil
	}
	outcome, e := w.take(ctx, j, f)
	return outcome, false, e
}

// startSize is how many bytes of a file are enough to see what it is.
const startSize = 4 << 10

// rewritingOf returns a function that returns what rewrites the file with a path with the
// given Rewriter; nil for a file that is copied.
func (w *worker) rewritingOf(start []byte, path string) func(*rewriter.Rewriter) Rewriting {
	if w.run.options.keepsBytes(path) {
		return nil
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	page := Is(start[:min(len(start), media.Sniffed)], name) && !media.HasExt(name, ".orig") // a backup of wget -K
	isSheet := !page && w.run.options.Sheets && media.HasExt(name, ".css")
	w.keeps = w.run.options.KeepLocal && (page || isSheet)
	switch {
	case page:
		return func(html *rewriter.Rewriter) Rewriting { return html }
	case isSheet:
		return func(html *rewriter.Rewriter) Rewriting { return sheet{html} }
	case w.run.options.Other == nil || w.run.options.Other(start, name, w.run.quiet) == nil:
		return nil
	}
	start = bytes.Clone(start) // which lies in the buffer of a reader
	return func(html *rewriter.Rewriter) Rewriting { return w.run.options.Other(start, name, html) }
}

// A sheet rewrites a file that is a style sheet.
type sheet struct{ *rewriter.Rewriter }

func (s sheet) Rewrite(dst io.Writer, src io.Reader, outer *resolver.Base) (rewriter.Result, error) {
	return s.Rewriter.Rewrite(dst, rewriter.Source{Reader: src, Sheet: true}, outer)
}

// errSame ends the writing of a page in place that would stay as it is.
var errSame = errors.New("nothing in the page changes")

// rewritePage rewrites a page. In place, the page is first read to see whether anything
// changes, and then a second time to be written. With Visit, which sees each place
// once, and with KeepLocal, it is written at once, and thrown away if nothing has changed.
func (w *worker) rewritePage(ctx context.Context, j job, f *os.File) (Outcome, *Error) {
	path := j.path()
	outer, err := w.run.address.page(path)
	if err != nil {
		return Failed, w.run.srcError(path, "make a URL of its name", err)
	}
	w.local = local.Page{URL: outer, Path: path, Has: w.targets.has}
	w.document = &rewriter.Document{Name: path, Offset: -1, Outer: rewriter.Base{URL: outer, Source: rewriter.OuterBase, Name: "retrieval URL"}}
	html := w.telling
	if w.run.target == inPlace && w.run.hooks.Visit == nil && !w.keeps || w.run.target == nowhere || w.run.options.Dry || w.run.has(path, j.dst, j.src) {
		changed, err := w.copyPage(w.output(path), html, j, f)
		switch {
		case err != nil:
			return Failed, w.run.srcError(path, "rewrite", err)
		case w.run.target == toDestination && w.run.options.Dry && !w.run.has(path, j.dst, j.src):
			return Rewritten, nil
		case w.run.target != inPlace || !changed:
			return Unchanged, nil
		case w.run.options.Dry:
			return Rewritten, nil
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return Failed, w.run.srcError(path, "read", err)
		}
		w.in.Reset(&reader{ctx: ctx, File: f, was: j.src})
		html = w.run.quiet
	}
	err = w.replace(ctx, j, func(to *os.File) error {
		w.out.Reset(to)
		changed, err := w.copyPage(w.out, html, j, f)
		if err == nil && w.run.target == inPlace && !changed {
			return errSame
		}
		if err == nil {
			err = w.out.Flush()
		}
		f.Close() // Windows does not replace an open file
		return err
	}, w.run.page.date(path, j.src))
	switch {
	case errors.Is(err, errSame):
		return Unchanged, nil
	case err != nil:
		return Failed, w.writeError(path, err)
	}
	return Rewritten, nil
}

// output returns what Output has for a page that is only looked at, or nil.
func (w *worker) output(path string) (dst io.Writer) {
	if w.run.target == nowhere && w.run.options.Output != nil {
		w.run.tell(func() { dst = w.run.options.Output(path) })
	}
	return dst
}

// copyPage writes what becomes of a page to dst, which may be nil, and reports whether
// anything changes. The run counts the places, except with its quiet Rewriter: those
// have been counted before.
func (w *worker) copyPage(dst io.Writer, html *rewriter.Rewriter, j job, f *os.File) (changed bool, err error) {
	if html != w.run.quiet {
		w.run.tell(func() { container.Begin(w.run.options.HTML, w.document) })
	}
	result, err := w.rewrites(html).Rewrite(dst, rewriter.Source{Reader: w.in, Charset: w.run.options.Charset, Document: w.document}, w.document.Outer.URL)
	if html != w.run.quiet {
		w.places.Add(result)
		w.run.tell(func() {
			w.run.result.Places.Add(result)
			container.Done(w.run.options.HTML, w.document, result)
		})
	}
	if err == nil {
		err = checkUnchanged(f, j.src)
	}
	return result.Rewritten+result.Removed > 0, err
}

// writeError names the file in the source or in the destination, depending on what
// went wrong.
func (w *worker) writeError(path string, err error) *Error {
	var e *rewriter.Error
	if errors.As(err, &e) && e.Op != "write" || errors.Is(err, ErrChanged) {
		return w.run.srcError(path, "rewrite", err)
	}
	return w.run.dstError(path, "write", err)
}

// checkUnchanged returns ErrChanged if a file is no longer what it was.
func checkUnchanged(f *os.File, was fs.FileInfo) error {
	info, err := f.Stat()
	if err == nil && isChanged(info, was) {
		err = ErrChanged
	}
	return err
}

func isChanged(info, was fs.FileInfo) bool {
	return info.Size() != was.Size() || !info.ModTime().Equal(was.ModTime())
}

// A reader reads a file until its end, or until the run has to end. If the file has
// become longer, reading fails: a file that keeps growing has no end.
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
