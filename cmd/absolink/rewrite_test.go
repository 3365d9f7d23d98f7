package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
)

// A document finds out whether the output was there when it was closed.
type document struct {
	io.Reader
	output         string
	closed, before bool
}

func (d *document) Close() error {
	_, err := os.Stat(d.output)
	d.closed, d.before = true, errors.Is(err, os.ErrNotExist)
	return nil
}

// A document is closed before its file is replaced: Windows does not replace a file
// that is open.
func TestInputIsClosedBeforeItIsReplaced(t *testing.T) {
	output := filepath.Join(t.TempDir(), "page.html")
	src := &document{Reader: strings.NewReader("<a href=x>"), output: output}
	c := &rewriteCommand{DocumentOptions: input.DocumentOptions{Type: "auto", ReadOptions: input.ReadOptions{HTMLOptions: input.HTMLOptions{Hold: 1, MaxTag: 1000}}}}
	w := &rewriteWorker{rewriteCommand: c, settings: c.Settings(nil)}
	if err := w.rewrite(&console.UI{Stderr: io.Discard}, output, &input.Document{Settings: w.settings, Name: "page.html", Reader: src, Closer: src}); err != nil {
		t.Fatal(err)
	}
	if !src.closed || !src.before {
		t.Errorf("closed %v, before the output was there %v", src.closed, src.before)
	}
	if got := readFile(t, output); got != "<a href=x>" {
		t.Errorf("%q", got)
	}
}

func TestReadingFails(t *testing.T) {
	output := filepath.Join(t.TempDir(), "page.html")
	src := io.MultiReader(strings.NewReader("<p>"), iotest.ErrReader(errors.New("the disk is gone")))
	var stderr strings.Builder
	code := run([]string{"-o", output}, src, io.Discard, &stderr)
	const want = "absolink: <stdin>:1:4: cannot read further: the disk is gone\n"
	if stderr.String() != want || code != console.ExitNotDone {
		t.Errorf("%d, %s", code, stderr.String())
	}
	if left, err := os.ReadDir(filepath.Dir(output)); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A full is like a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: errors.New("no space left")}
}

func TestWritingFails(t *testing.T) {
	var stderr strings.Builder
	code := run(nil, strings.NewReader("<p>"), full{}, &stderr)
	const want = "absolink: <stdout>: cannot write further: no space left\n"
	if stderr.String() != want || code != console.ExitNotDone {
		t.Errorf("%d, %s", code, stderr.String())
	}
}

// Standard output that fails is told, also where it fails for what was held.
func TestTasksCannotPrint(t *testing.T) {
	for _, jobs := range []int{1, 4} {
		var stderr strings.Builder
		t.Chdir(t.TempDir())
		args := []string{"-j", fmt.Sprint(jobs), "-l", "--url", "http://h/"}
		for i := range 9 {
			args = append(args, fmt.Sprintf("%d.html", i))
			write(t, args[len(args)-1], "<a href=x>")
		}
		code := run(args, strings.NewReader(""), full{}, &stderr)
		if n := strings.Count(stderr.String(), "absolink: <stdout>: cannot write further: no space left\n"); code != console.ExitNotDone || n != 9 {
			t.Errorf("%d jobs: code %d, %s", jobs, code, stderr.String())
		}
	}
}
