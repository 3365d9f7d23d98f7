//go:build unix

package tree

import (
	"errors"
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
