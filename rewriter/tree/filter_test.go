package tree

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"absolink/resolver"
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

// A pattern that can fit no file is an error in each of the fields, and one of Copy that fits
// no file of the tree has a warning.
func TestPatternsThatFitNothing(t *testing.T) {
	src := put(t, map[string]string{"a.html": "", "d/b.html": "", "d/e/c.html": ""})
	outer := base(t, "http://h/", resolver.RFC1808)
	for pattern, want := range map[string]string{
		"a.html": "", "/a.html": "", "d": "", "d/b.html": "", "/d/*": "", "**": "", "**/c.html": "", "d/**": "", "{x,d}/e": "", "*.html": "", "[a]*": "",
		"x": "warned", "b": "warned", "e/c.html": "warned", "/b.html": "warned", "*.HTML": "warned", "...": "warned", `\.`: "warned",
		"": "refused", "/": "refused", "//a.html": "refused", "./a.html": "refused", "../x": "refused", ".": "refused", "..": "refused",
		"d/": "refused", "d//b.html": "refused", "d/./b.html": "refused", "d/../a.html": "refused", "[": "refused",
	} {
		var warnings []string
		r := &Rewriter{URL: outer, Copy: []string{"a.html", pattern}, Warn: func(_ int64, err error) { warnings = append(warnings, err.Error()) }}
		for _, other := range []*Rewriter{{URL: outer, Include: []string{pattern}}, {URL: outer, Exclude: []string{pattern}}, r} {
			if err := other.Validate(); (want == "refused") != (err != nil) {
				t.Errorf("%q: %v", pattern, err)
			}
		}
		if want == "refused" {
			continue
		}
		result, err := r.Look(context.Background(), src)
		var expected []string
		if want == "warned" {
			expected = []string{fmt.Sprintf("no file fits %q, which was to be copied as it is", pattern)}
		}
		if err != nil || !slices.Equal(warnings, expected) || result.Places.Warnings != len(expected) {
			t.Errorf("%q: %v, %q", pattern, err, warnings)
		}
	}
}
