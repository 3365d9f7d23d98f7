package conversion

import (
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// Rewriters with the same effect have the same seed; any other has another.
func TestSeed(t *testing.T) {
	plain := Seed(new(rewriter.Rewriter))("a")
	if Seed(rewriter.Must(rewriter.New(rewriter.Options{Rules: rewriter.HTML(), Hold: 16 << 20, MaxTag: 1 << 20})).With(rewriter.Hooks{Text: true}))("a") != plain {
		t.Error("the defaults have another seed if they are written out")
	}
	seen := map[string]bool{plain: true, Seed(new(rewriter.Rewriter))("b"): true}
	for _, o := range []rewriter.Options{
		{Profile: resolver.WHATWG}, {Rules: rewriter.Legacy()}, {Rules: []rewriter.Rule{}},
		{KeepFragments: true}, {RemoveBase: true}, {WholeDocument: true},
		{IgnoreSaved: true}, {Canonical: true}, {Hold: 1},
		{MaxTag: 1}, {Rules: []rewriter.Rule{{Attr: "href"}}}, {Rules: []rewriter.Rule{{Attr: "href", Empty: rewriter.EmptyBase}}},
		{Rules: []rewriter.Rule{{Attr: "href", Local: rewriter.LocalStay}}}, {Rules: []rewriter.Rule{{Attr: "href", Outer: true}}}, {Rules: []rewriter.Rule{{Attr: "href", Syntax: rewriter.SyntaxSemicolons, Keys: "a"}}},
		{Rules: []rewriter.Rule{{Attr: "href", When: "a=b"}}},
	} {
		seen[Seed(rewriter.Must(rewriter.New(o)))("a")] = true
	}
	if len(seen) != 18 {
		t.Errorf("%d seeds, want 18", len(seen))
	}
}
