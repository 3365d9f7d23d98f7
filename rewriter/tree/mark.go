package tree

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"time"

	"absolink/rewriter"
)

// A mark is what says in the destination from what a file was made: it has the
// seconds of the source's date, and a hash of what it was made from as the
// fraction. So no list of what is done has to be kept, written and found whole
// after a run that was killed. That two have the same hash by chance has odds
// of one in a thousand million.
type mark struct{ seed [sha256.Size]byte }

// marks returns the mark of pages, which everything goes into that can change
// one, and that of files that are copied.
func (r *Rewriter) marks() (page, copied mark) {
	h, html, a := sha256.New(), r.html(), r.address()
	fmt.Fprintf(h, "page %q %q %q %q %t\n", r.Version, r.Charset, a.url, a.index, a.clean)
	fmt.Fprintf(h, "%d %t %t %t %t %t %d %d\n", html.Profile, html.KeepFragments, html.RemoveBase,
		html.WholeDocument, html.IgnoreSaved, html.Canonical, html.Hold, html.MaxTag)
	rules := html.Rules
	if rules == nil {
		rules = rewriter.HTML()
	}
	for _, rule := range rules {
		fmt.Fprintf(h, "%q %q %q %t %d %q %d %d %t %t\n", rule.Element, rule.Attr, rule.When, rule.SVG, rule.Syntax,
			rule.Keys, rule.Empty, rule.Local, rule.Outer, rule.Drop)
	}
	h.Sum(page.seed[:0])
	copied.seed = sha256.Sum256([]byte("copied" + r.Version))
	return page, copied
}

// date returns the date of a file that is made from another.
func (m *mark) date(name string, src fs.FileInfo) time.Time {
	b := append(make([]byte, 0, 256), m.seed[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(src.Size()))
	b = binary.LittleEndian.AppendUint64(b, uint64(src.ModTime().UnixNano()))
	b = binary.LittleEndian.AppendUint32(b, uint32(src.Mode().Perm()))
	sum := sha256.Sum256(append(b, name...))
	return time.Unix(src.ModTime().Unix(), int64(binary.LittleEndian.Uint64(sum[:])%1e9))
}

// isDate reports whether a file has the date that was wanted. Some file systems keep the fraction
// in units of 100 ns.
func isDate(date, want time.Time) bool {
	return date.Equal(want) || date.Equal(want.Truncate(100))
}

// has reports whether the destination has a file already: that of the source,
// or one that was made from it by the same options, and no empty one that a
// crash of the machine left.
func (r *run) has(name string, dst, src fs.FileInfo) bool {
	switch {
	case dst == nil || r.Force || !dst.Mode().IsRegular():
		return false
	case os.SameFile(dst, src):
		return r.Link && isLinkable(name)
	case dst.Size() == 0 && src.Size() > 0:
		return false
	}
	return isDate(dst.ModTime(), r.page.date(name, src)) ||
		dst.Size() == src.Size() && isDate(dst.ModTime(), r.copied.date(name, src))
}
