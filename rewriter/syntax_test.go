package rewriter

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"absolink/internal/test/docs"
	"absolink/resolver"
	"absolink/rewriter/internal/syntax"
)

// A new syntax is one row: rules, quoting, resolving and writing back need nothing
// else.
func TestNewSyntax(t *testing.T) {
	before := syntaxes
	defer func() { syntaxes = before }()
	bars := Syntax(len(syntaxes))
	syntaxes = append(syntaxes[:len(syntaxes):len(syntaxes)], &syntax.Syntax{
		Name: "bars",
		Find: func(dst []syntax.Reference, value []byte, _ syntax.Options) []syntax.Reference {
			for start := 0; start < len(value); {
				end := len(value)
				if n := bytes.IndexByte(value[start:], '|'); n >= 0 {
					end = start + n
				}
				dst = append(dst, syntax.Reference{Start: int32(start), End: int32(end), Form: syntax.FormListed})
				start = end + 1
			}
			return dst
		},
	})
	rule, err := ParseRule("x-y[links]=bars")
	if err != nil || rule.Syntax != bars || rule.String() != "x-y[links]=bars" {
		t.Fatalf("%+v, %v", rule, err)
	}
	rw := Must(New(Options{Rules: []Rule{rule}}))
	outer := mustParse(t, "http://h/a/", resolver.RFC1808)
	got, r := rewrite(t, rw, `<x-y links="b|c&amp;d|http://e/">`, outer)
	if want := `<x-y links="http://h/a/b|http://h/a/c&amp;d|http://e/">`; got != want || r.Rewritten != 2 || r.Absolute != 1 {
		t.Errorf("got %s, want %s: %+v", got, want, r)
	}
}

// The table in docs/places.md has each syntax, with an example in which x and y are the
// references.
func TestSyntaxTable(t *testing.T) {
	outer := mustParse(t, "http://h/a/", resolver.RFC1808)
	var names []string
	for _, cells := range docs.Table(t, "syntaxes") {
		name, value := strings.Trim(cells[0], "`"), strings.Trim(cells[2], "`")
		names = append(names, name)
		rule, err := ParseRule("p[data-v]=" + name)
		if err != nil {
			t.Error(err)
			continue
		}
		value = html.EscapeString(value)
		want := regexp.MustCompile(`(\./)?\b([xy])\b`).ReplaceAllString(value, "http://h/a/$2")
		got, _ := rewrite(t, Must(New(Options{Rules: append(HTML(), rule)})), `<p data-v="`+value+`">`, outer)
		if got != `<p data-v="`+want+`">` || want == value {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
	if difference := docs.Difference(names, syntaxNames()); difference != "" {
		t.Errorf("the table of syntaxes in docs/places.md, compared with those in syntax.go, %s", difference)
	}
}

// syntaxNames returns the names of all syntaxes, in their order.
func syntaxNames() (names []string) {
	for _, row := range syntaxes {
		names = append(names, row.Name)
	}
	return names
}

// Without a row, the first test that reads rules would fail at a nil pointer, and not say why.
func init() {
	if i := slices.Index(syntaxes, nil); i >= 0 {
		panic(fmt.Sprintf("the table syntaxes in syntax.go has no row for constant %d of Syntax; SyntaxURL is 0", i))
	}
}

// Each constant has a row in syntaxes, with the syntax of the same name, and each syntax has
// a constant. A syntax that finds references has a fuzz test in the file beside its own.
func TestSyntaxRows(t *testing.T) {
	found := func(file, pattern string) (names []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(read(t, file), -1) {
			names = append(names, m[1])
		}
		return names
	}
	constants := found("syntax.go", `(?m)^\tSyntax(\w+)(?:\s|$)`)
	if difference := docs.Difference(found("syntax.go", `(?m)^\tSyntax(\w+):`), constants); difference != "" {
		t.Errorf("the table syntaxes in syntax.go, compared with the constants there, %s", difference)
	}
	var declared []string
	files, err := filepath.Glob("internal/syntax/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		name, isTest := strings.CutSuffix(file, "_test.go")
		if isTest {
			continue
		}
		in := found(file, `(?m)^(?:var |\t)(\w+)\s+= Syntax\{`)
		declared = append(declared, in...)
		if name = strings.TrimSuffix(name, ".go") + "_test.go"; in == nil || !strings.Contains(read(t, file), "Find:") {
			continue
		}
		var fuzz string
		if slices.Contains(files, name) {
			fuzz = strings.Join(found(name, `(?ms)^(func Fuzz[^\n]*(?:}$|{\n.*?^}$))`), "")
		}
		for _, s := range in {
			if !regexp.MustCompile(`(?i)\b(Fuzz)?` + s + `(References)?\b`).MatchString(fuzz) {
				t.Errorf("%s has no Fuzz%s, and none of its fuzz tests names the syntax %s", name, s, s)
			}
		}
	}
	slices.Sort(declared)
	used := slices.Sorted(slices.Values(found("syntax.go", `(?m)^\tSyntax\w+:\s+&syntax\.(\w+),$`)))
	if difference := docs.Difference(used, declared); difference != "" {
		t.Errorf("the table syntaxes in syntax.go, compared with internal/syntax, %s", difference)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
