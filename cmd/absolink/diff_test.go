package main

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/view"
	"absolink/internal/test/soak"
	"absolink/resolver"
)

// absolink runs the command and returns what it prints.
func absolink(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := run1("", args...)
	if code != console.ExitDone {
		t.Fatalf("%q: %d, %s", args, code, stderr)
	}
	return stdout
}

// testPatch tests that patch, with the diff of documents, makes the same of them as
// absolink.
func testPatch(t *testing.T, url string, documents map[string]string) {
	t.Helper()
	needs(t, "patch")
	t.Chdir(t.TempDir())
	want := map[string]string{}
	for name, document := range documents {
		write(t, name, document)
		want[name] = absolink(t, "--url", url, name)
	}
	diff := absolink(t, append([]string{"--url", url, "--diff"}, slices.Sorted(maps.Keys(documents))...)...)
	for name, document := range documents {
		if readFile(t, name) != document {
			t.Fatalf("%s is not what it was", name)
		}
	}
	cmd := exec.Command("patch", "-p0", "-s", "-t")
	cmd.Stdin = strings.NewReader(diff)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("patch: %v\n%s\nof %.1000q", err, out, diff)
	}
	for name, document := range documents {
		if got := readFile(t, name); got != want[name] {
			t.Errorf("%s: patch makes %.1000q of %.1000q, absolink %.1000q", name, got, document, want[name])
		}
	}
}

// Diffs are right for any lines in any order.
func TestDiffIsPatch(t *testing.T) {
	long := strings.Repeat("x", 5<<20)
	documents := map[string]string{
		"bytes.html":       "\xff\xfe\n<a href=\"\xff\">\x00\x80\n\x00\n",
		"UTF-8.html":       "\ufeffä\u2028ö\n<a href=\"ü\">\u0085\n",
		"a long line.html": long + "<a href=x>" + long + "<a href=y>" + long,
		"nothing.html":     "",
	}
	parts := []string{"\n", "\n", "\n", "\r\n", "\r", "<p>\n", "<p>\n", "<p>", "\xff", "<a href=x>\n", "<a href='x'>", "<a href='\nx\n'>\n",
		"<a href='http://h/x'>\n", "<img srcset='\nx 1x,\n y\n2x'>\n", "'>\n", "x\n", "<iframe srcdoc='<a href=\"\ny\">\n'>\n", "<style>\n@import '\\\nx';</style>\n",
		"--- x\n", "+++ x\n", "@@ -1 +1 @@\n", "\\ No newline at end of file\n", "\n\n\n\n\n\n\n"}
	random := rand.New(rand.NewPCG(18, 8))
	for n := range soak.N(500) {
		var document strings.Builder
		for range random.IntN(40) {
			document.WriteString(parts[random.IntN(len(parts))])
		}
		documents[fmt.Sprint(n, ".html")] = document.String()
	}
	testPatch(t, "http://h/a/b", documents)
}

func TestDiffOfNames(t *testing.T) {
	documents := map[string]string{}
	for _, name := range []string{"page.html", "page.html.orig", "a b.html", "./d/page.html", "d e/f  g", "é.html", "x'y"} {
		documents[name] = "<!DOCTYPE html><p>" + name + "<a href=x>"
	}
	testPatch(t, "http://h/", documents)
	for name, want := range map[string]string{
		"x\n+++ y": `"x\012+++ y"`,
		"x\ty":     `"x\011y"`,
		`"x"`:      `"\042x\042"`,
		"x y":      "x y\t",
	} {
		if got := view.DiffName(name); got != want {
			t.Errorf("%q is %q", name, got)
		}
	}
}

// Most unchanged lines are left out, also where lines have become one line.
func TestDiffIsShort(t *testing.T) {
	const n = 1000
	t.Chdir(t.TempDir())
	var document strings.Builder
	for i := range n {
		fmt.Fprintf(&document, "<li>%d\n<a href=\"\n\n x\n\"><a href='y\nz'>\n</li>\n<p>%[1]d\n<a href=http://h/>\n", i)
	}
	write(t, "page.html", document.String())
	diff := absolink(t, "--url", "http://h/", "--diff", "page.html")
	if got, most := strings.Count(diff, "\n-"), 6*n; got > most {
		t.Errorf("%d lines go, of %d that change", got, 5*n)
	}
	if got, most := strings.Count(diff, "\n+")-1, 2*n; got > most {
		t.Errorf("%d lines come, of %d that change", got, n)
	}
}

func BenchmarkDiff(b *testing.B) {
	const size = 20 << 20
	base, err := resolver.ParseBase("http://h/", resolver.RFC1808)
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct{ name, part string }{
		{"each line", "<a href=x>\n"},
		{"each fourth", "<li>\n<a href=x>\n</li>\n\n"},
		{"joined", "<li>\n<a href='\nx\n'>\n</li>\n\n"},
		{"one line", "<a href=x>"},
		{"line feeds", "\n"},
	} {
		lines := max(1, strings.Count(bench.part, "\n"))
		document := strings.Repeat(bench.part, min(size/len(bench.part), view.MaxDiffLines/2/lines-1)) + "<a href=x>"
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			c := &rewriteCommand{DocumentOptions: input.DocumentOptions{Type: "auto", ReadOptions: input.ReadOptions{HTMLOptions: input.HTMLOptions{Hold: 1 << 30, MaxTag: 1000, RuleOptions: input.RuleOptions{Rules: []string{"html"}}}}}}
			w := &rewriteWorker{rewriteCommand: c, settings: c.Settings(nil)}
			for b.Loop() {
				if err := w.diff(&console.UI{Stdout: io.Discard}, &input.Document{Settings: w.settings, Name: "x", Reader: strings.NewReader(document), Closer: io.NopCloser(nil), Base: base}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Documents that would take too much memory are not compared.
func TestDiffIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.html")
	for _, page := range []string{
		"<base href='http://h/" + strings.Repeat("a", 8000) + "/'>" + strings.Repeat("<a href=x>", view.MaxDiff/8000+1),
		"<base href='http://h/'><a href=x>" + strings.Repeat("x\n", view.MaxDiffLines/2+1),
		"<base href='http://h/'><a href=x>" + strings.Repeat("\n", view.MaxDiffAll/2+1),
	} {
		write(t, file, page)
		if code, out, messages := run1("", "--diff", file); code != console.ExitNotDone || out != "" || !strings.Contains(messages, view.ErrDiffSize.Error()) {
			t.Errorf("code %d, %d bytes, %s", code, len(out), messages)
		}
	}
}

// In a mailbox only the lines of the messages that change are shown as changed.
func TestDiffOfMailbox(t *testing.T) {
	message := func(body string) string {
		return "From a@b Mon Jan  1 00:00:00 2001\nContent-Type: text/html\nContent-Location: http://h/\n\n" + body + "\n\n"
	}
	mailbox := strings.Repeat(message("<p>one\n<p>two\n<p>three"), 20) + message("<p>x\n<a href=x>\n<p>y") + strings.Repeat(message("<p>one\n<p>two\n<p>three"), 20)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "in.mbox"), mailbox)
	_, out, _ := run1("", "--diff", filepath.Join(dir, "in.mbox"))
	if strings.Count(out, "\n") != 11 || !strings.Contains(out, "\n-<a href=x>\n+<a href=http://h/x>\n") {
		t.Error(out)
	}
}
