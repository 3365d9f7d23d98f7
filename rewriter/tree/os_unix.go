//go:build unix

package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// isFull reports whether nothing can be written, so that every other file would fail
// with the same error.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
}

func isOtherDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }

// isNoDirectory reports whether nothing can exist at a path: it goes on after the name
// of a file, or has a name that is too long.
func isNoDirectory(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}

// hardLink gives a file in the source a name in the destination. It uses the open
// directories, not their paths, which may lead elsewhere by now, and follows no
// symbolic link.
func (r *run) hardLink(d *pair, name, to string) error {
	src, err := d.src.Open(".")
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := d.dst.Open(".")
	if err != nil {
		return err
	}
	defer dst.Close()
	return unix.Linkat(int(src.Fd()), name, int(dst.Fd()), to, 0)
}

// keepOwner gives f the owner and group of the file that it replaces. It fails if the
// process may not do so: with another owner or group, the same mode could give access
// to people who had none.
func keepOwner(f *os.File, replaced fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	has, want := info.Sys().(*syscall.Stat_t), replaced.Sys().(*syscall.Stat_t)
	if has.Uid == want.Uid && has.Gid == want.Gid {
		return nil
	}
	if err := f.Chown(int(want.Uid), int(want.Gid)); err != nil {
		return &Error{Offset: -1, Op: fmt.Sprintf("keep its owner and group (%d:%d)", want.Uid, want.Gid), Err: fmt.Errorf("%w; write to another tree, or run as root", cause(err))}
	}
	return nil
}
