package tree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

var linked = map[string]string{
	"index.html": strings.Join([]string{
		`<a href="a.html">`, `<a href="A.html">`, `<a href="none.html?q#f">`, `<a href="dir">`, `<a href="dir/">`, `<a href="">`, `<a href="#s">`,
		`<a href="a">`, `<a href="a.html/">`, `<a href="dir/b%20c.html">`, `<a href="../outside">`, `<a href="http://other/docs/none">`,
		`<a href="bare/">`, `<a href="http://h/docs">`, `<a href="HTTP://H/docs/none2">`, `<img srcset="a.html 1x, none3 2x">`,
		`<link rel="preconnect" href="none4">`, `<p itemid="none5">`, `<a href="a.html/below">`, `<a href="draft.html">`, `<a href="drafts/x.html">`,
		`<a href="list?page=2&amp;a=b%20c#s">`,
	}, "\n"),
	"list?page=2&a=b c": `<html><a href="?page=3"><a href="?page=2&a=b%20c#f">`,
	"a.html":            `<base href="dir/"><a href="b c.html">x</a><a href="none6">y</a>`,
	"dir/b c.html":      `<base href="http://other/"><a href="none7">`,
	"dir/index.html":    `<a href=..>`,
	"bare/x.txt":        ``,
	"drafts/x.html":     ``,
	"draft.html":        ``,
}

func TestMissing(t *testing.T) {
	for _, test := range []struct {
		name string
		r    Rewriter
		want []string
	}{
		{"plain", Rewriter{}, []string{"A.html", "none.html?q#f", "a", "a.html/", "none2", "none3", "a.html/below", "dir/none6", "list?page=3"}},
		{"index", Rewriter{Index: []string{"default.htm", "index.html"}}, []string{"A.html", "none.html?q#f", "a", "a.html/", "bare/", "none2", "none3", "a.html/below", "dir/none6", "list?page=3"}},
		{"clean", Rewriter{CleanURLs: true}, []string{"A.html", "none.html?q#f", "a.html/", "none2", "none3", "a.html/below", "dir/none6", "list?page=3"}},
		{"excluded", Rewriter{Exclude: []string{"drafts", "draft.html"}}, []string{"A.html", "none.html?q#f", "a", "a.html/", "none2", "none3", "a.html/below", "draft.html", "drafts/x.html", "dir/none6", "list?page=3"}},
	} {
		src := put(t, linked)
		dst := t.TempDir()
		r := test.r
		r.URL = base(t, "http://h/docs/", resolver.RFC1808)
		var got []string
		r.Missing = func(p *rewriter.Place) {
			if p.Offset <= 0 {
				t.Errorf("%s: offset %d", p.URL, p.Offset)
			}
			rest := p.URL[len("http://h/docs/"):]
			got = append(got, rest)
		}
		want := slices.Sorted(slices.Values(test.want))
		for i, to := range []target{nowhere, toDestination, toDestination} {
			result := do(t, &r, dst, src, to)
			if int(result.Missing) != len(want) || i == 2 && result.Rewritten > 0 {
				t.Errorf("%s: %+v", test.name, result)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", test.name, got, want)
			}
			got = nil
		}
	}
}

// TestMissingInPlace: Missing and the functions of HTML are told of a page once, though
// it is read twice.
func TestMissingInPlace(t *testing.T) {
	src := put(t, map[string]string{"a.html": `<a href=none><a href="//[bad">`})
	var s said
	r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.WHATWG), HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG}))})
	var got []string
	r.Missing = func(p *rewriter.Place) { got = append(got, fmt.Sprint(p.Offset, p.URL)) }
	if result, err := r.RewriteInPlace(t.Context(), src); err != nil || result.Rewritten != 1 || result.Missing != 1 {
		t.Errorf("%+v, %v", result, err)
	}
	if !slices.Equal(got, []string{"8http://h/none"}) || len(s.lines) != 1 {
		t.Errorf("%q, %q", got, s.lines)
	}
}
