package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A pendingFile is a temporary file that takes the place of another, or goes.
type pendingFile interface {
	io.Writer
	CloseAtomicallyReplace() error
	Cleanup() error // does nothing after CloseAtomicallyReplace
}

// replaceFile writes a file whole or not at all: to a temporary file beside
// it, which takes its place at the end. Mode, owner and group stay, else the
// whole file does. A symbolic link stays, what it leads to is written. Nothing
// happens where write says that nothing changed.
func replaceFile(name string, write func(w io.Writer) (changed bool, err error)) error {
	path, info, err := target(name)
	if err != nil {
		return cannot("write", name, err)
	}
	f, err := open(func() (pendingFile, error) { return createPending(path, info) })
	if err != nil && info == nil {
		return cannot("create", name, err)
	} else if err != nil {
		return cannot("create a file beside it", name, err)
	}
	defer discard()
	if info != nil {
		if err := keepAccess(f, info); err != nil {
			return cannot("keep its owner, group and mode", name, err)
		}
	}
	changed, err := write(f)
	if err != nil || !changed {
		return err
	}
	if err := commit(); err != nil {
		return cannot("write", name, err)
	}
	return nil
}

// target follows symbolic links to the file that is to be written. Its info is
// nil where there is none yet.
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
	case err != nil && dir == "": // no link: nothing is there
		return name, nil, nil
	case err != nil:
		dir, err = filepath.EvalSymlinks(dir)
		return filepath.Join(dir, base), nil, err
	case filepath.IsAbs(link):
		return target(link)
	}
	return target(dir + link) // not Join, to which x/.. is . where x is a link
}

// cannot is an error that says what cannot be done to which file. No other
// name is in it, above all not that of a temporary file.
func cannot(do, name string, err error) error {
	return &fs.PathError{Op: do, Path: name, Err: cause(err)}
}

// cause is err without operation and file name.
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
