package tree

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// A mark gives a file in the destination a date that says what it was made from. The
// seconds come from the source's date; the fraction is a hash of the options, and
// of the source's name, date, size and permissions. So there is no list of what is
// done, which a run that is killed could leave damaged. Two different files have the
// same hash once in a thousand million times.
type mark struct{ seed [sha256.Size]byte }

// marks are the marks of what a run writes: of pages, which depend on every option that can
// change a page, of files that are copied because they are not pages, and of those that Copy
// names. A file that Copy names no longer, or names now, has another mark.
type marks struct{ page, copied, kept mark }

func (r *Rewriter) marks() (m marks) {
	h, a := sha256.New(), r.address()
	fmt.Fprintf(h, "page %q %q %q %q %q %t %t\n", r.Version, r.Settings, r.Charset, a.url, a.index, a.clean, r.KeepLocal)
	fmt.Fprintf(h, "%t %t\n", r.Sheets, r.Other != nil) // Settings and Version are for what it does
	fmt.Fprintf(h, "%#v", r.HTML.Options())
	h.Sum(m.page.seed[:0])
	m.copied.seed = sha256.Sum256(fmt.Appendf(nil, "copied%s %t %t", r.Version, r.Sheets, r.Other != nil))
	m.kept.seed = sha256.Sum256([]byte("kept"))
	return m
}

// ofCopy returns the mark of a file with this path if it is copied.
func (r *run) ofCopy(path string) *mark {
	if r.options.keepsBytes(path) {
		return &r.kept
	}
	return &r.copied
}

// date returns the date of a file that is made from src, which has this path.
func (m *mark) date(name string, src fs.FileInfo) time.Time {
	b := append(make([]byte, 0, 256), m.seed[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(src.Size()))
	b = binary.LittleEndian.AppendUint64(b, uint64(src.ModTime().UnixNano()))
	b = binary.LittleEndian.AppendUint32(b, uint32(src.Mode().Perm()))
	sum := sha256.Sum256(append(b, name...))
	return time.Unix(src.ModTime().Unix(), int64(binary.LittleEndian.Uint64(sum[:])%1e9))
}

// isDate reports whether a file has the date that it was given. Some file systems keep
// the fraction in units of 100 ns.
func isDate(date, want time.Time) bool {
	return date.Equal(want) || date.Equal(want.Truncate(100))
}

// has reports whether the destination already has a file: a hard link to the source,
// or a file that was made from it by the same options. An empty file may be what a
// crash of the machine has left, and does not count.
func (r *run) has(name string, dst, src fs.FileInfo) bool {
	switch {
	case dst == nil || r.options.Force || !dst.Mode().IsRegular():
		return false
	case os.SameFile(dst, src):
		return r.options.Link && isLinkable(name)
	case dst.Size() == 0 && src.Size() > 0:
		return false
	}
	return !r.options.keepsBytes(name) && isDate(dst.ModTime(), r.page.date(name, src)) ||
		dst.Size() == src.Size() && isDate(dst.ModTime(), r.ofCopy(name).date(name, src))
}
