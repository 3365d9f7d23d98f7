package rewriter_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
)

func ExampleRewriter_Rewrite() {
	base, err := resolver.ParseBase("http://example.org/docs/guide.html", resolver.RFC1808)
	if err != nil {
		log.Fatal(err)
	}
	page := `<LINK rel=stylesheet href=../style.css>
<p>See <a href='intro.html?a=1&amp;b=2'>the introduction</a>, or <a href="#end" >the end</a>.
`
	var rw rewriter.Rewriter
	result, err := rw.Rewrite(os.Stdout, strings.NewReader(page), base)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Base.URL, result.Base.Source, result.Rewritten)
	// Output:
	// <LINK rel=stylesheet href=http://example.org/style.css>
	// <p>See <a href='http://example.org/docs/intro.html?a=1&amp;b=2'>the introduction</a>, or <a href="http://example.org/docs/guide.html#end" >the end</a>.
	// http://example.org/docs/guide.html outer 3
}

// A prefix for an archive, and a skip list for templates.
func ExampleRewriter_visit() {
	base, err := resolver.ParseBase("http://example.org/", resolver.RFC1808)
	if err != nil {
		log.Fatal(err)
	}
	rw := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
		switch {
		case strings.Contains(p.Ref, "{{"):
			p.URL = "" // stays
		case p.URL != "":
			p.URL = "https://archive.example/2026/" + p.URL
		}
		return nil
	}})
	page := `<a href="a">a</a> <a href="{{ .Link }}">b</a>`
	if _, err := rw.Rewrite(os.Stdout, strings.NewReader(page), base); err != nil {
		log.Fatal(err)
	}
	// Output:
	// <a href="https://archive.example/2026/http://example.org/a">a</a> <a href="{{ .Link }}">b</a>
}
