package rewriter

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"absolink/resolver"
)

func TestParseRule(t *testing.T) {
	for s, want := range map[string]Rule{
		"img[data-zoom]=url":              {Element: "img", Attr: "data-zoom"},
		"IMG[Data-Zoom]":                  {Element: "img", Attr: "data-zoom"},
		"[x]=srcset":                      {Attr: "x", Syntax: SyntaxSrcset},
		"a[b]=list":                       {Element: "a", Attr: "b", Syntax: SyntaxList},
		"a[b]=css":                        {Element: "a", Attr: "b", Syntax: SyntaxCSS},
		"-a[ping]":                        {Element: "a", Attr: "ping", Drop: true},
		"*[href]=url":                     {Attr: "href"},
		"*[x]=srcset":                     {Attr: "x", Syntax: SyntaxSrcset},
		"-*[href]":                        {Attr: "href", Drop: true},
		"-link[rel=Icon]":                 {Element: "link", Attr: "href", When: "rel=Icon", Drop: true},
		`-link[rel="icon"]`:               {Element: "link", Attr: "href", When: "rel=icon", Drop: true},
		"-link[rel='icon']":               {Element: "link", Attr: "href", When: "rel=icon", Drop: true},
		"[rel=a]=list":                    {Attr: "href", When: "rel=a", Syntax: SyntaxList},
		"-link[imagesrcset][REL=preload]": {Element: "link", Attr: "imagesrcset", When: "rel=preload", Drop: true},
		"a[ping][rel=b]=list":             {Element: "a", Attr: "ping", When: "rel=b", Syntax: SyntaxList},
		"x-y:z[@click.a]":                 {Element: "x-y:z", Attr: "@click.a"},
	} {
		if got, err := ParseRule(s); err != nil || got != want {
			t.Errorf("ParseRule(%q) = %+v, %v", s, got, err)
		}
	}
	for s, want := range map[string]string{
		"":                   `rule "": it is neither a group (html, links, legacy, meta, lazy, json, modules, comments or allcomments) nor a rule such as img[data-zoom]=url`,
		"htm":                `rule "htm": it is neither a group (html, links, legacy, meta, lazy, json, modules, comments or allcomments) nor a rule such as img[data-zoom]=url`,
		"lazy":               `rule "lazy": it is a group of rules, and one rule is such as img[data-zoom]=url`,
		"a[b":                `rule "a[b": no attribute in brackets, as in img[data-zoom]=url`,
		"a[]=url":            `rule "a[]=url": no attribute in brackets, as in img[data-zoom]=url`,
		"a[b]url":            `rule "a[b]url": "url" is left over after the bracket`,
		"style[]":            `rule "style[]": no syntax after the brackets, as in style[]=css`,
		"style[]=url":        `rule "style[]=url": the text of style cannot have the syntax url`,
		"-a[b]=url":          `rule "-a[b]=url": "=url" is left over after the bracket`,
		"*[]=css":            `rule "*[]=css": no attribute in brackets, as in img[data-zoom]=url`,
		"amp-*[src]":         `rule "amp-*[src]": a name is not a pattern; * alone before the bracket is every element`,
		"a[data-*]":          `rule "a[data-*]": a name is not a pattern; * alone before the bracket is every element`,
		"*[*]":               `rule "*[*]": a name is not a pattern; * alone before the bracket is every element`,
		" a[b]":              `rule " a[b]": no element can be called " a"`,
		"1[b]":               `rule "1[b]": no element can be called "1"`,
		"a[b c]":             `rule "a[b c]": no attribute can be called "b c"`,
		"a[rel=]":            `rule "a[rel=]": rel= takes one value and is about an attribute, as in link[rel=icon] or link[imagesrcset][rel=preload]`,
		`a[rel="b]`:          "rule \"a[rel=\\\"b]\": rel= takes one value and is about an attribute, as in link[rel=icon] or link[imagesrcset][rel=preload]",
		"a[rel=b c]":         `rule "a[rel=b c]": rel= takes one value and is about an attribute, as in link[rel=icon] or link[imagesrcset][rel=preload]`,
		"style[][rel=a]=css": `rule "style[][rel=a]=css": rel= takes one value and is about an attribute, as in link[rel=icon] or link[imagesrcset][rel=preload]`,
		"a[b][c=d]":          `rule "a[b][c=d]": "[c=d]" is left over after the bracket`,
		"-a[rel=b]=url":      `rule "-a[rel=b]=url": "=url" is left over after the bracket`,
		"a[b=c]":             `rule "a[b=c]": no attribute can be called "b=c"`,
		"a[b]=thing":         `rule "a[b]=thing": unknown syntax "thing": it is one of ` + strings.Join(syntaxNames(), ", "),
	} {
		if _, err := ParseRule(s); err == nil || err.Error() != want {
			t.Errorf("ParseRule(%q): %v", s, err)
		}
	}
}

// Rules that only remove places are a slip, and no rules are none.
func TestRulesThatOnlyRemove(t *testing.T) {
	drop := Rule{Element: "a", Attr: "ping", Drop: true}
	for _, rules := range [][]Rule{{drop}, {drop, drop}} {
		const want = "rewriter: Rules: they only remove places, so there are none; name the groups to remove from before them, such as html"
		if _, err := New(Options{Rules: rules}); err == nil || err.Error() != want {
			t.Error(err)
		}
	}
	for _, rules := range [][]Rule{nil, {}, append(HTML(), drop)} {
		if _, err := New(Options{Rules: rules}); err != nil {
			t.Error(err)
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

// A rule that ParseRule takes fits something: a document that has its element and
// attribute has its place.
func TestParsedRulesFit(t *testing.T) {
	for _, s := range []string{"*[href]=url", "[href]", "*[data-x]=url", "a[href]", "x-y:z[@click.a]", "A[B]=srcset", "a,b[c]", "a[b\"c]", "a[b<c]", "a[=b]", "a[b=]", "é[b]", "x_é[b]", "a[b,c]"} {
		r, err := ParseRule(s)
		if err != nil {
			continue
		}
		element := cmp.Or(r.Element, "any")
		document := "<p><" + element + " " + r.Attr + "=x>"
		rw := Must(New(Options{Rules: []Rule{r}}))
		if n := len(runWith(t, rw, strings.NewReader(document), nil).places); n != 1 {
			t.Errorf("%s: %d places in %s", s, n, document)
		}
	}
}

// A rule that drops the places of every element counts for the rules before it, whichever
// elements they name, and for none after it.
func TestDropOfEveryElement(t *testing.T) {
	const in = "<link rel=next href=a><a rel='x NEXT' href=b><a href=c ping='d e'><x-y rel=next href=f><area ping=g><svg><use href=h /><a rel=next href=i></svg>"
	for rules, want := range map[string]string{
		"":                              "a b c d e f g h i",
		"-*[rel=next]":                  "c d e g h",
		"-[rel=next]":                   "c d e g h",
		"-*[rel=next] a[href]":          "b c d e g h i",
		"a[href] -*[rel=next]":          "c d e g h",
		"-*[rel=next] *[href]":          "a b c d e f g h i",
		"-*[ping][rel=next]":            "a b c d e f g h i",
		"-*[ping]":                      "a b c f h i",
		"-*[ping] area[ping]=list":      "a b c f g h i",
		"-*[ping] *[ping]=list":         "a b c d e f g h i",
		"*[ping]=list -*[ping]":         "a b c f h i",
		"-*[rel=next] -*[ping]":         "c h",
		"-*[href]":                      "d e g",
		"-*[href] use[href]":            "d e g h",
		"-*[href] a[href] -a[rel=next]": "c d e g",
		"-*[style] -*[src] -*[x]":       "a b c d e f g h i",
	} {
		if got := refsWith(t, resolver.RFC1808, rules, in); got != want {
			t.Errorf("%s: %s, not %s", rules, got, want)
		}
	}
}

// refsWith returns the references of the places in a document by the rules of HTML and those
// given, with a space between two.
func refsWith(t *testing.T, profile resolver.Profile, rules, document string) string {
	t.Helper()
	all := HTML()
	for _, rule := range strings.Fields(rules) {
		r, err := ParseRule(rule)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	rw := Must(New(Options{Profile: profile, Rules: all}))
	var refs []string
	for _, p := range runWith(t, rw, strings.NewReader(document), mustParse(t, "http://h/", profile)).places {
		refs = append(refs, p.Ref)
	}
	return strings.Join(refs, " ")
}
