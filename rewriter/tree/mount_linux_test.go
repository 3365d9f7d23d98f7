package tree

import (
	"errors"
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
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("no file system can be mounted: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	return dir
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
