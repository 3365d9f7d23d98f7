//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A slowRun is a run that has begun to replace page.html with what comes through stdin.
type slowRun struct {
	*exec.Cmd
	stdin io.WriteCloser
}

const original = "<p>the original\n"

func startSlowRun(t *testing.T, cmd *exec.Cmd) *slowRun {
	cmd.Dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(cmd.Dir, "page.html"), []byte(original), 0o666); err != nil {
		t.Fatal(err)
	}
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
	if got, err := os.ReadFile(filepath.Join(r.Dir, "page.html")); err != nil || string(got) != page {
		t.Errorf("%q, %v", got, err)
	}
}

func TestInterruptLeavesTheOriginal(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			if signal.Ignored(s) {
				t.Skip("is ignored here, as under nohup, and so by what is run")
			}
			r := startSlowRun(t, exec.Command("absolink", "-o", "page.html"))
			if err := r.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			r.check(t, 128+int(s), original)
		})
	}
}

// The wait for a server is interrupted like any other.
func TestInterruptWhileFetching(t *testing.T) {
	if signal.Ignored(os.Interrupt) {
		t.Skip("is ignored here, and so by what is run")
	}
	r := startSlowRun(t, exec.Command("absolink", "-o", "page.html", serve(t)+"/slow"))
	if err := r.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	r.check(t, 128+int(syscall.SIGINT), original)
}

func TestIgnoredInterrupt(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	r := startSlowRun(t, exec.Command("sh", "-c", "trap '' INT HUP; exec absolink -o page.html"))
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if err := r.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	io.WriteString(r.stdin, "<p>new\n")
	r.stdin.Close()
	r.check(t, exitDone, "<p>new\n")
}

// A broken connection, which causes SIGPIPE, does not end a run.
func TestBrokenConnection(t *testing.T) {
	r := startSlowRun(t, exec.Command("absolink", "-o", "page.html"))
	if err := r.Process.Signal(syscall.SIGPIPE); err != nil {
		t.Fatal(err)
	}
	io.WriteString(r.stdin, "<p>new\n")
	r.stdin.Close()
	r.check(t, exitDone, "<p>new\n")
}

func TestWarningsThatNobodyReads(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	defer write.Close()
	cmd := exec.Command("absolink", "-o", "page.html", "--profile", "whatwg", "--url", "http://h/")
	cmd.Stderr = write
	r := startSlowRun(t, cmd)
	io.WriteString(r.stdin, `<body><a href="//[bad"><p>`)
	r.check(t, 128+int(syscall.SIGPIPE), original)
}
