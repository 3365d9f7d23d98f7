package rewriter

import (
	"slices"
	"testing"
)

func TestParseRule(t *testing.T) {
	for s, want := range map[string]Rule{
		"img[data-zoom]=url": {Element: "img", Attr: "data-zoom"},
		"IMG[Data-Zoom]":     {Element: "img", Attr: "data-zoom"},
		"[x]=srcset":         {Attr: "x", Syntax: SyntaxSrcset},
		"a[b]=list":          {Element: "a", Attr: "b", Syntax: SyntaxList},
		"a[b]=css":           {Element: "a", Attr: "b", Syntax: SyntaxCSS},
		"-a[ping]":           {Element: "a", Attr: "ping", Drop: true},
	} {
		if got, err := ParseRule(s); err != nil || got != want {
			t.Errorf("ParseRule(%q) = %+v, %v", s, got, err)
		}
	}
	for s, want := range map[string]string{
		"":           `rule "": no attribute in brackets, as in img[data-zoom]=url`,
		"a":          `rule "a": no attribute in brackets, as in img[data-zoom]=url`,
		"a[b":        `rule "a[b": no attribute in brackets, as in img[data-zoom]=url`,
		"a[]=url":    `rule "a[]=url": no attribute in brackets, as in img[data-zoom]=url`,
		"a[b]url":    `rule "a[b]url": "url" is left over after the bracket`,
		"-a[b]=url":  `rule "-a[b]=url": "=url" is left over after the bracket`,
		"a[b]=thing": `rule "a[b]=thing": unknown syntax "thing": it is one of url, srcset, list, commas, refresh, css, document`,
	} {
		if _, err := ParseRule(s); err == nil || err.Error() != want {
			t.Errorf("ParseRule(%q): %v", s, err)
		}
	}
}

// What String writes of a rule without conditions ParseRule reads.
func TestRuleString(t *testing.T) {
	for _, r := range slices.Concat(HTML(), Legacy(), Meta(), Lazy()) {
		if r.When != "" || r.SVG || r.Attr == "" {
			continue
		}
		got, err := ParseRule(r.String())
		if err != nil || got.Element != r.Element || got.Attr != r.Attr || got.Drop != r.Drop || !r.Drop && got.Syntax != r.Syntax {
			t.Errorf("%s reads as %+v, %v", r, got, err)
		}
	}
}
