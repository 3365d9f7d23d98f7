//go:build unix

package tree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"absolink/resolver"
)

// limitFiles limits how many files the process may have open, until the test ends.
func limitFiles(t *testing.T, n int) {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	limit := was
	setLimit(&limit.Cur, n)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was) })
}

// setLimit sets a limit, whose type depends on the system.
func setLimit[T int64 | uint64](limit *T, n int) { *limit = T(n) }

// putDeep makes nested directories, all of the same name, and calls fill with each of
// them and its level.
func putDeep(t *testing.T, dir, name string, levels int, fill func(level int, dir *os.Root) error) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	for level := range levels {
		if err == nil {
			err = errors.Join(fill(level, root), root.Mkdir(name, 0o777))
		}
		if err != nil {
			t.Fatalf("level %d: %v", level, err)
		}
		outer := root
		root, err = outer.OpenRoot(name)
		outer.Close()
	}
	if err == nil {
		err = fill(levels, root)
		root.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDeep: no more files are open in a deep tree than in a flat one, whatever is done
// to the tree. Its paths are longer than the system allows. At some levels the walk
// still has directories to enter when it comes back from below.
func TestDeep(t *testing.T) {
	const levels, name = 120, "deeper-and-deeper-and-deeper-and-deeper"
	fill := func(level int, dir *os.Root) (err error) {
		if level%12 > 0 {
			return nil
		}
		for _, side := range []string{"a", "z"} {
			err = errors.Join(err, dir.Mkdir(side, 0o777), dir.WriteFile(side+"/x.html", []byte("<a href=x>"), 0o666))
		}
		return err
	}
	const pages = 2 * (levels/12 + 1)
	deepest := strings.Repeat(name+"/", levels) + "a/x.html"
	for _, test := range []struct {
		what    string
		target  target
		include []string
		want    int64
	}{
		{"to another tree", toDestination, nil, pages},
		{"the deepest page alone", toDestination, []string{deepest}, 1},
		{"in place", inPlace, nil, pages},
		{"looked at", nowhere, nil, pages},
	} {
		t.Run(test.what, func(t *testing.T) {
			src, dst := t.TempDir(), t.TempDir()
			putDeep(t, src, name, levels, fill)
			written := dst
			if test.target == inPlace {
				written = src
			}
			limitFiles(t, 64)
			var s said
			r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808), Include: test.include, Jobs: 2})
			for i := range 2 {
				result, err := r.run(t.Context(), dst, src, test.target)
				if err != nil || len(s.lines) > 0 {
					t.Fatalf("%v, said %.300q", err, s.lines)
				}
				want := [2]int64{test.want, 0}
				if test.target == nowhere {
					want[0] = 0
				}
				if result.Files != test.want || result.Rewritten != want[i] {
					t.Errorf("%+v", result)
				}
			}
			if test.target == nowhere {
				return
			}
			root, err := os.OpenRoot(written)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			want := "<a href=http://h/" + strings.TrimSuffix(deepest, ".html") + ">"
			if got, err := root.ReadFile(deepest); err != nil || string(got) != want {
				t.Errorf("%.50q, %v", got, err)
			}
		})
	}
}

// TestTooDeep: a file or directory with too long a path fails once, and all others are
// written.
func TestTooDeep(t *testing.T) {
	src, dst := t.TempDir(), t.TempDir()
	name := strings.Repeat("n", 199)
	const fit = maxPath / 200
	putDeep(t, src, name, fit+5, func(level int, dir *os.Root) error {
		return dir.WriteFile(fmt.Sprintf("%03d%s", level, name[3:]), []byte("plain"), 0o666)
	})
	var s said
	r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808)})
	if result := rewrite(t, r, dst, src); result.Copied != fit || result.Failed != 2 {
		t.Errorf("%+v", result)
	}
	const why = ":-1: cannot open: its path in the tree is longer than 8192 bytes"
	s.want(t, fmt.Sprintf("%03d%s", fit, name[3:])+why, name+why)
}

// TestReplacedDirectory: if another directory has taken the place of one that the walk
// comes back to, the walk does not enter it.
func TestReplacedDirectory(t *testing.T) {
	for _, replaced := range []string{"src", "dst"} {
		dir := t.TempDir()
		src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
		files := map[string]string{"other/secret.html": "<a href=secret>"}
		deep := strings.Repeat("d/", openLevels+2)
		for _, name := range []string{"a", "b"} {
			files["x/"+name+"/"+deep+"page.html"] = "<a href=y>"
		}
		add(t, src, files)
		var s said
		r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808), Exclude: []string{"other"}, Jobs: 1})
		x, err := r.newRun(dst, src, toDestination)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for jobs := range x.jobs {
				for _, j := range jobs {
					j.dir.release()
				}
			}
		}()
		x.stop = func(error) {}
		root, d := new(directory), &directory{path: "x/"}
		d.parent = root
		if !x.enter(root) || !x.enter(d) {
			t.Fatalf("%q", s.lines)
		}
		names := x.read(t.Context(), d)
		if slices.Sort(names); !slices.Equal(names, []string{"a", "b"}) {
			t.Fatalf("%q", names)
		}
		d.close()
		at := filepath.Join(dir, replaced)
		os.MkdirAll(filepath.Join(at, "other"), 0o777)
		if err := errors.Join(os.Rename(filepath.Join(at, "x"), filepath.Join(at, "moved")), os.Symlink("other", filepath.Join(at, "x"))); err != nil {
			t.Fatal(err)
		}
		root.close()
		if x.enter(d) {
			t.Errorf("%s: another directory is taken for it", replaced)
		}
		close(x.jobs)
		x.close()
		if len(s.lines) != 1 {
			t.Errorf("said %q", s.lines)
		}
	}
}
