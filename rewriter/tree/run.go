package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"absolink/rewriter"
)

// Where the output of a run goes.
type target uint8

const (
	nowhere target = iota
	toDestination
	inPlace
)

// A run is one walk through a tree.
type run struct {
	*Rewriter
	address address
	target  target

	srcName, dstName string
	src, dst         *os.Root // of the trees; dst is nil where target is nowhere
	locked           *os.File // dst, as long as it is written
	foldsCase        bool     // dst takes A for a

	page, copied mark
	noLinks      atomic.Bool // dst is on another file system

	jobs chan []job
	stop context.CancelCauseFunc

	mu     sync.Mutex // of what follows, and the functions of the Rewriter
	result Result
}

// run opens the trees, and walks through src while workers rewrite.
func (r *Rewriter) run(ctx context.Context, dst, src string, to target) (Result, error) {
	if err := r.Check(); err != nil {
		return Result{}, err
	}
	if r.HTML == nil {
		clone := *r
		clone.HTML = new(rewriter.Rewriter)
		r = &clone
	}
	x := &run{Rewriter: r, address: r.address(), target: to, srcName: src, dstName: dst, jobs: make(chan []job, 4)}
	x.page, x.copied = r.marks()
	defer x.close()
	if err := x.open(); err != nil {
		return Result{}, err
	}
	ctx, x.stop = context.WithCancelCause(ctx)
	defer x.stop(nil)

	var workers sync.WaitGroup
	jobs := r.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	for range jobs {
		workers.Go(func() { newWorker(x).work(ctx) })
	}
	x.walkAll(ctx)
	close(x.jobs)
	workers.Wait()
	return x.result, context.Cause(ctx)
}

// open opens the trees, and locks the one that is written.
func (r *run) open() (err error) {
	if r.src, err = os.OpenRoot(r.srcName); err != nil {
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
	if err := os.MkdirAll(r.dstName, 0o777); err != nil {
		return &Error{r.dstName, -1, "create", cause(err)}
	}
	if r.dst, err = os.OpenRoot(r.dstName); err != nil {
		return &Error{r.dstName, -1, "open", cause(err)}
	}
	if err := r.lock(); err != nil {
		return err
	}
	r.foldsCase = foldsCase(r.dst)
	return nil
}

// lock sees to it that no other run writes dst, until this one ends, however
// that is.
func (r *run) lock() error {
	dir, err := r.dst.Open(".")
	if err != nil {
		return &Error{r.dstName, -1, "open", cause(err)}
	}
	r.locked = dir
	if !lock(dir) {
		return &Error{r.dstName, -1, "write", ErrBusy}
	}
	return nil
}

func (r *run) close() {
	if r.locked != nil {
		r.locked.Close()
	}
	if r.src != nil {
		r.src.Close()
	}
	if r.dst != nil && r.dst != r.src {
		r.dst.Close()
	}
}

// fullName is the name of a file in src that is said to people.
func (r *run) fullName(path string) string { return filepath.Join(r.srcName, filepath.FromSlash(path)) }

// done counts a file and tells of it.
func (r *run) done(path string, bytes int64, outcome Outcome, page bool) {
	f := File{path, bytes, outcome, page}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.add(f)
	if r.Done != nil {
		r.Done(f)
	}
}

// left tells why a file is not part of what is written.
func (r *run) left(path string, bytes int64, why error) {
	r.warn(path, -1, why)
	r.done(path, bytes, Left, false)
}

// lost tells of a file, or a directory, that something could not be done to.
// Where no other file can be written either, the run ends.
func (r *run) lost(path string, bytes int64, e *Error) {
	if isFull(e.Err) {
		r.stop(&Error{r.dstName, -1, e.Op, e.Err})
		return
	}
	r.mu.Lock()
	if r.Failed != nil {
		r.Failed(e)
	}
	r.mu.Unlock()
	r.done(path, bytes, Failed, false)
}

func (r *run) warn(path string, offset int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Places.Warnings++
	if r.Warn != nil {
		r.Warn(r.fullName(path), offset, err)
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
	case errors.As(err, &at):
		offset, op, err = at.Offset, at.Op+" on", at.Err
	case errors.As(err, &keeping):
		op, err = keeping.Op, keeping.Err
	}
	return &Error{filepath.Join(tree, filepath.FromSlash(path)), offset, op, cause(err)}
}

var errSpecial = errors.New("it is no regular file and left out")

// errLink says why a symbolic link is not followed. Package os has no name for
// the error of a Root that something leads out of.
func errLink(why error) error {
	if why.Error() == "path escapes from parent" {
		why = errors.New("it leads out of the tree")
	}
	return fmt.Errorf("the symbolic link is not followed: %w", why)
}
