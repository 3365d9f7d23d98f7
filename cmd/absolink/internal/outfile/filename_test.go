package outfile

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"absolink/internal/listing"
)

func TestFileName(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	for name, want := range map[string]string{
		"a/b/page.html":                   "page.html",
		"./CON":                           "CON", // a FILE has the name that it has
		"http://h":                        "index.html",
		"http://h/":                       "index.html",
		"http://h/a/?x=/y":                "index.html",
		"http://h?x/y":                    "index.html",
		"http://h/a/b.html#/c":            "b.html",
		"http://h/a%20b.html":             "a b.html",
		"http://h/100%":                   "100%",
		"http://u:p/w@h/x":                "x",
		"HTTP://h/..":                     "_",
		"http://h/.":                      "_",
		"http://h/%2e%2e%2F%2e%2e%2fetc":  "_.._.._etc",
		`http://h/..\..\x`:                `_.._.._x`,
		"http://h/c:x":                    "c_x",
		"http://h/%00%1b]0;x%07%c2%9b%7f": "__]0;x___",
		"http://h/%ff%fe":                 "__",
		"http://h/%e2%80%aelmth.x":        "_lmth.x",
		"http://h/.bashrc":                "_.bashrc",
		"http://h/-w":                     "_-w",
		"http://h/~":                      "_~",
		"http://h/a.html.%20.":            "a.html_",
		"http://h/con":                    "_con",
		"http://h/NUL.tar.gz":             "_NUL.tar.gz",
		"http://h/Com%C2%B9.html":         "_Com¹.html",
		"http://h/aux%20.html":            "_aux .html",
		"http://h/CONIN$":                 "_CONIN$",
		"http://h/console.html":           "console.html",
		"http://h/%3C%22%7C%3F*%3E":       "______",
		"http://h/" + long + ".html":      strings.Repeat("é", 97) + ".html",
		"http://h/x." + long:              "x." + strings.Repeat("é", 98),
	} {
		got := FileName(name)
		if got != want {
			t.Errorf("%.60q: %q, not %q", name, got, want)
		}
	}
}

func FuzzSafeName(f *testing.F) {
	for _, s := range []string{"", "..", "a/b", `\`, "CON.x", "a. ", strings.Repeat(".", 300), strings.Repeat("a", 198) + "." + strings.Repeat("b", 30), "-" + strings.Repeat("é", 100), "x." + strings.Repeat("y", 199) + "."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, segment string) {
		name := safeName(segment)
		if name == "" || len(name) > maxName || !utf8.ValidString(name) || name != filepath.Base(name) || !filepath.IsLocal(name) ||
			strings.ContainsFunc(name, listing.IsHidden) || strings.ContainsAny(name, `/\:*?"<>|`) || strings.ContainsAny(name[:1], ".-~ ") ||
			strings.TrimRight(name, ". ") != name || device.MatchString(name) {
			t.Errorf("%q becomes %q", segment, name)
		}
	})
}
