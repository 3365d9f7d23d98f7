package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/internal/local"
	"absolink/resolver"
	"absolink/rewriter"
)

// localFiles are the files beside a page, to which its references may lead.
type localFiles struct {
	local.Page
	root  *os.Root // in which files are looked for
	known local.Cache[bool]
	looks int
	warn  func(offset int64, err error)
}

// maxLooks is how many files are looked for in one page. A page of another can name a
// hundred thousand in a megabyte, and looking may be slow.
const maxLooks = 1 << 16

var errLooks = errors.New("the page names more than 65536 files; links to others than those become absolute")

// localFiles returns the files beside a document, or nil if no reference in the document
// stays: it is neither a page nor a style sheet in a file, nothing says what its URL is,
// or --keep-local is not given and no browser or saver has left its URL in the page. A
// page is read to its first relative link, or for --hold bytes.
func (w *rewriteWorker) localFiles(name string, d *input.Document, warn func(int64, error)) *localFiles {
	explicit := w.KeepLocal != nil
	if explicit && !*w.KeepLocal || !explicit && d.Base != nil { // no comment counts where the base is given
		return nil
	}
	f, ok := d.Closer.(*os.File)
	if !ok || !d.File {
		return nil
	}
	if d.Recognize() != nil || d.Kind.IsContainer() {
		return nil
	}
	url, saved := d.Base, false
	if d.Kind != input.KindCSS { // a style sheet does not say what its URL is
		url, saved = w.ownURL(rewriter.Source{Reader: io.NewSectionReader(f, 0, int64(w.Hold)), Charset: d.Charset}, d.Base)
	}
	if url == nil || !saved && !explicit {
		return nil
	}
	root, page, err := openRoot(name, w.rootOf(name, url))
	if err != nil {
		warn(-1, fmt.Errorf("cannot look for files beside it, so that links to them become absolute: %w", console.Cause(err)))
		return nil
	}
	l := &localFiles{root: root, warn: warn}
	l.Page = local.Page{URL: url, Path: page, Has: l.has}
	return l
}

// onBase are the rules of places that are visited only when the base of a page is known. What
// browsers fetch at once, such as an image, can be visited before.
var onBase = []rewriter.Rule{{Element: "a", Attr: "href"}, {Element: "area", Attr: "href"}, {Element: "form", Attr: "action"}}

// errEnough ends the reading of a page whose base is known.
var errEnough = errors.New("the base is known")

// looking returns the Rewriter with which ownURL looks into pages.
func (c *rewriteCommand) looking(s *input.Settings) *rewriter.Rewriter {
	o := s.HTML.Options()
	o.Canonical = c.Canonical && c.KeepLocal != nil
	o.Rules = onBase
	return rewriter.Must(rewriter.New(o)).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
		if p.URL != "" && p.URL != p.Ref || errors.Is(p.Err, rewriter.ErrNoBase) {
			return errEnough
		}
		return nil
	}})
}

// ownURL returns the URL of a page without its BASE, and reports whether a browser or
// saver left it in the page. Nothing else that a page says of its own URL shows that
// there are files beside the page.
func (w *rewriteWorker) ownURL(page rewriter.Source, outer *resolver.Base) (url *resolver.Base, saved bool) {
	result, _ := w.looking.Rewrite(nil, page, outer)
	base := result.Base
	if base.Source == rewriter.EmbeddedBase {
		base = result.Overridden
	}
	return base.URL, base.Source == rewriter.SavedBase
}

// rootOf returns the directory in which the files of a page are looked for: what --root
// names; otherwise the root of the mirror that the page is in, whatever program made it;
// otherwise the directory of the page. The working directory does not matter.
func (c *rewriteCommand) rootOf(name string, url *resolver.Base) string {
	if c.Root != "" {
		return c.Root
	}
	here := filepath.Dir(name)
	full, err := filepath.Abs(here)
	if err != nil {
		return here
	}
	host := "" // with the port, if there is one: programs call a directory like that
	if u, err := neturl.Parse(url.String()); err == nil {
		host = strings.ToLower(u.Host)
	}
	for dir := full; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "hts-cache")); err == nil && info.IsDir() {
			return dir // of HTTrack
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return here
		}
		if name := strings.ToLower(filepath.Base(dir)); host != "" && strings.ReplaceAll(name, "+", ":") == host {
			return parent // of wget: beside it are the directories of other hosts
		}
	}
}

// openRoot opens a directory, and returns the path of a page in it.
func openRoot(name, dir string) (root *os.Root, page string, err error) {
	full, err := filepath.Abs(name)
	top, err2 := filepath.Abs(dir)
	if err = cmp.Or(err, err2); err != nil {
		return nil, "", err
	}
	if page, err = filepath.Rel(top, full); err != nil || !filepath.IsLocal(page) {
		return nil, "", fmt.Errorf("it is not in %s, which --root names", dir)
	}
	root, err = os.OpenRoot(dir)
	return root, filepath.ToSlash(page), err
}

// close closes the root, and warns once of links that lead out of it.
func (l *localFiles) close() {
	if l.Outside {
		l.warn(-1, fmt.Errorf("links lead out of %s, where no files are looked for, and become absolute; --root DIR looks in all of DIR", l.root.Name()))
	}
	l.root.Close()
}

// has reports whether a path leads to a regular file.
func (l *localFiles) has(path string) bool {
	return l.known.Get(path, func(string) bool {
		if l.looks++; l.looks > maxLooks {
			if l.looks == maxLooks+1 {
				l.warn(-1, errLooks)
			}
			return false
		}
		name, err := filepath.Localize(path)
		if err != nil {
			return false
		}
		info, err := l.root.Stat(name)
		return err == nil && info.Mode().IsRegular()
	})
}

// visit keeps a place, or has next see it.
func (l *localFiles) visit(next func(*rewriter.Place) error) func(*rewriter.Place) error {
	return func(p *rewriter.Place) error {
		if l.Keeps(p) {
			p.URL = ""
		}
		if next == nil {
			return nil
		}
		return next(p)
	}
}
