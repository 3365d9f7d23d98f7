package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"absolink/internal/access"
	"absolink/internal/pending"
	"absolink/internal/regular"
)

const (
	// batch is how many names of a directory are read at a time.
	batch = 256

	// share is how many files of a directory a worker gets at once. Workers that write
	// into the same directory wait for each other.
	share = 128

	// openLevels is how many of the directories that the walk is in are open, the
	// innermost ones. The others are opened again when the walk comes back to them.
	openLevels = 8

	// maxPath is how many bytes a path in the tree may have. It bounds how deep the walk
	// goes.
	maxPath = 8 << 10
)

// A pair is a directory of the source and its counterpart in the destination, open as
// long as the walk or a worker uses them. Files are opened relative to these, so that
// no symbolic link can come between.
type pair struct {
	path     string   // in the tree, with a slash at its end; "" is the tree itself
	src, dst *os.Root // dst is nil until it exists
	users    atomic.Int32
}

func (p *pair) release() {
	if p.users.Add(-1) > 0 {
		return
	}
	p.src.Close()
	if p.dst != nil && p.dst != p.src {
		p.dst.Close()
	}
}

// A directory is one that the walk is in.
type directory struct {
	*pair          // nil while it is closed
	path    string // the path of the pair
	parent  *directory
	was     identity // of what was opened first
	made    bool     // the destination has the directory
	fresh   bool     // this run made it there, so there is nothing in it
	pending []job    // files for the next worker
}

// An identity says which two directories a pair is.
type identity struct{ src, dst fs.FileInfo }

// A job is a file to be read.
type job struct {
	dir  *pair
	name string      // in dir
	link bool        // name is a symbolic link to a file in the tree
	src  fs.FileInfo // of the file itself
	dst  fs.FileInfo // of the file that the destination already has; may be nil

	rights access.Rights // of the file, once it is open
}

func (j *job) path() string { return j.dir.path + j.name }

// walk sends the files in a directory, and in all directories below, to the workers.
// How many directories are open does not depend on how deeply they are nested.
func (r *run) walk(ctx context.Context, d *directory) {
	defer d.close()
	if !r.enter(d) {
		return
	}
	d.above(openLevels).close()
	for _, name := range r.read(ctx, d) {
		if ctx.Err() != nil || !r.enter(d) {
			return
		}
		r.walk(ctx, &directory{path: d.path + name + "/", parent: d})
	}
}

// above returns the directory that is so many levels up, or nil.
func (d *directory) above(levels int) *directory {
	for ; d != nil && levels > 0; levels-- {
		d = d.parent
	}
	return d
}

func (d *directory) close() {
	if d != nil && d.pair != nil {
		d.release()
		d.pair = nil
	}
}

// enter opens a directory that is closed, and reports whether it is open.
func (r *run) enter(d *directory) bool {
	if d.pair != nil {
		return true
	}
	in, name := &r.pair, d.path
	if parent := d.parent; parent != nil && parent.pair != nil {
		in, name = parent.pair, d.path[len(parent.path):]
	}
	p := &pair{path: d.path}
	p.users.Store(1)
	var err error
	if p.src, err = in.src.OpenRoot(name + "."); err == nil { // the dot makes a FIFO of that name an error at once
		d.pair = p
		err = recognize(p.src, &d.was.src)
	}
	if err != nil {
		r.lost(d.path, 0, r.srcError(d.path, "open", err))
		return false
	}
	switch r.target {
	case inPlace:
		p.dst = p.src
	case toDestination:
		err = r.enterDestination(d, in.dst, name)
	}
	if err != nil {
		r.lost(d.path, 0, r.dstError(d.path, "create", err))
	}
	return err == nil
}

// enterDestination opens the directory in the destination. With Include, a directory
// is not made before there is a file for it.
func (r *run) enterDestination(d *directory, in *os.Root, name string) (err error) {
	if in != nil {
		if d.dst, err = openDirectory(in, name); err != nil {
			return err
		}
	}
	switch {
	case d.dst != nil:
		d.made = true
		return recognize(d.dst, &d.was.dst)
	case len(r.options.Include) == 0:
		return r.create(d)
	}
	return nil
}

// recognize returns an error if a directory is not the one that was opened by the same
// path before.
func recognize(dir *os.Root, was *fs.FileInfo) error {
	info, err := dir.Stat(".")
	switch {
	case err != nil:
		return err
	case *was != nil && !os.SameFile(*was, info):
		return errors.New("another directory has its name now; run again")
	}
	*was = info
	return nil
}

// openDirectory opens a directory, but not through a symbolic link. It returns nil if
// there is nothing of that name.
func openDirectory(in *os.Root, name string) (*os.Root, error) {
	info, err := in.Lstat(strings.TrimSuffix(name+".", "/."))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, errNoDirectory
	}
	return in.OpenRoot(name + ".")
}

var errNoDirectory = errors.New("there is a file with the name of a directory")

// create makes a directory in the destination, and the directories that it is in, unless the run
// is dry.
func (r *run) create(d *directory) (err error) {
	if d.dst == nil && !r.options.Dry {
		d.dst, err = r.destination(d)
	}
	return err
}

// destination opens a directory in the destination. It begins at the innermost one
// that is open, and makes what does not exist. No more than two are open at a time.
func (r *run) destination(d *directory) (dst *os.Root, err error) {
	switch p := d.parent; {
	case d.made || p == nil:
		dst, err = openDirectory(r.dst, d.path)
	case p.pair != nil && p.dst != nil:
		dst, err = r.mkdir(d, p.dst)
	default:
		var in *os.Root
		if in, err = r.destination(p); err == nil {
			dst, err = r.mkdir(d, in)
			in.Close()
		}
	}
	switch {
	case err != nil:
		return nil, err
	case dst == nil:
		return nil, fs.ErrNotExist // the directory was removed meanwhile
	}
	if err := recognize(dst, &d.was.dst); err != nil {
		dst.Close()
		return nil, err
	}
	return dst, nil
}

// mkdir opens a directory in the one of its parent, and makes it if necessary.
func (r *run) mkdir(d *directory, in *os.Root) (*os.Root, error) {
	name := d.path[len(d.parent.path):]
	bare := strings.TrimSuffix(name, "/")
	err := in.Mkdir(bare, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	d.made, d.fresh = true, err == nil
	dst, err := openDirectory(in, name)
	if d.fresh && dst != nil {
		if err := r.copyRights(dst, d); err != nil {
			dst.Close()
			in.Remove(bare) // the next run would take it for finished
			d.made, d.fresh = false, false
			return nil, err
		}
	}
	return dst, err
}

// copyRights gives a new directory the access rights of its source. The owner may write,
// whatever the source says: files follow.
func (r *run) copyRights(dst *os.Root, d *directory) error {
	in, name := r.src, d.path+"."
	if d.pair != nil {
		in, name = d.src, "."
	}
	src, err := in.Open(name)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil || !os.SameFile(info, d.was.src) {
		return cmp.Or(err, ErrChanged)
	}
	to, err := dst.Open(".")
	if err != nil {
		return err
	}
	defer to.Close()
	return access.Of(src, info).Copy(to, 0o700)
}

// read sends the files in a directory to the workers, and returns the names of the
// directories in it. Nothing is sorted. Of other names, no more than a batch is held.
func (r *run) read(ctx context.Context, d *directory) (dirs []string) {
	f, err := d.src.Open(".")
	if err != nil {
		r.lost(d.path, 0, r.srcError(d.path, "open", err))
		return nil
	}
	defer f.Close()
	defer r.send(ctx, d)
	folded := map[string]string{}
	for ctx.Err() == nil {
		entries, err := f.ReadDir(batch)
		for _, e := range entries {
			switch {
			case ctx.Err() != nil:
				return nil
			case e.Type().IsRegular() && pending.IsName(e.Name()) || r.clashes(folded, d, e.Name()):
			case len(d.path)+len(e.Name()) > maxPath:
				path := d.path + e.Name()
				r.lost(path, 0, r.srcError(path, "open", fmt.Errorf("its path in the tree is longer than %d bytes", maxPath)))
			case !e.IsDir():
				r.entry(ctx, d, e)
			case !fits(r.options.Exclude, d.path+e.Name()):
				dirs = append(dirs, e.Name())
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return dirs
		case err != nil:
			r.lost(d.path, 0, r.srcError(d.path, "read", err))
			return dirs
		}
	}
	return nil
}

// clashes reports whether the destination takes a name for an earlier one.
func (r *run) clashes(folded map[string]string, d *directory, name string) bool {
	if !r.foldsCase {
		return false
	}
	key := strings.ToLower(name)
	earlier, ok := folded[key]
	if !ok || earlier == name {
		folded[key] = name
		return false
	}
	r.lost(d.path+name, 0, r.dstError(d.path+name, "create", fmt.Errorf("its file system does not tell this name from %q", earlier)))
	return true
}

// warnOfUnfit tells of the patterns that no file of the tree has fitted.
func (r *run) warnOfUnfit() {
	for _, p := range r.unfit.include {
		r.warn("", &PatternError{"Include", p})
	}
	for _, p := range r.unfit.copied {
		r.warn("", &PatternError{"Copy", p})
	}
}

// entry takes care of one name in a directory, other than the name of a directory.
func (r *run) entry(ctx context.Context, d *directory, e fs.DirEntry) {
	name := e.Name()
	path := d.path + name
	if !r.options.takes(path) {
		return
	}
	r.unfit.include = slices.DeleteFunc(r.unfit.include, func(p string) bool { return fits([]string{p}, path) })
	r.unfit.copied = slices.DeleteFunc(r.unfit.copied, func(p string) bool { return fitsWhole([]string{p}, path) })
	switch {
	case e.Type() == fs.ModeSymlink:
		r.symlink(ctx, d, name)
	case e.Type().IsRegular():
		info, err := e.Info() // what the file was when its name was read
		if err != nil {
			r.lost(path, 0, r.srcError(path, "open", err))
			return
		}
		r.file(ctx, d, job{dir: d.pair, name: name, src: info})
	default:
		r.left(path, regular.ErrOther)
	}
}

// symlink is entry for a symbolic link. A link to a file in the tree is a file with a
// URL of its own. A link to a directory in the tree becomes a link.
func (r *run) symlink(ctx context.Context, d *directory, name string) {
	path := d.path + name
	info, err := r.src.Stat(path)
	switch {
	case err != nil && isNowhere(err):
		r.left(path, errLink(cause(err)))
	case err != nil:
		r.lost(path, 0, r.srcError(path, "open", err))
	case r.target == inPlace: // where the link leads, the file is rewritten under its own name
	case info.Mode().IsRegular():
		r.file(ctx, d, job{dir: d.pair, name: name, link: true, src: info})
	case !info.IsDir():
		r.left(path, errLink(regular.ErrOther))
	case r.target == toDestination:
		r.relink(d, name, path)
	}
}

// isNowhere reports whether an error says that a symbolic link leads to nothing in the tree:
// it leads out of it, in a circle, or to a name that nothing has.
func isNowhere(err error) bool {
	return isEscape(err) || errors.Is(err, syscall.ELOOP) || errors.Is(err, fs.ErrNotExist) || isNoDirectory(err)
}

// isEscape reports whether an error says that a path leads out of a Root. Package os exports
// no name for it.
func isEscape(err error) bool { return cause(err).Error() == "path escapes from parent" }

// errLink says why a symbolic link is not followed.
func errLink(why error) error {
	if isEscape(why) {
		why = errors.New("it leads out of the tree")
	}
	return fmt.Errorf("the symbolic link is not followed: %w", why)
}

// file puts a file among those for the next worker, unless the destination already has
// it and it need not be read.
func (r *run) file(ctx context.Context, d *directory, j job) {
	if r.target == toDestination {
		if err := r.create(d); err != nil {
			r.lost(j.path(), j.src.Size(), r.dstError(d.path, "create", err))
			return
		}
		if !d.fresh && d.dst != nil {
			j.dst, _ = d.dst.Lstat(j.name) // if this fails, writing will too
		}
		if !r.checks() && (r.has(j.path(), j.dst, j.src) || j.link && isLinkable(j.name) && r.hasLink(d, j.name)) {
			r.noteFile(d.dst, j.name, j.path())
			r.done(File{Path: j.path(), Bytes: j.src.Size(), Outcome: Unchanged})
			return
		}
	}
	d.users.Add(1)
	if d.pending = append(d.pending, j); len(d.pending) == share {
		r.send(ctx, d)
	}
}

// send gives the pending files of a directory to a worker.
func (r *run) send(ctx context.Context, d *directory) {
	jobs := d.pending
	d.pending = nil
	if len(jobs) == 0 {
		return
	}
	select {
	case r.jobs <- jobs:
	case <-ctx.Done():
		release(jobs)
	}
}

// release says that files are done, or will not be.
func release(jobs []job) {
	for _, j := range jobs {
		j.dir.release()
	}
}
