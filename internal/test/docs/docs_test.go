package docs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Every table that a page calls a test is asked for by a test.
func TestTables(t *testing.T) {
	var tests strings.Builder
	err := filepath.WalkDir(Root(t), func(name string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.Name() == "node_modules" {
			return fs.SkipDir // not ours
		}
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		tests.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, page := range Pages(t) {
		for name := range page.Tables() {
			n++
			if !strings.Contains(tests.String(), "docs.Table(t, \""+name+"\")") {
				t.Errorf("%s: no test asks for the table %s", page.Name, name)
			}
		}
	}
	if n == 0 {
		t.Error("no table is a test")
	}
}

// README.md is short, and no sentence outside blocks and tables is long.
func TestLength(t *testing.T) {
	for _, page := range Pages(t) {
		if page.Name == "README.md" && len(page.Lines) > 60 {
			t.Errorf("README.md has %d lines, more than 60", len(page.Lines))
		}
		for i, line := range page.Prose() {
			for _, sentence := range sentences(line) {
				if n := len(strings.Fields(sentence)); n > 30 {
					t.Errorf("%s:%d: %d words, more than 30: %s", page.Name, i+1, n, sentence)
				}
			}
		}
	}
}

var (
	code = regexp.MustCompile("`[^`]*`")
	link = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)
	end  = regexp.MustCompile(`[.?!][)*"]*( |$)`)
)

// sentences returns the sentences of a line, with a word for each piece of code and
// without the addresses of links. Every paragraph and every item of a list is a line.
func sentences(line string) []string {
	line = strings.TrimLeft(line, "#-* ")
	line = code.ReplaceAllString(line, "CODE")
	line = link.ReplaceAllString(line, "$1")
	return end.Split(strings.TrimSpace(line), -1)
}

func TestSentences(t *testing.T) {
	want := []string{"One, with a link: CODE (2.5)", " Two", "*Three", ""}
	if got := sentences("- One, with [a link](to.md): `a. b` (2.5).  Two? *Three.*"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDifference(t *testing.T) {
	for _, row := range []struct{ got, want, is string }{
		{"", "", ""},
		{"a b", "a b", ""},
		{"a b", "a c b d", `lacks ["c" "d"]`},
		{"a b", "b", `has ["a"] in addition`},
		{"a b", "b c", `lacks ["c"] and has ["a"] in addition`},
		{"b a", "a b", `has ["b" "a"], and not in this order, each once: ["a" "b"]`},
		{"a a", "a", `has ["a" "a"], and not in this order, each once: ["a"]`},
	} {
		if is := Difference(strings.Fields(row.got), strings.Fields(row.want)); is != row.is {
			t.Errorf("%q and %q: %s, not %s", row.got, row.want, is, row.is)
		}
	}
}

// Every link of a page leads to a file of the module, and every fragment to a heading.
func TestLinks(t *testing.T) {
	headings := make(map[string]map[string]bool)
	pages := Pages(t)
	for _, page := range pages {
		headings[page.Name] = make(map[string]bool)
		for _, line := range page.Prose() {
			if strings.HasPrefix(line, "#") {
				headings[page.Name][anchor(line)] = true
			}
		}
	}
	for _, page := range pages {
		for i, line := range page.Lines {
			for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(line, ""), -1) {
				if strings.Contains(m[2], "://") {
					continue
				}
				file, fragment, _ := strings.Cut(m[2], "#")
				target := page.Name
				if file != "" {
					target = path.Join(path.Dir(page.Name), file)
				}
				if _, err := os.Stat(filepath.Join(Root(t), target)); err != nil {
					t.Errorf("%s:%d: %v", page.Name, i+1, err)
				}
				if fragment != "" && !headings[target][fragment] {
					t.Errorf("%s:%d: %s has no heading #%s", page.Name, i+1, target, fragment)
				}
			}
		}
	}
}

// anchor returns the fragment that leads to a heading, as GitHub names it.
func anchor(heading string) string {
	text := strings.ToLower(strings.TrimLeft(heading, "# "))
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		}
		return -1
	}, text)
}
