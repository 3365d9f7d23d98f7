//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"absolink/internal/test/soak"
)

// makeTree makes a tree of 2,000 files. Nine of ten are pages.
func makeTree(t *testing.T) string {
	t.Helper()
	src := filepath.Join(t.TempDir(), "src")
	text := strings.Repeat("<p>Some text that stands between links, as text does.\n", 100)
	for i := range max(500, soak.N(2000)) {
		dir := filepath.Join(src, fmt.Sprintf("d%d", i%7), fmt.Sprintf("e%d", i%10))
		name, content := fmt.Sprintf("page%d.html", i), fmt.Sprintf("<title>%d</title>%s<a href=page%d.html>x</a>%s", i, text, i+70, text)
		switch {
		case i%20 == 9:
			name = fmt.Sprintf("style%d.css", i)
		case i%20 == 19:
			name = fmt.Sprintf("words%d", i)
		}
		write(t, filepath.Join(dir, name), content)
	}
	return src
}

// readTree reads all files of a directory.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files[path[len(dir):]] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A run that is killed ten times at random points, and begun again each time, has the
// same result as an undisturbed run, to another tree and in place. All files are whole
// at any time, and an interrupt leaves no other files.
func TestTreeThatIsKilled(t *testing.T) {
	t.Parallel()
	pristine := makeTree(t)
	original := readTree(t, pristine)
	undisturbed := filepath.Join(t.TempDir(), "undisturbed")
	start := time.Now()
	if out, err := exec.Command("absolink", "tree", pristine, undisturbed, "--url", "http://h/").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	long := time.Since(start)
	want := readTree(t, undisturbed)
	kills := max(3, soak.N(10))
	for _, inPlace := range []bool{false, true} {
		for _, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
			t.Run(fmt.Sprintf("%v in place %v", s, inPlace), func(t *testing.T) {
				t.Parallel()
				k := killing{t, s, filepath.Join(t.TempDir(), "dst"), pristine, nil, nil, want}
				k.args = []string{"tree", pristine, k.dir, "--url", "http://h/"}
				if inPlace {
					k.original = original
					k.args = []string{"tree", "-w", k.dir, "--url", "http://h/"}
				}
				k.begin()
				for killed, runs := 0, 0; killed < kills; runs++ {
					switch k.run(rand.N(long/4 + time.Millisecond)) {
					case true:
						killed++
					case false: // it was done before
						k.check()
						k.begin()
					}
					if runs == 100 {
						t.Fatalf("only %d of 100 could be killed", killed)
					}
				}
				if out, err := exec.Command("absolink", k.args...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				k.check()
			})
		}
	}
}

// killing is a run that is to be killed, and its tree.
type killing struct {
	*testing.T
	signal   syscall.Signal
	dir      string
	src      string
	args     []string
	original map[string]string // in place; otherwise nil
	want     map[string]string
}

// begin makes the tree as it is before the first run.
func (k *killing) begin() {
	os.RemoveAll(k.dir)
	if k.original == nil {
		return
	}
	if err := os.CopyFS(k.dir, os.DirFS(k.src)); err != nil {
		k.Fatal(err)
	}
}

// run runs the command, and reports whether it was killed before it was done.
func (k *killing) run(after time.Duration) bool {
	cmd := exec.Command("absolink", k.args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		k.Fatal(err)
	}
	time.Sleep(after)
	cmd.Process.Signal(k.signal)
	if cmd.Wait() == nil {
		return false
	}
	code := cmd.ProcessState.ExitCode() // -1 where the signal came before absolink was ready for it
	if code > 0 && (code != 128+int(k.signal) || !strings.Contains(stderr.String(), "run the same command again to continue\n")) {
		k.Errorf("exit code %d, said %q", code, stderr.String())
	}
	if _, err := os.Stat(k.dir); err != nil {
		return true
	}
	for name, content := range readTree(k.T, k.dir) {
		switch {
		case strings.HasPrefix(filepath.Base(name), ".absolink-"):
			if code > 0 {
				k.Errorf("left behind: %s", name)
			}
		case content != k.want[name] && (k.original == nil || content != k.original[name]):
			k.Errorf("half a file: %s", name)
		}
	}
	return true
}

// check tests that the tree is as an undisturbed run makes it.
func (k *killing) check() {
	got := readTree(k.T, k.dir)
	for name, content := range got {
		if content != k.want[name] {
			k.Errorf("%s: %.100q", name, content)
		}
	}
	if len(got) != len(k.want) {
		k.Errorf("%d files, not %d", len(got), len(k.want))
	}
}
