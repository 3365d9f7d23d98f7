package tree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"absolink/resolver"
	"absolink/rewriter"
)

// A recorded is a tree that is written with a record beside the destination.
type recorded struct {
	*testing.T
	Rewriter
	src, dst string
	warnings []string
}

func newRecorded(t *testing.T, files map[string]string) *recorded {
	dir := t.TempDir()
	r := &recorded{T: t, src: filepath.Join(dir, "src"), dst: filepath.Join(dir, "dst")}
	add(t, r.src, files)
	r.URL = base(t, "http://h/d/", resolver.RFC1808)
	r.Record = r.dst + ".absolink"
	r.HTML = r.HTML.With(rewriter.Hooks{Warn: func(_ int64, err error) { r.warnings = append(r.warnings, err.Error()) }})
	return r
}

// run runs, and returns how many files were deleted, and how many are stale.
func (r *recorded) run(del bool) (deleted, stale int64) {
	r.Helper()
	r.Delete, r.warnings = del, nil
	result := rewrite(r.T, &r.Rewriter, r.dst, r.src)
	return result.Deleted, result.Stale
}

func (r *recorded) remove(names ...string) {
	r.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(r.src, name)); err != nil {
			r.Fatal(err)
		}
	}
}

// has checks which files the destination has.
func (r *recorded) has(want ...string) {
	r.Helper()
	if got := slices.Sorted(maps.Keys(get(r.T, r.dst))); !slices.Equal(got, want) {
		r.Errorf("there are %q, not %q", got, want)
	}
}

var someFiles = map[string]string{"a.html": "<a href=b.html>", "b.html": "<a href=a.html>", "x/c.html": "<a href=d>", "x/p.png": "p", "x/q.png": "q"}

// Only what an earlier run wrote is deleted, and a run without Delete counts it.
func TestDelete(t *testing.T) {
	r := newRecorded(t, someFiles)
	var gone []string
	r.Gone = func(path string, deleted bool) { gone = append(gone, fmt.Sprint(path, " ", deleted)) }
	if d, s := r.run(true); d != 0 || s != 0 {
		t.Errorf("%d deleted, %d stale at first", d, s)
	}
	add(t, r.dst, map[string]string{"own.html": "of somebody else", "x/own.png": "too"})
	r.remove("b.html", "x/p.png")
	for range 2 { // a second run knows them still
		if d, s := r.run(false); d != 0 || s != 2 {
			t.Errorf("%d deleted, %d stale without Delete", d, s)
		}
	}
	r.has("a.html", "b.html", "own.html", "x/c.html", "x/own.png", "x/p.png", "x/q.png")
	gone = nil
	if d, s := r.run(true); d != 2 || s != 0 {
		t.Errorf("%d deleted, %d stale", d, s)
	}
	r.has("a.html", "own.html", "x/c.html", "x/own.png", "x/q.png")
	if slices.Sort(gone); !slices.Equal(gone, []string{"b.html true", "x/p.png true"}) {
		t.Errorf("Gone was told %q", gone)
	}
	if d, s := r.run(true); d != 0 || s != 0 {
		t.Errorf("%d deleted, %d stale afterwards", d, s)
	}
	// What is excluded no longer belongs to the tree.
	r.Exclude = []string{"x"}
	if d, _ := r.run(true); d != 2 {
		t.Errorf("%d deleted that are excluded", d)
	}
	r.has("a.html", "own.html", "x/own.png")
	// A source that comes back is written again.
	r.Exclude = nil
	r.run(true)
	r.has("a.html", "own.html", "x/c.html", "x/own.png", "x/q.png")
}

// A line that is there twice is one file, and a file that is not there is none.
func TestRecordLinesTwice(t *testing.T) {
	for _, del := range []bool{false, true} {
		r := newRecorded(t, someFiles)
		r.run(true)
		lines, err := os.ReadFile(r.Record)
		if err != nil {
			t.Fatal(err)
		}
		_, entries, _ := strings.Cut(string(lines), "\n")
		appendTo(t, r.Record, strings.Repeat(entries, 3))
		for i := range 1000 {
			appendTo(t, r.Record, (&entry{path: fmt.Sprintf("x/none%d/a/b", i%9), date: time.Unix(int64(i), 1)}).String())
		}
		r.remove("b.html", "x/p.png")
		told := 0
		r.Gone = func(string, bool) { told++ }
		if d, s := r.run(del); d+s != 2 || (d == 2) != del || told != 2 || r.warnings != nil {
			t.Errorf("%d deleted, %d stale, %d told, %q", d, s, told, r.warnings)
		}
		want := 1 + len(someFiles) // the head, and what is there from the tree
		if del {
			want -= 2
		}
		lines, err = os.ReadFile(r.Record)
		if n := strings.Count(string(lines), "\n"); err != nil || n != want {
			t.Errorf("%d lines, not %d: %s, %v", n, want, lines, err)
		}
	}
}

// A file that has changed since it was written is somebody's.
func TestDeleteChanged(t *testing.T) {
	r := newRecorded(t, someFiles)
	r.run(true)
	r.remove("a.html", "b.html")
	add(t, r.dst, map[string]string{"b.html": "mine"})
	if d, _ := r.run(true); d != 1 || len(r.warnings) != 1 || !strings.Contains(r.warnings[0], "has changed since absolink wrote it") {
		t.Errorf("%d deleted, %q", d, r.warnings)
	}
	r.has("b.html", "x/c.html", "x/p.png", "x/q.png")
	if d, _ := r.run(true); d != 0 || r.warnings != nil {
		t.Errorf("%d deleted, %q at the next run", d, r.warnings)
	}
}

// If not all files could be done, or there are none, nothing is deleted, and nothing is
// forgotten.
func TestDeleteNothing(t *testing.T) {
	r := newRecorded(t, someFiles)
	r.run(true)
	r.remove("b.html")
	if err := os.Rename(filepath.Join(r.src, "a.html"), filepath.Join(r.src, "kept")); err != nil {
		t.Fatal(err)
	}
	add(t, r.src, map[string]string{"a.html/c.html": "a directory has the name of a file"})
	if d, _ := r.run(true); d != 0 || len(r.warnings) != 1 || !strings.Contains(r.warnings[0], "nothing is deleted, because not all files could be done") {
		t.Errorf("%d deleted after a failure, %q", d, r.warnings)
	}
	all := r.src
	r.src = filepath.Join(filepath.Dir(all), "none")
	os.Mkdir(r.src, 0o777)
	if d, _ := r.run(true); d != 0 || len(r.warnings) != 1 || !strings.Contains(r.warnings[0], "the tree has no files") {
		t.Errorf("%d deleted without a source, %q", d, r.warnings)
	}
	r.src = all
	if err := os.RemoveAll(filepath.Join(r.src, "a.html")); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := r.Rewrite(ctx, r.dst, r.src); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if d, _ := r.run(true); d != 2 {
		t.Errorf("%d deleted in the end", d)
	}
	r.has("kept", "x/c.html", "x/p.png", "x/q.png")
}

// What a run has written is deleted later, although another file of that run failed, or the run
// was stopped.
func TestDeleteAfterFailure(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		r := newRecorded(t, someFiles)
		r.run(true)
		add(t, r.src, map[string]string{"new.html": "n", "zz.html": "z"})
		if err := os.MkdirAll(filepath.Join(r.dst, "zz.html", "x"), 0o777); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		r.Jobs = 1
		r.Done = func(f File) {
			if stopped && f.Path == "new.html" {
				stop()
			}
		}
		r.Delete = true
		r.Rewrite(ctx, r.dst, r.src)
		stop()
		r.Done = nil
		if err := os.RemoveAll(filepath.Join(r.dst, "zz.html")); err != nil {
			t.Fatal(err)
		}
		r.remove("new.html", "zz.html", "a.html")
		if d, _ := r.run(true); d != 2 {
			t.Errorf("stopped %t: %d deleted, not new.html and a.html", stopped, d)
		}
		r.has("b.html", "x/c.html", "x/p.png", "x/q.png")
	}
}

// Whatever somebody has written into the record, nothing outside of the destination is
// deleted, no symbolic link is followed, and no directory goes.
func TestDeleteHostile(t *testing.T) {
	outside := t.TempDir()
	add(t, outside, map[string]string{"victim": "v", "d/victim": "v"})
	for _, path := range []string{
		"../victim", "../../../../../../../../etc/passwd", filepath.ToSlash(filepath.Join(outside, "victim")), "/etc/passwd", "x/../../victim",
		"./a.html", "a//b", "", ".", "..", "a\x00b", "x/", strings.Repeat("x/", maxPath) + "y",
	} {
		t.Run(path[:min(len(path), 40)], func(t *testing.T) {
			r := newRecorded(t, someFiles)
			add(t, filepath.Dir(r.dst), map[string]string{"victim": "v"})
			r.run(true)
			info, err := os.Stat(filepath.Join(filepath.Dir(r.dst), "victim"))
			if err != nil {
				t.Fatal(err)
			}
			appendTo(t, r.Record, (&entry{path, false, info.Size(), info.ModTime()}).String())
			before := get(t, filepath.Dir(r.dst))
			if _, err := r.Rewrite(context.Background(), r.dst, r.src); err == nil || !strings.Contains(err.Error(), "line 7 is not as absolink writes it") {
				t.Errorf("%v", err)
			}
			compare(t, get(t, filepath.Dir(r.dst)), before)
		})
	}
	r := newRecorded(t, someFiles)
	r.run(true)
	if err := errors.Join(os.Symlink(outside, filepath.Join(r.dst, "out")), os.Symlink("x", filepath.Join(r.dst, "in")), os.Mkdir(filepath.Join(r.dst, "empty"), 0o777)); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{"out/victim", "out/d/victim", "in/c.html", "out", "empty", "x", "none/at/all", "a.html/b"} {
		info, err := os.Stat(filepath.Join(r.dst, path))
		if err != nil {
			info, _ = os.Stat(r.dst)
		}
		appendTo(t, r.Record, (&entry{path, false, info.Size(), info.ModTime()}).String())
	}
	before := get(t, filepath.Dir(r.dst))
	delete(before, "dst.absolink")
	if d, _ := r.run(true); d != 0 {
		t.Errorf("%d deleted", d)
	}
	after := get(t, filepath.Dir(r.dst))
	delete(after, "dst.absolink")
	if _, err := os.Stat(filepath.Join(r.dst, "empty")); !maps.Equal(before, after) || err != nil || len(get(t, outside)) != 2 {
		t.Errorf("%q became %q, %v", before, after, err)
	}
}

// What is not a record is not written over.
func TestRecordOfAnother(t *testing.T) {
	for what, make := range map[string]func(name string) error{
		"a file":      func(name string) error { return os.WriteFile(name, []byte("my notes\n"), 0o666) },
		"empty":       func(name string) error { return os.WriteFile(name, nil, 0o666) },
		"long lines":  func(name string) error { return os.WriteFile(name, []byte(strings.Repeat("x", 1<<20)), 0o666) },
		"a directory": func(name string) error { return os.Mkdir(name, 0o777) },
		"a link":      func(name string) error { return os.Symlink("victim", name) },
	} {
		t.Run(what, func(t *testing.T) {
			r := newRecorded(t, someFiles)
			add(t, filepath.Dir(r.dst), map[string]string{"victim": recordHead})
			if err := make(r.Record); err != nil {
				t.Skip(err)
			}
			before := get(t, filepath.Dir(r.dst))
			r.Delete = true
			var e *Error
			if _, err := r.Rewrite(context.Background(), r.dst, r.src); !errors.As(err, &e) || e.Name != r.Record {
				t.Errorf("%v", err)
			}
			compare(t, get(t, filepath.Dir(r.dst)), before)
		})
	}
	r := newRecorded(t, someFiles)
	os.Mkdir(r.dst, 0o777)
	for _, name := range []string{filepath.Join(r.dst, "record"), filepath.Join(r.src, "x", "record")} {
		r.Record = name
		if _, err := r.Rewrite(context.Background(), r.dst, r.src); err == nil || !strings.Contains(err.Error(), "it would be a file of the tree") {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.Record, r.Delete = "", true
	if err := r.Validate(); err == nil || !strings.Contains(err.Error(), "Delete needs a Record") {
		t.Error(err)
	}
}

// Names of every kind come through the record, and so do links and dates that lost their
// fraction.
func TestRecordNames(t *testing.T) {
	r := newRecorded(t, map[string]string{"a b.html": "", "\"q\".html": "", "n\nl.html": "", "é.html": "", "\xff.html": "", "-": "", "keep": ""})
	names := slices.Sorted(maps.Keys(get(t, r.src)))
	linked := os.Symlink("keep", filepath.Join(r.src, "link")) == nil && os.Symlink("dir", filepath.Join(r.src, "dirlink")) == nil
	os.Mkdir(filepath.Join(r.src, "dir"), 0o777)
	r.run(true)
	n := int64(0)
	for _, name := range names {
		if name == "keep" {
			continue
		}
		n++
		r.remove(name)
		info, err := os.Stat(filepath.Join(r.dst, name))
		if err == nil && n%2 == 0 {
			err = os.Chtimes(filepath.Join(r.dst, name), info.ModTime().Truncate(1e9), info.ModTime().Truncate(1e9))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if linked {
		r.remove("link", "dirlink")
		n += 2
	}
	if d, _ := r.run(true); d != n || r.warnings != nil {
		t.Errorf("%d deleted, not %d, %q", d, n, r.warnings)
	}
	r.has("keep")
}

func appendTo(t *testing.T, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
