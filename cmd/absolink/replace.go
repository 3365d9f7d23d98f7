package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"absolink/internal/pending"
)

// A pendingFile either takes the place of another file or is removed.
type pendingFile struct {
	*os.File
	dir        directory
	temp, name string // in dir
	done       bool
}

// createPending creates the file that is to become the file at a path. If it is to replace
// another file, only its owner may read it before keepAccess.
func createPending(path string, replaced fs.FileInfo) (*pendingFile, error) {
	perm := fs.FileMode(0o600)
	if replaced == nil {
		perm = 0o666
	}
	p := &pendingFile{dir: directory(filepath.Dir(path)), name: filepath.Base(path)}
	pending.Clean(p.dir, p.name)
	var err error
	p.File, p.temp, err = pending.Create(p.dir, p.name, perm)
	return p, err
}

// replace has the file, which is on the disk then, take the place of the other one.
func (p *pendingFile) replace() error {
	if err := p.Sync(); err != nil {
		return err
	}
	if err := p.Close(); err != nil { // on Windows, no file that is open can be renamed
		return err
	}
	if err := os.Rename(p.dir.path(p.temp), p.dir.path(p.name)); err != nil {
		return err
	}
	p.done = true
	return nil
}

// remove removes the file, unless it has taken its place.
func (p *pendingFile) remove() {
	if !p.done {
		p.Close()
		p.dir.Remove(p.temp)
	}
}

// A directory is a [pending.Directory].
type directory string

func (d directory) path(name string) string { return filepath.Join(string(d), name) }

func (d directory) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(d.path(name), flag, perm)
}

func (d directory) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(d.path(name)) }

func (d directory) Remove(name string) error { return os.Remove(d.path(name)) }

// isStdout reports whether the name of an output means standard output.
func isStdout(name string) bool { return name == "" || name == "-" }

// outputName returns what a message calls an output.
func outputName(name string) string {
	if isStdout(name) {
		return "<stdout>"
	}
	return name
}

// isDevice reports whether a name stands for a device, a pipe, or anything else that
// a file cannot replace.
func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular()
}

// writeOutput has write write an output: a file is written atomically.
func writeOutput(ui *ui, name string, write func(w io.Writer) error) error {
	switch {
	case isStdout(name):
		return write(ui.stdout)
	case isDevice(name):
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	return replaceFile(name, func(w io.Writer) (changed bool, err error) { return true, write(w) })
}

// replaceFile writes a file atomically: to a temporary file beside it,
// which takes its place at the end. Mode, owner and group of the file stay; where
// they cannot, nothing is written. A symbolic link stays, and the file that it leads
// to is written. The file stays as it is where write says that nothing changed.
func replaceFile(name string, write func(w io.Writer) (changed bool, err error)) error {
	path, info, err := target(name)
	if err != nil {
		return cannot("write", name, err)
	}
	f, err := open(func() (*pendingFile, error) { return createPending(path, info) })
	if err != nil && info == nil {
		return cannot("create", name, err)
	} else if err != nil {
		return cannot("create a file beside it", name, err)
	}
	defer discard(f)
	if info != nil {
		if err := keepAccess(f.File, info); err != nil {
			return cannot("keep its owner, group and mode", name, err)
		}
	}
	changed, err := write(f)
	if err != nil || !changed {
		return err
	}
	if err := commit(f); err != nil {
		return cannot("write", name, err)
	}
	return nil
}

// target follows symbolic links to the file that is to be written. info is nil where
// there is no such file yet.
func target(name string) (path string, info fs.FileInfo, err error) {
	info, err = os.Stat(name)
	if err == nil {
		path, err = filepath.EvalSymlinks(name)
		return path, info, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	dir, base := filepath.Split(name)
	link, err := os.Readlink(name)
	switch {
	case err != nil && dir == "": // not a link, so nothing is there
		return name, nil, nil
	case err != nil:
		dir, err = filepath.EvalSymlinks(dir)
		return filepath.Join(dir, base), nil, err
	case filepath.IsAbs(link):
		return target(link)
	}
	return target(dir + link) // not Join, which takes x/.. for . even if x is a link
}

// cannot returns an error that says what cannot be done to which file. It leaves out
// any other name, such as a temporary file's.
func cannot(do, name string, err error) error {
	return &fs.PathError{Op: do, Path: name, Err: cause(err)}
}

// cause returns the cause of err, without an operation and a file name.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
