package main

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/regular"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/tree"
)

// A clientRuntime is a script that takes over the pages of a framework in the browser, and that a
// page with absolute scripts disturbs. docs/sites.md has what was tried.
type clientRuntime struct {
	name   string
	script string // what the URL of one of its scripts has in it
	page   string // what each page has in it, where the scripts do not tell
	why    string
}

var runtimes = []clientRuntime{
	{name: "Next.js", script: "/_next/static/", why: "it looks for them by the bytes of src, and pages may not react even at the same URL"},
	{name: "VitePress", page: `<meta name="generator" content="VitePress `, why: "at another URL, pages do not react, or become an error page"},
	{name: "Nuxt", script: "/_nuxt/", why: "at another URL, pages do not react, or become an error page"},
}

const (
	maxSampled     = 50      // how many pages that were written are looked at for runtimes
	maxSampledSize = 1 << 20 // how much of each
)

// runtimeSample has some of the pages that a run has written.
type runtimeSample struct {
	*treeCommand
	url   string // of the tree, up to its path
	pages []string
}

// sample notes pages that are written, unless there is nothing to be told.
func (c *treeCommand) sample(t *tree.Rewriter) *runtimeSample {
	s := &runtimeSample{treeCommand: c}
	if c.DryRun || c.Dst == "" && !c.InPlace {
		return s
	}
	if parts := resolver.Split(t.URL.String()); parts.NetLoc != "" {
		s.url = parts.Scheme + "://" + parts.NetLoc + "/"
	}
	done := t.Done
	t.Done = func(f tree.File) {
		if f.Page && f.Outcome == tree.Rewritten && len(s.pages) < maxSampled {
			s.pages = append(s.pages, f.Path)
		}
		done(f)
	}
	return s
}

// end warns once of each runtime whose scripts have become absolute.
func (s *runtimeSample) end(ui *console.UI) {
	if len(s.pages) == 0 || s.url == "" {
		return
	}
	out := s.Dst
	if s.InPlace {
		out = s.Src
	}
	slices.Sort(s.pages)
	told := map[string]bool{}
	for _, path := range s.pages {
		page := samplePage(out, path)
		scripts := scriptsOf(page)
		if !s.InPlace { // what was absolute before is no change
			before := scriptsOf(samplePage(s.Src, path))
			scripts = slices.DeleteFunc(scripts, func(src string) bool { return slices.Contains(before, src) })
		}
		scripts = slices.DeleteFunc(scripts, func(src string) bool { return !strings.HasPrefix(src, s.url) })
		for _, r := range runtimes {
			if !told[r.name] && r.isIn(page, scripts) {
				told[r.name] = true
				ui.Warnf("%s: %s is a page of %s, whose scripts are absolute now: %s; --rules links leaves scripts as they are (docs/sites.md says what fits)", out, path, r.name, r.why)
			}
		}
	}
}

// isIn reports whether a page is one of the runtime, and one of its scripts is among these.
func (r *clientRuntime) isIn(page []byte, scripts []string) bool {
	if r.page != "" {
		return len(scripts) > 0 && bytes.Contains(page, []byte(r.page))
	}
	return slices.ContainsFunc(scripts, func(src string) bool { return strings.Contains(src, r.script) })
}

// samplePage returns what a page begins with; nil if it cannot be read.
func samplePage(dir, path string) []byte {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	f, _, err := regular.Open(root, path)
	if err != nil {
		return nil
	}
	defer f.Close()
	page, _ := io.ReadAll(io.LimitReader(f, maxSampledSize))
	return page
}

// scriptsOf returns the src of the scripts in a page.
func scriptsOf(page []byte) (scripts []string) {
	html := rewriter.Must(rewriter.New(rewriter.Options{Rules: []rewriter.Rule{{Element: "script", Attr: "src"}}}))
	for p, err := range html.Places(bytes.NewReader(page), nil) {
		if err != nil {
			break
		}
		scripts = append(scripts, strings.Clone(p.Ref))
	}
	return scripts
}
