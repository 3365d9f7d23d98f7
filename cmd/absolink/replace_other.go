//go:build !unix

package main

import (
	"io/fs"
	"os"
)

// keepAccess has nothing to keep: a new file has the access rights of its
// directory, and a read-only one cannot be replaced.
func keepAccess(f *os.File, replaced fs.FileInfo) error { return nil }
