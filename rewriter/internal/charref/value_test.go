package charref

import (
	"html"
	"testing"
)

// What follows a character reference without a semicolon makes no difference in
// text, unlike in attributes.
func TestTextReference(t *testing.T) {
	for raw, want := range map[string]string{
		"&amp;":                              "&",
		"&amp=":                              "&=",
		"&ampx;":                             "&x;",
		"&copy2":                             "©2",
		"&notit;":                            "¬it;",
		"&notin;":                            "∉",
		"&ltg&gt":                            "<g>",
		"&frac123":                           "½3",
		"&semi":                              "&semi",
		"&a&b;":                              "&a&b;",
		"&NotEqualTilde;":                    "≂̸",
		"&#x26amp;":                          "\u026amp;",
		"&#38amp;":                           "&amp;",
		"&#;&#x":                             "&#;&#x",
		"&CounterClockwiseContourIntegralx;": "&CounterClockwiseContourIntegralx;",
	} {
		var text []byte
		for i := 0; i < len(raw); {
			n := 0
			if raw[i] == '&' {
				text, n = AppendTextReference(text, []byte(raw[i:]))
			}
			if n == 0 {
				text, n = append(text, raw[i]), 1
			}
			i += n
		}
		if string(text) != want || want != html.UnescapeString(raw) || HasReference([]byte(raw)) != (raw != want) {
			t.Errorf("%q reads %q, want %q; package html reads %q", raw, text, want, html.UnescapeString(raw))
		}
	}
}
