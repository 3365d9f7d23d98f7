package job

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"absolink/archives/internal/sample"
)

// smallDisk returns a directory that is a disk of its own, with a size such as 16k, and what
// changes the size. The test is skipped if nobody may mount a disk.
func smallDisk(t *testing.T, size string) (disk string, resize func(size string)) {
	t.Helper()
	disk = filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("cannot mount a small disk, which root can: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	return disk, func(size string) {
		t.Helper()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size="+size); err != nil {
			t.Fatal(err)
		}
	}
}

// A disk that is full at any moment stops work, or gives dead letters. Nothing half-written
// has a final name, and once there is room, the files are the same as from a job that had room.
func TestFullDisk(t *testing.T) {
	disk, resize := smallDisk(t, "16k")
	o := Options{Manifest: manifest(t, samples()), Out: t.TempDir(), Convert: true, List: "jsonl"}
	mustRun(t, o)
	want := tree(t, o.Out)
	all := 0
	for _, text := range want {
		all += len(text)
	}
	t.Setenv("TMPDIR", disk)
	short := 0
	for size := 4 << 10; size < all; size += all / 12 {
		o.Out = filepath.Join(disk, "out")
		resize(fmt.Sprint(size))
		totals, err := run(o)
		if err != nil && !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%d bytes: %v", size, err)
		}
		if err != nil {
			short++
		} else if totals.Dead > 0 {
			t.Errorf("%d bytes: an archive has a letter for a full disk", size)
		}
		for name, text := range tree(t, o.Out) {
			if !strings.HasPrefix(name, "_job/") && text != want[name] && name != "totals.json" && name != "outputs.jsonl" && name != "dead.jsonl" {
				t.Errorf("%d bytes: %s is half-written: %d bytes, want %d", size, name, len(text), len(want[name]))
			}
		}
		resize("16m")
		mustRun(t, o)
		sample.Compare(t, tree(t, o.Out), want)
		if err := os.RemoveAll(o.Out); err != nil {
			t.Fatal(err)
		}
	}
	if short < 5 {
		t.Errorf("the disk was full only %d times", short)
	}

	// A long page needs room in TMPDIR, and --out has room.
	resize("16k")
	page := sample.Record("response", "http://h/", "text/html", strings.Repeat("<a href=x>", 400_000))
	long := Options{Manifest: manifest(t, map[string][]byte{"long.warc.gz": page}), Out: t.TempDir(), Convert: true}
	_, err := run(long)
	if err == nil || !strings.Contains(err.Error(), "make room") {
		t.Errorf("a page that has no room: %v", err)
	}
	for name := range tree(t, long.Out) {
		t.Errorf("a page that has no room leaves %s", name)
	}
	if left, err := os.ReadDir(disk); err != nil || len(left) > 0 {
		t.Errorf("left on the disk: %v, %v", left, err)
	}
}

func init() {
	storeFaults = append(storeFaults, storeFault{name: "a full disk", program: true, disk: smallDisk, stops: written})
}
