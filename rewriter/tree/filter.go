package tree

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"absolink/internal/media"
)

// Is reports whether a file is a page, which the tree rewrites. start is what the file
// begins with; 1 KiB is enough. A file with the name of a page, such as page.html, is
// one, unless it is plainly something else, such as an image or JSON. A file without an
// extension is one if browsers take it for HTML, and a file with any other name if it
// begins with the doctype or the html element. Is does not see Include and Exclude.
func Is(start []byte, name string) bool { return media.IsHTML(start, name) }

// checkPatterns returns an error if a pattern is none, or can fit no file.
func checkPatterns(lists ...[]string) error {
	for _, p := range slices.Concat(lists...) {
		switch {
		case !doublestar.ValidatePattern(p):
			return fmt.Errorf("%q is not a pattern", p)
		case slices.ContainsFunc(strings.Split(strings.TrimPrefix(p, "/"), "/"), isNoName):
			return fmt.Errorf("%q matches no file: a pattern is a name, or a path from the top of the tree such as guide/*.html, without . and .. and a slash at its end", p)
		}
	}
	return nil
}

// isNoName reports whether no file has the name.
func isNoName(name string) bool { return name == "" || name == "." || name == ".." }

// takes reports whether a file belongs to the tree, as far as its own name says.
func (r *Rewriter) takes(name string) bool {
	return (len(r.Include) == 0 || fits(r.Include, name)) && !fits(r.Exclude, name)
}

// takesWhole reports whether a file belongs to the tree, by its own name and by the
// names of the directories that it is in.
func (r *Rewriter) takesWhole(name string) bool {
	return !directoryFits(r.Exclude, name) && r.takes(name)
}

// keepsBytes reports whether Copy names a file, or a directory that it is in.
func (r *Rewriter) keepsBytes(name string) bool { return len(r.Copy) > 0 && fitsWhole(r.Copy, name) }

// fitsWhole reports whether a file, or one of the directories that it is in, fits a pattern.
func fitsWhole(patterns []string, name string) bool {
	return fits(patterns, name) || directoryFits(patterns, name)
}

// directoryFits reports whether one of the directories that a file is in fits a pattern.
func directoryFits(patterns []string, name string) bool {
	for i := range len(name) {
		if name[i] == '/' && fits(patterns, name[:i]) {
			return true
		}
	}
	return false
}

func fits(patterns []string, name string) bool {
	for _, p := range patterns {
		subject := name
		if !strings.Contains(p, "/") {
			subject = path.Base(name)
		}
		if doublestar.MatchUnvalidated(strings.TrimPrefix(p, "/"), subject) {
			return true
		}
	}
	return false
}
