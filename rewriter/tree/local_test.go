package tree

import (
	"testing"

	"absolink/resolver"
)

// With KeepLocal, links to files of the tree stay, and all others become absolute.
func TestKeepLocal(t *testing.T) {
	files := map[string]string{
		"index.html":        `<a href="a.html#x"><a href="none.html"><a href="#x"><a href="dir/"><a href="../x"><a href="http://h/docs/a.html"><a href="/docs/a.html"><a href="draft.html">`,
		"a.html":            `<base href="."><img src=p.png><a href=".">`,
		"dir/b.html":        `<base href="http://h/docs/dir/"><a href="../a.html"><a href="b.html">`,
		"dir/c.html":        `<a href="../a.html"><a href="../../docs/a.html"><a href="..">`,
		"dir/unchanged.htm": `<a href="../a.html">`,
		"p.png":             "\x89PNG\r\n\x1a\n",
		"draft.html":        ``,
	}
	want := map[string]string{
		"index.html":        `<a href="a.html#x"><a href="http://h/docs/none.html"><a href="#x"><a href="dir/"><a href="http://h/x"><a href="http://h/docs/a.html"><a href="http://h/docs/a.html"><a href="http://h/docs/draft.html">`,
		"a.html":            files["a.html"],
		"dir/b.html":        `<base href="http://h/docs/dir/"><a href="http://h/docs/a.html"><a href="http://h/docs/dir/b.html">`,
		"dir/c.html":        `<a href="../a.html"><a href="http://h/docs/a.html"><a href="..">`,
		"dir/unchanged.htm": files["dir/unchanged.htm"],
		"p.png":             files["p.png"],
	}
	src, dst := put(t, files), t.TempDir()
	r := &Rewriter{URL: base(t, "http://h/docs/", resolver.RFC1808), KeepLocal: true, Exclude: []string{"draft.html"}}
	if result := rewrite(t, r, dst, src); result.Failed > 0 {
		t.Errorf("%+v", result)
	}
	compare(t, get(t, dst), want)
	if result := do(t, r, "", src, inPlace); result.Rewritten != 3 || result.Failed > 0 {
		t.Errorf("%+v", result)
	}
	want["draft.html"] = ""
	compare(t, get(t, src), want)
	if result := do(t, r, "", src, inPlace); result.Rewritten != 0 {
		t.Errorf("again: %+v", result)
	}

	// Where Index says what the page of a directory is called, a directory without it is no file.
	r.Index = []string{"index.html"}
	r.RewriteInPlace(t.Context(), src)
	want["index.html"] = `<a href="a.html#x"><a href="http://h/docs/none.html"><a href="#x"><a href="http://h/docs/dir/"><a href="http://h/x"><a href="http://h/docs/a.html"><a href="http://h/docs/a.html"><a href="http://h/docs/draft.html">`
	compare(t, get(t, src), want)
}
