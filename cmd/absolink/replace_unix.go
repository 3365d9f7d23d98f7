//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// replaceFile writes a file whole or not at all: to a temporary file beside
// it, which takes its place at the end. info is that of the file it replaces,
// nil where there is none; mode and, where that is allowed, owner stay. A
// symbolic link stays and its target is replaced. Nothing happens where write
// says that nothing changed.
func replaceFile(name string, info os.FileInfo, write func(w io.Writer) (changed bool, err error)) error {
	mode := renameio.WithPermissions(0o666)
	if info != nil {
		target, err := filepath.EvalSymlinks(name)
		if err != nil {
			return err
		}
		name, mode = target, renameio.WithStaticPermissions(info.Mode().Perm())
	}
	f, err := renameio.NewPendingFile(name, mode, renameio.WithTempDir(filepath.Dir(name)))
	if err != nil {
		return err
	}
	defer setTemporary("")
	defer f.Cleanup()
	setTemporary(f.Name())
	if info != nil {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() {
			if err := f.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
				return err
			}
		}
	}
	changed, err := write(f)
	if err != nil || !changed {
		return err
	}
	return f.CloseAtomicallyReplace()
}
