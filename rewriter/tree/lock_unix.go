//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package tree

import (
	"os"
	"syscall"
)

// lock locks a directory until the file is closed or the process ends. It reports
// false if somebody else has locked the directory. On a file system without locks it
// always reports true.
func lock(dir *os.File) bool {
	err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return err != syscall.EWOULDBLOCK
}
