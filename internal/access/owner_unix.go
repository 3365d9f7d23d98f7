//go:build unix

package access

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

func isSameOwner(a, b fs.FileInfo) bool {
	statA, statB := a.Sys().(*syscall.Stat_t), b.Sys().(*syscall.Stat_t)
	return statA.Uid == statB.Uid && statA.Gid == statB.Gid
}

func keepOwner(f *os.File, replaced fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil || isSameOwner(info, replaced) {
		return err
	}
	want := replaced.Sys().(*syscall.Stat_t)
	if err := f.Chown(int(want.Uid), int(want.Gid)); err != nil {
		if path, ok := errors.AsType[*fs.PathError](err); ok {
			err = path.Err
		}
		return &OwnerError{want.Uid, want.Gid, err}
	}
	return nil
}

// keepMode comes last: changing the owner or the access control list can remove bits of
// the mode.
func keepMode(f *os.File, mode fs.FileMode) error { return f.Chmod(mode) }
