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
		"":            `rule "": no attribute in brackets, as in img[data-zoom]=url`,
		"a":           `rule "a": no attribute in brackets, as in img[data-zoom]=url`,
		"a[b":         `rule "a[b": no attribute in brackets, as in img[data-zoom]=url`,
		"a[]=url":     `rule "a[]=url": no attribute in brackets, as in img[data-zoom]=url`,
		"a[b]url":     `rule "a[b]url": "url" is left over after the bracket`,
		"style[]":     `rule "style[]": no syntax after the brackets, as in style[]=css`,
		"style[]=url": `rule "style[]=url": the text of style is no url`,
		"-a[b]=url":   `rule "-a[b]=url": "=url" is left over after the bracket`,
		"a[b]=thing":  `rule "a[b]=thing": unknown syntax "thing": it is one of url, srcset, image, imageset, list, commas, semicolons, refresh, css, document, importmap, speculation`,
	} {
		if _, err := ParseRule(s); err == nil || err.Error() != want {
			t.Errorf("ParseRule(%q): %v", s, err)
		}
	}
}

// What String writes of a rule without conditions ParseRule reads.
func TestRuleString(t *testing.T) {
	for _, r := range slices.Concat(HTML(), Legacy(), Meta(), Lazy(), JSON(), Comments()) {
		if r.When != "" || r.SVG || r.Keys != "" {
			continue
		}
		got, err := ParseRule(r.String())
		if err != nil || got.Element != r.Element || got.Attr != r.Attr || got.Drop != r.Drop || !r.Drop && got.Syntax != r.Syntax {
			t.Errorf("%s reads as %+v, %v", r, got, err)
		}
	}
}

func TestRuleConditions(t *testing.T) {
	for want, r := range map[string]Rule{
		"meta[content]=url (name=image)":    {Element: "meta", Attr: "content", When: "name=image"},
		"[fill]=css (svg)":                  {Attr: "fill", SVG: true, Syntax: SyntaxCSS},
		"a[b]=semicolons (!c) (d= e=)":      {Element: "a", Attr: "b", When: "!c", Syntax: SyntaxSemicolons, Keys: "d e"},
		"style[]=css (src=)":                {Element: "style", Syntax: SyntaxCSS, Keys: "src"},
		"-[hx-push-url] (hx-push-url=true)": {Attr: "hx-push-url", When: "hx-push-url=true", Drop: true},
	} {
		if got := r.String(); got != want {
			t.Errorf("%+v: %s, want %s", r, got, want)
		}
	}
}
