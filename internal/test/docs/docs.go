// Package docs reads the documentation of the module, README.md and its fellows, so
// that tests can try what it says.
package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A Page is a file of documentation.
type Page struct {
	Name  string // from the root of the module, with slashes
	Lines []string
}

// A Block is a fenced block of a page.
type Block struct {
	Line     int    // of its first line of text, from 1
	Language string // after the fence
	Note     string // of the comment on the line before the fence
	Text     string // every line ends with a newline
}

// Root returns the directory of the module, which is the working directory of a test or
// one above it.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "README.md")); err == nil {
			if _, err := os.Stat(filepath.Join(dir, "docs")); err == nil {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no directory here or above has README.md and docs")
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal(err)
	return ""
}

// Pages returns README.md, the pages in docs and the other pages for people, except
// CHANGELOG.md.
func Pages(t testing.TB) []Page {
	t.Helper()
	root := Root(t)
	names := []string{"README.md"}
	for _, pattern := range []string{"docs/*.md", "CONTRIBUTING.md", "SECURITY.md"} {
		found, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	var pages []Page
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		pages = append(pages, Page{name, lines})
	}
	return pages
}

// Blocks returns the fenced blocks of a page, in order.
func (p Page) Blocks() []Block {
	var blocks []Block
	open := false
	for i, line := range p.Lines {
		switch {
		case strings.HasPrefix(line, "```") && !open:
			b := Block{Line: i + 2, Language: strings.TrimPrefix(line, "```")}
			if i > 0 {
				b.Note = note(p.Lines[i-1])
			}
			blocks = append(blocks, b)
			open = true
		case strings.HasPrefix(line, "```"):
			open = false
		case open:
			blocks[len(blocks)-1].Text += line + "\n"
		}
	}
	return blocks
}

// note returns the text of a line that is one comment; "" of any other line.
func note(line string) string {
	text, ok := strings.CutPrefix(line, "<!-- ")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(text, " -->")
}

// Prose returns the page's lines at their places, without blocks, tables and comments:
// such lines are empty.
func (p Page) Prose() []string {
	lines := slices.Clone(p.Lines)
	open := false
	for i, line := range lines {
		fence := strings.HasPrefix(line, "```")
		if fence || open || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "<!--") {
			lines[i] = ""
		}
		open = open != fence
	}
	return lines
}

// Tables returns the tables that are marked as tests, by their names: the rows below the
// head, each with its cells. The mark is a comment on the line before a table:
//
//	<!-- NAME: this table is a test -->
func (p Page) Tables() map[string][][]string {
	tables := make(map[string][][]string)
	for i, line := range p.Lines {
		name, ok := strings.CutSuffix(note(line), ": this table is a test")
		if !ok {
			continue
		}
		for _, row := range p.Lines[min(i+3, len(p.Lines)):] {
			if !strings.HasPrefix(row, "|") {
				break
			}
			cells := strings.Split(strings.Trim(row, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			tables[name] = append(tables[name], cells)
		}
	}
	return tables
}

// Table returns the one table with a name.
func Table(t testing.TB, name string) [][]string {
	t.Helper()
	var found [][][]string
	for _, page := range Pages(t) {
		if rows := page.Tables()[name]; rows != nil {
			found = append(found, rows)
		}
	}
	if len(found) != 1 || len(found[0]) < 2 {
		t.Fatalf("the pages have %d tables %q: %q", len(found), name, found)
	}
	return found[0]
}

// Names returns what a pattern finds in the part of a file, from the root of the module, that
// stands between two texts: the first group of each match.
func Names(t testing.TB, file, begin, end, pattern string) (names []string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(Root(t), file))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(b), begin)
	if !ok {
		t.Errorf("%s: there is no %q", file, begin)
	}
	text, _, _ = strings.Cut(text, end)
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// Difference says in what a list differs from the one that is wanted: the names that it lacks,
// the names that it has beyond, or their order. It returns "" if the two are the same.
func Difference(got, want []string) string {
	var parts []string
	without := func(what string, all, some []string) {
		more := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(some, name) })
		if len(more) > 0 {
			parts = append(parts, fmt.Sprintf(what, more))
		}
	}
	without("lacks %q", want, got)
	without("has %q in addition", got, want)
	if parts == nil && !slices.Equal(got, want) {
		return fmt.Sprintf("has %q, and not in this order, each once: %q", got, want)
	}
	return strings.Join(parts, " and ")
}
