package container

import (
	"fmt"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// pageURL is a base with all that may end a URL in a field.
const pageURL = "http://h/a/b?'\">,;"

// rewriteField is RewriteField on pageURL.
func rewriteField(t testing.TB, name, value string) (string, rewriter.Result) {
	t.Helper()
	base, err := resolver.ParseBase(pageURL, resolver.RFC1808)
	if err != nil {
		t.Fatal(err)
	}
	became, result, err := RewriteField(nil, name, value, base)
	if err != nil {
		t.Fatal(err)
	}
	return became, result
}

// Where the references of a field are, and how URLs are written there. RFC 8288 and the HTML
// Standard say where Link and Refresh have theirs.
func TestRewriteField(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"location", " ../x ", " http://h/x "},
		{"Location", "", ""},
		{"CONTENT-LOCATION", "x y", "http://h/a/x y"},
		{"Content-Location", "caf\xe9", "http://h/a/caf%E9"},
		{"X-Location", "x", "x"},

		{"Link", `<x>; rel=a, <y>;rel="b, <c>", <z>`, `<http://h/a/x>; rel=a, <http://h/a/y>;rel="b, <c>", <http://h/a/z>`},
		{"Link", `<>, <#f>`, `<>, <http://h/a/b?'"%3E,;#f>`},
		{"Link", `<x>; a="\"<b>", <y>`, `<http://h/a/x>; a="\"<b>", <http://h/a/y>`},
		{"Link", `<x>; a=<b>, <y>`, `<http://h/a/x>; a=<b>, <http://h/a/y>`}, // a parameter
		{"Link", `<x>; a="<b>, <y>`, `<http://h/a/x>; a="<b>, <y>`},          // a string that does not end
		{"Link", `"<x>", y <z>, <w`, `"<x>", y <http://h/a/z>, <w`},          // no link begins with a string
		{"Link", `<a"b/../c>`, `<http://h/a/a"b/../c>`},
		{"Link", `<http://i/>`, `<http://i/>`},

		{"Refresh", "5", "5"},
		{"Refresh", "5;url=", "5;url="},
		{"Refresh", "5 x ", "5 http://h/a/x "},
		{"Refresh", "5, x", "5, http://h/a/x"},
		{"Refresh", ".5; URL = 'x\"y' z", ".5; URL = 'http://h/a/x\"y' z"},
		{"Refresh", `5;url="x'y" z`, `5;url="http://h/a/x'y" z`},
		{"Refresh", `5;url='#f'`, `5;url='http://h/a/b?%27">,;#f'`},
		{"Refresh", `5;url=x'y`, `5;url=http://h/a/x'y`},
		{"Refresh", "5x;url=x", "5x;url=x"},
	} {
		if got, _ := rewriteField(t, test.name, test.in); got != test.want {
			t.Errorf("%s: %s becomes %s, not %s", test.name, test.in, got, test.want)
		}
	}
}

// A place of a field says where it stands, and of a Link its rel.
func TestFieldPlaces(t *testing.T) {
	var got strings.Builder
	const value = ` <x>; Rel="a b"; rel=c,< y>`
	for p := range FieldPlaces("LINK", []byte(value)) {
		fmt.Fprintf(&got, "%d %s[%s] %s %q %q\n", p.Offset, p.Element, p.Attr, p.Rel, p.Raw, p.Ref)
		if !strings.HasPrefix(value[p.Offset:], p.Raw) || p.Rule.Attr != p.Attr {
			t.Errorf("%+v", p)
		}
	}
	if want := "2 #http[link] a b \"x\" \"x\"\n24 #http[link]  \" y\" \" y\"\n"; got.String() != want {
		t.Errorf("%s\nnot\n%s", &got, want)
	}
	for range FieldPlaces("Link", []byte("<x>,<y>")) {
		break
	}
}

// A field whose references are absolute stays, and has as many references as before.
func FuzzField(f *testing.F) {
	for _, value := range []string{`<x>; rel="a", <y>`, `<x>;"<`, "5;url='x\"", `\"<>,<`, "5 http:", " x\xff'", "0;url=url=x"} {
		f.Add("Link", value)
		f.Add("Refresh", value)
		f.Add("Location", value)
	}
	f.Fuzz(func(t *testing.T, name, in string) {
		once, result := rewriteField(t, name, in)
		twice, again := rewriteField(t, name, once)
		if twice != once || again.Rewritten > 0 || again.Absolute != result.Rewritten+result.Absolute {
			t.Errorf("%s: %q becomes %q, %+v, and then %q, %+v", name, in, once, result, twice, again)
		}
	})
}
