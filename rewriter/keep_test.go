package rewriter

import (
	"fmt"
	"strings"
	"testing"

	"absolink/internal/test/testio"
	"absolink/resolver"
)

// What Keep fits has the same bytes afterwards, wherever it stands and however it is written.
func TestKeep(t *testing.T) {
	for _, tt := range []struct {
		name     string
		keep     []string
		in, want string // want is "" where nothing changes
	}{
		{"all of a reference", []string{"b"}, "<a href=b><a href=bc>", "<a href=b><a href=http://h/d/bc>"},
		{"white space around it", []string{"b c"}, "<a href=' b c\n'>", ""},
		{"character references", []string{"{{a&b}}"}, "<a href='&lbrace;{a&amp;b}}'>", ""},
		{"a newline in it", []string{"bc"}, "<a href='b\nc'>", ""},
		{"case counts", []string{"B"}, "<a href=b>", "<a href=http://h/d/b>"},
		{"not ASCII", []string{"é*"}, "<a href=é1><a href=&eacute;2><a href=e>", "<a href=é1><a href=&eacute;2><a href=http://h/d/e>"},
		{"a star", []string{`\*|*`}, "<a href=*|X|*><a href=x?id=*|X|*>", "<a href=*|X|*><a href=http://h/d/x?id=*|X|*>"},
		{"srcset", []string{"{{*"}, "<img srcset='{{a}} 1x, b 2x'>", "<img srcset='{{a}} 1x, http://h/d/b 2x'>"},
		{"CSS", []string{"[[*]]"}, "<style>a{background:url([[x]]),url('b')}</style>", "<style>a{background:url([[x]]),url('http://h/d/b')}</style>"},
		{"CSS escapes", []string{"xy"}, `<p style="background:url(x\79)">`, ""},
		{"meta refresh", []string{"*|*"}, "<meta http-equiv=refresh content='0; url=*|x|*'>", ""},
		{"srcdoc", []string{"{{*}}"}, "<iframe srcdoc='<a href=&quot;{{x}}&quot;><img src=b>'>", "<iframe srcdoc='<a href=&quot;{{x}}&quot;><img src=http://h/d/b>'>"},
		{"a query", []string{"x?y=*"}, "<a href=x?y=1><a href=xay=1>", "<a href=x?y=1><a href=http://h/d/xay=1>"},
		{"an empty action", []string{"*"}, "<form action=''>", ""},
		{"a quote in it", []string{`<%= u("x") %>`}, `<a href='<%= u("x") %>'>`, ""},
		{"only the part before a quote", []string{`ax`}, `<a href='a"b'>`, `<a href='http://h/d/a"b'>`},
		{"BASE", []string{"e/"}, "<base href=e/><a href=x>", ""},
	} {
		for _, p := range profiles {
			in, want := tt.in, tt.want
			if want == "" {
				want = in
			}
			rw := Must(New(Options{Profile: p, Keep: tt.keep}))
			if got, _ := rewrite(t, rw, in, mustParse(t, "http://h/d/p", p)); got != want {
				t.Errorf("%s, %s: %q becomes %q, not %q", tt.name, p, in, got, want)
			}
		}
	}
}

// A place that is kept is counted as left, is shown with ErrKept, and has no need of a base:
// nothing is held for it, and nobody is told that it has no absolute form.
func TestKeptPlaces(t *testing.T) {
	const doc = "<a href={{x}}><a href=http://e/{{x}}>"
	for _, outer := range []*resolver.Base{nil, mustParse(t, "http://h/", resolver.RFC1808)} {
		var places strings.Builder
		rw := Must(New(Options{
			Keep: []string{"*{{*"},
			Hold: 1,
		})).With(Hooks{
			Visit:        func(p *Place) error { _, err := fmt.Fprintln(&places, p.Ref, p.URL, p.Err); return err },
			Unresolvable: func(p *Place) { t.Errorf("told of %q: %v", p.Ref, p.Err) },
			Warn:         func(_ int64, err error) { t.Error(err) },
		})
		result, err := rw.Rewrite(nil, strings.NewReader(doc+strings.Repeat("<meta>", 10_000)), outer)
		if want := "{{x}}  " + ErrKept.Error() + "\nhttp://e/{{x}} http://e/{{x}} <nil>\n"; err != nil || places.String() != want || result.Left != 1 || result.Absolute != 1 {
			t.Errorf("%v: %q, not %q; %+v", err, &places, want, result)
		}
	}
	// Visit may write another URL all the same.
	rw := Must(New(Options{Keep: []string{"x"}})).With(Hooks{Visit: func(p *Place) error { p.URL = "http://v/"; return nil }})
	if got, _ := rewrite(t, rw, "<a href=x>", nil); got != "<a href=http://v/>" {
		t.Error(got)
	}
}

// What a BASE that is kept leads to is not known: links that need it stay.
func TestKeptBase(t *testing.T) {
	for _, profile := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
		for _, remove := range []bool{false, true} {
			for _, href := range []string{"{{base}}/x/", "http://e/{{base}}/"} {
				warnings := 0
				rw := Must(New(Options{Profile: profile, RemoveBase: remove, Keep: []string{"*{{*"}})).With(Hooks{Warn: func(int64, error) { warnings++ }})
				in := "<base href='" + href + "'><a href=rel><a href={{x}}><a href=http://e/y>"
				if got, _ := rewrite(t, rw, in, mustParse(t, "http://h/", profile)); got != in || warnings != 1 {
					t.Errorf("%v, RemoveBase %t: %q became %q with %d warnings", profile, remove, in, got, warnings)
				}
			}
		}
	}
}

// The structure of a document, and every other promise, hold with Keep.
func TestKeepPromises(t *testing.T) {
	for _, doc := range testio.Shards {
		in := "<base href=/b/>" + doc + doc
		for _, p := range profiles {
			outer := mustParse(t, "http://h/d/", p)
			rw := Must(New(Options{Profile: p, Keep: []string{"*x*", "*{*"}}))
			whole, _ := rewrite(t, rw, in, outer)
			if pieces, _ := rewriteFrom(t, rw, testio.InPieces(strings.NewReader(in), 1), outer); pieces != whole {
				t.Errorf("%q in pieces: %q, not %q", in, pieces, whole)
			}
			if again, _ := rewrite(t, rw, whole, outer); again != whole {
				t.Errorf("%q twice: %q, not %q", in, again, whole)
			}
		}
	}
}

func TestKeepIsChecked(t *testing.T) {
	for _, tt := range []struct{ pattern, want string }{
		{"", `rewriter: Keep: the pattern "" is empty; * matches every reference`},
		{" x", `rewriter: Keep: the pattern " x" begins or ends with a space, as no reference does`},
		{"a\nb", `rewriter: Keep: the pattern "a\nb" has a control character, such as a newline`},
		{`x\`, "rewriter: Keep: the pattern `x\\` has a backslash before neither * nor a backslash; \\* stands for a star, and \\\\ for a backslash"},
		{`a\b`, "rewriter: Keep: the pattern `a\\b` has a backslash before neither * nor a backslash; \\* stands for a star, and \\\\ for a backslash"},
		{"\xff", `rewriter: Keep: the pattern "\xff" is not UTF-8`},
		{strings.Repeat("x", 1025), `rewriter: Keep: the pattern "` + strings.Repeat("x", 100) + `" has 1025 bytes, and may have 1024`},
	} {
		if _, err := New(Options{Keep: []string{"*", tt.pattern}}); err == nil || err.Error() != tt.want {
			t.Errorf("%q: %v, not %s", tt.pattern, err, tt.want)
		}
	}
	if _, err := New(Options{Keep: make([]string, 257)}); err == nil || !strings.Contains(err.Error(), "there are 257 patterns, and there may be 256") {
		t.Error(err)
	}
}

// The worst patterns and the worst references together take linear time.
func TestKeepIsLinear(t *testing.T) {
	keep := make([]string, 256)
	for i := range keep {
		keep[i] = strings.Repeat("a*", 500) + "b"
	}
	doc := strings.Repeat("<a href="+strings.Repeat("a", 999)+">", 100) + "<a href=" + strings.Repeat("a", 500_000) + ">"
	got, _ := rewrite(t, Must(New(Options{Keep: keep})), doc, mustParse(t, "http://h/", resolver.RFC1808))
	if !strings.HasPrefix(got, "<a href=http://h/aaa") {
		t.Errorf("%.100q", got)
	}
}
