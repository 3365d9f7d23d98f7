package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/test/soak"
)

// A swap has two files with different modes, and exchanges what a name leads to: the file,
// a symbolic link, or the directory.
type swap struct {
	name string    // that a run is given
	pair [2]string // what is exchanged
	in   []string  // the directories of the files
}

// swaps returns each kind of swap, in directories of its own.
func swaps(t *testing.T) map[string]swap {
	dir := t.TempDir()
	path := func(name string) string {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		return full
	}
	all := map[string]swap{
		"file":      {path("file/0.html"), [2]string{path("file/0.html"), path("file/1.html")}, []string{path("file")}},
		"link":      {path("link/a"), [2]string{path("link/a"), path("link/b")}, []string{path("link/x"), path("link/y")}},
		"directory": {path("directory/x/0.html"), [2]string{path("directory/x"), path("directory/y")}, []string{path("directory/x"), path("directory/y")}},
	}
	for name, to := range map[string]string{"link/a": "x/0.html", "link/b": "y/0.html", "link/x/0.html": "", "link/y/0.html": "", "directory/y/0.html": ""} {
		full := path(name)
		if to == "" {
			continue
		}
		if err := os.Symlink(to, full); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// set writes both files anew.
func (s *swap) set(t *testing.T) {
	t.Helper()
	for i, file := range []struct {
		text string
		mode os.FileMode
	}{{"secret", 0o600}, {"public", 0o644}} {
		name := filepath.Join(s.in[i%len(s.in)], "0.html")
		if len(s.in) == 1 && i == 1 {
			name = filepath.Join(s.in[0], "1.html")
		}
		os.Remove(name)
		if err := os.WriteFile(name, []byte("<a href="+file.text+">"+strings.Repeat(file.text, 1000)), file.mode); err != nil {
			t.Fatal(err)
		}
	}
}

// exchange exchanges the pair until stop is closed.
func (s *swap) exchange(stop chan struct{}) (ended chan error) {
	ended = make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			if err := unix.Renameat2(unix.AT_FDCWD, s.pair[0], unix.AT_FDCWD, s.pair[1], unix.RENAME_EXCHANGE); err != nil {
				ended <- err
				return
			}
		}
	}()
	return ended
}

// check tests that each file has the mode that goes with its text, and returns how many
// are rewritten.
func (s *swap) check(t *testing.T) (rewritten int) {
	t.Helper()
	for _, dir := range s.in {
		for _, e := range files(t, dir) {
			name := filepath.Join(dir, e.Name())
			text := readFile(t, name)
			info, err := os.Lstat(name)
			if err != nil {
				t.Fatal(err)
			}
			want := os.FileMode(0o644)
			if strings.Contains(text, "secret") {
				want = 0o600
			}
			if info.Mode() != want || strings.Contains(text, "secret") && strings.Contains(text, "public") {
				t.Errorf("%s: %v, %.40q", e.Name(), info.Mode(), text)
			}
			if strings.Contains(text, "http://h/") {
				rewritten++
			}
		}
	}
	return rewritten
}

// TestSwapped: whoever owns the directory may exchange its files, links and directories
// while a run goes on. The text of a file never gets the mode of another one.
func TestSwapped(t *testing.T) {
	runs := 20
	if soak.Enabled() {
		runs = 200 // of each kind; without open directories, about one in five is wrong
	}
	for name, s := range swaps(t) {
		t.Run(name+" -w", func(t *testing.T) { s.run(t, runs, "-w", s.name) })
		t.Run(name+" -o", func(t *testing.T) { s.run(t, runs, "-o", s.name, s.name) })
	}
}

// run runs the command with args so many times while the pair is exchanged.
func (s *swap) run(t *testing.T, runs int, args ...string) {
	rewritten, changed := 0, 0
	for i := 0; i < runs || rewritten == 0 && i < 50*runs; i++ {
		s.set(t)
		stop := make(chan struct{})
		ended := s.exchange(stop)
		code, _, stderr := run1("", append(args, "--url", "http://h/")...)
		close(stop)
		if err := <-ended; err != nil {
			t.Skipf("this file system exchanges no names: %v", err)
		}
		if code != console.ExitDone {
			changed++
			if code != console.ExitNotDone || !strings.HasSuffix(stderr, ": it changed while it was read; run again\n") {
				t.Errorf("%d: %s", code, stderr)
			}
		}
		rewritten += s.check(t)
	}
	if rewritten == 0 {
		t.Error("no run has rewritten a file")
	}
	t.Logf("%d rewritten, %d changed while they were read", rewritten, changed)
}
