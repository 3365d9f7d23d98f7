package tree

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"absolink/internal/pending"
	"absolink/internal/regular"
)

// A record lists the files that runs have written to a destination. It is a file of lines
// beside the destination, or wherever Record says: a head, and an entry for each file. A run
// writes it anew at its end, as another file until it is whole.
type record struct {
	dir *os.Root // that the record is in
	old *os.File // what the last run has left; nil if there is none

	mu  sync.Mutex    // guards what follows, until all workers have ended
	f   *pending.File // the new record; nil in a dry run
	out *bufio.Writer
}

const recordHead = "absolink: the files that absolink tree has written, for --delete\n"

// An entry is a file in a record, as it was when it was written.
type entry struct {
	path string // in the destination
	link bool   // a symbolic link
	size int64
	date time.Time
}

// String returns the line of an entry.
func (e *entry) String() string {
	kind := "file"
	if e.link {
		kind = "link"
	}
	return fmt.Sprintf("%s %d %d %s\n", kind, e.date.UnixNano(), e.size, strconv.Quote(e.path))
}

// parseEntry reads a line without its newline. Whoever has changed the record may have
// written any line: a path that could lead out of the destination is not one.
func parseEntry(line string) (e entry, ok bool) {
	fields := strings.SplitN(line, " ", 4)
	if len(fields) != 4 || fields[0] != "file" && fields[0] != "link" {
		return e, false
	}
	nano, err1 := strconv.ParseInt(fields[1], 10, 64)
	size, err2 := strconv.ParseInt(fields[2], 10, 64)
	name, err3 := strconv.Unquote(fields[3])
	e = entry{name, fields[0] == "link", size, time.Unix(0, nano)}
	return e, errors.Join(err1, err2, err3) == nil && len(name) <= maxPath && isPath(name) && e.String() == line+"\n"
}

// isPath reports whether a name is the path of a file below a directory, in whatever system.
// It may hold bytes that are not UTF-8.
func isPath(name string) bool {
	return path.Clean("/" + name)[1:] == name && name != "" && !strings.Contains(name, "\x00") && filepath.IsLocal(filepath.FromSlash(name))
}

// is reports whether a file is still what the entry says. A copy of the tree may have lost
// the fraction of its dates, or the end of that.
func (e *entry) is(info fs.FileInfo) bool {
	kind := fs.FileMode(0)
	if e.link {
		kind = fs.ModeSymlink
	}
	if info.Mode().Type() != kind || info.Size() != e.size {
		return false
	}
	for unit := time.Duration(1); unit <= time.Second; unit *= 10 {
		if e.date.Truncate(unit).Equal(info.ModTime()) {
			return true
		}
	}
	return false
}

// openRecord opens the record of this name, and begins the next one, unless dry says that nothing
// is written. The record is to be closed also after an error.
func openRecord(name string, dry bool) (rec *record, err error) {
	rec = new(record)
	if rec.dir, err = regular.OpenRoot(filepath.Dir(name)); err != nil {
		return rec, err
	}
	name = filepath.Base(name)
	info, err := rec.dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("there is something other than a file")
	case err == nil:
		if rec.old, _, err = regular.Open(rec.dir, name); err == nil {
			err = rec.each(func(*entry) error { return nil })
		}
	}
	if err != nil || dry {
		return rec, err
	}
	if rec.f, err = pending.Create(rec.dir, name, 0o666); err == nil {
		rec.out = bufio.NewWriterSize(rec.f, 64<<10)
		rec.out.WriteString(recordHead)
	}
	return rec, err
}

// each calls f for each entry of the old record, until f returns an error.
func (rec *record) each(f func(*entry) error) error {
	if rec.old == nil {
		return nil
	}
	return entries(rec.old, f)
}

// entries calls f for each entry of a record, until f returns an error.
func entries(file *os.File, f func(*entry) error) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 4*maxPath+100)
	n := 1
	for ; lines.Scan(); n++ {
		if n == 1 && lines.Text()+"\n" == recordHead {
			continue
		}
		e, ok := parseEntry(lines.Text())
		if n == 1 || !ok {
			return errLine(n)
		}
		if err := f(&e); err != nil {
			return err
		}
	}
	if lines.Err() == bufio.ErrTooLong || lines.Err() == nil && n == 1 {
		return errLine(n)
	}
	return lines.Err()
}

func errLine(n int) error {
	return fmt.Errorf("line %d is not as absolink writes it; if you remove the file, a new record begins, and nothing is deleted by the old one", n)
}

// put adds an entry, unless the run is dry. An error comes again when the record is saved.
func (rec *record) put(e *entry) {
	if rec.f == nil {
		return
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.out.WriteString(e.String())
}

// keepOld adds what the old record has and the new one lacks, after a run that has not come to
// all files.
func (rec *record) keepOld() error {
	if err := rec.out.Flush(); err != nil {
		return err
	}
	seen := newPaths()
	err := entries(rec.f.File, func(e *entry) error {
		seen.add(e.path)
		return nil
	})
	if err == nil {
		_, err = rec.f.Seek(0, io.SeekEnd)
	}
	if err != nil {
		return err
	}
	return rec.each(func(e *entry) error {
		if seen.add(e.path) {
			rec.put(e)
		}
		return nil
	})
}

// paths are paths that were seen.
type paths struct {
	seed maphash.Seed
	seen map[uint64]struct{}
}

func newPaths() *paths { return &paths{maphash.MakeSeed(), map[uint64]struct{}{}} }

// add adds a path, and reports whether it is new.
func (p *paths) add(path string) bool {
	hash := maphash.String(p.seed, path)
	_, has := p.seen[hash]
	p.seen[hash] = struct{}{}
	return !has
}

// save puts the new record in the place of the old one.
func (rec *record) save() error {
	if err := rec.out.Flush(); err != nil {
		return err
	}
	if err := rec.f.Sync(); err != nil {
		return err
	}
	rec.old.Close() // if there is one: Windows does not replace an open file
	return rec.f.Commit(nil)
}

// close closes the record, and removes what is not saved.
func (rec *record) close() {
	if rec == nil {
		return
	}
	rec.old.Close() // or of no file
	if rec.f != nil {
		rec.f.Discard()
	}
	if rec.dir != nil {
		rec.dir.Close()
	}
}

// noteFile adds a file of the destination to the record, if one is written, as the file is now.
func (r *run) noteFile(dir *os.Root, name, path string) {
	if r.rec == nil || r.options.Dry {
		return
	}
	if info, err := dir.Lstat(name); err == nil {
		r.rec.put(&entry{path, info.Mode().Type() == fs.ModeSymlink, info.Size(), info.ModTime()})
	}
}

// finish deletes or counts the files that earlier runs have written, and whose sources are
// gone, and saves the record. After a run that was not whole, nothing is deleted, and the record
// keeps what the old one has: that may list files which this run did not come to.
func (r *run) finish(ctx context.Context) {
	r.mu.Lock()
	whole, empty := ctx.Err() == nil && !r.over && r.result.Failed == 0, r.result.Files == 0
	r.mu.Unlock()
	if r.rec.old != nil && (!whole || empty) {
		if r.options.Delete && ctx.Err() == nil {
			why := "not all files could be done"
			if empty {
				why = "the tree has no files"
			}
			r.warn("", fmt.Errorf("nothing is deleted, because %s", why))
		}
		if !r.options.Dry {
			r.save(r.rec.keepOld())
		}
		return
	}
	told := newPaths() // a record may have a line twice
	r.save(r.rec.each(func(e *entry) error {
		switch {
		case !r.isGone(e.path):
		case ctx.Err() != nil:
			r.rec.put(e) // for the next run
		default:
			r.gone(e, told)
		}
		return nil
	}))
}

// save saves the record, unless err says that it is not complete.
func (r *run) save(err error) {
	if err == nil && !r.options.Dry {
		err = r.rec.save()
	}
	if err != nil {
		r.stop(&Error{r.options.Record, -1, "write", cause(err)})
	}
}

// isGone reports whether no file of the source becomes the file with this path any more.
func (r *run) isGone(path string) bool {
	if !r.options.takesWhole(path) {
		return true
	}
	info, err := r.src.Stat(path)
	if err != nil {
		return isNowhere(err)
	}
	return !info.Mode().IsRegular() && !info.IsDir()
}

// gone deletes a file whose source is gone, with Delete, unless the run is dry. A file that is
// not as it was written is somebody else's, and stays.
func (r *run) gone(e *entry, told *paths) {
	if r.dst == nil {
		return
	}
	var info fs.FileInfo
	dir, err := openPlain(r.dst, path.Dir(e.path))
	if dir != nil {
		defer dir.Close()
		info, err = dir.Lstat(path.Base(e.path))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && (dir == nil || info.IsDir()):
		return
	case err != nil:
	case r.foldsCase && r.hasFolded(e.path):
		return // the file is what another name in the source has become
	case !e.is(info):
		r.warnIn(r.dstName, e.path, errors.New("its source is gone, but it has changed since absolink wrote it, and stays"))
		return
	case !told.add(e.path):
		return
	case r.options.Delete && !r.options.Dry:
		err = dir.Remove(path.Base(e.path))
	}
	if err != nil {
		r.rec.put(e)
		r.lost(e.path, 0, r.dstError(e.path, "delete", err))
		return
	}
	if !r.options.Delete {
		r.rec.put(e) // for a run that deletes
	}
	r.tell(func() {
		if r.options.Delete {
			r.result.Deleted++
		} else {
			r.result.Stale++
		}
		if r.options.Gone != nil {
			r.options.Gone(e.path, r.options.Delete)
		}
	})
}

// openPlain opens a directory below another one, through no symbolic link. It returns nil if
// there is no such directory.
func openPlain(in *os.Root, name string) (*os.Root, error) {
	dir, err := in.OpenRoot(".")
	for part := range strings.SplitSeq(name, "/") {
		if dir == nil || part == "." {
			break
		}
		above := dir
		dir, err = openDirectory(above, part+"/")
		above.Close()
	}
	if err == errNoDirectory {
		return nil, nil
	}
	return dir, err
}

// hasFolded reports whether a directory of the source has a name that differs from this one
// in case at most.
func (r *run) hasFolded(name string) bool {
	f, err := r.src.Open(path.Dir(name))
	if err != nil {
		return !isNowhere(err)
	}
	defer f.Close()
	for {
		names, err := f.Readdirnames(batch)
		for _, other := range names {
			if strings.EqualFold(other, path.Base(name)) {
				return true
			}
		}
		if err != nil {
			return false
		}
	}
}
