package rewriter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"absolink/resolver"
)

func ExampleString() {
	html, err := String(`<a href="b.html">`, "http://example.org/a/")
	fmt.Println(html, err)
	// Output: <a href="http://example.org/a/b.html"> <nil>
}

func TestString(t *testing.T) {
	for _, tt := range []struct {
		in, url, want string
		err           error
	}{
		{"<a href=x>", "", "<a href=x>", nil},
		{"<base href=http://b/><a href=x>", "", "<base href=http://b/><a href=http://b/x>", nil},
		{"<a href=x>", "http://u:p@h/", "<a href=http://h/x>", nil},
		{"<a href=x>", "javascript:/y", "<a href=x>", ErrScriptBase},
	} {
		if got, err := String(tt.in, tt.url); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s on %q: %s, %v", tt.in, tt.url, got, err)
		}
	}
	if got, err := String("<a href=x>", "not a URL"); got != "<a href=x>" || err == nil {
		t.Errorf("%s, %v", got, err)
	}
}

// BenchmarkSmall rewrites documents of a few sizes in memory and from a reader, by a Rewriter
// that is kept and by a new one for each, and with String.
func BenchmarkSmall(b *testing.B) {
	const part = "<p class=\"text\">A paragraph with <a class=\"link\" href=\"page.html?a=1\">a link</a>, and more text than that, as in most pages: " +
		"the places of a real page stand hundreds of bytes apart, and most of its tags have no place.</p>\n<div id=\"x\"><br></div>\n"
	base, err := resolver.ParseBase("http://h/a/b", resolver.RFC1808)
	if err != nil {
		b.Fatal(err)
	}
	var kept Rewriter
	for _, kb := range []int{0, 1, 4, 16, 64} {
		page := strings.Repeat(part, kb<<10/len(part))
		ways := map[string]func() error{
			"kept": func() error {
				_, err := kept.Rewrite(io.Discard, strings.NewReader(page), base)
				return err
			},
			"kept in memory": func() error {
				_, err := kept.Rewrite(io.Discard, bytes.NewReader([]byte(page)), base)
				return err
			},
			"new": func() error {
				_, err := new(Rewriter).Rewrite(io.Discard, strings.NewReader(page), base)
				return err
			},
			"String": func() error {
				_, err := String(page, "http://h/a/b")
				return err
			},
		}
		for _, name := range slices.Sorted(maps.Keys(ways)) {
			b.Run(fmt.Sprintf("%d KB/%s", kb, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := ways[name](); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
