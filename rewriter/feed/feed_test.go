package feed

import (
	"errors"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

func base(t testing.TB, url string) *resolver.Base {
	t.Helper()
	if url == "" {
		return nil
	}
	b, err := resolver.ParseBase(url, resolver.RFC1808)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const feedURL = "http://feed.example/f/feed.xml"

// anchor is a link to x, as the text of an element has it.
const anchor = `&lt;a href="x"&gt;`

// The base that counts is the one that the package documentation says, line by line.
func TestBase(t *testing.T) {
	const (
		rssHead  = `<rss version="2.0"><channel>`
		rssTail  = `</channel></rss>`
		atomHead = `<feed xmlns="http://www.w3.org/2005/Atom"`
		rdfHead  = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">`
		html     = `<content type="html">` + anchor + `</content>`
	)
	for _, test := range []struct{ name, in, base, from string }{
		{"1 xml:base of the element", atomHead + ` xml:base="http://a/"><entry xml:base="http://b/"><link href="http://c/"/><content type="html" xml:base="http://d/d/">` + anchor + `</content></entry></feed>`, "http://d/d/", "xml:base"},
		{"1 xml:base of the entry", atomHead + ` xml:base="http://a/"><entry xml:base="http://b/"><link href="http://c/"/>` + html + `</entry></feed>`, "http://b/", "xml:base"},
		{"1 xml:base of the feed", atomHead + ` xml:base="http://a/"><entry><link href="http://c/"/>` + html + `</entry></feed>`, "http://a/", "xml:base"},
		{"1 xml:base, relative, along all", atomHead + ` xml:base="/a/"><entry xml:base="b/"><content type="html" xml:base="c/">` + anchor + `</content></entry></feed>`, "http://feed.example/a/b/c/", "xml:base"},
		{"1 xml:base, empty", atomHead + ` xml:base="http://a/b/"><entry xml:base="">` + html + `</entry></feed>`, "http://a/b/", "xml:base"},
		{"1 xml:base in RSS", rssHead + `<item xml:base="http://b/"><link>http://c/</link><description>` + anchor + `</description></item>` + rssTail, "http://b/", "xml:base"},
		{"1 xml:base of XHTML", atomHead + `><entry><link href="http://c/"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml" xml:base="http://e/"><a href="x"/></div></content></entry></feed>`, "http://e/", "xml:base"},
		{"2 RSS link", rssHead + `<link>http://a/</link><item><link> http://c/d </link><description>` + anchor + `</description></item>` + rssTail, "http://c/d", "entry link"},
		{"2 RSS link after it", rssHead + `<link>http://a/</link><item><description>` + anchor + `</description><link><![CDATA[http://c/?]]>a&amp;b</link></item>` + rssTail, "http://c/?a&b", "entry link"},
		{"2 the first RSS link", rssHead + `<item><link/><link> </link><link>http://c/</link><link>http://d/</link><description>` + anchor + `</description></item>` + rssTail, "http://c/", "entry link"},
		{"2 Atom alternate", atomHead + `><link href="http://a/"/><entry>` + html + `<link rel="self" href="http://b/"/><link rel="alternate" href="http://c/&amp;"/></entry></feed>`, "http://c/&", "entry link"},
		{"2 Atom without rel", atomHead + `><entry>` + html + `<link rel="enclosure" href="http://b/"/><link href="http://c/"/><link href="http://d/"/></entry></feed>`, "http://c/", "entry link"},
		{"2 Atom link of a source is none", atomHead + `><entry><source><link href="http://b/"/></source>` + html + `<link href="http://c/"/></entry></feed>`, "http://c/", "entry link"},
		{"2 a link relative to the feed", atomHead + `><entry>` + html + `<link href="/c/"/></entry></feed>`, "http://feed.example/c/", "entry link"},
		{"2 a link relative to its xml:base", atomHead + `><entry>` + html + `<link xml:base="http://e/e/" href="c/"/></entry></feed>`, "http://e/e/c/", "entry link"},
		{"2 RDF link", rdfHead + `<item rdf:about="http://b/"><description>` + anchor + `</description><link>http://c/</link></item></rdf:RDF>`, "http://c/", "entry link"},
		{"2 an entry alone", `<entry xmlns="http://www.w3.org/2005/Atom">` + html + `<link href="http://c/"/></entry>`, "http://c/", "entry link"},
		{"3 rdf:about", rdfHead + `<channel rdf:about="http://z/"><link>http://a/</link></channel><item rdf:about="http://b/"><description>` + anchor + `</description></item></rdf:RDF>`, "http://b/", "rdf:about"},
		{"4 RSS channel link", rssHead + `<link>http://a/b</link><item><description>` + anchor + `</description></item>` + rssTail, "http://a/b", "feed link"},
		{"4 of an image is none", rssHead + `<image><link>http://i/</link></image><link>http://a/b</link><item><description>` + anchor + `</description></item>` + rssTail, "http://a/b", "feed link"},
		{"4 Atom feed link", atomHead + `><link rel="self" href="http://s/"/><link href="http://a/b"/><entry>` + html + `</entry></feed>`, "http://a/b", "feed link"},
		{"4 Atom feed link after what needs it", atomHead + `><subtitle type="html">` + anchor + `</subtitle><link href="http://a/b"/></feed>`, "http://a/b", "feed link"},
		{"4 RDF channel link", rdfHead + `<channel rdf:about="http://z/"><link>http://a/</link></channel><item><description>` + anchor + `</description></item></rdf:RDF>`, "http://a/", "feed link"},
		{"4 RDF channel rdf:about", rdfHead + `<channel rdf:about="http://z/"></channel><item><description>` + anchor + `</description></item></rdf:RDF>`, "http://z/", "rdf:about"},
		{"4 not of the entry before", rssHead + `<link>http://a/b</link><item><link>http://c/</link></item><item><description>` + anchor + `</description></item>` + rssTail, "http://a/b", "feed link"},
		{"5 the feed's own URL", rssHead + `<item><description>` + anchor + `</description></item>` + rssTail, feedURL, ""},
		{"5 mailto: is none", rssHead + `<link>mailto:x@y</link><item><description>` + anchor + `</description></item>` + rssTail, feedURL, ""},
		{"BASE", rssHead + `<link>http://a/b</link><item><description>&lt;base href="http://z/z/"&gt;` + anchor + `</description></item>` + rssTail, "http://z/z/", "BASE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := passBy(t, Rewriter{}, strings.NewReader(test.in), feedURL, nil)
			want, err := base(t, test.base).Resolve("x")
			if err != nil {
				t.Fatal(err)
			}
			want = `href="` + strings.ReplaceAll(want, "&", "&amp;amp;") + `"`
			got := strings.Replace(test.in, `href="x"`, want, 1)
			got = strings.Replace(got, `href="/c/"`, `href="http://feed.example/c/"`, 1)
			got = strings.Replace(got, `href="c/"`, `href="http://e/e/c/"`, 1)
			if p.out != got {
				t.Errorf("got  %s\nwant %s", p.out, got)
			}
			if len(p.docs) == 0 {
				t.Fatal("no document")
			}
			r := p.docs[1].Result // at its end
			if r.Base.URL.String() != test.base || test.from != "BASE" && r.Base.Name != test.from {
				t.Errorf("base %s from %q", r.Base.URL, r.Base.Name)
			}
			if test.from == "" || test.from == "BASE" {
				return
			}
			if at := test.in[r.Base.Offset:]; p.docs[1].Outer.Source != rewriter.EntityBase || !strings.HasPrefix(at, "http") && !strings.HasPrefix(at, "<link") && !strings.HasPrefix(at, "/c/") && !strings.HasPrefix(at, "c/") && !strings.HasPrefix(at, `"`) {
				t.Errorf("the base stands at %.20q", at)
			}
		})
	}
}

// rewriteString rewrites on http://h/.
func rewriteString(t testing.TB, in string) (out, warnings string) {
	t.Helper()
	p := passBy(t, Rewriter{}, strings.NewReader(in), "http://h/", nil)
	return p.out, strings.Join(p.warnings, "\n")
}

// The Hold of HTML, when Warn is told of it, comes with the name of the field and its
// value.
func TestLimitOfHTML(t *testing.T) {
	in := `<rss><channel><item><description>&lt;a ` + strings.Repeat("<!---->", 100_000)
	var limit *rewriter.LimitError
	rw := Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Hold: 1000, MaxTag: 1000})).With(rewriter.Hooks{Warn: func(_ int64, err error) { errors.As(err, &limit) }})}
	if _, err := rw.Rewrite(nil, strings.NewReader(in), nil); err != nil || limit == nil || limit.Field != "Hold" || limit.Limit != 1000 {
		t.Errorf("%v, %+v", err, limit)
	}
}
