//go:build !unix

package tree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// These are errors of Windows.
const (
	errorNotSameDevice = syscall.Errno(17)
	errorDiskFull      = syscall.Errno(112)
	errorDirectory     = syscall.Errno(267)
)

func isFull(err error) bool        { return errors.Is(err, errorDiskFull) }
func isOtherDevice(err error) bool { return errors.Is(err, errorNotSameDevice) }
func isNoDirectory(err error) bool {
	return errors.Is(err, errorDirectory) || errors.Is(err, fs.ErrInvalid)
}

func (r *run) hardLink(d *pair, name, to string) error {
	path := filepath.FromSlash(d.path)
	return os.Link(filepath.Join(r.srcName, path, name), filepath.Join(r.dstName, path, to))
}
