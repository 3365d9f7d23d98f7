// Package regular opens regular files by names that may have become the names of
// something else.
package regular

import (
	"errors"
	"io/fs"
	"os"
)

// ErrOther is the error for what is not a regular file.
var ErrOther = errors.New("it is not a regular file and left out")

// Open opens a regular file to be read. It does not wait for a FIFO, and it opens nothing
// outside of dir.
func Open(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	f, err := dir.OpenFile(name, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrOther
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
