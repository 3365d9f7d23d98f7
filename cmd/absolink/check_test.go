package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/test/soak"
)

// A page of dead links is read twice, not once for each link.
func TestCheckOfManyLinks(t *testing.T) {
	dir := t.TempDir()
	links := soak.N(100_000)
	write(t, filepath.Join(dir, "a.html"), strings.Repeat("<a href=x>\n", links))
	code, out, messages := run1("", "tree", "--check", "--json", "--url", "http://h/", dir)
	if code != console.ExitNotDone || strings.Count(out, "\n") != links+2 || !strings.Contains(out, fmt.Sprintf(`"line":%d,"column":9,`, links)) {
		t.Errorf("exit code %d, %d lines: %.300s%s", code, strings.Count(out, "\n"), out, messages)
	}
}

// An --ignore that can fit no link in the tree is refused, and one that matches no broken link of a
// whole run is named at the end.
func TestIgnoreThatFitsNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.html"), "<a href=gone><a href=x/y?q#f>")
	for _, profile := range []string{"rfc1808", "rfc3986", "whatwg"} {
		for ignore, want := range map[string]string{
			"gone":             "",
			"https://e.org/s/": "",
			"https://e.org/":   "",
			"./":               "",
			"/s/x/":            "",
			"x/y":              "",
			"x/y?q#f":          "",
			"x/y?r":            `--ignore "x/y?r" matches no broken link`,
			"a.html":           `--ignore "a.html" matches no broken link`,
			"s/b*":             `--ignore "s/b*" matches no broken link`,
			"x":                `--ignore "x" matches no broken link`,
			"":                 "--ignore takes a URL, and has an empty one",
			" ":                "--ignore takes a URL, and has an empty one",
			"/":                "",
			"/t":               `--ignore: "/t": it is not in the tree, which is at https://e.org/s/`,
			"/s":               `--ignore: "/s": it is not in the tree`,
			"https://i.org/s/": `--ignore: "https://i.org/s/": it is not in the tree`,
			"http://[":         `--ignore: "http://[": `,
			"mailto:x":         `--ignore: "mailto:x": it is not in the tree`,
		} {
			code, _, messages := run1("", "tree", "--check", "--profile", profile, "--url", "https://e.org/s", "--ignore", ignore, dir)
			refused := strings.HasPrefix(want, "--ignore:") || strings.HasPrefix(want, "--ignore takes")
			if refused != (code == console.ExitUsage) || !strings.Contains(messages, want) || want == "" && strings.Contains(messages, "--ignore") {
				t.Errorf("%s: --ignore %q: exit code %d, %s", profile, ignore, code, messages)
			}
		}
	}
}
