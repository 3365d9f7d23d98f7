//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/pending"
	"absolink/internal/test/soak"
)

// kill ends a run at once, with no chance to clean up.
func kill(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

// left returns how many pending files a directory has that were written after a time.
func left(t *testing.T, dir string, since time.Time) (n int) {
	for _, e := range files(t, dir) {
		if info, err := e.Info(); err == nil && pending.IsName(e.Name()) && info.ModTime().After(since) {
			n++
		}
	}
	return n
}

// However often a run is killed, there is at most one file left for each FILE. The next run
// removes all of them, and nothing else.
func TestKilled(t *testing.T) {
	t.Parallel()
	const pages = 3
	dir := t.TempDir()
	before := strings.Repeat("<p>text <a href=x>x</a>\n", 50_000)
	mine := map[string]string{".absolink-notes": "mine", ".page0.html123": "mine", pending.Name("another.html"): "mine"}
	args := []string{"-w", "-j", "2", "--url", "http://h/"}
	for i := range pages {
		args = append(args, filepath.Join(dir, "page"+string(rune('0'+i))+".html"))
	}
	for name, text := range mine {
		write(t, filepath.Join(dir, name), text)
	}
	others := left(t, dir, time.Time{})
	most := 0
	for range soak.N(100) {
		for _, name := range args[5:] {
			write(t, name, before)
		}
		start := time.Now()
		cmd := exec.Command("absolink", args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for left(t, dir, start) == 0 && time.Since(start) < time.Second { // or the run has ended
			time.Sleep(100 * time.Microsecond)
		}
		kill(cmd)
		most = max(most, left(t, dir, time.Time{})-others)
		for _, name := range args[5:] {
			if text, err := os.ReadFile(name); err != nil || string(text) != before && len(text) != len(before)+50_000*len("http://h/") {
				t.Fatalf("%s: %d bytes, %v", name, len(text), err)
			}
		}
	}
	if most == 0 || most > pages {
		t.Errorf("%d files were left at a time", most)
	}
	if out, err := exec.Command("absolink", args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if n := len(files(t, dir)); n != pages+len(mine) {
		t.Errorf("%d files: %v", n, files(t, dir))
	}
	for name, text := range mine {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// What a run has left that was killed while it wrote its output, the next one removes. What
// a run still writes stays.
func TestKilledOutput(t *testing.T) {
	killed := startSlowRun(t, exec.Command("absolink", "-o", "page.html"))
	kill(killed.Cmd)
	if left(t, killed.Dir, time.Time{}) != 1 {
		t.Fatalf("%v", files(t, killed.Dir))
	}
	run := func(page string) {
		t.Helper()
		cmd := exec.Command("absolink", "-o", "page.html")
		cmd.Dir, cmd.Stdin = killed.Dir, strings.NewReader(page)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	run("<p>one\n")
	if got := files(t, killed.Dir); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
	going := startSlowRun(t, exec.Command("absolink", "-o", "page.html"))
	killed.Dir = going.Dir
	run("<p>two\n")
	if got := files(t, going.Dir); len(got) != 2 {
		t.Errorf("%v", got)
	}
	io.WriteString(going.stdin, "<p>three\n")
	going.stdin.Close()
	going.check(t, console.ExitDone, "<p>three\n")
}
