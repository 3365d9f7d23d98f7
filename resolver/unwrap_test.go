package resolver

import (
	"strings"
	"testing"
)

func TestUnwrap(t *testing.T) {
	for text, want := range map[string]string{
		"<URL:http://www.ics.uci.edu/Test/a/b/c>": "http://www.ics.uci.edu/Test/a/b/c", // the example of §3.1
		" <url: http://h\r\n\t/a b >\n":           "http://h/ab",
		"<http://h/>":                             "http://h/",
		"<URL:a/b>":                               "a/b",
		"<>":                                      "",
		"<URL:>":                                  "",
		"<URL:http://h/":                          "http://h/",
		"<http://h/> (here)":                      "http://h/",
		"(c) <URL:http://h/>":                     "http://h/",
		"(c (d) \\) \\( e)\t(<no>)<URL:http://h/> (f)": "http://h/",
		"<URL:http://h/(a)>":                           "http://h/(a)",

		"":             "",
		"http://h/":    "http://h/",
		" http://h/ ":  " http://h/ ",
		"(a)/b":        "(a)/b",
		"(a) http://h": "(a) http://h",
		"(a <b>":       "(a <b>",
		"(a\\":         "(a\\",
		"a<b>":         "a<b>",
		"URL:http://h": "URL:http://h",
	} {
		if got := Unwrap(text); got != want {
			t.Errorf("Unwrap(%q) is %q, want %q", text, got, want)
		}
	}
	const deep = 1 << 20
	if got := Unwrap(strings.Repeat("(", deep) + strings.Repeat(")", deep) + "<a>"); got != "a" {
		t.Errorf("in %d comments: %.20q", deep, got)
	}
}
