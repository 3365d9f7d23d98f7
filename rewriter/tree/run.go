package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"absolink/internal/panics"
	"absolink/internal/pending"
	"absolink/internal/regular"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// Where the output of a run goes.
type target uint8

const (
	nowhere target = iota
	toDestination
	inPlace
)

// A run is one walk through a tree, and the work on its files.
type run struct {
	options *Rewriter
	hooks   rewriter.Hooks     // of HTML
	quiet   *rewriter.Rewriter // HTML without hooks, to read a page again
	address address
	target  target

	srcName, dstName string
	pair                      // the trees themselves
	locked           *os.File // dst, locked until the run ends
	rec              *record  // of what is written to dst; nil if none is kept
	foldsCase        bool     // dst takes A and a for the same name

	marks
	anchors *anchors                           // nil if nobody asks for them
	unfit   struct{ include, copied []string } // the patterns of Include and Copy that no file has fitted so far; only the walk uses them

	jobs  chan []job
	stop  context.CancelCauseFunc
	ended chan struct{} // is closed when nobody uses the trees any more

	// regular.Open and the constant of this name, except in tests.
	openFile func(dir *os.Root, name string) (*os.File, fs.FileInfo, error)
	patience time.Duration

	working sync.WaitGroup

	mu       sync.Mutex // guards what follows, and calls of the caller's functions
	result   Result
	over     bool  // the run has returned, or ends by a panic: nothing is counted, and no function is called
	panicked error // of panics.Catch
}

// patience is how long a run that has to end waits for its workers. They check for
// the end after each piece that they read, so only a file system that does not answer
// takes longer.
const patience = 5 * time.Second

// run does everything that the exported methods do.
func (r *Rewriter) run(ctx context.Context, dst, src string, to target) (Result, error) {
	x, err := r.newRun(dst, src, to)
	if err != nil {
		return Result{}, err
	}
	if r.MissingAnchor != nil {
		if x.anchors, err = r.collect(ctx, src, mostAnchors); err != nil {
			x.close()
			return Result{}, err
		}
	}
	return x.do(ctx)
}

// newRun opens the trees.
func (r *Rewriter) newRun(dst, src string, to target) (*run, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	x := &run{
		options: r, hooks: r.HTML.Hooks(), quiet: r.HTML.With(rewriter.Hooks{}), address: r.address(), marks: r.marks(), target: to, srcName: src, dstName: dst,
		jobs: make(chan []job, 4), ended: make(chan struct{}), openFile: regular.Open, patience: patience,
	}
	x.unfit.include, x.unfit.copied = slices.Clone(r.Include), slices.Clone(r.Copy)
	if err := x.open(); err != nil {
		x.close()
		return nil, err
	}
	return x, nil
}

// do walks through src while workers rewrite. A worker that waits for a file system
// after the run has returned keeps the trees open, and dst locked, until it is done.
func (r *run) do(ctx context.Context) (Result, error) {
	ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	r.start(func() {
		defer close(r.jobs)
		if r.anchors.isFull() {
			r.warn("", fmt.Errorf("there are more than %d anchors; links to the anchors of some pages are not checked", r.anchors.most))
		}
		r.walk(ctx, new(directory))
		if ctx.Err() == nil {
			r.warnOfUnfit()
		}
	})
	for range cmp.Or(r.options.Jobs, runtime.GOMAXPROCS(0)) {
		r.start(func() { newWorker(r).work(ctx) })
	}
	go func() {
		defer close(r.ended)
		r.working.Wait()
		for jobs := range r.jobs { // a panic has ended the workers
			release(jobs)
		}
		if r.rec != nil {
			r.start(func() { r.finish(ctx) })
			r.working.Wait()
		}
		r.close()
	}()
	select {
	case <-r.ended:
	case <-ctx.Done():
		select {
		case <-r.ended:
		case <-time.After(r.patience):
		}
	}
	result, panicked := r.end()
	panics.Pass(panicked)
	return result, context.Cause(ctx)
}

// start calls f in a goroutine of the run. If f panics the run ends, and panics itself.
func (r *run) start(f func()) {
	r.working.Go(func() {
		var err error
		defer func() { // also after runtime.Goexit
			r.mu.Lock()
			defer r.mu.Unlock()
			r.fail(err)
		}()
		panics.Catch(&err, f)
	})
}

// fail ends the run by the panic that err tells of, if it does. r.mu is locked.
func (r *run) fail(err error) {
	if err != nil {
		r.panicked = cmp.Or(r.panicked, err)
		r.over = true
		r.stop(nil)
	}
}

// end returns the result, which counts nothing that is done later, and the first panic.
func (r *run) end() (_ Result, panicked error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	return r.result, r.panicked
}

// tell calls f, which counts something or calls a function of the caller, unless the
// run is over. After a function that panics, no other is called.
func (r *run) tell(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	var err error
	defer func() {
		r.fail(err)
		panics.Pass(err)
	}()
	panics.Catch(&err, f)
}

// open opens the trees, and locks the tree that is written.
func (r *run) open() (err error) {
	if r.src, err = regular.OpenRoot(r.srcName); err != nil {
		return &Error{r.srcName, -1, "open", cause(err)}
	}
	switch r.target {
	case nowhere:
		return nil
	case inPlace:
		r.dst, r.dstName = r.src, r.srcName
		return r.lock()
	}
	if err := checkApart(r.dstName, r.srcName); err != nil {
		return &Error{r.dstName, -1, "write", err}
	}
	if !r.options.Dry {
		if err := os.MkdirAll(r.dstName, 0o777); err != nil {
			return &Error{r.dstName, -1, "create", cause(err)}
		}
	}
	r.dst, err = regular.OpenRoot(r.dstName)
	switch {
	case r.options.Dry && errors.Is(err, fs.ErrNotExist):
		err = nil // nothing is there
	case err != nil:
		return &Error{r.dstName, -1, "open", cause(err)}
	case !r.options.Dry:
		if err := r.lock(); err != nil {
			return err
		}
	}
	if r.options.Record != "" {
		for _, tree := range []string{r.dstName, r.srcName} {
			errInside := errors.New("it would be a file of the tree " + tree)
			err = cmp.Or(err, checkOutside(filepath.Dir(r.options.Record), tree, errInside))
		}
		if err == nil {
			r.rec, err = openRecord(r.options.Record, r.options.Dry)
		}
		if err != nil {
			return &Error{r.options.Record, -1, "keep the record", cause(err)}
		}
	}
	if r.dst != nil {
		r.foldsCase = foldsCase(r.dst, r.options.Dry)
	}
	return nil
}

// lock makes this run the only one that writes dst, until it ends in whatever way.
func (r *run) lock() error {
	dir, err := r.dst.Open(".")
	if err != nil {
		return &Error{r.dstName, -1, "open", cause(err)}
	}
	r.locked = dir
	if !pending.Lock(dir) {
		return &Error{r.dstName, -1, "write", ErrBusy}
	}
	return nil
}

func (r *run) close() {
	r.rec.close()
	r.locked.Close() // or of no file
	if r.src != nil {
		r.src.Close()
	}
	if r.dst != nil && r.dst != r.src {
		r.dst.Close()
	}
}

// done counts a file and tells Done of it.
func (r *run) done(f File) {
	r.tell(func() {
		r.result.add(f)
		if r.options.Done != nil {
			r.options.Done(f)
		}
	})
}

// left tells Warn why a file is left out, and counts it.
func (r *run) left(path string, why error) {
	r.warn(path, why)
	r.done(File{Path: path, Outcome: Left})
}

// warn tells Warn something about a file of the source, or about the tree.
func (r *run) warn(path string, err error) { r.warnIn(r.srcName, path, err) }

// warnIn tells Warn something about a file in a tree.
func (r *run) warnIn(tree, path string, err error) {
	r.tell(func() {
		r.result.Places.Warnings++
		container.Warn(r.options.HTML, -1, &Error{nameOf(tree, path), -1, "", err})
	})
}

// lost tells Failed of a file or a directory, and counts it. If no other file can be
// written either, the run ends instead.
func (r *run) lost(path string, bytes int64, e *Error) {
	if r.locked != nil && isFull(e.Err) && isOwn(e.Err, r.locked, r.directoryOf(path)) {
		r.stop(&Error{r.dstName, -1, e.Op, e.Err})
		return
	}
	r.tell(func() {
		if r.options.Failed != nil {
			r.options.Failed(e)
		}
	})
	r.done(File{Path: strings.TrimSuffix(path, "/"), Bytes: bytes, Outcome: Failed})
}

// directoryOf tells of the directory of a file in the destination, or of the innermost one
// above that exists; nil if none can be looked at.
func (r *run) directoryOf(name string) fs.FileInfo {
	for {
		name = path.Dir(strings.TrimSuffix(name, "/"))
		if info, err := r.dst.Lstat(name); err == nil || name == "." {
			return info
		}
	}
}

// srcError and dstError name the file where something went wrong.
func (r *run) srcError(path, op string, err error) *Error {
	return newError(r.srcName, path, op, err)
}

func (r *run) dstError(path, op string, err error) *Error {
	return newError(r.dstName, path, op, err)
}

func newError(tree, path, op string, err error) *Error {
	var at *rewriter.Error
	var keeping *Error
	offset := int64(-1)
	switch {
	case errors.As(err, &at) && at.Op == "visit":
		offset, err = at.Offset, at.Err
	case errors.As(err, &at):
		offset, op, err = at.Offset, at.Op+" further", at.Err
	case errors.As(err, &keeping):
		op, err = keeping.Op, keeping.Err
	}
	return &Error{nameOf(tree, path), offset, op, cause(err)}
}

// nameOf returns the name by which messages call a file: the name of the tree, and the
// path in it.
func nameOf(tree, path string) string { return filepath.Join(tree, filepath.FromSlash(path)) }
