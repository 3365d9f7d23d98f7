// Package compare measures absolink, and the ways there are to do its work,
// over real pages.
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
	URL  string // made up: the pages do not say
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
		html, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(filepath.Dir(file))
		url := "http://fakehost.test/" + name + "/page.html?q=1"
		base, err := resolver.ParseBase(url, resolver.RFC1808)
		if err != nil {
			return nil, err
		}
		pages = append(pages, Page{name, url, file, html, base})
	}
	if len(pages) < 100 {
		return nil, fmt.Errorf("only %d pages in %s", len(pages), corpusModule)
	}
	return pages, nil
}
