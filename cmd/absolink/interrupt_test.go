//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/test/soak"
)

// A slowRun is a run that has begun to replace page.html with what comes through stdin.
type slowRun struct {
	*exec.Cmd
	stdin io.WriteCloser
}

const original = "<p>the original\n"

func startSlowRun(t *testing.T, cmd *exec.Cmd) *slowRun {
	cmd.Dir = t.TempDir()
	write(t, filepath.Join(cmd.Dir, "page.html"), original)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	for deadline := time.Now().Add(time.Minute); len(files(t, cmd.Dir)) < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no temporary file comes to be")
		}
	}
	return &slowRun{cmd, stdin}
}

func files(t *testing.T, dir string) []os.DirEntry {
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// check tests that the run ends with code, with page.html as it should be, and with no
// other file.
func (r *slowRun) check(t *testing.T, code int, page string) {
	r.Wait()
	if got := r.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d, not %d", got, code)
	}
	if got := files(t, r.Dir); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
	if got := readFile(t, filepath.Join(r.Dir, "page.html")); got != page {
		t.Errorf("%q", got)
	}
}

// An interrupt ends a run, also while it waits for a server, and leaves the original. A signal that
// is ignored does not, nor does SIGPIPE, which a broken connection causes.
func TestSignals(t *testing.T) {
	ends, slow := []string{"absolink", "-o", "page.html"}, fetchServer(t)+"/slow"
	for _, row := range []struct {
		args    []string
		signals []syscall.Signal
		ends    bool
	}{
		{ends, []syscall.Signal{syscall.SIGINT}, true},
		{ends, []syscall.Signal{syscall.SIGTERM}, true},
		{ends, []syscall.Signal{syscall.SIGHUP}, true},
		{append(ends, slow), []syscall.Signal{syscall.SIGINT}, true},
		{[]string{"sh", "-c", "trap '' INT HUP; exec absolink -o page.html"}, []syscall.Signal{syscall.SIGINT, syscall.SIGHUP}, false},
		{ends, []syscall.Signal{syscall.SIGPIPE}, false},
	} {
		t.Run(fmt.Sprint(row.args[0], row.signals), func(t *testing.T) {
			needs(t, row.args[0])
			if signal.Ignored(row.signals[0]) {
				t.Skip("is ignored here, as under nohup, and so by what is run")
			}
			r := startSlowRun(t, exec.Command(row.args[0], row.args[1:]...))
			for _, s := range row.signals {
				if err := r.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			if row.ends {
				r.check(t, 128+int(row.signals[0]), original)
				return
			}
			io.WriteString(r.stdin, "<p>new\n")
			r.stdin.Close()
			r.check(t, console.ExitDone, "<p>new\n")
		})
	}
}

func TestWarningsThatNobodyReads(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	defer write.Close()
	cmd := exec.Command("absolink", "--debug", "-o", "page.html", "--profile", "whatwg", "--url", "http://h/")
	cmd.Stderr = write
	r := startSlowRun(t, cmd)
	io.WriteString(r.stdin, `<body><a href="//[bad"><p>`)
	r.check(t, 128+int(syscall.SIGPIPE), original)
}

// An interrupt leaves none of the files that several workers are writing.
func TestInterruptOfSeveral(t *testing.T) {
	if signal.Ignored(syscall.SIGTERM) {
		t.Skip("is ignored here, and so by what is run")
	}
	dir := t.TempDir()
	args := []string{"-j", "3", "-o", filepath.Join(dir, "out") + "/", "--url", "http://h/"}
	for _, name := range []string{"a", "b", "c"} {
		name = filepath.Join(dir, name+".html")
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Skip(err)
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		io.WriteString(f, "<!doctype html><a href=x>")
		args = append(args, name)
	}
	cmd := exec.Command("absolink", args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	out := filepath.Join(dir, "out")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if entries, _ := os.ReadDir(out); len(entries) == 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no three temporary files come to be")
		}
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 128+int(syscall.SIGTERM) {
		t.Errorf("exit code %d", got)
	}
	if left := files(t, out); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Of many files that are rewritten in place at the same time, an interrupt leaves each
// as it was or as it becomes, and no others.
func TestInterruptOfMany(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const before, after = "<a href=x>", "<a href=http://h/x>"
	args := []string{"-j", "4", "-w", "--url", "http://h/"}
	for i := range 400 {
		args = append(args, filepath.Join(dir, strconv.Itoa(i)+".html"))
	}
	stopped := 0
	for run := 0; run < max(3, soak.N(10)); run++ {
		for _, name := range args[5:] {
			write(t, name, before)
		}
		cmd := exec.Command("absolink", args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Once a file is replaced, the command is ready for signals.
		for page := before; page == before; {
			page = readFile(t, args[5])
		}
		cmd.Process.Signal(syscall.SIGTERM)
		if cmd.Wait() != nil {
			stopped++
			if code := cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGTERM) {
				t.Errorf("exit code %d", code)
			}
		}
		for _, e := range files(t, dir) {
			if text, err := os.ReadFile(filepath.Join(dir, e.Name())); err != nil || string(text) != before && string(text) != after {
				t.Errorf("%s: %q, %v", e.Name(), text, err)
			}
		}
		if n := len(files(t, dir)); n != len(args)-5 {
			t.Errorf("%d files", n)
		}
	}
	if stopped == 0 && !signal.Ignored(syscall.SIGTERM) {
		t.Error("no run was stopped")
	}
}
