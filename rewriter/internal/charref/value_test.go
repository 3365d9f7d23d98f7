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
		var v Value
		v.AppendContent(CharacterData, []byte(raw), 0, len(raw), nil)
		if string(v.Text) != want || want != html.UnescapeString(raw) {
			t.Errorf("%q reads %q, want %q; package html reads %q", raw, v.Text, want, html.UnescapeString(raw))
		}
	}
}
