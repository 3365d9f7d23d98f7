//go:build linux && compare

package compare

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// generateSite makes a tree of n files, a hundred in each directory. Nine of ten files
// are pages of about 7 KB.
func generateSite(t testing.TB, n int) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "site")
	text := strings.Repeat("<p>Some text that stands between links, as text does, <a href=../other.html>now and then</a>.\n", 70)
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("part%d", i/1000), fmt.Sprintf("chapter%d", i/100%10))
		if i%100 == 0 {
			noError(t, os.MkdirAll(dir, 0o777))
		}
		name, content := fmt.Sprintf("page%d.html", i), fmt.Sprintf("<!DOCTYPE html><title>%d</title><link rel=stylesheet href=/style.css>\n%s<a href=page%d.html>next</a>", i, text, i+1)
		if i%10 == 9 {
			name, content = fmt.Sprintf("style%d.css", i), "p { color: red }"
		}
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
	}
	return root
}

// BenchmarkSites measures absolink tree on a tree of FILES files, as the best of four
// runs in turn. It reports how many times as fast two cores are as one, how the time of
// a second run compares with reading both trees, and how many kB of memory the tree
// takes beyond one of 1000 files.
func BenchmarkSites(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("FILES"))
	if n == 0 {
		n = 3000
	}
	s := site{B: b, command: buildAbsolink(b)}
	small, large := generateSite(b, 1000), generateSite(b, n)
	_, few := s.first(small, "0,1")
	_, many := s.first(large, "0,1")
	best := func(a, b time.Duration) time.Duration {
		if a == 0 {
			return b
		}
		return min(a, b)
	}
	var one, two, again, walks time.Duration
	for range 4 {
		long, _ := s.first(large, "0")
		one = best(one, long)
		long, _ = s.first(large, "0,1")
		two = best(two, long)
		long, _ = s.run(large, "0")
		again = best(again, long)
		walks = best(walks, walkTime(b, large)+walkTime(b, s.dst))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(one.Seconds()/two.Seconds(), "x-two-cores")
	b.ReportMetric(again.Seconds()/walks.Seconds(), "x-reading")
	b.ReportMetric(float64(few), "kB-1000-files")
	b.ReportMetric(float64(many), fmt.Sprintf("kB-%d-files", n))
}

// A site is a tree of files and what is measured of runs on it.
type site struct {
	*testing.B
	command string
	dst     string // of the last run
	runs    int
}

// first runs absolink with a new destination. Nothing is removed between runs: ext4 is
// slow after many files were removed.
func (s *site) first(src, cores string) (time.Duration, int) {
	s.runs++
	s.dst = filepath.Join(s.TempDir(), fmt.Sprint("dst", s.runs))
	return s.run(src, cores)
}

// run returns the time of a run, and its memory in kB.
func (s *site) run(src, cores string) (time.Duration, int) {
	cmd := exec.Command("taskset", "-c", cores, s.command, "tree", src, s.dst, "--url", "https://example.org/docs/", "-q")
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		s.Skip(err)
	}
	peak := watchMemory(cmd.Process.Pid)
	err := cmd.Wait()
	long := time.Since(start)
	if err != nil {
		s.Fatal(err)
	}
	return long, <-peak
}

// walkTime returns the time to read a tree and the date of each file, on one core.
func walkTime(t testing.TB, root string) time.Duration {
	t.Helper()
	start := time.Now()
	noError(t, filepath.WalkDir(root, func(_ string, e fs.DirEntry, err error) error {
		if err == nil {
			_, err = e.Info()
		}
		return err
	}))
	return time.Since(start)
}

// watchMemory sends the most memory, in kB, that a process had in RAM, once the process
// has ended.
func watchMemory(pid int) <-chan int {
	peak := make(chan int, 1)
	go func() {
		most := 0
		for {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, after, found := strings.Cut(string(status), "VmHWM:")
			if err != nil || !found { // a process that ended has no memory
				peak <- most
				return
			}
			if fields := strings.Fields(after); len(fields) > 0 {
				now, _ := strconv.Atoi(fields[0])
				most = max(most, now)
			}
			time.Sleep(2 * time.Millisecond)
		}
	}()
	return peak
}
