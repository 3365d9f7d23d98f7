package rewriter

import (
	"bytes"
	"testing"

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
