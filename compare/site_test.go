//go:build linux

package compare

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// generateSite makes a tree of n files in directories of a hundred, of which
// nine of ten are pages of about 7 KB.
func generateSite(t testing.TB, n int) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "site")
	text := strings.Repeat("<p>Some text that stands between links, as text does, <a href=../other.html>now and then</a>.\n", 70)
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("part%d", i/1000), fmt.Sprintf("chapter%d", i/100%10))
		if i%100 == 0 {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		name, content := fmt.Sprintf("page%d.html", i), fmt.Sprintf("<!DOCTYPE html><title>%d</title><link rel=stylesheet href=/style.css>\n%s<a href=page%d.html>next</a>", i, text, i+1)
		if i%10 == 9 {
			name, content = fmt.Sprintf("style%d.css", i), "p { color: red }"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestSites measures absolink tree: what a second core is worth, what a second
// run costs beside reading both trees, and how memory grows with the number of
// files. FILES is how many there are; with 100000 the ratios that are promised
// have to hold.
func TestSites(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("FILES"))
	strict := n >= 100_000
	if n == 0 {
		n = 3000
	}
	command := filepath.Join(t.TempDir(), "absolink")
	build := exec.Command("go", "build", "-o", command, "./cmd/absolink")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	small, large := generateSite(t, 1000), generateSite(t, n)
	dst, runs := "", 0
	run := func(src, cores string) (time.Duration, int) {
		cmd := exec.Command("taskset", "-c", cores, command, "tree", src, dst, "--url", "https://example.org/docs/", "-q")
		cmd.Stderr = os.Stderr
		waitForQuiet()
		start := time.Now()
		if err := cmd.Start(); err != nil {
			t.Skip(err)
		}
		peak := watchMemory(cmd.Process.Pid)
		err := cmd.Wait()
		long := time.Since(start)
		if err != nil {
			t.Fatal(err)
		}
		return long, <-peak
	}
	// Nothing is removed between runs: ext4 is slow where much just was.
	fresh := func(src, cores string) (time.Duration, int) {
		runs++
		dst = filepath.Join(t.TempDir(), fmt.Sprint("dst", runs))
		return run(src, cores)
	}

	_, few := fresh(small, "0,1")
	_, many := fresh(large, "0,1")
	t.Logf("memory: %d kB for 1000 files, %d kB for %d", few, many, n)
	if strict && many > few*3/2 {
		t.Errorf("memory grows from %d kB to %d kB", few, many)
	}

	var one, two, again, walks []float64
	for range 4 {
		long, _ := fresh(large, "0")
		one = append(one, long.Seconds())
		long, _ = fresh(large, "0,1")
		two = append(two, long.Seconds())
		long, _ = run(large, "0")
		again = append(again, long.Seconds())
		walks = append(walks, walkTime(t, large)+walkTime(t, dst))
	}
	o, w, a, l := slices.Min(one), slices.Min(two), slices.Min(again), slices.Min(walks)
	t.Logf("%d files, the best of %d: one core %.2f s, two cores %.2f s, ratio %.2f", n, len(one), o, w, o/w)
	t.Logf("second run, one core: %.3f s; reading both directories: %.3f s, ratio %.2f", a, l, a/l)
	if strict && o/w < 1.8 {
		t.Errorf("two cores are %.2f times as fast as one", o/w)
	}
	if strict && a/l > 1.1 {
		t.Errorf("a second run costs %.2f times reading the directories", a/l)
	}
}

// walkTime is how long it takes to read a tree and the date of each file, on one
// core.
func walkTime(t testing.TB, root string) float64 {
	t.Helper()
	start := time.Now()
	err := filepath.WalkDir(root, func(_ string, e fs.DirEntry, err error) error {
		if err == nil {
			_, err = e.Info()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return time.Since(start).Seconds()
}

// watchMemory gives the most memory in kB that a process had in RAM, when it is
// gone.
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

// waitForQuiet waits, half a minute at most, until the machine has nothing else to
// do: a second core that others use is worth nothing.
func waitForQuiet() {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		idle, all := processorTime()
		time.Sleep(200 * time.Millisecond)
		idle2, all2 := processorTime()
		if all2 > all && float64(idle2-idle) > 0.95*float64(all2-all) {
			return
		}
	}
}

// processorTime returns how long the processors were idle, and were on at all,
// in clock ticks.
func processorTime() (idle, all int) {
	stat, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(stat), "\n")
	for i, field := range strings.Fields(line) {
		n, _ := strconv.Atoi(field)
		all += n
		if i == 4 {
			idle = n
		}
	}
	return idle, all
}
