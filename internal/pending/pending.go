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
	"sync"
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

// A File is written under another name until it is whole: then Commit gives it its name. It
// is locked until it is closed or the process ends: by that, other runs tell it from what a
// killed run has left. On systems without locks they cannot; on Windows, they cannot remove
// it either.
type File struct {
	*os.File
	dir        *os.Root
	name, temp string
	done       bool // it has its name, or is removed
}

// unfinished has the files that are neither committed nor discarded. A file is created,
// committed and removed under the lock for reading. RemoveAll takes the lock for itself, and
// so finds each file whole or does not find it.
var unfinished struct {
	sync.RWMutex
	files sync.Map // its keys are *File
}

// RemoveAll removes all pending files of the process, which is to end: nothing is created or
// committed from here on.
func RemoveAll() {
	unfinished.Lock()
	for f := range unfinished.files.Range {
		f.(*File).remove()
	}
}

// Temporary returns the name that the file has until it is committed.
func (f *File) Temporary() string { return f.temp }

// Commit closes the file, and has it take the place of the file of its name. Whoever needs the
// file on the disk calls Sync before. last, which may be nil, is called when the file is closed.
// After an error, of last too, the file is removed, and the file of its name is as it was.
func (f *File) Commit(last func() error) error {
	unfinished.RLock()
	defer unfinished.RUnlock()
	defer keepLock(f.File)()
	err := f.Close() // on Windows, no file that is open can be renamed
	if err == nil && last != nil {
		err = last()
	}
	if err == nil {
		err = f.dir.Rename(f.temp, f.name)
	}
	if err != nil {
		f.dir.Remove(f.temp)
	}
	f.done = true
	return err
}

// Discard removes the file, unless it is committed.
func (f *File) Discard() {
	unfinished.RLock()
	defer unfinished.RUnlock()
	f.remove()
	unfinished.files.Delete(f)
}

func (f *File) remove() {
	if !f.done {
		defer keepLock(f.File)()
		f.Close()
		f.dir.Remove(f.temp)
		f.done = true
	}
}

// ErrBusy says that as many runs are writing a file as can do so at the same time.
var ErrBusy = errors.New("other runs are writing it; try again when they have ended")

// Clean removes what killed runs have left of files that were to become the file of this
// name.
func Clean(dir *os.Root, name string) {
	for slot := range slots {
		isFree(dir, slotName(name, slot))
	}
}

// Create creates a file that is to become the file of this name. It takes the place of one
// that a killed run has left. The caller has to call Discard at the end.
func Create(dir *os.Root, name string, perm fs.FileMode) (*File, error) {
	unfinished.RLock()
	defer unfinished.RUnlock()
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
			return nil, err
		case Lock(f) && isAt(dir, temp, f):
			p := &File{File: f, dir: dir, name: name, temp: temp}
			unfinished.files.Store(p, nil)
			return p, nil
		}
		f.Close() // before it was locked, another run took it for a left one
	}
	return nil, ErrBusy
}

func slotName(name string, slot int) string {
	if slot > 0 {
		name = fmt.Sprint(name, "/", slot) // no other file has such a name
	}
	return Name(name)
}

// isFree removes a file that a killed run has left, and reports whether its name is free.
// A symbolic link is removed too. Anything else with the name stays: no run has made it.
func isFree(dir *os.Root, temp string) bool {
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
func isAt(dir *os.Root, name string, f *os.File) bool {
	info, err := f.Stat()
	at, atErr := dir.Lstat(name)
	return err == nil && atErr == nil && os.SameFile(info, at)
}
