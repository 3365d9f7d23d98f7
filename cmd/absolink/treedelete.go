package main

import (
	"os"
	"path/filepath"

	"absolink/cmd/absolink/internal/console"
	"absolink/rewriter/tree"
)

// keepRecord has the run keep a record of what it writes, with --delete. Later runs keep a
// record that is there. The result says, after the run, which files could be deleted.
func (c *treeCommand) keepRecord(ui *console.UI, t *tree.Rewriter, p *preview) (end func(tree.Result)) {
	if c.Dst == "" {
		return func(tree.Result) {}
	}
	name := recordName(c.Dst)
	_, err := os.Lstat(name)
	isThere := err == nil
	if !isThere && !c.Delete {
		return func(tree.Result) {}
	}
	t.Record, t.Delete = name, c.Delete
	begins := !isThere && !isEmptyDirectory(c.Dst)
	first := "" // of the files that could be deleted
	t.Gone = func(path string, deleted bool) {
		if first == "" {
			first = path
		}
		switch {
		case deleted && c.DryRun:
			p.would("delete", path)
		case deleted && ui.Debug:
			ui.Print("%s: deleted: its source is gone", filepath.Join(c.Dst, filepath.FromSlash(path)))
		}
	}
	return func(r tree.Result) {
		if _, err := os.Lstat(name); begins && err == nil {
			ui.Summaryf("%s: a record of what is written to %s begins; a file whose source is gone already is not in it, and stays", name, c.Dst)
		}
		switch {
		case r.Stale == 1:
			ui.Summaryf("%s: the source of 1 file is gone: %s; --delete deletes it", c.Dst, first)
		case r.Stale > 1:
			ui.Summaryf("%s: the sources of %d files are gone, such as that of %s; --delete deletes these files", c.Dst, r.Stale, first)
		}
	}
}

// recordName returns the name of the record for a directory: beside the directory, so that
// it is not published with it.
func recordName(dst string) string {
	dst = filepath.Clean(dst)
	if base := filepath.Base(dst); base == "." || base == ".." {
		if abs, err := filepath.Abs(dst); err == nil {
			dst = abs
		}
	}
	return dst + ".absolink"
}

// isEmptyDirectory reports whether there is nothing in a directory, or no directory.
func isEmptyDirectory(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return true
	}
	defer f.Close()
	names, _ := f.Readdirnames(1)
	return len(names) == 0
}
