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

// dontWait is to open what may be no file, whatever it is: a FIFO without anybody
// who writes to it, or a terminal, which is not to be ours.
const dontWait = syscall.O_NONBLOCK | syscall.O_NOCTTY

// openRoot opens a directory, and waits for nobody where there is a FIFO instead.
func openRoot(name string) (*os.Root, error) {
	if name != "" { // which is no directory, least of all /
		name += "/."
	}
	return os.OpenRoot(name)
}

// isFull holds for errors that every other file would meet too.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
}

func isOtherDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }

// isNoDirectory holds where a path goes on after a file, and for a name that is
// too long for one.
func isNoDirectory(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}

// hardLink gives a file another name, from directory to directory, wherever
// their paths lead meanwhile. It follows no symbolic link.
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

// keepOwner gives f owner and group of the file that it replaces. With others
// its mode could let in whom it kept out, so without a right to give both it
// fails.
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
