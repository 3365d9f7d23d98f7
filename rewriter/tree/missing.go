package tree

import (
	"errors"
	"io/fs"
	"strings"

	"absolink/internal/local"
	"absolink/rewriter"
	"absolink/rewriter/internal/ascii"
)

// visit has Visit see a place, checks where its URL, as Visit leaves that, leads, and
// keeps the place if KeepLocal says so and the file is a page.
func (w *worker) visit(p *rewriter.Place) (err error) {
	p.Document = w.document // also where the page has documents of its own
	if visit := w.run.hooks.Visit; visit != nil {
		w.run.tell(func() { err = visit(p) })
	}
	if err == nil && w.run.checks() && p.URL != "" && isLoaded(p) {
		w.check(p)
	}
	if err == nil && w.keeps && w.local.Keeps(p) {
		p.URL = ""
	}
	return err
}

// checks reports whether the caller wants to know which links into the tree lead nowhere.
func (r *run) checks() bool { return r.options.Missing != nil || r.options.MissingAnchor != nil }

// check tells Missing of a place if its URL is in the tree and there is no file for it,
// and MissingAnchor if the file is a page without the element that the fragment names.
func (w *worker) check(p *rewriter.Place) {
	name, ok := w.run.address.path(p.URL)
	if !ok {
		return
	}
	file, ok := w.targets.file(name)
	if query := queryOf(p.URL); !ok && query != "" { // wget names files so
		file, ok = w.targets.file(name + query)
	}
	switch {
	case !ok && w.run.options.Missing != nil:
		w.run.tell(func() {
			w.run.result.Missing++
			w.run.options.Missing(p)
		})
	case ok && w.run.options.MissingAnchor != nil && w.run.anchors.lacks(file, p.URL):
		w.run.tell(func() {
			w.run.result.MissingAnchors++
			w.run.options.MissingAnchor(p)
		})
	}
}

// isLoaded reports whether browsers load or follow the URL of a place. They do not
// for a BASE, or for a name; of a preconnect they use the host only.
func isLoaded(p *rewriter.Place) bool {
	switch {
	case p.Element == "base", p.Attr == "itemid":
		return false
	case p.Element == "link":
		rel := []byte(p.Rel)
		return !ascii.HasToken(rel, "preconnect") && !ascii.HasToken(rel, "dns-prefetch")
	}
	return true
}

// targets remember which paths lead to which files.
type targets struct {
	run   *run
	known local.Cache[file]
}

// A file is what a path leads to.
type file struct {
	path string // "" for a directory whose page is not known
	ok   bool   // the path leads to a file, or to such a directory
}

// file returns the file of the tree to which a path leads, if there is one.
func (t *targets) file(name string) (path string, ok bool) {
	f := t.known.Get(name, t.find)
	return f.path, f.ok
}

// has reports whether a path leads to a file of the tree.
func (t *targets) has(name string) bool {
	_, ok := t.file(name)
	return ok
}

// find returns the file to which a path leads, with a slash at its end or without: the
// file of that name, or the page of the directory of that name. If Index does not say
// what the page of a directory is called, every directory counts as having one.
func (t *targets) find(name string) file {
	bare := strings.TrimSuffix(name, "/")
	if name == bare && name != "" {
		if t.isFile(bare) {
			return file{bare, true}
		}
		if page := bare + ".html"; t.run.options.CleanURLs && t.isFile(page) {
			return file{page, true}
		}
	}
	if mode, ok := t.mode(bare); !ok || !mode.IsDir() {
		return file{}
	}
	for _, index := range t.run.options.Index {
		if page := strings.TrimPrefix(bare+"/"+index, "/"); t.isFile(page) {
			return file{page, true}
		}
	}
	return file{"", len(t.run.options.Index) == 0}
}

func (t *targets) isFile(name string) bool {
	mode, ok := t.mode(name)
	return ok && !mode.IsDir()
}

// mode returns the mode of a file or directory that belongs to the tree. What exists,
// but cannot be looked at, counts as a file.
func (t *targets) mode(name string) (fs.FileMode, bool) {
	if name == "" {
		return fs.ModeDir, true
	}
	info, err := t.run.src.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || isNoDirectory(err):
		return 0, false
	case err != nil:
		return 0, true
	case info.IsDir():
		return info.Mode(), !fits(t.run.options.Exclude, name)
	}
	return info.Mode(), t.run.options.takesWhole(name)
}
