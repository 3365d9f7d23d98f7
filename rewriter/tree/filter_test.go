package tree

import "testing"

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
