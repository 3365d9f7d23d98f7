package tree_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/tree"
)

// exampleSite makes a directory with two pages and an image, and returns its name.
func exampleSite() string {
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		panic(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "docs"), 0o777); err != nil {
		panic(err)
	}
	for name, content := range map[string]string{
		"index.html":      `<a href="docs/guide.html">Guide</a> <img src="logo.png">`,
		"docs/guide.html": `<a href="..">Home</a> <a href="lost.html">Lost</a>`,
		"logo.png":        "\x89PNG\r\n\x1a\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			panic(err)
		}
	}
	return dir
}

// A site is copied with absolute links. Another run finds that nothing has changed.
func Example() {
	src := exampleSite()
	defer os.RemoveAll(src)
	dst, err := os.MkdirTemp("", "absolute")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dst)

	var html rewriter.Rewriter
	url, err := html.ParseBase("https://www.example.org/")
	if err != nil {
		panic(err)
	}
	t := &tree.Rewriter{HTML: &html, URL: url, Failed: func(e *tree.Error) { fmt.Println(e.Name, e) }}
	for range 2 {
		result, err := t.Rewrite(context.Background(), dst, src)
		if err != nil {
			panic(err)
		}
		fmt.Println(result.Rewritten, "pages rewritten,", result.Copied, "files copied,", result.Unchanged, "unchanged")
	}
	guide, _ := os.ReadFile(filepath.Join(dst, "docs", "guide.html"))
	fmt.Println(string(guide))
	// Output:
	// 2 pages rewritten, 1 files copied, 0 unchanged
	// 0 pages rewritten, 0 files copied, 3 unchanged
	// <a href="https://www.example.org/">Home</a> <a href="https://www.example.org/docs/lost.html">Lost</a>
}

// The links of a tree that lead to no file of it are found without writing anything.
func ExampleRewriter_Look() {
	src := exampleSite()
	defer os.RemoveAll(src)
	url, err := resolver.ParseBase("https://www.example.org/", resolver.RFC1808)
	if err != nil {
		panic(err)
	}
	t := &tree.Rewriter{
		URL:     url,
		Missing: func(p *rewriter.Place) { fmt.Printf("%s, byte %d: %s\n", p.Document.Name, p.Offset, p.URL) },
	}
	result, err := t.Look(context.Background(), src)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Missing, "missing of", result.Places.Rewritten, "places")
	// Output:
	// docs/guide.html, byte 31: https://www.example.org/docs/lost.html
	// 1 missing of 4 places
}
