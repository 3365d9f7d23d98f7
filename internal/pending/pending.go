// Package pending has the files that are written under another name until they are whole.
// A run that is killed leaves such a file; the next run that writes the same file finds it
// by its name, and removes it.
package pending

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

const (
	prefix     = ".absolink-"
	digitCount = 32
	slots      = 4 // how many runs can write a file at the same time
)

// Name returns the name of what is pending for a name.
func Name(name string) string {
	sum := sha256.Sum256([]byte(name))
	return prefix + hex.EncodeToString(sum[:digitCount/2])
}

// IsName reports whether a name has the form of those that Name returns. What has such a
// name and is pending is a regular file.
func IsName(name string) bool {
	digits, ok := strings.CutPrefix(name, prefix)
	return ok && len(digits) == digitCount && strings.Trim(digits, "0123456789abcdef") == ""
}

// A Directory has files, by their names in it. [*os.Root] is one.
type Directory interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Lstat(name string) (fs.FileInfo, error)
	Remove(name string) error
}

// ErrBusy says that as many runs are writing a file as can do so at the same time.
var ErrBusy = errors.New("other runs are writing it; try again when they have ended")

// Clean removes what killed runs have left of files that were to become the file of this
// name.
func Clean(dir Directory, name string) {
	for slot := range slots {
		isFree(dir, slotName(name, slot))
	}
}

// Create creates a file that is to become the file of this name. It takes the place of one
// that a killed run has left. The file is locked until it is closed or the process ends: by
// that, other runs tell it from what a killed run has left. On systems without locks they
// cannot; on Windows, they cannot remove it either.
func Create(dir Directory, name string, perm fs.FileMode) (f *os.File, temporary string, err error) {
	slot := 0
	for tries := 0; slot < slots && tries < 100; tries++ { // others may keep making and removing files
		temp := slotName(name, slot)
		f, err := dir.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		switch {
		case errors.Is(err, fs.ErrExist):
			if !isFree(dir, temp) {
				slot++
			}
			continue
		case err != nil:
			return nil, "", err
		case Lock(f) && isAt(dir, temp, f):
			return f, temp, nil
		}
		f.Close() // before it was locked, another run took it for a left one
	}
	return nil, "", ErrBusy
}

func slotName(name string, slot int) string {
	if slot > 0 {
		name = fmt.Sprint(name, "/", slot) // no other file has such a name
	}
	return Name(name)
}

// isFree removes a file that a killed run has left, and reports whether its name is free.
// A symbolic link is removed too. Anything else with the name stays: no run has made it.
func isFree(dir Directory, temp string) bool {
	info, err := dir.Lstat(temp)
	if err != nil {
		return true // creating a file there says what is wrong, unless there is none
	}
	switch info.Mode().Type() {
	case 0:
		return remove(dir, temp)
	case fs.ModeSymlink:
		return dir.Remove(temp) == nil
	}
	return false
}

// isAt reports whether an open file has a name in a directory.
func isAt(dir Directory, name string, f *os.File) bool {
	info, err := f.Stat()
	at, atErr := dir.Lstat(name)
	return err == nil && atErr == nil && os.SameFile(info, at)
}
