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
	errorDiskFull  = syscall.Errno(112)
	errorDirectory = syscall.Errno(267)
)

func isFull(err error) bool { return errors.Is(err, errorDiskFull) }

// isOwn reports whether an error of isFull is about the file system of dst itself.
func isOwn(err error, dst *os.File, dir fs.FileInfo) bool { return true }

func isNoDirectory(err error) bool {
	return errors.Is(err, errorDirectory) || errors.Is(err, fs.ErrInvalid)
}

func (r *run) hardLink(d *pair, name, to string) error {
	path := filepath.FromSlash(d.path)
	return os.Link(filepath.Join(r.srcName, path, name), filepath.Join(r.dstName, path, to))
}
