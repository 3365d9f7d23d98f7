package tree

import (
	"errors"
	"io/fs"
	"strings"

	"absolink/rewriter"
)

// visit has Visit see a place, and tells Missing of it if its URL, as Visit leaves
// that, is in the tree and there is no file for it.
func (w *worker) visit(p *rewriter.Place) (err error) {
	if w.html.Visit != nil {
		w.tell(func() { err = w.html.Visit(p) })
	}
	if err != nil || w.Missing == nil || p.URL == "" || !isLoaded(p) {
		return err
	}
	name, ok := w.address.path(p.URL)
	if !ok || w.targets.has(name) {
		return nil
	}
	w.tell(func() {
		w.result.Missing++
		w.Missing(p)
	})
	return nil
}

// isLoaded reports whether browsers load or follow the URL of a place. They do not
// for a BASE, or for a name; of a preconnect they use the host only.
func isLoaded(p *rewriter.Place) bool {
	switch {
	case p.Element == "base", p.Attr == "itemid":
		return false
	case p.Element == "link":
		return !hasWord(p.Rel, "preconnect") && !hasWord(p.Rel, "dns-prefetch")
	}
	return true
}

func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// targets remember which paths lead to a file.
type targets struct {
	run   *run
	known map[string]bool
	size  int // of known, in bytes
}

// maxTargets is how many bytes may be remembered. Their number has to be bounded, as
// a path may be as long as a reference.
const maxTargets = 2 << 20

func (t *targets) has(name string) bool {
	has, ok := t.known[name]
	if ok {
		return has
	}
	const entry = 64 // bytes beside the path
	if t.size += len(name) + entry; t.known == nil || t.size > maxTargets {
		t.known, t.size = map[string]bool{}, len(name)+entry
	}
	has = t.find(name)
	t.known[name] = has
	return has
}

// find reports whether a path, with a slash at its end or without, leads to a file of
// the tree, or to a directory that has a page. If Index does not say what the page of
// a directory is called, every directory counts as having one.
func (t *targets) find(name string) bool {
	bare := strings.TrimSuffix(name, "/")
	if name == bare && name != "" {
		mode, ok := t.mode(bare)
		if ok && !mode.IsDir() || t.run.CleanURLs && t.isFile(bare+".html") {
			return true
		}
	}
	if mode, ok := t.mode(bare); !ok || !mode.IsDir() {
		return false
	}
	if len(t.run.Index) == 0 {
		return true
	}
	for _, index := range t.run.Index {
		if t.isFile(strings.TrimPrefix(bare+"/"+index, "/")) {
			return true
		}
	}
	return false
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
		return info.Mode(), !fits(t.run.Exclude, name)
	}
	return info.Mode(), t.run.takesWhole(name)
}
