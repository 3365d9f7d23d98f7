//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package tree

import (
	"os"
	"syscall"
)

// lock locks a directory until it is closed or the process ends, and reports
// whether nobody else has. A file system that has no locks locks nobody out.
func lock(dir *os.File) bool {
	err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return err != syscall.EWOULDBLOCK
}
