package tree

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

func TestIs(t *testing.T) {
	for _, test := range []struct {
		start, name string
		want        bool
	}{
		{"", "page.html", true},
		{"text", "dir/PAGE.XHTML", true},
		{"\x89PNG\r\n\x1a\n", "page.html", false},
		{`{"a": 1}`, "page.html", false},
		{"<p>text", "page", true},
		{"<p>text", "page.txt", false},
		{"<!-- --><!DOCTYPE html>", "page.php", true},
		{"text", "page", false},
		{"<rss>", "feed", false},
	} {
		if got := Is([]byte(test.start), test.name); got != test.want {
			t.Errorf("Is(%q, %q) is %v", test.start, test.name, got)
		}
	}
}

// A pattern that can fit no file is an error in each of the fields, and one of Include or Copy
// that matches no file of the tree has a warning. In Include, a directory stands for nothing.
func TestPatternsThatFitNothing(t *testing.T) {
	src := put(t, map[string]string{"a.html": "", "d/b.html": "", "d/e/c.html": ""})
	outer := base(t, "http://h/", resolver.RFC1808)
	for pattern, want := range map[string]string{
		"a.html": "", "/a.html": "", "d": "directory", "d/b.html": "", "/d/*": "", "**": "", "**/c.html": "", "d/**": "", "{x,d}/e": "directory", "*.html": "", "[a]*": "",
		"x": "warned", "b": "warned", "e/c.html": "warned", "/b.html": "warned", "*.HTML": "warned", "...": "warned", `\.`: "warned",
		"": "refused", "/": "refused", "//a.html": "refused", "./a.html": "refused", "../x": "refused", ".": "refused", "..": "refused",
		"d/": "refused", "d//b.html": "refused", "d/./b.html": "refused", "d/../a.html": "refused", "[": "refused",
	} {
		var warnings []string
		warn := func(_ int64, err error) { warnings = append(warnings, err.Error()) }
		patterns := []string{"a.html", pattern}
		for purpose, r := range map[string]*Rewriter{
			"":        {URL: outer, Exclude: patterns, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: warn})},
			"Include": {URL: outer, Include: patterns, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: warn})},
			"Copy":    {URL: outer, Copy: patterns, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: warn})},
		} {
			if err := r.Validate(); (want == "refused") != (err != nil) {
				t.Errorf("%q: %v", pattern, err)
			}
			if want == "refused" {
				continue
			}
			warnings = nil
			result, err := r.Look(context.Background(), src)
			var expected []string
			if want == "warned" && purpose != "" || want == "directory" && purpose == "Include" {
				expected = []string{fmt.Sprintf("%s %q matches no file (paths start inside the tree)", purpose, pattern)}
			}
			if err != nil || !slices.Equal(warnings, expected) || result.Places.Warnings != len(expected) {
				t.Errorf("%q %s: %v, %q", pattern, purpose, err, warnings)
			}
		}
	}
}
