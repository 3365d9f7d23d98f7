package tree

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

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
	var s said
	r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808)})
	result, err := r.Rewrite(t.Context(), dst, src)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, syscall.ENOSPC) || e.Name != dst {
		t.Errorf("%v", err)
	}
	s.want(t)
	for name := range get(t, dst) {
		if isTemporary(filepath.Base(name)) {
			t.Errorf("left behind: %s", name)
		}
	}
	if result.Rewritten == 0 || result.Files > 400 {
		t.Errorf("%+v", result)
	}
	if err := syscall.Mount("", dst, "", syscall.MS_REMOUNT, "size=8m"); err != nil {
		t.Skip(err)
	}
	again := rewrite(t, r, dst, src)
	if again.Files != 500 || again.Unchanged < result.Rewritten {
		t.Errorf("%+v", again)
	}
	undisturbed := t.TempDir()
	rewrite(t, r, undisturbed, src)
	compare(t, get(t, dst), get(t, undisturbed))

	// And one that may not be written.
	add(t, src, map[string]string{"new.html": ""})
	if err := syscall.Mount("", dst, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	if _, err := r.Rewrite(t.Context(), dst, src); !errors.Is(err, syscall.EROFS) {
		t.Errorf("%v", err)
	}
	s.want(t)
}
