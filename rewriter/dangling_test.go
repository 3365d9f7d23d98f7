package rewriter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"absolink/resolver"
)

// danglingRows are documents with a %s, each with how a reference is written there:
// every syntax and every quoting that can hold a newline.
var danglingRows = []struct{ name, in, newline, less string }{
	{"double", `<img src="%s">`, "\n", "<"},
	{"single", "<img src='%s'>", "\r", "<"},
	{"references", "<img src=%s>", "&#9;", "&lt;"},
	{"empty counts", "<a href='%s'>", "\r\n", "&#60;"},
	{"outer", "<form action='%s'>", "\t", "<"},
	{"svg", "<svg><image xlink:href='%s'/></svg>", "\n", "<"},
	{"refresh", `<meta http-equiv=refresh content="0;url='%s'">`, "\n", "<"},
	{"refresh, plain", `<meta http-equiv=refresh content="0;url=%s">`, "\n", "<"},
	{"commas", "<applet archive='%s'>", "\n", "<"},
	{"semicolons", "<svg><animate attributeName=href values='%s'/></svg>", "\n", "<"},
	{"keys", "<meta name=msapplication-task content='action-uri=%s'>", "\n", "<"},
	{"image", "<p data-bg='%s'>", "\n", "<"},
	{"CSS url", "<style>p{background:url(%s)}</style>", `\a `, `\3c `},
	{"CSS string", `<style>@import "%s"</style>`, `\9 `, "<"},
	{"CSS in an attribute", `<p style="background:url('%s')">`, `\d `, "&lt;"},
	{"CSS in SVG", "<svg><style>p{background:url(%s)}</style></svg>", `\a `, `\3c `},
	{"CSS in CDATA", "<svg><style><![CDATA[p{background:url('%s')}]]></style></svg>", `\a `, "<"},
	{"module", `<script type=module>import "./%s"</script>`, `\n`, `\u003c`},
	{"import map", `<script type=importmap>{"imports":{"a":"./%s"}}</script>`, `\n`, `\u003c`},
	{"speculation", `<script type=speculationrules>{"prefetch":[{"urls":["%s"]}]}</script>`, `\t`, "<"},
	{"document", `<iframe srcdoc='<img src="%s">'></iframe>`, "\n", "<"},
	{"document, escaped", `<iframe srcdoc="&lt;img src='%s'>"></iframe>`, "&amp;#10;", "&amp;lt;"},
	{"comment", "<!--[if IE]><img src='%s'><![endif]-->", "\n", "<"},
	{"noscript", "<noscript><img src='%s'></noscript>", "\n", "<"},
}

// A reference from which browsers fetch nothing stays, in every place and profile,
// streamed and in a tree; it is what one without the newline, or the "<", is not.
func TestDangling(t *testing.T) {
	for _, row := range danglingRows {
		for _, p := range profiles {
			for _, ref := range []struct {
				text  string
				stays bool
			}{
				{"xNyLz", true}, {"xLyNz", true}, {"NxNyLzN", true}, {"//e/?xNyLz", true}, {"?xNyL", true}, {"xL/../yNz", true},
				{"xNyz", false}, {"xyLz", false}, {"NxyLN", false},
			} {
				if ref.text == "NxyLN" && (row.name == "import map" || row.name == "module") {
					continue // where "./" comes before it
				}
				written := strings.NewReplacer("N", row.newline, "L", row.less).Replace(ref.text)
				in := strings.Replace(row.in, "%s", written, 1)
				checkDangling(t, row.name, in, p, ref.stays)
			}
		}
	}
}

func checkDangling(t *testing.T, name, in string, p resolver.Profile, stays bool) {
	t.Helper()
	outer := mustParse(t, "http://h/d/p", p)
	var errs []error
	rw := allSet.on(Must(New(Options{Profile: p})).With(Hooks{Unresolvable: func(p *Place) { errs = append(errs, p.Err) }}))
	got, r := rewrite(t, rw, in, outer)
	isDangling := len(errs) == 1 && errors.Is(errs[0], ErrDangling) && r.Unresolvable == 1
	if stays != (got == in) || stays != isDangling {
		t.Errorf("%s, %s: %q\nbecomes %q, with %v, %+v", name, p, in, got, errs, r)
	}
	checkPromisesWith(t, allSet, []byte(in), outer)
	if strings.HasPrefix(in, "<!--") {
		return // in which the parser decodes references
	}
	errs = nil
	tree, err := treeOf(t, rw, in, outer)
	if b := strings.Join(lines(parseNode(t, got, true)), "\n"); err != nil || tree != b || stays != (len(errs) == 1) {
		t.Errorf("%s, %s: %q\nas a tree becomes\n%s, %v\nstreamed\n%s\n%v", name, p, in, tree, err, b, errs)
	}
}

// What is relative to such a BASE is not fetched either, whatever it is itself.
func TestDanglingBase(t *testing.T) {
	for _, p := range profiles {
		outer := mustParse(t, "http://h/d/p", p)
		for _, href := range []string{"/b\n<c/", "http://e/b\t<c/?x", "//e/?\r<", "\x01\n<"} {
			in := "<base href='" + href + "'><img src=x><a href='/x y'><link href='//e/x'><p style='background:url(x)'><iframe srcdoc='<img src=x><base href=b/>'></iframe>"
			var warned []string
			rw := Must(New(Options{Profile: p, RemoveBase: true})).With(Hooks{Warn: func(offset int64, err error) { warned = append(warned, fmt.Sprint(offset, err)) }})
			got, _ := rewrite(t, rw, in, outer)
			if want := fmt.Sprint(0, ErrDangling); got != in || len(warned) == 0 || warned[0] != want {
				t.Errorf("%s: %q\nbecomes %q, warned %q", p, in, got, warned)
			}
			checkPromisesWith(t, allSet, []byte(in), outer)
			if diff := nodeDiff(t, in, outer, p, true); diff != "" {
				t.Errorf("%s: %q: the tree is not as streamed: %s", p, in, diff)
			}
		}
		for in, want := range map[string]string{
			"<base href='/b\n<c/'><iframe srcdoc='<base href=http://e/><img src=x>'></iframe>":  "<base href='/b\n<c/'><iframe srcdoc='<base href=http://e/><img src=http://e/x>'></iframe>",
			"<base href='mailto:x'><iframe srcdoc='<base href=http://e/><img src=x>'></iframe>": "<base href='mailto:x'><iframe srcdoc='<base href=http://e/><img src=http://e/x>'></iframe>",
			"<base href='x\n<p'><iframe srcdoc='<base href=k/><a href=x>'>":                     "<base href='x\n<p'><iframe srcdoc='<base href=k/><a href=x>'>",
			"<base href='/b\nc/'><img src='<x'>":                                                "<base href='http://h/bc/'><img src='http://h/bc/%3Cx'>",
			"<base href='/\n'><img src='x\ny'>":                                                 "<base href='http://h/'><img src='http://h/xy'>",
		} {
			got, _ := rewrite(t, Must(New(Options{Profile: p})), in, outer)
			if got = strings.NewReplacer("&lt;x", "%3Cx", "<x'", "%3Cx'").Replace(got); got != want && !(p == resolver.RFC1808 && strings.Contains(in, "mailto")) {
				t.Errorf("%s: %q\nbecomes %q\nwant    %q", p, in, got, want)
			}
		}
	}
}

// A canonical URL of that kind is no base.
func TestDanglingCanonical(t *testing.T) {
	const in = "<link rel=canonical href='http://e/\n<p>secret</p>/x'><img src=x>"
	if got, r := rewrite(t, Must(New(Options{Canonical: true})), in, nil); got != in || r.Base.URL != nil {
		t.Errorf("%q becomes %q on %s", in, got, r.Base.URL)
	}
}

// A newline that is escaped in CSS counts as well, wherever it stands in the string.
func TestDanglingEscaped(t *testing.T) {
	for _, row := range []struct {
		in    string
		stays bool
	}{
		{"<style>a{b:url(\"\\\nattr(x)<!--", true},
		{"<style>a{b:url(\"x\\\r\n<\")}</style>", true},
		{"<p style='b:url(\"x<\\\f\")'>", true},
		{"<svg><style><![CDATA[a{b:url('\\\nx<')}]]></style>", true},
		{"<svg><style><![CDATA[@import '\\\nx<'", true},
		{"<style>a{b:url(\"\\\nx\")}</style>", false},
		{"<style>a{b:url(\"\\a<\")}</style>", false},
		{"<style>a{b:url(\"\\\\<\")}</style>", false},
	} {
		got, r := rewrite(t, new(Rewriter), row.in, mustParse(t, "http://h/", resolver.RFC1808))
		if row.stays != (got == row.in && r.Unresolvable == 1) {
			t.Errorf("%q becomes %q, %+v", row.in, got, r)
		}
	}
}

// Visit may write what it likes before the "<".
func TestDanglingVisit(t *testing.T) {
	var seen []string
	var rest string
	rw := new(Rewriter).With(Hooks{Visit: func(p *Place) error {
		seen = append(seen, fmt.Sprintf("%q %q %v", p.Ref, p.URL, p.Err == ErrDangling))
		p.URL = "http://e/" + rest
		return nil
	}})
	for _, rest = range []string{"<y", "y", ""} {
		seen = nil
		want := "<img src='http://e/<y'>"
		if rest != "<y" {
			want = "<img src='x\n<y'>"
		}
		got, r := rewrite(t, rw, "<img src='x\n<y'>", mustParse(t, "http://h/", resolver.RFC1808))
		if got != want || !slices.Equal(seen, []string{`"x<y" "" true`}) || r.Rewritten+r.Left != 1 || r.Left != r.Warnings {
			t.Errorf("%q: %q, %q, %+v", rest, got, seen, r)
		}
	}
}
