//go:build unix

package tree

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"absolink/internal/regular"
	"absolink/resolver"
	"absolink/rewriter"
)

// replacements are what can replace a file after its directory was read and before it
// is opened, by name, and what Failed is then told; "" if the file is read as it is.
var replacements = map[string]struct {
	replace func(name string) error
	says    string
}{
	"fifo.html": {func(name string) error { return syscall.Mkfifo(name, 0o666) }, "cannot open: it is not a regular file and left out"},
	"link-to-fifo.html": {func(name string) error {
		return errors.Join(syscall.Mkfifo(name+".fifo", 0o666), os.Symlink(filepath.Base(name)+".fifo", name))
	}, "cannot open: it is not a regular file and left out"},
	"socket.html": {func(name string) error {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name})
		if err == nil {
			l.SetUnlinkOnClose(false)
			err = l.Close()
		}
		return err
	}, "cannot open: "},
	"directory.html": {func(name string) error { return os.Mkdir(name, 0o777) }, "cannot open: it is not a regular file and left out"},
	"gone.html":      {func(name string) error { return nil }, "cannot open: no such file or directory"},
	"outside.html":   {func(name string) error { return os.Symlink("../../secret.html", name) }, "cannot open: path escapes from parent"},
	"absolute.html":  {func(name string) error { return os.Symlink(name, name) }, "cannot open: "},
	"round.html":     {func(name string) error { return os.Symlink("round.html", name) }, "cannot open: too many levels of symbolic links"},
	"other.html":     {func(name string) error { return os.WriteFile(name, []byte("<a href=other>"), 0o666) }, ""},
	"empty.html":     {func(name string) error { return os.WriteFile(name, nil, 0o666) }, ""},
	"same.html":      {func(name string) error { return os.Symlink("fine.html", name) }, ""},
}

// TestReplacedFiles: whatever has replaced a file, the run neither waits for it nor
// follows it out of the tree. The file fails, and all others are written.
func TestReplacedFiles(t *testing.T) {
	for _, target := range []target{toDestination, inPlace, nowhere} {
		dir := t.TempDir()
		src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
		add(t, dir, map[string]string{"secret.html": "<a href=secret>"})
		add(t, src, map[string]string{"d/fine.html": "<a href=fine>", "d/image.png": "\x89PNG"})
		want := map[string]string{"d/fine.html": "<a href=http://h/d/fine>", "d/image.png": "\x89PNG"}
		for name := range replacements {
			add(t, src, map[string]string{"d/" + name: "<a href=x>"})
		}
		var s said
		r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808)})
		x, err := r.newRun(dst, src, target)
		if err != nil {
			t.Fatal(err)
		}
		failures := 0
		for name, replaced := range replacements {
			if replaced.says != "" {
				failures++
			} else {
				want["d/"+name] = map[string]string{"other.html": "<a href=http://h/d/other>", "same.html": "<a href=http://h/d/fine>"}[name]
			}
		}
		x.openFile = func(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
			if replaced, ok := replacements[name]; ok {
				path := filepath.Join(src, "d", name)
				if err := errors.Join(os.Remove(path), replaced.replace(path)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			return regular.Open(dir, name)
		}
		result, err := x.do(t.Context())
		if err != nil || result.Failed != int64(failures) || result.Files != int64(len(replacements)+2) {
			t.Errorf("%+v, %v", result, err)
		}
		for _, line := range s.lines {
			name, what, _ := strings.Cut(line, ":-1: ")
			if says := replacements[name].says; says == "" || !strings.HasPrefix(what, says) {
				t.Errorf("target %d: said %q", target, line)
			}
		}
		if len(s.lines) != failures {
			t.Errorf("target %d: said %q", target, s.lines)
		}
		if target == toDestination {
			compare(t, get(t, dst), want)
		}
		if secret, err := os.ReadFile(filepath.Join(dir, "secret.html")); err != nil || string(secret) != "<a href=secret>" {
			t.Errorf("what is outside: %q, %v", secret, err)
		}
	}
}

// TestReplacedByFIFO: the run does not wait for a FIFO in place of a tree, or of a
// directory.
func TestReplacedByFIFO(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := regular.OpenRoot(fifo); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("%v", err)
	}
	var s said
	r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808)})
	x, err := r.newRun("", dir, nowhere)
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	if x.enter(&directory{path: "fifo/"}) {
		t.Error("a FIFO is taken for a directory")
	}
	s.want(t, "fifo:-1: cannot open: not a directory")
}

// TestGrowingFiles: reading a page that grows as fast as it is read comes to an end.
func TestGrowingFiles(t *testing.T) {
	piece := strings.Repeat("text ", 20_000) + `<a href="//[bad">`
	for _, target := range []target{toDestination, inPlace, nowhere} {
		src, dst := put(t, map[string]string{"log.html": piece, "fine.html": "<a href=x>"}), t.TempDir()
		var s said
		r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.WHATWG), HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG}))})
		unresolvable(r, func(p *rewriter.Place) {
			f, err := os.OpenFile(filepath.Join(src, p.Document.Name), os.O_WRONLY|os.O_APPEND, 0)
			if err == nil {
				_, err = f.WriteString(piece)
				f.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
		if result := do(t, r, dst, src, target); result.Failed != 1 || result.Files != 2 {
			t.Errorf("%+v", result)
		}
		if len(s.lines) != 1 || !strings.HasPrefix(s.lines[0], "log.html:") || !strings.HasSuffix(s.lines[0], "it changed while it was read; run again") {
			t.Errorf("said %q", s.lines)
		}
		if _, err := os.Stat(filepath.Join(dst, "log.html")); err == nil {
			t.Error("it is written")
		}
	}
}

// TestChangedWhileCopied: a file that changes while it is copied is not written.
func TestChangedWhileCopied(t *testing.T) {
	for what, size := range map[string]int64{"longer": 3000, "shorter": 10, "empty": 0} {
		src, dst := put(t, map[string]string{"a.png": strings.Repeat("x", 2000), "b.png": "y"}), t.TempDir()
		var s said
		r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808)})
		x, err := r.newRun(dst, src, toDestination)
		if err != nil {
			t.Fatal(err)
		}
		x.openFile = func(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
			f, info, err := regular.Open(dir, name)
			if name == "a.png" {
				err = errors.Join(err, os.Truncate(filepath.Join(src, name), size))
			}
			return f, info, err
		}
		result, err := x.do(t.Context())
		if err != nil || result.Failed != 1 || result.Copied != 1 {
			t.Errorf("%s: %+v, %v", what, result, err)
		}
		if len(s.lines) != 1 || !strings.HasPrefix(s.lines[0], "a.png:-1: cannot re") || !strings.HasSuffix(s.lines[0], ": it changed while it was read; run again") {
			t.Errorf("%s: said %q", what, s.lines)
		}
		compare(t, get(t, dst), map[string]string{"b.png": "y"})
	}
}

// TestStuckWorker: a run ends when it has to, even if a file system does not answer.
// Afterwards no function is called, and the tree stays locked until the answer comes.
func TestStuckWorker(t *testing.T) {
	t.Run("end of ctx", func(t *testing.T) { testStuckWorker(t, false) })
	t.Run("panic", func(t *testing.T) { testStuckWorker(t, true) })
}

func testStuckWorker(t *testing.T, panics bool) {
	src, dst := put(t, map[string]string{"a/stuck.html": "<a href=x>", "b/fine.html": "<a href=x>"}), t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808), Jobs: 2}
	over := false
	r.Done = func(f File) {
		if over || f.Path != "b/fine.html" {
			t.Errorf("told of %+v, over: %v", f, over)
		}
		if panics {
			panic(why)
		}
		cancel(why)
	}
	x, err := r.newRun(dst, src, toDestination)
	if err != nil {
		t.Fatal(err)
	}
	x.patience = 0
	stuck, answer := make(chan bool), make(chan bool)
	x.openFile = func(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
		if name == "stuck.html" {
			close(stuck)
			<-answer
		} else {
			<-stuck
		}
		return regular.Open(dir, name)
	}
	var result Result
	func() {
		defer func() {
			if panics {
				err, _ = recover().(error)
			}
		}()
		result, err = x.do(ctx)
	}()
	if over = true; !errors.Is(err, why) || !panics && result.Files != 1 {
		t.Errorf("%+v, %v", result, err)
	}
	if _, err := r.Rewrite(t.Context(), dst, src); !errors.Is(err, ErrBusy) {
		t.Errorf("while one is stuck: %v", err)
	}
	close(answer)
	<-x.ended
	compare(t, get(t, dst), map[string]string{"b/fine.html": "<a href=http://h/b/x>"})
	r.Done = nil
	if result := rewrite(t, r, dst, src); result.Rewritten != 1 || result.Unchanged != 1 {
		t.Errorf("%+v", result)
	}
}
