package tree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"absolink/internal/pending"
	"absolink/resolver"
)

// mount mounts a small file system in memory.
func mount(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	mountAt(t, dir, options)
	return dir
}

func mountAt(t *testing.T, dir, options string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("no file system can be mounted: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
}

func TestFullDisk(t *testing.T) {
	dst := mount(t, "size=256k")
	src := generate(t, 500)
	add(t, src, map[string]string{"image.png": strings.Repeat("x", 300_000), "page.html": strings.Repeat("x", 300_000) + "<a href=x>"})
	var s said
	r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808)})
	result, err := r.Rewrite(t.Context(), dst, src)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, syscall.ENOSPC) || e.Name != dst {
		t.Errorf("%v", err)
	}
	s.want(t)
	undisturbed := t.TempDir()
	rewrite(t, r, undisturbed, src)
	whole := get(t, undisturbed)
	written := get(t, dst)
	for name, content := range written {
		if pending.IsName(filepath.Base(name)) {
			t.Errorf("left behind: %s", name)
		} else if content != whole[name] {
			t.Errorf("half a file: %s", name)
		}
	}
	if result.Files != int64(len(written)) || result.Rewritten+result.Copied != result.Files || result.Files == int64(len(whole)) {
		t.Errorf("%d files are written, and %+v counted", len(written), result)
	}
	if err := syscall.Mount("", dst, "", syscall.MS_REMOUNT, "size=8m"); err != nil {
		t.Skip(err)
	}
	again := rewrite(t, r, dst, src)
	if again.Files != 502 || again.Unchanged != result.Files {
		t.Errorf("%+v", again)
	}
	compare(t, get(t, dst), whole)

	// A tree on a file system that has become read-only.
	add(t, src, map[string]string{"new.html": ""})
	if err := syscall.Mount("", dst, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	if _, err := r.Rewrite(t.Context(), dst, src); !errors.Is(err, syscall.EROFS) {
		t.Errorf("%v", err)
	}
	s.want(t)
}

// TestMounted: a file system that is mounted in the tree, and is full or read-only, costs the
// files in it and no others.
func TestMounted(t *testing.T) {
	for name, set := range map[string]struct {
		mount func(t *testing.T, dir string)
		seal  func(t *testing.T, dir string) error
		err   error
	}{
		"full": {
			func(t *testing.T, dir string) { mountAt(t, dir, "size=512k") },
			func(t *testing.T, dir string) error {
				err := os.WriteFile(filepath.Join(dir, "fill"), make([]byte, 1<<20), 0o666)
				if errors.Is(err, syscall.ENOSPC) {
					return nil
				}
				return fmt.Errorf("it is not full: %v", err)
			}, syscall.ENOSPC,
		},
		"read-only": {
			func(t *testing.T, dir string) { mountAt(t, dir, "size=8m") },
			func(t *testing.T, dir string) error {
				return syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
			}, syscall.EROFS,
		},
		"read-only view": {
			func(t *testing.T, dir string) {
				if err := syscall.Mount(t.TempDir(), dir, "", syscall.MS_BIND, ""); err != nil {
					t.Skipf("no directory can be mounted: %v", err)
				}
				t.Cleanup(func() { syscall.Unmount(dir, 0) })
			},
			func(t *testing.T, dir string) error {
				return syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, "")
			}, syscall.EROFS,
		},
	} {
		for _, to := range []target{inPlace, toDestination} {
			t.Run(fmt.Sprintf("%s, target %d", name, to), func(t *testing.T) {
				const files = 30
				src, dst := put(t, nil), t.TempDir()
				m := filepath.Join(map[target]string{inPlace: src, toDestination: dst}[to], "m")
				if err := os.MkdirAll(m, 0o777); err != nil {
					t.Fatal(err)
				}
				set.mount(t, m)
				for i := range files {
					add(t, src, map[string]string{fmt.Sprintf("%d.html", i): "<a href=x>", fmt.Sprintf("m/%d.html", i): "<a href=x>", fmt.Sprintf("z/%d.html", i): "<a href=x>"})
				}
				add(t, src, map[string]string{"m/new/page.html": "<a href=x>"})
				if err := set.seal(t, m); err != nil {
					t.Fatal(err)
				}
				r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808), Failed: func(e *Error) {
					if !errors.Is(e, set.err) && !errors.Is(e.Err, set.err) {
						t.Errorf("%s: %v", e.Name, e)
					}
				}}
				if result := do(t, r, dst, src, to); result.Rewritten != 2*files || result.Failed < files+1 {
					t.Errorf("%+v", result)
				}
			})
		}
	}
}

// TestMountedLink: a file that cannot be linked, since it is mounted in the source, is
// copied, and the files after it are linked.
func TestMountedLink(t *testing.T) {
	other := mount(t, "size=1m")
	src, dst := put(t, map[string]string{"a.png": "", "z/b.png": "b"}), t.TempDir()
	add(t, other, map[string]string{"a.png": "a"})
	path := filepath.Join(src, "a.png")
	if err := syscall.Mount(filepath.Join(other, "a.png"), path, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("no file can be mounted: %v", err)
	}
	defer syscall.Unmount(path, 0)
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808), Link: true, Jobs: 1}
	if result := rewrite(t, r, dst, src); result.Linked != 1 || result.Copied != 1 {
		t.Errorf("%+v", result)
	}
	compare(t, get(t, dst), map[string]string{"a.png": "a", "z/b.png": "b"})
}
