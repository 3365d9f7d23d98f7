package local

import (
	"io"
	"slices"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

var files = []string{"saved/page.html", "saved/page_files/x.png", "saved/page_files/my file.png", "saved/100%.png", "saved/a?b.css", "saved/é.png", "other/y.css", "saved/font.woff", "saved/sub/z.js", `saved/w\in.png`}

// Which references stay in a page that was saved.
func TestKeeps(t *testing.T) {
	for _, test := range []struct {
		name, in, want string // want is the references that stay
	}{
		{"beside the page", `<img src=./page_files/x.png><img src=page_files/none.png><a href=page.html>`, "./page_files/x.png page.html"},
		{"percent-encoded", `<img src="page_files/my%20file.png"><img src="page_files/my file.png"><img src=100%25.png><img src=100%.png><img src=%C3%A9.png><img src=é.png><img src=p%61ge.html>`,
			"page_files/my%20file.png page_files/my file.png 100%25.png 100%.png %C3%A9.png é.png p%61ge.html"},
		{"query and fragment", `<a href=font.woff?v=3#x><a href=a?b.css><a href=a%3Fb.css><a href=?q><a href="#s"><a href="">`, "font.woff?v=3#x a%3Fb.css #s"},
		{"parents", `<link href=../other/y.css><link href=../../other/y.css><link href=sub/../sub/./z.js><link href=%2e%2e/other/y.css><link href=..%2fother/y.css>`, "../other/y.css sub/../sub/./z.js %2e%2e/other/y.css"},
		{"not relative", `<img src=/saved/page_files/x.png><img src=//h/a/page_files/x.png><img src=http://h/a/page_files/x.png><img src=file:page_files/x.png>`, ""},
		{"backslash and newline", "<img src='page_files\\x.png'><img src='w\\in.png'><img src='w%5Cin.png'><img src='page_files/\nx.png'>", "w%5Cin.png page_files/x.png"},
		{"several in a value", `<img srcset="page_files/x.png 1x, none.png 2x"><p style="a:url(page_files/x.png) url(none.png)">`, "page_files/x.png page_files/x.png"},
		{"in a document in a value", `<iframe srcdoc="<img src=page_files/x.png>">`, "page_files/x.png"},
		{"BASE of the directory", `<base href="."><img src=page_files/x.png><a href="#s"><a href=none>`, ". page_files/x.png"},
		{"BASE of the page", `<base href="page.html?x"><img src=page_files/x.png><a href="#s">`, "page.html?x page_files/x.png"},
		{"a directory below", `<base href="page_files/"><img src=x.png><img src=page_files/x.png>`, ""},
		{"absolute, of the same directory", `<base href="http://h/a/b/"><img src=page_files/x.png>`, ""},
		{"absolute path", `<base href="/a/b/"><img src=page_files/x.png>`, ""},
		{"a late BASE", `<img src=page_files/x.png><base href="http://h/a/b/"><base href="."><img src=page_files/x.png>`, "page_files/x.png"},
		{"empty BASE", `<base href=""><img src=page_files/x.png>`, " page_files/x.png"},
		{"BASE of a fragment", `<base href="#x"><img src=page_files/x.png>`, ""},
	} {
		for _, profile := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
			url, err := resolver.ParseBase("http://h/a/b/p.html", profile)
			if err != nil {
				t.Fatal(err)
			}
			page := Page{URL: url, Path: "saved/page.html", Has: func(path string) bool { return slices.Contains(files, path) }}
			var got []string
			rw := rewriter.Must(rewriter.New(rewriter.Options{Profile: profile})).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
				if page.Keeps(p) {
					got = append(got, p.Ref)
				}
				return nil
			}})
			if _, err := rw.Rewrite(io.Discard, strings.NewReader("<meta charset=utf-8>"+test.in), url); err != nil {
				t.Fatal(err)
			}
			if g := strings.Join(got, " "); g != test.want {
				t.Errorf("%s, %s: %q stays, want %q", test.name, profile, g, test.want)
			}
		}
	}
}

// A long path leads to no file, and nobody is asked.
func TestLongPath(t *testing.T) {
	url, _ := resolver.ParseBase("http://h/", resolver.RFC1808)
	page := Page{URL: url, Path: "p.html", Has: func(string) bool { return true }}
	for n, want := range map[int]bool{maxPath: true, maxPath + 1: false} {
		ref := strings.Repeat("x", n)
		if got := page.Keeps(&rewriter.Place{Ref: ref, URL: "http://h/" + ref}); got != want {
			t.Errorf("%d bytes: %v", n, got)
		}
	}
}
