//go:build linux && !race

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"absolink/internal/test/soak"
)

// A manifest of a million lines, whose outputs all have names of their own, is read in
// a few seconds and in at most five times the memory that its text has.
func TestLongManifest(t *testing.T) {
	soak.Only(t) // it writes 70 MiB
	dir := t.TempDir()
	manifest, peak := filepath.Join(dir, "manifest"), filepath.Join(dir, "peak")
	f, err := os.Create(manifest)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewWriter(f)
	size := 0
	for i := range 1_000_000 {
		n, _ := fmt.Fprintf(lines, "crawl/2024/page-%d.html\thttps://example.org/crawl/2024/page-%d.html\n", i, i)
		size += n
	}
	if lines.Flush() != nil || f.Close() != nil {
		t.Fatal("the manifest cannot be written")
	}
	cmd := exec.Command("measured", "--manifest", manifest, "-o", filepath.Join(dir, "out")+"/", "--shard", "1000000/1000000")
	cmd.Env = append(os.Environ(), "PEAK="+peak)
	out, _ := cmd.CombinedOutput()
	if want := "absolink: crawl/2024/page-999999.html: cannot open: no such file or directory\n"; string(out) != want {
		t.Errorf("%q, not %q", out, want)
	}
	text, err := os.ReadFile(peak)
	kibibytes, err2 := strconv.Atoi(string(text))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if kibibytes<<10 > 5*size {
		t.Errorf("%d MiB in memory, for %d MiB", kibibytes>>10, size>>20)
	}
	t.Logf("%d MiB in memory, for %d MiB", kibibytes>>10, size>>20)
}
