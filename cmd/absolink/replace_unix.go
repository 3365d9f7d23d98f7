//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// createPending creates a file. If it is to replace another file, only its owner may
// read it before keepAccess.
func createPending(path string, replaced fs.FileInfo) (pendingFile, error) {
	mode := renameio.WithPermissions(0o600)
	if replaced == nil {
		mode = renameio.WithPermissions(0o666)
	}
	return renameio.NewPendingFile(path, mode, renameio.WithTempDir(filepath.Dir(path)))
}

// keepAccess gives f the owner, the group and then the mode of the file that it
// replaces. The same mode with another owner or group would let in those whom it
// kept out; so keepAccess fails where it may not set them.
func keepAccess(f pendingFile, replaced fs.FileInfo) error {
	pending := f.(*renameio.PendingFile)
	info, err := pending.Stat()
	if err != nil {
		return err
	}
	has, want := info.Sys().(*syscall.Stat_t), replaced.Sys().(*syscall.Stat_t)
	if has.Uid != want.Uid || has.Gid != want.Gid {
		if err := pending.Chown(int(want.Uid), int(want.Gid)); err != nil {
			return fmt.Errorf("%w (%d:%d); name a new file with -o, or run as root", cause(err), want.Uid, want.Gid)
		}
	}
	return pending.Chmod(replaced.Mode())
}
