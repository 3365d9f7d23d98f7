// Package local tells which references in a page lead to files that are beside it.
package local

import (
	"path"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
)

// A Page is a page in a directory of files. It is shown the places of the page in
// document order.
type Page struct {
	URL  *resolver.Base         // the URL of the page itself
	Path string                 // of the page in the directory, with slashes
	Has  func(path string) bool // reports whether a path leads to a file; a path to a directory may end in a slash

	// Outside is set once a reference led out of the directory, where nothing is looked for.
	Outside bool

	based, away bool // a BASE has come, and it leads elsewhere
}

// maxPath is how long a path that may lead to a file is, in bytes.
const maxPath = 4 << 10

// Keeps reports whether a place stays as it is, with a reference that leads to a file.
// The reference is relative, without a slash at its beginning, and leads to the same
// URL whether a BASE counts or not. A fragment alone leads to the page itself.
//
// The href of BASE stays if it names the directory of the page. Browsers write
// <base href="."> into the pages that they save. After any other BASE nothing stays: a
// relative reference would not lead to the file.
func (l *Page) Keeps(p *rewriter.Place) bool {
	if p.Element == "base" && p.Attr == "href" {
		return l.keepsBase(p.Ref)
	}
	if l.away || p.Ref == "" || p.URL == "" || !l.isRelative(p.Ref) {
		return false
	}
	own, err := l.URL.Resolve(p.Ref)
	if err != nil || WithoutQuery(own) != WithoutQuery(p.URL) {
		return false
	}
	if p.Ref[0] == '#' {
		return true
	}
	name, ok := l.join(WithoutQuery(p.Ref))
	return ok && l.Has(name)
}

// keepsBase is Keeps for the href of a BASE. The first BASE counts.
func (l *Page) keepsBase(href string) bool {
	if l.based {
		return false
	}
	l.based, l.away = true, true
	if href != "" && (href[0] == '#' || !l.isRelative(href)) {
		return false
	}
	own, err := l.URL.Resolve(href)
	l.away = err != nil || directory(own) != directory(l.URL.String())
	return !l.away
}

// isRelative reports whether a reference is a relative path, with a query or a fragment
// or without, or a fragment alone. A backslash does not count, which some profiles take
// for a slash.
func (l *Page) isRelative(ref string) bool {
	if strings.HasPrefix(ref, "/") || strings.HasPrefix(ref, "?") || strings.Contains(ref, `\`) {
		return false
	}
	return !l.URL.IsAbsolute([]byte(ref))
}

// join returns the path to which a relative path in the page leads. ok is false if the
// path leads out of the directory or cannot be a file's path.
func (l *Page) join(ref string) (name string, ok bool) {
	segments, ok := Segments(ref)
	name = path.Join(path.Dir(l.Path), strings.Join(segments, "/"))
	if !ok || len(ref) > maxPath {
		return "", false
	}
	if name == ".." || strings.HasPrefix(name, "../") {
		l.Outside = true
		return "", false
	}
	if name == "." {
		return "", true
	}
	if last := segments[len(segments)-1]; last == "" || last == "." || last == ".." {
		name += "/"
	}
	return name, true
}

// WithoutQuery returns a URL without its query and fragment.
func WithoutQuery(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		return url[:i]
	}
	return url
}

// directory returns a URL up to the last slash of its path.
func directory(url string) string {
	url = WithoutQuery(url)
	return url[:strings.LastIndexByte(url, '/')+1]
}
