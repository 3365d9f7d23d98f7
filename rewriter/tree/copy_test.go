package tree

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// What Copy names is copied, and a file that Copy names no longer, or names now, is written
// again.
func TestCopy(t *testing.T) {
	const page = "<a href=x>"
	src, dst := put(t, map[string]string{"a.html": page, "vendor/b.html": page, "c/vendor/d.html": page, "c/e.html": page, "s.css": "a{background:url(x)}"}), filepath.Join(t.TempDir(), "dst")
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808), Sheets: true}
	rewritten := map[string]string{
		"a.html": "<a href=http://h/x>", "vendor/b.html": "<a href=http://h/vendor/x>", "c/vendor/d.html": "<a href=http://h/c/vendor/x>",
		"c/e.html": "<a href=http://h/c/x>", "s.css": "a{background:url(http://h/x)}",
	}
	for _, row := range []struct {
		copy                         []string
		kept                         []string
		rewritten, copied, unchanged int64
	}{
		{nil, nil, 5, 0, 0},
		{[]string{"vendor"}, []string{"vendor/b.html", "c/vendor/d.html"}, 0, 2, 3},
		{[]string{"vendor"}, []string{"vendor/b.html", "c/vendor/d.html"}, 0, 0, 5},
		{[]string{"/vendor/**", "*.css"}, []string{"vendor/b.html", "s.css"}, 1, 1, 3},
		{[]string{"c/e.html"}, []string{"c/e.html"}, 2, 1, 2},
		{nil, nil, 1, 0, 4},
	} {
		r.Copy = row.copy
		result := rewrite(t, r, dst, src)
		if result.Rewritten != row.rewritten || result.Copied != row.copied || result.Unchanged != row.unchanged {
			t.Errorf("%q: %+v", row.copy, result)
		}
		want := maps.Clone(rewritten)
		for _, kept := range row.kept {
			want[kept] = get(t, src)[kept]
		}
		compare(t, get(t, dst), want)
	}
	// Links in what is copied are not looked at, and links to it are.
	missing := 0
	r = &Rewriter{URL: r.URL, Copy: []string{"a.html"}, Include: []string{"a.html", "z.html"}, Missing: func(*rewriter.Place) { missing++ }}
	add(t, src, map[string]string{"z.html": "<a href=a.html>"})
	if result := do(t, r, "", src, nowhere); missing != 0 || result.Pages != 1 {
		t.Errorf("%+v, %d missing", result, missing)
	}
	r.Copy = []string{"["}
	if r.Validate() == nil {
		t.Error("[ is a pattern")
	}
}

// Look writes to Output what Rewrite would write, and Done has the counts of each page.
func TestOutput(t *testing.T) {
	src := put(t, map[string]string{"a.html": "<a href=x><img src=http://i/>", "b.html": "<p>", "c.png": "\x89PNG", "n.html": "<a href=y>"})
	got, places := map[string]*bytes.Buffer{}, map[string]int{}
	r := &Rewriter{
		URL: base(t, "http://h/", resolver.RFC1808),
		Output: func(path string) io.Writer {
			if path == "n.html" {
				return nil
			}
			got[path] = new(bytes.Buffer)
			return got[path]
		},
		Done: func(f File) { places[f.Path] = f.Places.Rewritten + 10*f.Places.Absolute },
	}
	do(t, r, "", src, nowhere)
	if len(got) != 2 || got["a.html"].String() != "<a href=http://h/x><img src=http://i/>" || got["b.html"].String() != "<p>" {
		t.Errorf("%q", got)
	}
	if places["a.html"] != 11 || places["b.html"] != 0 || places["c.png"] != 0 || places["n.html"] != 1 || len(places) != 4 {
		t.Errorf("%v", places)
	}
	got = map[string]*bytes.Buffer{}
	dst := filepath.Join(t.TempDir(), "dst")
	if rewrite(t, r, dst, src); len(got) != 0 {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(dst, "a.html")); err != nil || places["a.html"] != 11 {
		t.Error(err, places)
	}
}
