//go:build !unix

package access

import (
	"io/fs"
	"os"
)

func isSameOwner(a, b fs.FileInfo) bool { return true }

// keepOwner and keepMode have nothing to keep: a new file has the access rights of its
// directory, and a read-only file cannot be replaced.
func keepOwner(f *os.File, replaced fs.FileInfo) error { return nil }

func keepMode(f *os.File, mode fs.FileMode) error { return nil }
