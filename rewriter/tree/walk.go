package tree

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
)

// batch is how many names of a directory are read at a time.
const batch = 256

// A directory is one of the tree, open in source and destination as long as
// anybody has to do with it. Files are opened from there, so no symbolic link
// comes between.
type directory struct {
	path     string // with a slash at its end, but for the tree's own, which is ""
	parent   *directory
	src, dst *os.Root // dst is nil as long as there is none
	mode     fs.FileMode
	fresh    bool // this run made dst: nothing is in it
	users    atomic.Int32
	pending  []job // of the walk: files for the next worker
}

// share is how many files of a directory a worker is given at once. Two that
// write into one directory wait for each other.
const share = 128

func (d *directory) release() {
	if d.users.Add(-1) > 0 {
		return
	}
	d.src.Close()
	if d.dst != nil && d.dst != d.src {
		d.dst.Close()
	}
}

// A job is a file to be read.
type job struct {
	dir  *directory
	name string      // in dir
	link bool        // it is a symbolic link to a file in the tree
	src  fs.FileInfo // of the file itself
	dst  fs.FileInfo // of the one that is there already; nil if none is
}

func (j *job) path() string { return j.dir.path + j.name }

// walkAll sends the files of the tree to the workers.
func (r *run) walkAll(ctx context.Context) {
	d, err := r.enter(nil, ".")
	if err != nil {
		r.lost("", 0, err)
		return
	}
	r.walk(ctx, d)
	d.release()
}

// enter opens a directory in another, nil being none.
func (r *run) enter(parent *directory, name string) (*directory, *Error) {
	d := &directory{parent: parent}
	d.users.Store(1)
	src, dst := r.src, r.dst
	if parent != nil {
		d.path = parent.path + name + "/"
		src, dst = parent.src, parent.dst
	}
	var err error
	if d.src, err = src.OpenRoot(name); err != nil {
		return nil, r.srcError(d.path, "open", err)
	}
	if r.target == inPlace {
		d.dst = d.src
	}
	if r.target != toDestination {
		return d, nil
	}
	info, err := d.src.Stat(".")
	if err != nil {
		d.release()
		return nil, r.srcError(d.path, "open", err)
	}
	d.mode = info.Mode().Perm() | 0o700 // what is in it has to be written
	if dst != nil {
		d.dst, err = openDirectory(dst, name)
	}
	if err == nil && d.dst == nil && len(r.Include) == 0 {
		err = d.create()
	}
	if err != nil {
		d.release()
		return nil, r.dstError(d.path, "create", err)
	}
	return d, nil
}

// openDirectory opens a directory that is none by way of a symbolic link; nil is
// none.
func openDirectory(in *os.Root, name string) (*os.Root, error) {
	info, err := in.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, errors.New("there is a file with the name of a directory")
	}
	return in.OpenRoot(name)
}

// create makes a directory in the destination, and those that it is in.
func (d *directory) create() error {
	if d.dst != nil {
		return nil
	}
	if err := d.parent.create(); err != nil {
		return err
	}
	name := strings.TrimSuffix(d.path[len(d.parent.path):], "/")
	err := d.parent.dst.Mkdir(name, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if d.fresh = err == nil; d.fresh {
		d.parent.dst.Chmod(name, d.mode) // some file systems have no permissions
	}
	dst, err := openDirectory(d.parent.dst, name)
	d.dst = dst
	return err
}

// walk sends the files in a directory to the workers. Nothing is sorted, and
// no more than a batch of names is held.
func (r *run) walk(ctx context.Context, d *directory) {
	f, err := d.src.Open(".")
	if err != nil {
		r.lost(d.path, 0, r.srcError(d.path, "open", err))
		return
	}
	defer f.Close()
	defer r.send(ctx, d)
	folded := map[string]string{}
	for ctx.Err() == nil {
		entries, err := f.ReadDir(batch)
		for _, e := range entries {
			if ctx.Err() != nil {
				return
			}
			if !isTemporary(e.Name()) && !r.clashes(folded, d, e.Name()) {
				r.entry(ctx, d, e)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			r.lost(d.path, 0, r.srcError(d.path, "read", err))
			return
		}
	}
}

// clashes reports a name that the destination takes for an earlier one.
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
	r.lost(d.path+name, 0, r.dstError(d.path+name, "create", errors.New("its file system takes the name for that of "+earlier)))
	return true
}

// entry does what is to be done about one name in a directory.
func (r *run) entry(ctx context.Context, d *directory, e fs.DirEntry) {
	name := e.Name()
	path := d.path + name
	switch {
	case e.IsDir():
		if fits(r.Exclude, path) {
			return
		}
		sub, err := r.enter(d, name)
		if err != nil {
			r.lost(path, 0, err)
			return
		}
		r.walk(ctx, sub)
		sub.release()
	case !r.takes(path):
	case e.Type() == fs.ModeSymlink:
		r.symlink(ctx, d, name)
	case e.Type().IsRegular():
		info, err := e.Info() // that of when the name was read
		if err != nil {
			r.lost(path, 0, r.srcError(path, "open", err))
			return
		}
		r.file(ctx, job{dir: d, name: name, src: info})
	default:
		r.left(path, 0, errSpecial)
	}
}

// symlink is entry for a symbolic link. One to a file in the tree is a file with
// a URL of its own. One to a directory in it is made anew.
func (r *run) symlink(ctx context.Context, d *directory, name string) {
	path := d.path + name
	info, err := r.src.Stat(path)
	switch {
	case err != nil:
		r.left(path, 0, errLink(cause(err)))
	case r.target == inPlace: // what it leads to is rewritten where it is
	case info.Mode().IsRegular():
		r.file(ctx, job{dir: d, name: name, link: true, src: info})
	case !info.IsDir():
		r.left(path, 0, errLink(errSpecial))
	case r.target == toDestination:
		r.relink(d, name, path)
	}
}

// file has a file sent to the workers, unless it is there already and need not be
// read.
func (r *run) file(ctx context.Context, j job) {
	if r.target == toDestination {
		if err := j.dir.create(); err != nil {
			r.lost(j.path(), j.src.Size(), r.dstError(j.dir.path, "create", err))
			return
		}
		if !j.dir.fresh {
			j.dst, _ = j.dir.dst.Lstat(j.name) // if that fails, so does writing
		}
		if r.Missing == nil && (r.has(j.path(), j.dst, j.src) || j.link && isLinkable(j.name) && r.hasLink(j.dir, j.name, j.dst)) {
			r.done(j.path(), j.src.Size(), Unchanged, false)
			return
		}
	}
	d := j.dir
	d.users.Add(1)
	if d.pending = append(d.pending, j); len(d.pending) == share {
		r.send(ctx, d)
	}
}

// send gives a worker the files of a directory that wait for one.
func (r *run) send(ctx context.Context, d *directory) {
	jobs := d.pending
	d.pending = nil
	if len(jobs) == 0 {
		return
	}
	select {
	case r.jobs <- jobs:
	case <-ctx.Done():
		for range jobs {
			d.release()
		}
	}
}
