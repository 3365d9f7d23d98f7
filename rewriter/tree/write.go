package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"absolink/internal/access"
	"absolink/internal/media"
	"absolink/internal/pending"
)

// replace writes a file whole or not at all. In the destination the file gets the
// date, and the permissions and the access control list of the source. In place the file
// keeps its owner too, and is on the disk before it replaces the original.
func (w *worker) replace(ctx context.Context, j job, write func(*os.File) error, date time.Time) error {
	dir := j.dir.dst
	f, err := pending.Create(dir, j.name, 0o600)
	if err != nil {
		return err
	}
	defer f.Discard() // also after a panic of a function of the caller
	if err := write(f.File); err != nil {
		return err
	}
	if w.run.target == inPlace {
		err = keepAccess(f.File, j.rights)
	} else {
		err = j.rights.Copy(f.File, 0)
	}
	if err != nil {
		return err
	}
	return f.Commit(func() (err error) {
		if w.run.target == inPlace {
			err = checkPlace(dir, j)
		} else {
			err = dir.Chtimes(f.Temporary(), time.Time{}, date)
		}
		return cmp.Or(err, ctx.Err()) // once the run has ended, nothing may appear any more
	})
}

// checkPlace returns ErrChanged if a file that is to be replaced is no longer what was read,
// or may be read by others now.
func checkPlace(dir *os.Root, j job) error {
	info, err := dir.Lstat(j.name)
	if err != nil || isChanged(info, j.src) || !j.rights.AreAt(dir, j.name) {
		return ErrChanged
	}
	return nil
}

// keepAccess gives a file the access rights of the one that it replaces, and puts it on
// the disk.
func keepAccess(f *os.File, rights access.Rights) error {
	err := rights.Keep(f)
	var owner *access.OwnerError
	switch {
	case errors.As(err, &owner):
		return &Error{Offset: -1, Op: fmt.Sprintf("keep its owner and group (%d:%d)", owner.UID, owner.GID), Err: fmt.Errorf("%w; write to another tree, or run as root", owner.Err)}
	case err != nil:
		return err
	}
	return f.Sync()
}

// take copies or links a file that is not a page.
func (w *worker) take(ctx context.Context, j job, f *os.File) (Outcome, *Error) {
	links := j.link || w.run.options.Link && isLinkable(j.name)
	switch {
	case w.run.options.Dry && links:
		return Linked, nil
	case w.run.options.Dry:
		return Copied, nil
	case j.link:
		if err := w.run.remakeLink(j.dir, j.name); err != nil {
			return Failed, w.run.dstError(j.path(), "link", err)
		}
		return Linked, nil
	case links && w.link(j) == nil:
		return Linked, nil
	}
	err := w.replace(ctx, j, func(to *os.File) error {
		return copyFile(ctx, to, f, j.src)
	}, w.run.ofCopy(j.path()).date(j.path(), j.src))
	if err != nil {
		return Failed, w.writeError(j.path(), err)
	}
	return Copied, nil
}

// copyFile copies a file in pieces: after each, the run may end, and a file that keeps
// growing is noticed. Holes stay holes. Where the system can copy by itself
// (copy_file_range in Linux) no byte passes through the process, and some file systems
// share the blocks.
func copyFile(ctx context.Context, to, from *os.File, was fs.FileInfo) error {
	const piece = 16 << 20
	for at := int64(0); ; {
		start, end := nextData(from, at, was.Size())
		_, err := from.Seek(start, io.SeekStart)
		if err == nil {
			_, err = to.Seek(start, io.SeekStart)
		}
		if err != nil {
			return err
		}
		n, err := io.CopyN(to, from, min(end-start, piece))
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err := cmp.Or(ctx.Err(), checkUnchanged(from, was)); err != nil {
			return err
		}
		if at = start + n; err != nil {
			return to.Truncate(at) // there may be a hole at the end
		}
	}
}

// isLinkable reports whether a file that is not a page may be linked. Later runs do not
// read a linked file, so its name has to say that it is not a page.
func isLinkable(name string) bool {
	ext := path.Ext(name)
	return ext != "" && ext != "." && !media.IsPageName(name)
}

// link gives a file of the source a name in the destination as well. After an error
// the file has to be copied.
func (w *worker) link(j job) error {
	if j.dst != nil && os.SameFile(j.dst, j.src) {
		return nil // rename does nothing between two names of one file
	}
	return makeLink(j.dir.dst, j.name, func(temp string) error {
		err := w.run.hardLink(j.dir, j.name, temp)
		if err != nil {
			return err
		}
		info, err := j.dir.dst.Lstat(temp)
		if err == nil && !os.SameFile(info, j.src) {
			err = ErrChanged
		}
		return err
	})
}

// makeLink makes a link in a directory, or replaces what has its name.
func makeLink(dir *os.Root, name string, link func(temp string) error) error {
	temp := pending.Name(name + "/link") // no file has such a name
	err := link(temp)
	if errors.Is(err, fs.ErrExist) { // what a killed run has left: the tree is locked, and a name in it has one worker
		dir.Remove(temp)
		err = link(temp)
	}
	if err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		dir.Remove(temp)
	}
	return err
}

// relink makes a symbolic link in the destination with the same target as in the
// source.
func (r *run) relink(d *directory, name, path string) {
	if err := r.create(d); err != nil {
		r.lost(path, 0, r.dstError(d.path, "create", err))
		return
	}
	outcome := Linked
	if r.hasLink(d, name) {
		outcome = Unchanged
	} else if !r.options.Dry {
		if err := r.remakeLink(d.pair, name); err != nil {
			r.lost(path, 0, r.dstError(path, "link", err))
			return
		}
	}
	r.noteFile(d.dst, name, path)
	r.done(File{Path: path, Outcome: outcome})
}

// hasLink reports whether the destination already has the symbolic link.
func (r *run) hasLink(d *directory, name string) bool {
	if d.dst == nil || d.fresh || r.options.Force {
		return false
	}
	want, err := d.src.Readlink(name)
	has, err2 := d.dst.Readlink(name)
	return err == nil && err2 == nil && has == want
}

func (r *run) remakeLink(d *pair, name string) error {
	to, err := d.src.Readlink(name)
	if err != nil {
		return err
	}
	return makeLink(d.dst, name, func(temp string) error { return d.dst.Symlink(to, temp) })
}

// foldsCase reports whether a directory takes A and a for the same name. It tries a
// name that is in the directory, or makes one, unless nothing may be written.
func foldsCase(dir *os.Root, dry bool) bool {
	if f, err := dir.Open("."); err == nil {
		names, _ := f.Readdirnames(batch)
		f.Close()
		for _, name := range names {
			if upper := strings.ToUpper(name); upper != name && !pending.IsName(name) {
				return isSame(dir, name, upper)
			}
		}
	}
	if dry {
		return false
	}
	f, err := pending.Create(dir, "case", 0o600)
	if err != nil {
		return false // nothing can be written, as the first file will show
	}
	defer f.Discard()
	return isSame(dir, f.Temporary(), strings.ToUpper(f.Temporary()))
}

func isSame(dir *os.Root, a, b string) bool {
	infoA, errA := dir.Lstat(a)
	infoB, errB := dir.Lstat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
