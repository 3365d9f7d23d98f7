package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/console"
)

// write writes a file for a test, in a directory that may not be there yet.
func write(t testing.TB, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// readFile returns the text of a file.
func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A manifest is a list from anywhere: whatever is wrong with it is said in a few short
// lines, and nothing is done.
func TestHostileManifest(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "page.html", "<a href=x>")
	for text, want := range map[string]string{
		"page.html\n" + strings.Repeat("a", 1<<20):                     "<stdin>:2:1: the line is longer than 64 KiB",
		"page.html\thttp://h/" + strings.Repeat("a", 1<<20) + "\n":     "<stdin>:1:1: the line is longer than 64 KiB",
		"page.html\thttp://h/" + strings.Repeat("a", 60<<10) + "\n":    "<stdin>:1:1: the retrieval URL: ",
		"page.html\n\npage\x00.html\n":                                 "<stdin>:3:1: the line has a NUL byte",
		"p\x00a\x00g\x00e\x00\n":                                       "<stdin>:1:1: the line has a NUL byte",
		"page.html\thttp://u:secret/w@h/\x1b[2J\n\tx\n":                "<stdin>:2:1: no FILE comes before the tab",
		"page.html\tjavascript:x\n":                                    "<stdin>:1:1: the retrieval URL: ",
		"page.html\thttp://h/\thttp://h/\n":                            "<stdin>:1:1: the line has more than two columns",
		"page.html\n-\n":                                               "<stdin>:2:1: standard input is the list itself",
		strings.Repeat("\t\n", 1_000_000):                              "<stdin>: 999990 more lines are wrong",
		"page.html\n" + strings.Repeat("page.html\tx\x1b]0;\a\n", 999): "<stdin>: 989 more lines are wrong",
	} {
		code, stdout, stderr := run1(text, "-l", "--manifest", "-")
		if code != console.ExitUsage || stdout != "" || !strings.Contains(stderr, "absolink: "+want) || len(stderr) > 100_000 || strings.Contains(stderr, "secret") {
			t.Errorf("%.50q: code %d, %q, %.500q", text, code, stdout, stderr)
		}
		checkMessages(t, fmt.Sprintf("%.50q", text), stderr)
	}
	code, stdout, stderr := run1("\xef\xbb\xbf# the pages\npage.html\thttp://h/\r\n\r\n\npage.html\t\r\n", "--manifest", "-", "-q", "--url", "http://i/")
	if code != console.ExitDone || stdout != "<a href=http://h/x><a href=http://i/x>" {
		t.Errorf("code %d, %q, %s", code, stdout, stderr)
	}
}

// A FILE of a manifest that names no file in the directory writes none outside.
func TestManifestStaysInTheDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "page.html", "<a href=x>")
	for _, name := range []string{"..", ".", "/", "../", "x/..", "out/..", "out"} {
		for _, args := range [][]string{{}, {"list"}, {"warc"}} {
			code, _, stderr := run1(name+"\n", append(args, "--manifest", "-", "-o", "out/")...)
			entries, err := os.ReadDir("out")
			if code != console.ExitNotDone || err != nil || len(entries) > 0 {
				t.Errorf("%q %q: code %d, %s, %v %v", args, name, code, stderr, entries, err)
			}
		}
	}
	if entries, _ := os.ReadDir("."); len(entries) != 2 {
		t.Errorf("%v", entries)
	}
}
