package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// A file that takes the place of another one is on the disk before it has the name.
func TestSync(t *testing.T) {
	if err := exec.Command("strace", "true").Run(); err != nil {
		t.Skip("no strace: ", err)
	}
	calls := regexp.MustCompile(`\b(fsync|rename)`)
	for _, args := range []string{"-w page.html", "-o page.html other.html", "tree -w site"} {
		t.Chdir(t.TempDir())
		for _, name := range []string{"page.html", "other.html", "site/page.html"} {
			write(t, name, "<a href=x>")
		}
		options := append(strings.Fields("-f -e trace=fsync,rename,renameat,renameat2 -o trace absolink "+args), "--url", "http://h/")
		if out, err := exec.Command("strace", options...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", args, err, out)
		}
		trace := readFile(t, "trace")
		got := strings.Join(calls.FindAllString(trace, -1), " ")
		if !strings.Contains(got, "rename") || strings.Contains(strings.ReplaceAll(got, "fsync rename", ""), "rename") {
			t.Errorf("%s: %q\n%s", args, got, trace)
		}
	}
}
