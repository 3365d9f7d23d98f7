//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package tree

import "os"

// lock does nothing: directories cannot be locked here.
func lock(dir *os.File) bool { return true }
