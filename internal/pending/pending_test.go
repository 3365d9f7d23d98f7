//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package pending

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// open returns a directory with files of these names, and its root.
func open(t *testing.T, names ...string) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("left"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, root
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// What killed runs have left of a file is removed, and nothing else.
func TestLeft(t *testing.T) {
	others := []string{".absolink-notes", ".page.html123", Name("other.html"), prefix + strings.Repeat("0", 32), "page.html"}
	var left []string
	for slot := range slots {
		left = append(left, slotName("page.html", slot))
	}
	dir, root := open(t, slices.Concat(others, left)...)
	Clean(root, "page.html")
	if got := names(t, dir); !slices.Equal(got, slices.Sorted(slices.Values(others))) {
		t.Errorf("%q, want %q", got, others)
	}
	os.WriteFile(filepath.Join(dir, left[0]), []byte("left"), 0o600)
	f, err := Create(root, "page.html", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	temp := f.Temporary()
	want := slices.Sorted(slices.Values(append(others, temp)))
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if info, err := f.Stat(); err != nil || info.Size() != 0 || info.Mode().Perm() != 0o600 || !IsName(temp) {
		t.Errorf("%s: %v, %v", temp, info, err)
	}
}

// Other names are told from those of pending files.
func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		Name("a"):                              true,
		slotName("a", 3):                       true,
		prefix + strings.Repeat("0f", 16):      true,
		prefix + strings.Repeat("z", 32):       false,
		prefix + strings.Repeat("F", 32):       false,
		prefix + strings.Repeat("0", 31):       false,
		prefix + strings.Repeat("0", 33):       false,
		prefix + strings.Repeat("é", 16):       false,
		".absolink_" + strings.Repeat("0", 32): false,
		prefix:                                 false,
		"":                                     false,
	} {
		if IsName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// A file of a run that goes on stays, and so does what is not a file.
func TestInUse(t *testing.T) {
	dir, root := open(t)
	f, err := Create(root, "page.html", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for slot, make := range []func(name string) error{
		1: func(name string) error { return os.Mkdir(name, 0o700) },
		2: func(name string) error { return syscall.Mkfifo(name, 0o600) },
		3: func(name string) error { return os.MkdirAll(name+"/in", 0o700) },
	} {
		if slot > 0 {
			if err := make(filepath.Join(dir, slotName("page.html", slot))); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := names(t, dir)
	Clean(root, "page.html")
	if _, err := Create(root, "page.html", 0o600); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	if got := names(t, dir); !slices.Equal(got, before) {
		t.Errorf("%q, want %q", got, before)
	}
	f.Close()
	again, err := Create(root, "page.html", 0o600)
	if err != nil || again.Temporary() != f.Temporary() {
		t.Fatal(again, err)
	}
	again.Close()
}

// A file that nobody may write is removed like any other.
func TestReadOnly(t *testing.T) {
	dir, root := open(t, Name("page.html"))
	os.Chmod(filepath.Join(dir, Name("page.html")), 0o444)
	f, err := Create(root, "page.html", 0o600)
	if err != nil || f.Temporary() != Name("page.html") {
		t.Fatal(f, err)
	}
	f.Close()
}

// A link is removed without harm to the file that it leads to.
func TestLinks(t *testing.T) {
	for _, link := range []func(to, name string) error{os.Link, os.Symlink} {
		dir, root := open(t, "mine")
		if err := link(filepath.Join(dir, "mine"), filepath.Join(dir, Name("page.html"))); err != nil {
			t.Fatal(err)
		}
		f, err := Create(root, "page.html", 0o600)
		if err != nil || f.Temporary() != Name("page.html") {
			t.Fatal(f, err)
		}
		f.WriteString("new")
		f.Close()
		if text, err := os.ReadFile(filepath.Join(dir, "mine")); string(text) != "left" {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// Of many runs that write one file, each has a file of its own until it is renamed, and
// nothing is left in the end.
func TestRuns(t *testing.T) {
	dir, root := open(t)
	var runs sync.WaitGroup
	for range slots {
		runs.Go(func() {
			for i := range 300 {
				f, err := Create(root, "page.html", 0o600)
				if errors.Is(err, ErrBusy) {
					continue // of a slot that another run has just examined
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !isAt(root, f.Temporary(), f.File) {
					t.Error("another run has removed the file")
				}
				if i%2 == 0 {
					f.Discard()
				} else if err := f.Commit(nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	runs.Wait()
	if got := names(t, dir); !slices.Equal(got, []string{"page.html"}) {
		t.Errorf("%q", got)
	}
}

// What is wrong with a directory is said.
func TestDirectory(t *testing.T) {
	_, root := open(t)
	root.Close()
	if _, err := Create(root, "page.html", 0o600); err == nil || errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	dir, root := open(t)
	os.Remove(dir)
	if _, err := Create(root, "page.html", 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
