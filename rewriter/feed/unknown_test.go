package feed

import (
	"fmt"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// Where the base is not known, links stay. Each "@" becomes nothing in the feed, and a base
// in what the feed becomes.
func TestUnknownBase(t *testing.T) {
	const (
		atomNS  = `<feed xmlns="http://www.w3.org/2005/Atom"`
		rdfNS   = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">`
		html    = `<content type="html">&lt;a href="x"></content>`
		known   = `<content type="html">&lt;a href="@x"></content>`
		item    = `<description>&lt;a href="x"></description></item>`
		rssTail = `</channel></rss>`
		entity  = `<!DOCTYPE feed [<!ENTITY b "http://b/">]>`
	)
	declared := func(subset string) string { return "<!DOCTYPE feed [" + subset + "]>" }
	for _, test := range []struct {
		name, in, base string
		warnings       int
	}{
		{"an entity", entity + atomNS + ` xml:base="&b;"><link href="y"/><icon>z</icon><entry><link href="e"/>` + html + `</entry></feed>`, "", 1},
		{"an entity within", entity + atomNS + ` xml:base="http://c/&b;/"><icon>z</icon><entry>` + html + `</entry></feed>`, "", 1},
		{"no character", atomNS + ` xml:base="http://c/&#0;/"><entry>` + html + `</entry></feed>`, "", 1},
		{"around a relative one", entity + atomNS + ` xml:base="&b;"><entry xml:base="c/"><link href="e"/>` + html + `</entry></feed>`, "", 1},
		{"around one that is absolute", entity + atomNS + ` xml:base="&b;"><icon>z</icon><entry xml:base="http://c/"><icon>@z</icon>` + known + `</entry></feed>`, "http://c/", 1},
		{"within one that is known", entity + atomNS + ` xml:base="http://c/"><icon>@z</icon><entry xml:base="&b;">` + html + `</entry><entry>` + known + `</entry></feed>`, "http://c/", 1},
		{"of XHTML", entity + atomNS + ` xml:base="http://c/"><entry><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><a href="@x"/><p xml:base="&b;"><a href="y"/></p><a href="@z"/></div></content></entry></feed>`, "http://c/", 1},
		{"an ampersand", atomNS + ` xml:base="http://c/?a&b"><entry>` + known + `</entry></feed>`, "http://c/", 0},

		{"a default", declared(`<!ATTLIST feed xml:base CDATA "http://b/">`) + atomNS + `><icon>z</icon><link href="y"/><entry>` + html + `</entry></feed>`, "", 1},
		{"a fixed default", declared(`<!ATTLIST feed x CDATA #IMPLIED xml:base CDATA #FIXED 'http://b/'>`) + atomNS + `><entry>` + html + `</entry></feed>`, "", 1},
		{"a default of an entry", declared(`<!ATTLIST entry xml:base CDATA "http://b/">`) + atomNS + ` xml:base="http://c/"><icon>z</icon><entry>` + html + `</entry></feed>`, "", 1},
		{"a default in an entity", declared(`<!ENTITY % p "<!ATTLIST feed xml:base CDATA 'http://b/'>">%p;`) + atomNS + `><entry>` + html + `</entry></feed>`, "", 1},
		{"a default that is not taken", declared(`<!ATTLIST feed xml:base CDATA "http://b/">`) + atomNS + ` xml:base="http://c/"><entry xml:base="d/">` + strings.Replace(known, "type", `xml:base="e/" type`, 1) + `</entry></feed>`, "http://c/d/e/", 0},
		{"no default", declared(`<!ATTLIST feed xml:base CDATA #IMPLIED><!ATTLIST entry xml:base CDATA #REQUIRED x CDATA "y">`) + atomNS + `><icon>@z</icon><entry>` + known + `</entry></feed>`, "http://h/", 0},
		{"a comment", declared(`<!-- xml:base "x" --><?xml:base "y"?><!ENTITY c "xxml:bas"><!ENTITY d "http://b/">`) + atomNS + `><entry>` + known + `</entry></feed>`, "http://h/", 0},

		{"a link with an entity", entity + `<rss><channel><link>http://c/</link><item><link>&b;</link>` + item + rssTail, "", 2},
		{"a link within an entity", entity + atomNS + `><entry><link href="http://e/&b;/"/>` + html + `</entry></feed>`, "", 1},
		{"a link that is invalid", atomNS + `><entry><link href="http:e"/>` + html + `</entry></feed>`, "", 1},
		{"a link, and another", entity + atomNS + `><entry>` + known + `<link href="http://e/&b;/"/><link href="http://e/"/></entry></feed>`, "http://e/", 1},
		{"a link in a section", entity + `<rss><channel><item><link><![CDATA[http://c/&b;/]]></link>` + strings.Replace(item, `"x"`, `"@x"`, 1) + rssTail, "http://c/", 0},
		{"rdf:about", rdfNS + `<channel><link>http://c/</link></channel><item rdf:about="http:a">` + item + `</rdf:RDF>`, "", 1},
		{"the feed's link", entity + `<rss><channel><link>http://c/&b;/</link><item>` + item + `<item><link>http://e/</link>` + strings.Replace(item, `"x"`, `"@x"`, 1) + rssTail, "http://e/", 1},
		{"many entries", entity + atomNS + ` xml:base="&b;">` + strings.Repeat(`<entry><link href="e"/>`+html+`</entry>`, 100) + `</feed>`, "", 1},
		{"laughs", declared(`<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">`) + atomNS + ` xml:base="&b;&b;&b;&b;"><entry><link href="&b;&b;&b;"/>` + html + `</entry></feed>`, "", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, want := strings.ReplaceAll(test.in, "@", ""), strings.ReplaceAll(test.in, "@", test.base)
			got, warnings := rewriteString(t, in)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if n := strings.Count(warnings, "\n"); warnings == "" != (test.warnings == 0) || n != max(0, test.warnings-1) {
				t.Errorf("want %d warnings: %s", test.warnings, warnings)
			}
			checkPromises(t, []byte(in))
		})
	}
}

// The HTML of an entry stays whose link is relative where no URL of the feed is known, even
// if the feed has a link. Unresolvable is told of the links, and Warn of an entry's link only
// where a base would not help.
func TestUnknownLink(t *testing.T) {
	for i, in := range []string{
		`<rss><channel><link>http://c/</link><item><description>` + anchor + `</description><link>one/</link></item></channel></rss>`,
		`<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://c/"/><entry><link href="one/"/><title type="html">` + anchor + `</title></entry></feed>`,
		jsonAround(`"home_page_url": "http://c/", `, `"content_html": "<a href=x>", "url": "one/"`),
		jsonAround(`"home_page_url": "http://c/", `, `"content_html": "<a href=x>", "url": "http:\u0001"`),
	} {
		for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
			var out strings.Builder
			var outer []rewriter.Base
			warnings, links := 0, 0
			html := rewriter.Must(rewriter.New(rewriter.Options{Profile: p})).With(rewriter.Hooks{
				Unresolvable: func(*rewriter.Place) { links++ },
				Warn:         func(int64, error) { warnings++ },
				End:          func(d *rewriter.Document) { outer = append(outer, d.Outer) },
			})
			rw := Rewriter{HTML: html}
			if _, err := rw.Rewrite(&out, strings.NewReader(in), nil); err != nil || out.String() != in || warnings != i/3 || links == 0 || fmt.Sprint(outer) != fmt.Sprint([]rewriter.Base{{}}) {
				t.Errorf("%v: %s, %d warnings, %d links, %v, %v", p, out.String(), warnings, links, outer, err)
			}
		}
	}
}
