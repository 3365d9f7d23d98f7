// Package outfile writes the files of the command: whole or not at all, with the rights of what
// they replace, and with nothing left behind by an interrupt.
package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/access"
	"absolink/internal/pending"
	"absolink/internal/regular"
	"absolink/rewriter/tree"
)

// A Spot is where a file is written: a name in an open directory. The file is looked at,
// read and replaced there, whatever its path leads to meanwhile.
type Spot struct {
	dir  *os.Root
	name string         // in dir
	said string         // what messages call the file
	Path string         // of the file when it was looked for, without symbolic links
	File fs.FileInfo    // what has the name, which is not followed; nil if nothing has it
	read *access.Rights // of the file, if it is what is rewritten
}

// Locate follows symbolic links to the file that is to be written, which need not exist
// yet. The spot is to be closed.
func Locate(name string) (*Spot, error) {
	path, err := target(name)
	if err != nil {
		return nil, err
	}
	dir, err := regular.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("its directory cannot be opened: %w", console.Cause(err))
	}
	s := &Spot{dir: dir, name: filepath.Base(path), said: name, Path: path}
	if err := s.look(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Spot) Close() { s.dir.Close() }

// look finds out what has the name now.
func (s *Spot) look() (err error) {
	s.File, err = s.dir.Lstat(s.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Open opens the file to be read and then replaced.
func (s *Spot) Open() (*os.File, error) {
	f, info, err := regular.Open(s.dir, s.name)
	was := s.File
	switch {
	case err == nil && was != nil && os.SameFile(info, was):
		rights := access.Of(f, info)
		s.File, s.read = info, &rights
		return f, nil
	case err == nil:
		f.Close()
		return nil, tree.ErrChanged
	}
	if s.look() == nil && was != nil && !isUnchanged(s.File, was) {
		return nil, tree.ErrChanged
	}
	return nil, err
}

// Replace writes a file atomically: to a temporary file beside it, which takes its place
// at the end. Mode, owner and group of the file stay; if they cannot, nothing is written.
// The file also stays as it is if write says that nothing changed.
func (s *Spot) Replace(write func(w io.Writer) (changed bool, err error)) error {
	if s.File != nil && !s.File.Mode().IsRegular() {
		return console.Cannot("write", s.said, regular.ErrOther)
	}
	f, err := s.create()
	if err != nil && s.File == nil {
		return console.Cannot("create", s.said, err)
	} else if err != nil {
		return console.Cannot("create a file beside it", s.said, err)
	}
	defer f.Discard()
	if err := s.keepAccess(f); err != nil {
		return err
	}
	changed, err := write(f)
	if err != nil || !changed {
		return err
	}
	if err := f.Sync(); err != nil {
		return console.Cannot("write", s.said, err)
	}
	if err := s.lookAgain(f); err != nil {
		return err
	}
	if err := f.Commit(nil); err != nil {
		return console.Cannot("write", s.said, err)
	}
	return nil
}

// create creates the file that is to have the name. If it is to replace another file,
// only its owner may read it before keepAccess.
func (s *Spot) create() (*pending.File, error) {
	perm := fs.FileMode(0o600)
	if s.File == nil {
		perm = 0o666
	}
	CatchInterrupts()
	pending.Clean(s.dir, s.name)
	return pending.Create(s.dir, s.name, perm)
}

// keepAccess gives f the access rights of the file that has the name.
func (s *Spot) keepAccess(f *pending.File) (err error) {
	var rights access.Rights
	switch {
	case s.File == nil:
		return nil
	case s.read != nil:
		rights = *s.read
	default:
		rights, err = access.At(s.dir, s.name, s.File)
	}
	if err == nil {
		err = rights.Keep(f.File)
	}
	if err == nil {
		return nil
	}
	if owner, ok := errors.AsType[*access.OwnerError](err); ok {
		err = fmt.Errorf("%w; name a new file with -o, or run as root", owner)
	}
	return console.Cannot("keep its owner, group and mode", s.said, err)
}

// lookAgain looks once more at the file that f is to replace. A file that was read has to
// be as it was. In place of another one, there may be the output of another run by now.
func (s *Spot) lookAgain(f *pending.File) error {
	was := s.File
	err := s.look()
	switch {
	case err != nil:
	case s.read != nil && isUnchanged(s.File, was) && s.read.AreAt(s.dir, s.name):
		return nil
	case s.read != nil:
		err = tree.ErrChanged
	case s.File != nil && !s.File.Mode().IsRegular():
		err = regular.ErrOther
	default:
		return s.keepAccess(f)
	}
	return console.Cannot("write", s.said, err)
}

// isUnchanged reports whether a file is the one that it was, and has not changed.
func isUnchanged(file, was fs.FileInfo) bool {
	return file != nil && os.SameFile(file, was) &&
		file.Size() == was.Size() && file.ModTime().Equal(was.ModTime()) && file.Mode() == was.Mode()
}

// IsStdout reports whether the name of an output means standard output. Where that goes to a
// file, /dev/stdout is a link to the file, which must not be replaced: what stands there stays.
func IsStdout(name string) bool { return name == "" || name == "-" || name == "/dev/stdout" }

// OutputName returns what a message calls an output.
func OutputName(name string) string {
	if IsStdout(name) {
		return "<stdout>"
	}
	return name
}

// IsFile reports whether a name stands for a regular file.
func IsFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// WriteOutput has write write an output: a file is written atomically.
func WriteOutput(ui *console.UI, name string, write func(w io.Writer) error) error {
	if IsStdout(name) {
		return write(ui.Stdout)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return WriteDevice(name, write)
	}
	s, err := Locate(name)
	if err != nil {
		return console.Cannot("write", name, err)
	}
	defer s.Close()
	return s.Replace(func(w io.Writer) (changed bool, err error) { return true, write(w) })
}

// WriteDevice writes to a device or a pipe, which stays. A file that has its name by now
// is not written to.
func WriteDevice(name string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if RegularFile(f) != nil {
		f.Close()
		return console.Cannot("write", name, errors.New("it was not a file before; run again"))
	}
	return errors.Join(write(f), f.Close())
}

// target follows symbolic links to the file that is to be written, which need not exist.
func target(name string) (path string, err error) {
	if _, err = os.Stat(name); err == nil {
		return filepath.EvalSymlinks(name)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	dir, base := filepath.Split(name)
	link, err := os.Readlink(name)
	switch {
	case err != nil && dir == "": // not a link, so nothing is there
		return name, nil
	case err != nil:
		dir, err = filepath.EvalSymlinks(dir)
		return filepath.Join(dir, base), err
	case filepath.IsAbs(link):
		return target(link)
	}
	return target(dir + link) // not Join, which takes x/.. for . even if x is a link
}

// RegularFile returns f as a file; nil where it is not a regular file.
func RegularFile(f io.Reader) *os.File {
	file, ok := f.(*os.File)
	if !ok {
		return nil
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return file
}
