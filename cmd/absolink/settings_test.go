package main

import (
	"io"
	"strings"
	"sync"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// Documents that share settings, one after another and at the same time, each tell their own
// hooks, and those only: also where the Rewriter was used with other hooks before.
func TestSettingsAreShared(t *testing.T) {
	c := rewriteCommand{documentOptions: documentOptions{Type: "auto", readOptions: readOptions{htmlOptions: htmlOptions{Profile: resolver.WHATWG, Hold: 1, MaxTag: 1000, ruleOptions: ruleOptions{Rules: []string{"html"}}}}}}
	s := c.settings()
	base, err := resolver.ParseBase("http://h/", resolver.WHATWG)
	if err != nil {
		t.Fatal(err)
	}
	const page = "<base href='javascript:'><a href=x>text</a><a href='http://h:port/'></a>"
	rewrite := func(visit, text, warn, unresolvable bool) {
		var visited, texts, warned, stayed, ended int
		h := hooks{text: text, end: func(*rewriter.Document) { ended++ }}
		if visit {
			h.visit = func(p *rewriter.Place) error {
				visited++
				texts += len(p.Text)
				return nil
			}
		}
		if warn {
			h.warn = func(int64, error) { warned++ }
		}
		if unresolvable {
			h.unresolvable = func(*rewriter.Place) { stayed++ }
		}
		d := &opened{settings: s, Reader: strings.NewReader(page), base: base}
		result, err := d.rewrite(io.Discard, h)
		if err != nil || result.Unresolvable == 0 || result.Warnings == 0 || ended != 1 {
			t.Errorf("%+v, %v, %d documents end", result, err, ended)
		}
		for _, told := range []struct {
			what string
			of   bool
			n    int
		}{{"places", visit, visited}, {"texts", visit && text, texts}, {"warnings", warn, warned}, {"places that stay", unresolvable, stayed}} {
			if told.of != (told.n > 0) {
				t.Errorf("visit %v, text %v, warn %v, unresolvable %v: told of %d %s", visit, text, warn, unresolvable, told.n, told.what)
			}
		}
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 64 {
				rewrite(i&1 > 0, i&2 > 0, i&4 > 0, i&8 > 0)
			}
		})
	}
	all.Wait()
}

// The rules are prepared once for all documents, not for each.
func BenchmarkSettings(b *testing.B) {
	c := rewriteCommand{documentOptions: documentOptions{Type: "html", readOptions: readOptions{htmlOptions: htmlOptions{Hold: 1, MaxTag: 1000, ruleOptions: ruleOptions{Rules: []string{"html", "lazy"}}}}}}
	s := c.settings()
	b.ReportAllocs()
	for b.Loop() {
		d := &opened{settings: s, kind: kindHTML, Reader: strings.NewReader("<a href=x>")}
		if _, err := d.rewrite(io.Discard, hooks{warn: func(int64, error) {}}); err != nil {
			b.Fatal(err)
		}
	}
}
