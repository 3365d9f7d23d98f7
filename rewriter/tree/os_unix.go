//go:build unix

package tree

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// isFull reports whether a file system cannot be written to.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
}

// isOwn reports whether an error of isFull is about the file system of dst itself, so that
// every other file would fail with the same error. dir is the directory of the file that
// failed, or nil. What is mounted in dst may be full or read-only by itself.
func isOwn(err error, dst *os.File, dir fs.FileInfo) bool {
	if errors.Is(err, syscall.EROFS) { // what is mounted may be a read-only view of the same device
		return errors.Is(unix.Faccessat(int(dst.Fd()), ".", unix.W_OK, 0), unix.EROFS)
	}
	own, err := dst.Stat()
	return err != nil || dir == nil || own.Sys().(*syscall.Stat_t).Dev == dir.Sys().(*syscall.Stat_t).Dev
}

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
