// Package compare measures absolink, and the ways there are to do its work,
// over real pages, and compares what it writes with what a browser resolves.
package compare

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	_ "github.com/go-shiori/go-readability" // whose tests hold the pages

	"absolink/resolver"
)

const corpusModule = "github.com/go-shiori/go-readability"

// A Page is a saved page of the real web.
type Page struct {
	Name string
	URL  string // made up for the corpus, whose pages do not say
	Type string // the Content-Type to serve it with
	File string
	HTML []byte
	Base *resolver.Base // of URL, by RFC 1808
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
		// They are in UTF-8, whatever they say.
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
