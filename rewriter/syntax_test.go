package rewriter

import (
	"bytes"
	"html"
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
	rw := &Rewriter{Rules: []Rule{rule}}
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
		got, _ := rewrite(t, &Rewriter{Rules: append(HTML(), rule)}, `<p data-v="`+value+`">`, outer)
		if got != `<p data-v="`+want+`">` || want == value {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
	var all []string
	for _, row := range syntaxes {
		all = append(all, row.Name)
	}
	if !slices.Equal(names, all) {
		t.Errorf("the table has the syntaxes %q, not %q", names, all)
	}
}
