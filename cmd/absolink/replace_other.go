//go:build !unix

package main

import (
	"io"
	"os"
	"path/filepath"
)

// replaceFile is as on Unix, without owners. A rename replaces a file at once
// on Windows as well.
func replaceFile(name string, info os.FileInfo, write func(w io.Writer) (changed bool, err error)) error {
	mode := os.FileMode(0o666)
	if info != nil {
		target, err := filepath.EvalSymlinks(name)
		if err != nil {
			return err
		}
		name, mode = target, info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"*")
	if err != nil {
		return err
	}
	defer setTemporary("")
	defer os.Remove(f.Name())
	defer f.Close()
	setTemporary(f.Name())
	changed, err := write(f)
	if err != nil || !changed {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), mode); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
