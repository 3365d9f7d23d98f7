package media

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What one parameter is, package web tests.
func TestContentType(t *testing.T) {
	for in, want := range map[string][2]string{
		"":                                      {},
		"text/html":                             {"text/html", ""},
		" Text/HTML ;charset=x":                 {"text/html", "x"},
		"text/html charset=x":                   {"text/html", ""},
		"html":                                  {},
		"text/html, text/":                      {"text/html", ""},
		"text/html, /html, a/b/c, t<t/x, t/é":   {"text/html", ""},
		"*/*, text/html":                        {"text/html", ""},
		"text/html, text/html":                  {"text/html", ""},
		"text/html;charset=x, text/html":        {"text/html", "x"},
		"text/html;charset=x, text/html, a":     {"text/html", "x"},
		"text/html;charset=x, text/plain":       {"text/plain", ""},
		"text/plain, text/html;charset=y":       {"text/html", "y"},
		`text/html;a=",text/plain";charset=x`:   {"text/html", "x"},
		`text/html;a="\",text/plain";charset=x`: {"text/html", "x"},
		`text/html;a=",text/plain`:              {"text/html", ""},
		",":                                     {},
	} {
		mediaType, charset := ContentType(in)
		if got := [2]string{mediaType, charset}; got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestMailContentType(t *testing.T) {
	type params map[string]string
	for in, want := range map[string]struct {
		mediaType string
		params    params
	}{
		`Text/HTML; Charset="a b"; x=y`:                     {"text/html", params{"charset": "a b", "x": "y"}},
		"multipart/mixed; boundary*0=b; boundary*1*=%63":    {"multipart/mixed", params{"boundary": "bc"}},
		"multipart/mixed; boundary=b=/c; type=x":            {"multipart/mixed", params{"boundary": "b=/c"}},
		"multipart/mixed; a=\xff; Boundary = b c; d":        {"multipart/mixed", params{"boundary": "b"}},
		`multipart/mixed; =; boundary="b c`:                 {"multipart/mixed", params{"boundary": "b c"}},
		"Text/HTML charset=x":                               {"text/html charset=x", params{"charset": "x"}},
		`text/html; charset="=?us-ascii?q?utf-8?="`:         {"text/html", params{"charset": "utf-8"}},
		"text/html; charset=; boundary=":                    {"text/html", params{}},
		"text/html; x=" + strings.Repeat("y", MaxGrammar):   {"text/html", params{}},
		"text/html; charset=y" + strings.Repeat(" ", 1<<20): {"text/html", params{"charset": "y"}},
	} {
		mediaType, got := MailContentType(in)
		if diff := cmp.Diff(want.params, params(got)); mediaType != want.mediaType || diff != "" {
			t.Errorf("%.100q: %q\n%s", in, mediaType, diff)
		}
	}
}

func TestFirstWord(t *testing.T) {
	for value, want := range map[string]string{
		"": "", " ": "", "a": "a", " A ;b": "a", "a b": "a", "a(b)": "a", "a\t(b)": "a", `"a"`: "a", `"A b"; c`: "a b", `" a "`: "a", `"a`: "a", `a"`: "a",
		"(x) a": "a", "(x)(y)\t( z ) a;": "a", "(x(y)z)a": "a", `(x\)) a`: "a", `(x) "a" (y)`: "a", "(x": "", `(\`: "", "(x)": "", ")a": ")a", ";a": "", `(x)"`: "",
		strings.Repeat("(", 1<<20) + strings.Repeat(")", 1<<20) + "a": "a",
	} {
		if got := FirstWord(value); got != want {
			t.Errorf("%.40q: %q, not %q", value, got, want)
		}
	}
}
