package tree

import (
	"slices"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

func TestMissingAnchor(t *testing.T) {
	src := put(t, map[string]string{
		"index.html": strings.Join([]string{
			`<p id=here><a name="named">`, `<a href="#here">`, `<a href="#named">`, `<a href="#Here">`, `<a href="#">`, `<a href="#ToP">`,
			`<a href="a.html#caf%C3%A9">`, `<a href="a.html#café">`, `<a href="a.html#two%20words">`, `<a href="a.html#100%25">`, `<a href="a.html#100%2525">`,
			`<a href="a.html#%ff">`, `<a href="a.html#amp&amp;">`, `<a href="a.html#x:~:text=y">`, `<a href="a.html#:~:text=y">`, `<a href="a.html#svg">`,
			`<a href="a.html#in-script">`, `<a href="a.html#in-comment">`, `<a href="a.html#field">`, `<a href="a.html#%20spaced%20">`, `<a href="a.html#spaced">`,
			`<a href="dir/#in-dir">`, `<a href="dir#not-in-dir">`, `<a href="latin1.html#caf%C3%A9">`, `<a href="none.html#x">`, `<a href="p.svg#x">`, `<a href="text.txt#x">`,
			`<a href="http://other/#x">`, `<img usemap="#none"><svg><use href="#none2"/></svg>`,
		}, "\n"),
		"a.html":         `<p id="café"><p id="two words"><p id="100%"><p id="amp&amp;"><script>'<p id=in-script>'</script><!-- <p id=in-comment> --><input name=field><svg><g id=svg /></svg><p id=" spaced ">`,
		"dir/index.html": `<p id=in-dir>`,
		"latin1.html":    "<meta charset=windows-1252><p id=caf\xe9>",
		"p.svg":          `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		"text.txt":       ``,
	})
	want := []string{
		"#Here", "a.html#%ff", "a.html#100%2525", "a.html#field", "a.html#in-comment", "a.html#in-script", "a.html#spaced", "a.html#x:~:text=y",
		"dir#not-in-dir",
	}
	for _, p := range []resolver.Profile{resolver.RFC1808, resolver.WHATWG} {
		r := &Rewriter{URL: base(t, "http://h/", p), Index: []string{"index.html"}, HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: p}))}
		var got []string
		r.MissingAnchor = func(p *rewriter.Place) { got = append(got, p.Ref) }
		for _, to := range []target{nowhere, toDestination} {
			if result := do(t, r, t.TempDir(), src, to); int(result.MissingAnchors) != len(want) || result.Missing != 0 {
				t.Errorf("%+v", result)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", p, got, want)
			}
			got = nil
		}
	}
}

// A page of 1 MB of ids takes no more memory than the page itself. Beyond the limit no
// anchor is reported as missing, and Warn is told.
func TestAnchorsAreBounded(t *testing.T) {
	const ids = 80_000
	var page strings.Builder
	for i := range ids {
		page.WriteString("<p id=")
		page.WriteString(string([]byte{'a' + byte(i>>12), 'a' + byte(i>>8&15), 'a' + byte(i>>4&15), 'a' + byte(i&15)}))
		page.WriteString(">\n")
	}
	src := put(t, map[string]string{"a.html": page.String(), "b.html": `<a href="a.html#zzzz"><a href="a.html#aaaa">`})
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808)}
	for _, most := range []int{ids + 2, ids + 1} {
		a, err := r.collect(t.Context(), src, most)
		if err != nil || a.isFull() != (most == ids+1) || a.has("a.html", "aaaa") != true {
			t.Errorf("%d: %v", most, err)
		}
		if !a.isFull() && (!a.lacks("a.html", "#zzzz") || a.lacks("a.html", "#aaaa")) {
			t.Error("it does not know what the page has")
		}
		total, room := 0, 0
		for _, hashes := range a.hashes {
			total += len(hashes)
			room += cap(hashes)
		}
		if total > most || room*8 > page.Len() {
			t.Errorf("%d of at most %d anchors are held in %d bytes", total, most, room*8)
		}
	}
}
