// Package compare measures absolink, and other programs that do such work, on real
// pages. Its tests compare what absolink writes with what a browser resolves.
package compare

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	_ "github.com/go-shiori/go-readability" // its tests hold the pages

	"absolink/resolver"
)

const corpusModule = "github.com/go-shiori/go-readability"

// A Page is a saved page of the real web.
type Page struct {
	Name string
	URL  string // made up: the corpus does not say where a page comes from
	Type string // the Content-Type to serve it with
	File string
	HTML []byte
	Base *resolver.Base // URL, in the profile RFC1808
}

// Pages returns the pages that come with the corpus module.
func Pages() ([]Page, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", corpusModule).Output()
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", corpusModule, err)
	}
	files, err := filepath.Glob(filepath.Join(string(bytes.TrimSpace(out)), "test-pages", "*", "source.html"))
	if err != nil {
		return nil, err
	}
	var pages []Page
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		// The files are in UTF-8, whatever their meta elements say.
		p, err := newPage(name, "http://fakehost.test/"+name+"/page.html?q=1", "text/html; charset=utf-8", file)
		if err != nil {
			return nil, err
		}
		pages = append(pages, p)
	}
	if len(pages) < 100 {
		return nil, fmt.Errorf("only %d pages in %s", len(pages), corpusModule)
	}
	return pages, nil
}

func newPage(name, url, contentType, file string) (Page, error) {
	html, err := os.ReadFile(file)
	if err != nil {
		return Page{}, err
	}
	base, err := resolver.ParseBase(url, resolver.RFC1808)
	if err != nil {
		return Page{}, err
	}
	return Page{name, url, contentType, file, html, base}, nil
}
