package tree

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"absolink/rewriter"
)

// A dry run says what the next run does, whatever the destination has, and writes nothing.
func TestDry(t *testing.T) {
	r := newRecorded(t, someFiles)
	var told []string
	r.Done = func(f File) { told = append(told, fmt.Sprint(f.Path, " ", f.Outcome, " ", f.Page)) }
	r.Gone = func(path string, deleted bool) { told = append(told, fmt.Sprint(path, " gone ", deleted)) }
	do := func(dry bool) (_ []string, result Result) {
		told, r.Dry = nil, dry
		result = rewrite(t, &r.Rewriter, r.dst, r.src)
		slices.Sort(told)
		return told, result
	}
	compareRuns := func(name string) {
		if err := os.MkdirAll(r.dst, 0o777); err != nil {
			t.Fatal(err)
		}
		before, record := get(t, r.dst), readIfThere(t, r.Record)
		wantTold, want := do(true)
		compare(t, get(t, r.dst), before)
		if now := readIfThere(t, r.Record); now != record {
			t.Errorf("%s: the record becomes %q", name, now)
		}
		if gotTold, got := do(false); got != want || !slices.Equal(gotTold, wantTold) {
			t.Errorf("%s: %+v\n%q\nafter a dry run with %+v\n%q", name, got, gotTold, want, wantTold)
		}
	}
	if _, err := os.Lstat(r.dst); err == nil {
		t.Fatal("the destination is there")
	}
	r.Delete = true
	do(true)
	if _, err := os.Lstat(r.dst); err == nil {
		t.Error("a dry run makes the destination")
	}
	compareRuns("first")
	compareRuns("again")
	r.remove("b.html", "x/p.png")
	add(t, r.src, map[string]string{"a.html": "<a href=new.html>", "y/z/new.html": "<a href=a>", "y/n.css": "n", "i.html": "<p>"})
	if err := os.Symlink("y/n.css", filepath.Join(r.src, "link.css")); err != nil {
		t.Log(err)
	}
	if err := os.Symlink("x", filepath.Join(r.src, "dir")); err != nil {
		t.Log(err)
	}
	for _, link := range []bool{false, true} {
		r.Link, r.Delete = link, link
		compareRuns(fmt.Sprint("changed, with Link and Delete: ", link))
	}
	r.Include = []string{"x/*"}
	compareRuns("with Include")
	r.Force = true
	compareRuns("with Force")
}

// In place, too, a dry run writes nothing, with or without Visit and KeepLocal.
func TestDryInPlace(t *testing.T) {
	visit := rewriter.Must(rewriter.New(rewriter.Options{})).With(rewriter.Hooks{Visit: func(*rewriter.Place) error { return nil }})
	for i, r := range []Rewriter{{}, {KeepLocal: true}, {HTML: visit}} {
		files := map[string]string{"a.html": "<a href=/b>", "b.html": "<p>", "c.css": "c"}
		dir := put(t, files)
		r.URL = base(t, "http://h/", 0)
		var results [2]Result
		for n, dry := range []bool{true, false} {
			r.Dry = dry
			if results[n] = do(t, &r, "", dir, inPlace); dry {
				compare(t, get(t, dir), files)
			}
		}
		if results[0] != results[1] || results[0].Rewritten != 1 {
			t.Errorf("%d: %+v, after a dry run with %+v", i, results[1], results[0])
		}
	}
}

// readIfThere returns the content of a file; "" where there is none.
func readIfThere(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}

// Changed counts the pages in which something changes, however often they were written.
func TestChanged(t *testing.T) {
	src := put(t, map[string]string{"a.html": "<a href=b>", "b.html": "<p>", "c.css": "c"})
	for _, to := range []target{nowhere, toDestination, inPlace} {
		r := &Rewriter{URL: base(t, "http://h/", 0)}
		if got := do(t, r, filepath.Join(t.TempDir(), "dst"), src, to); got.Changed != 1 || got.Pages != 2 {
			t.Errorf("target %d: %+v", to, got)
		}
	}
}
