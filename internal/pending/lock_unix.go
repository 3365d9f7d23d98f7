//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package pending

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Lock locks a file or directory until it is closed or the process ends. It reports false
// if somebody else has locked it. On a file system without locks it always reports true.
func Lock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return err != syscall.EWOULDBLOCK
}

// keepLock keeps the lock of a file that is closed meanwhile, until release is called.
// Otherwise another run could take the file for one that a killed run has left.
func keepLock(f *os.File) (release func()) {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	syscall.CloseOnExec(fd)
	return func() { syscall.Close(fd) }
}

// remove removes a file that no other run has locked, and reports whether it did. Whoever
// has the lock of a file that has a name may rename or remove it.
func remove(dir *os.Root, name string) bool {
	const file = syscall.O_NOFOLLOW | syscall.O_NONBLOCK // nothing that one would wait for
	f, err := dir.OpenFile(name, os.O_RDWR|file, 0)
	if errors.Is(err, fs.ErrPermission) {
		f, err = dir.OpenFile(name, os.O_RDONLY|file, 0)
	}
	if err != nil {
		return false
	}
	defer f.Close()
	// NFS locks no file that cannot be written.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == syscall.EWOULDBLOCK || err == syscall.EBADF {
		return false
	}
	return isAt(dir, name, f) && dir.Remove(name) == nil
}
