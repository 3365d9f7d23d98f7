package rewriter

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/resolver"
)

func commentsRewriter(o Options) *Rewriter {
	o.Rules = slices.Concat(HTML(), Comments())
	return Must(New(o))
}

// Comments are places by request alone.
func TestCommentsOff(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	const in = "<!--[if IE]><a href=a><![endif]-->"
	for _, rules := range [][]Rule{nil, {}, slices.Concat(HTML(), Comments(), []Rule{{Element: "#comment", Drop: true}})} {
		if got, _ := rewrite(t, Must(New(Options{Rules: rules})), in, outer); got != in {
			t.Errorf("became %s", got)
		}
	}
	const want = "<!--[if IE]><a href=http://h/a><![endif]-->"
	if got, _ := rewrite(t, commentsRewriter(Options{}), in, outer); got != want {
		t.Errorf("became %s, want %s", got, want)
	}
}

func TestCommentsMaxTag(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	for _, row := range []struct {
		inside  string
		fits    bool
		written string
	}{
		{"[if IE]><a href=a>" + strings.Repeat(" ", 82), true, "http://h/a"},
		{"[if IE]><a href=a>" + strings.Repeat(" ", 83), false, "a"},
		{"[if IE]><a href=a>" + strings.Repeat("-", 83), false, "a"},
		{"[ifx" + strings.Repeat("-", 97), false, ""},
		{"[i" + strings.Repeat("-", 200), true, ""},
	} {
		for _, end := range []string{"-->", "--!>", ""} {
			var warned []string
			warn := func(offset int64, err error) { warned = append(warned, fmt.Sprint(offset, err)) }
			rw := commentsRewriter(Options{MaxTag: 100}).With(Hooks{Warn: warn})
			in := "<!--" + row.inside + end + "<p>"
			want := strings.Replace(in, "href=a", "href="+row.written, 1)
			if end == "" { // no comment ends, and none is read
				in, want = "<!--"+row.inside, "<!--"+row.inside
			}
			got, _ := rewrite(t, rw, in, outer)
			if got != want || row.fits != (len(warned) == 0) || !row.fits && warned[0] != fmt.Sprint(4, " ", errMaxTag(0)) {
				t.Errorf("%s became %s, warned %q", in, got, warned)
			}
			checkBounds(t, []byte(in), outer)
		}
	}
}

// What would end the comment is written so that it does not.
func TestCommentsEnd(t *testing.T) {
	for _, row := range []struct{ base, inside, want string }{
		{"http://h/", "<a href=x&#45;->y</a>", `<a href=http://h/x-&#45;>y</a>`},
		{"http://h/", "<a href=x-&Tab;->", `<a href=http://h/x-&#45;>`},
		{"http://h/", "<a href=x--&#33;>", `<a href=http://h/x--&#33;>`},
		{"http://h/", "<a ping=x&#45;->", `<a ping=http://h/x-&#45;>`},
		{"http://h/", "<img srcset=x&#45;->", `<img srcset=http://h/x-&#45;>`},
		{"http://h/", "<a href='x&#45;->'>", "<a href='http://h/x-&#45;>'>"},
		{"http://h/", `<style>url(x\2d\2d\3e)</style>`, `<style>url(http://h/x--\00003e)</style>`},
		{"http://h/", `<script type=importmap>{"imports":{"a":"./x-\u002d>"}}</script>`, `<script type=importmap>{"imports":{"a":"http://h/x-\u002d>"}}</script>`},
		{"http://h/", `<svg><style>url(x\2d\2d >)</style></svg>`, `<svg><style>url(http://h/x-\00002d>)</style></svg>`},
		{"http://h/a-->b/", "<style>url(c)</style>", `<style>url(http://h/a--\00003eb/c)</style>`},
		{"http://h/a--!>b/", "<style>url(c)</style>", `<style>url(http://h/a--!\00003eb/c)</style>`},
		{"http://h/a?--", "<a href=?>", `<a href=http://h/a?-&#45;>`},
		{"http://h/a?--!", "<a href=c><a href=?>", `<a href=http://h/c><a href=http://h/a?--&#33;>`},
		{"http://h/a-->?", `<a href="?">`, `<a href="http://h/a--&gt;?">`},
	} {
		for _, visit := range []func(*Place) error{nil, func(*Place) error { return nil }} {
			rw := Must(New(Options{Rules: slices.Concat(HTML(), JSON(), Comments())})).With(Hooks{
				Visit: visit,
				Warn:  func(offset int64, err error) { t.Errorf("warned at %d: %v", offset, err) },
			})
			const before, after = "<!--[if IE]>", "<![endif]-->"
			got, r := rewrite(t, rw, before+row.inside+after, mustParse(t, row.base, resolver.RFC1808))
			if want := before + row.want + after; got != want || r.Rewritten == 0 {
				t.Errorf("%s on %s\nbecomes %s\nwant    %s", row.inside, row.base, got, want)
			}
		}
	}
	// Nor does what is left of a BASE.
	rw := commentsRewriter(Options{RemoveBase: true})
	const in, want = "<!--[if IE]><base -- href=x><base --! href=y ><base a=-- href=z><![endif]-->", "<!--[if IE]><base -- href=#><base --! href=# ><base a=-- href=#><![endif]-->"
	if got, _ := rewrite(t, rw, in, mustParse(t, "http://h/", resolver.RFC1808)); got != want {
		t.Errorf("became %s, want %s", got, want)
	}
}

// The URL that a saver left in a comment counts, whether or not comments are places and
// however long they may be.
func TestAllCommentsSaved(t *testing.T) {
	const in = "<!-- saved from url=(0014)http://saver/a --><!-- <a href=x> -->"
	for _, maxTag := range []int{0, 30} {
		want := strings.Replace(in, "href=x", "href=http://saver/x", 1)
		rw := everySet.on(Must(New(Options{MaxTag: maxTag})))
		for name, src := range map[string]io.Reader{"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in))} {
			if got, _ := rewriteFrom(t, rw, src, nil); got != want {
				t.Errorf("%s, MaxTag %d: %s", name, maxTag, got)
			}
		}
	}
}

// A comment without a tag in it is written at once: nothing in it waits for the base.
func TestAllCommentsText(t *testing.T) {
	for in, waits := range map[string]bool{"<head><!-- a > b -->": false, "<head><!-- a < b -->": true} {
		var got strings.Builder
		src := io.MultiReader(strings.NewReader(in), iotest.ErrReader(errors.New("broken")))
		everySet.on(new(Rewriter)).Rewrite(&got, src, mustParse(t, "http://h/", resolver.RFC1808))
		if waits != (got.String() != in) {
			t.Errorf("%s: %q is written before the base is known", in, &got)
		}
	}
}

func TestCommentsPlaces(t *testing.T) {
	rw := commentsRewriter(Options{})
	const in = "<p><!--[if IE]><base href=a><iframe srcdoc='&#60;a href=b>'></iframe><style>url(c)</style><![endif]--><a href=d>"
	var got []string
	for _, p := range runWith(t, rw, strings.NewReader(in), mustParse(t, "http://h/", resolver.RFC1808)).places {
		got = append(got, fmt.Sprintf("%d %s %s %s", p.Offset, p.Element, p.Attr, p.URL))
		if raw := in[p.Offset:][:len(p.Raw)]; raw != p.Raw {
			t.Errorf("at %d is %q, not %q", p.Offset, raw, p.Raw)
		}
	}
	want := []string{"26 base href http://h/a", "56 a href http://h/b", "80 style  http://h/c", "110 a href http://h/d"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Bytes of the document stay, and the base's are written as elsewhere.
func TestCommentsCharset(t *testing.T) {
	const in = "<!--[if IE]><a href='\xe9'><style>url(\xe9)</style><![endif]-->"
	const want = "<!--[if IE]><a href='http://h/&#xE9;/\xe9'><style>url(http://h/%C3%A9/\xe9)</style><![endif]-->"
	if got, _ := rewrite(t, commentsRewriter(Options{}), in, mustParse(t, "http://h/\u00e9/", resolver.RFC1808)); got != want {
		t.Errorf("became %q, want %q", got, want)
	}
}

// What is in a conditional comment becomes what it becomes in the body.
func FuzzConditional(f *testing.F) {
	for _, s := range []string{
		"<a href=b>", "<base href=b/><a href=c>", "<svg><style>url(b)", "<script type=importmap>{\"imports\":{\"a\":\"./b\"}}", "<noscript><a href=b>",
		"<frameset><title><a href=b>", "<p style='background:url(b)'", "<a href=b title='long, and longer still'>", "<form action=''>", "<iframe srcdoc='<a href=b>'>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, inside string) {
		if strings.Contains(inside, "--") || strings.HasPrefix(inside, "->") || strings.HasPrefix(inside, ">") {
			t.Skip()
		}
		outer := mustParse(t, "http://h/a/b", resolver.RFC1808)
		in := "<!--[if IE]>" + inside + "<![endif]-->"
		got, _ := rewrite(t, textSet.on(new(Rewriter)), in, outer)
		body, _ := rewrite(t, textSet.on(new(Rewriter)), "x<br>"+inside+"<![endif]", outer)
		if want := "<!--[if IE]>" + strings.TrimPrefix(body, "x<br>") + "-->"; got != want {
			t.Fatalf("%q became %q, want %q", in, got, want)
		}
		checkPromises(t, []byte(in), outer)
		checkBounds(t, []byte(in), outer)
	})
}
