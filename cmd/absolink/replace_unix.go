//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// keepAccess gives f the owner, the group and then the mode of the file that it
// replaces. The same mode with another owner or group would let in those whom it
// kept out; so keepAccess fails where it may not set them.
func keepAccess(f *os.File, replaced fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	has, want := info.Sys().(*syscall.Stat_t), replaced.Sys().(*syscall.Stat_t)
	if has.Uid != want.Uid || has.Gid != want.Gid {
		if err := f.Chown(int(want.Uid), int(want.Gid)); err != nil {
			return fmt.Errorf("%w (%d:%d); name a new file with -o, or run as root", cause(err), want.Uid, want.Gid)
		}
	}
	return f.Chmod(replaced.Mode())
}
