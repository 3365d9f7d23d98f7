package main

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A file that takes the place of another one is on the disk before it has the name.
func TestSync(t *testing.T) {
	if err := exec.Command("strace", "true").Run(); err != nil {
		t.Skip("no strace: ", err)
	}
	calls := regexp.MustCompile(`\b(fsync|rename)(at2?)?\(`) // each once, also if another thread's call comes before its end
	for args, want := range map[string]string{
		"-w page.html": "fsync rename", "-o page.html other.html": "fsync rename", "tree -w site": "fsync rename",
		"tree --delete site copy": "rename fsync rename", // of a page, which its source makes again, and of the record
	} {
		t.Chdir(t.TempDir())
		for _, name := range []string{"page.html", "other.html", "site/page.html"} {
			write(t, name, "<a href=x>")
		}
		options := append(strings.Fields("-f -e trace=fsync,rename,renameat,renameat2 -o trace absolink "+args), "--url", "http://h/")
		if out, err := exec.Command("strace", options...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", args, err, out)
		}
		trace := readFile(t, "trace")
		var got []string
		for _, call := range calls.FindAllStringSubmatch(trace, -1) {
			got = append(got, call[1])
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %q\n%s", args, got, want, trace)
		}
	}
}
