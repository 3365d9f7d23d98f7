package tree

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"absolink/resolver"
)

// TestHoles: the copy of a file with holes has the same holes.
func TestHoles(t *testing.T) {
	const size = 1 << 30
	for what, data := range map[string][]int64{"nothing": nil, "the start": {0}, "the end": {size - 4}, "the middle": {1 << 28, 1<<29 + 5}} {
		src, dst := t.TempDir(), t.TempDir()
		f, err := os.Create(filepath.Join(src, "disk.img"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(size); err != nil {
			t.Skip(err)
		}
		for _, at := range data {
			f.WriteAt([]byte("data"), at)
		}
		room := roomOf(t, f)
		f.Close()
		if room > 1<<20 {
			t.Skipf("no holes here: %d bytes", room)
		}
		rewrite(t, &Rewriter{URL: base(t, "http://h/", resolver.RFC1808)}, dst, src)
		if f, err = os.Open(filepath.Join(dst, "disk.img")); err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil || info.Size() != size || roomOf(t, f) > 1<<20 {
			t.Errorf("data at %s: %d bytes take %d, %v", what, info.Size(), roomOf(t, f), err)
		}
		for _, at := range data {
			var b [4]byte
			if _, err := f.ReadAt(b[:], at); err != nil || string(b[:]) != "data" {
				t.Errorf("data at %s: %q at %d, %v", what, b, at, err)
			}
		}
	}
}

func roomOf(t *testing.T, f *os.File) int64 {
	t.Helper()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Blocks * 512
}
