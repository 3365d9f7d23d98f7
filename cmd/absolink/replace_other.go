//go:build !unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
)

// A renamedFile is a pendingFile for systems that renameio does not support. On
// Windows, too, a rename replaces a file at once, if nobody has it open.
type renamedFile struct {
	*os.File
	path string
	done bool
}

func createPending(path string, replaced fs.FileInfo) (pendingFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return nil, err
	}
	return &renamedFile{File: f, path: path}, nil
}

// keepAccess has nothing to keep: a new file has the access rights of its
// directory, and a read-only one cannot be replaced.
func keepAccess(f pendingFile, replaced fs.FileInfo) error {
	return nil
}

func (f *renamedFile) CloseAtomicallyReplace() error {
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		return err
	}
	f.done = true
	return nil
}

func (f *renamedFile) Cleanup() error {
	if f.done {
		return nil
	}
	f.Close()
	return os.Remove(f.Name())
}
