//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package pending

import "os"

// Lock does nothing: files cannot be locked here.
func Lock(f *os.File) bool { return true }

// keepLock does nothing, either.
func keepLock(*os.File) (release func()) { return func() {} }

// remove removes a file, and reports whether it did. Windows removes no file that is open.
func remove(dir *os.Root, name string) bool { return dir.Remove(name) == nil }
