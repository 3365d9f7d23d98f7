package feed

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"absolink/rewriter"
)

// The URLs of a feed itself: each in becomes want on http://h/.
func TestFeedURLs(t *testing.T) {
	const (
		atomNS = `xmlns="http://www.w3.org/2005/Atom"`
		oldNS  = `version="0.3" xmlns="http://purl.org/atom/ns#"`
		rdfNS  = `xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"`
	)
	for _, test := range []struct {
		name, in string // every "@" becomes "http://h/"
		warning  error
	}{
		{"RSS channel", `<rss><channel><link>@x</link><docs>@y</docs><comments>x</comments></channel></rss>`, nil},
		{"RSS item", `<rss><channel><item><link>@x</link><comments>@y</comments><enclosure length="1" url="@z"/><source url="@s">x</source></item></channel></rss>`, nil},
		{"RSS image", `<rss><channel><image><url>@x</url><title>x</title><link>@y</link></image><textInput><name>x</name><link>@z</link></textInput></channel></rss>`, nil},
		{"identifiers", `<rss><channel><item><guid>x</guid><guid isPermaLink="true">y</guid><category domain="x">y</category></item></channel></rss>`, nil},
		{"another parent", `<rss><channel><url>x</url><docs/><item><docs>x</docs><thing><link>x</link></thing></item></channel></rss>`, nil},
		{"RSS 1.0", `<rdf:RDF ` + rdfNS + `><channel rdf:about="c"><link>@x</link><image rdf:resource="i"/><items><rdf:Seq><rdf:li rdf:resource="a"/></rdf:Seq></items></channel><image rdf:about="i"><url>@i</url><link>@l</link></image><item rdf:about="a"><link>@a</link></item><textinput rdf:about="t"><link>@t</link></textinput></rdf:RDF>`, nil},
		{"Atom", `<feed ` + atomNS + `><id>x</id><link href="@x"/><icon>@i</icon><logo>@l</logo><generator uri="@g">x</generator><author><uri>@u</uri><email>x</email></author><category scheme="x" term="y"/></feed>`, nil},
		{"Atom entry", `<entry ` + atomNS + `><id>x</id><link rel='enclosure' href='@x'/><content type='video/mp4' src='@y'/></entry>`, nil},
		{"Atom 0.3", `<feed ` + oldNS + `><link href="@x"/><generator url="@g">x</generator><author><url>@u</url></author><id>x</id></feed>`, nil},
		{"Atom in RSS", `<rss xmlns:a="http://www.w3.org/2005/Atom"><channel><a:link href="@x" rel="self"/></channel></rss>`, nil},
		{"extensions", `<rss><channel><itunes:image href="@i"/><item><media:group><media:content url="@c"><media:player url="@p"/></media:content></media:group><media:thumbnail url="@t"/><media:license href="@l"/><media:backLinks><media:backLink>@b</media:backLink></media:backLinks><media:category scheme="x">y</media:category><wfw:commentRss>@w</wfw:commentRss></item></channel></rss>`, nil},
		{"another namespace", `<rss xmlns:media="http://x.example/"><channel><item><media:content url="x"/><x:link xmlns:x="http://y.example/">x</x:link></item></channel></rss>`, nil},
		{"a sitemap", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>@x</loc><xhtml:link rel="alternate" hreflang="de" href="@y"/><image:image><image:loc>@i</image:loc></image:image><video:video><video:player_loc>@v</video:player_loc><video:title>x</video:title></video:video></url></urlset>`, nil},
		{"a sitemap without namespace", `<urlset><url><loc>@x</loc></url><loc>x</loc></urlset>`, nil},
		{"a sitemap index", `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>@x</loc></sitemap></sitemapindex>`, nil},

		// Values.
		{"white space", "<rss><channel><link>\r\n\t@x \n</link><item><enclosure url=' @y '/></item></channel></rss>", nil},
		{"nothing", `<rss><channel><link> </link><link/><docs></docs><item><enclosure url=""/><enclosure url/></item></channel></rss>`, nil},
		{"CDATA", `<rss><channel><link><![CDATA[@x?a&b]]></link><docs> <![CDATA[ @y ]]> </docs></channel></rss>`, nil},
		{"references", `<rss><channel><link>&#32;@x?a&amp;b&#32;</link><docs>@y&gt;</docs><item><enclosure url="@z?a&amp;b&quot;"/><enclosure url='@z&apos;'/></item></channel></rss>`, nil},
		{"a comment around", `<rss><channel><link><!-- x -->@x<?y?></link></channel></rss>`, nil},
		{"a comment within", `<rss><channel><link>x<!-- -->y</link></channel></rss>`, errMiddle},
		{"a comment within an absolute URL", `<rss><channel><link>http://a/<!-- -->y</link></channel></rss>`, nil},
		{"an entity", `<rss><channel><link>x&nbsp;y</link><item><enclosure url="x&nbsp;y"/></item></channel></rss>`, errMiddle},
		{"an element within", `<rss><channel><docs>x<b/>y</docs></channel></rss>`, errMiddle},
		{"not closed", `<rss><channel><docs>x<item></item></channel></rss>`, errMiddle},
		{"without quotes", `<rss><channel><item><enclosure url=x/></item></channel></rss>`, nil},
		{"the first attribute", `<rss><channel><item><enclosure url="@x" url="y"/></item></channel></rss>`, nil},
		{"absolute", `<rss><channel><link>http://a/</link><docs>mailto:x</docs></channel></rss>`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, want := strings.ReplaceAll(test.in, "@", ""), strings.ReplaceAll(test.in, "@", "http://h/")
			got, warnings := rewriteString(t, in)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if test.warning == nil && warnings != "" || test.warning != nil && !strings.Contains(warnings, test.warning.Error()) {
				t.Errorf("warnings: %s", warnings)
			}
			checkPromises(t, []byte(in))
		})
	}
}

// Text that goes into a CDATA section or comes out of it, and characters that XML or the
// encoding of the feed cannot have.
func TestURLValues(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`<link>a<![CDATA[b]]></link>`, `<link>http://h/a<![CDATA[b]]></link>`},
		{`<link><![CDATA[a]]>b&amp;c </link>`, `<link><![CDATA[http://h/a]]>b&amp;c </link>`},
		{`<link><![CDATA[a]]>b<![CDATA[c ]]></link>`, `<link><![CDATA[http://h/a]]>b<![CDATA[c ]]></link>`},
		{`<link>]]&gt;</link>`, `<link>http://h/]]&gt;</link>`},
		{"<link>a\x00b\"\x00</link>", "<link>http://h/a%00b\"\x00</link>"},
		{`<link><![CDATA[a]]]]><![CDATA[>]]></link>`, `<link><![CDATA[http://h/a]]]]><![CDATA[>]]></link>`},
		{`<link>a<![CDATA[ ]]>b</link>`, `<link>http://h/a<![CDATA[ ]]>b</link>`},
		{`<link>a<![CDATA[]]>b</link>`, `<link>http://h/a<![CDATA[]]>b</link>`},
		{`<link><![CDATA[a]]> <![CDATA[b]]></link>`, `<link><![CDATA[http://h/a]]> <![CDATA[b]]></link>`},
		{`<link><![CDATA[a]]><![CDATA[b]]></link>`, `<link><![CDATA[http://h/a]]><![CDATA[b]]></link>`},
		{`<link>a]</link>`, `<link>http://h/a]</link>`},
		{"<link>a\x01b\uffffé</link>", "<link>http://h/a%01b%EF%BF%BFé</link>"},
		{`<link>a&#xf&amp;b</link>`, `<link>http://h/a&amp;#xf&amp;b</link>`}, // "&#xf&amp;" holds one reference
		{`<link>a&#1 ;b</link>`, `<link>http://h/a&amp;#1 ;b</link>`},
		{`<link>a&#93;]></link>`, `<link>http://h/a]&#93;></link>`},
		{`<link>a'/../b&apos;c</link>`, `<link>http://h/a'/../b&apos;c</link>`},
		{`<docs>a b&#32;c</docs>`, `<docs>http://h/a&#32;b&#32;c</docs>`},
		{`<docs><![CDATA[a b'/]]>c</docs>`, `<docs><![CDATA[http://h/a b'/]]>c</docs>`},
		{`<docs xml:base="/'&lt;&gt;/&#96;&quot;/"><![CDATA[a]]></docs>`, `<docs xml:base="/'&lt;&gt;/&#96;&quot;/"><![CDATA[http://h/%27%3C%3E/%60%22/a]]></docs>`},
		{`<docs xml:base="/'&lt;&gt;/&#96;&quot;/">a</docs>`, `<docs xml:base="/'&lt;&gt;/&#96;&quot;/">http://h/&#39;&lt;&gt;/&#96;&#34;/a</docs>`},
		{"<link>a\xffb</link>", "<link>http://h/a\xffb</link>"},
		{"<link>a\x04b/</link><item><description>&lt;a href=x></description></item>", "<link>http://h/a%04b/</link><item><description>&lt;a href=http://h/a%04b/x></description></item>"},
		{"<docs xml:base='a\x04b/'>c</docs>", "<docs xml:base='a\x04b/'>http://h/a%04b/c</docs>"},
	} {
		in, want := `<rss><channel>`+test.in+`</channel></rss>`, `<rss><channel>`+test.want+`</channel></rss>`
		if got, _ := rewriteString(t, in); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		checkPromises(t, []byte(in))
		in = "<?xml version='1.0' encoding='iso-8859-1'?><rss><channel><link>\xe9&#233;</link><item><enclosure url='\xe9&#233;'/></item></channel></rss>"
		if got, _ := rewriteString(t, in); got != strings.ReplaceAll(in, "\xe9&#233;", "http://h/%C3%A9%C3%A9") {
			t.Errorf("%q", got)
		}
		checkPromises(t, []byte(in))
	}
}

// The base of a feed's own URLs is the xml:base in scope, otherwise the feed's own URL. Its
// link is a base only for documents.
func TestURLBase(t *testing.T) {
	for in, want := range map[string]string{
		`<rss xml:base="http://b/c/"><channel xml:base="d/"><docs>x</docs><docs xml:base="e/">x</docs></channel></rss>`:         "http://b/c/d/x http://b/c/d/e/x",
		`<rss><channel><link>http://l/</link><docs>x</docs><item><link>/y/</link><comments>x</comments></item></channel></rss>`: "http://l/ http://h/p/x http://h/y/ http://h/p/x",
		`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="mailto:x"><icon>x</icon></feed>`:                                   "http://h/p/x",
	} {
		var got []string
		for _, p := range passOf(t, strings.NewReader(in), nil).places {
			got = append(got, p.URL)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q", in, got)
		}
	}
	in := `<rss xml:base="b/"><channel><docs>x</docs></channel></rss>`
	if p := passBy(t, Rewriter{}, strings.NewReader(in), "", nil); p.out != in || p.result.Left != 1 {
		t.Errorf("without any base: %s, %+v", p.out, p.result)
	}
}

// A place of the feed itself is shown like any other.
func TestURLPlace(t *testing.T) {
	in := `<rss><channel><item><media:content type="x" url=' x&amp;y '/><a:link xmlns:a="http://www.w3.org/2005/Atom" rel="self" href="#z"/></item></channel></rss>`
	var got []string
	rw := Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{KeepFragments: true}))}
	p := passBy(t, rw, strings.NewReader(in), "http://h/", func(p *rewriter.Place) {
		got = append(got, fmt.Sprintf("%s %s %q %q %q %s %s %d", p.Element, p.Attr, p.Raw, p.Ref, p.URL, p.Rule.Syntax, p.Rel, p.Document.Offset))
		if !strings.HasPrefix(in[p.Offset:], p.Raw) {
			t.Errorf("%q at %d", p.Raw, p.Offset)
		}
		if p.URL != "" {
			p.URL = "new:<&'"
		}
	})
	if p.result.Rewritten != 1 || p.result.Left != 1 {
		t.Errorf("%+v", p.result)
	}
	if want := []string{`media:content url "x&amp;y" "x&y" "http://h/x&y" url  0`, `a:link href "#z" "#z" "" url self 0`}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	if want := strings.Replace(in, "x&amp;y", "new:&lt;&amp;&#39;", 1); p.out != want {
		t.Errorf("%s", p.out)
	}
}

// A text that is too long for a URL stays, whatever its parts, with a warning.
func TestLongURL(t *testing.T) {
	for _, part := range []string{"x", " ", "<![CDATA[]]>", "<!---->", "&amp;"} {
		in := `<rss><channel><docs>x` + strings.Repeat(part, 3000) + `</docs><docs>y</docs></channel></rss>`
		var out strings.Builder
		var warnings []error
		rw := Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{MaxTag: 2000})).With(rewriter.Hooks{Warn: func(_ int64, err error) { warnings = append(warnings, err) }})}
		if _, err := rw.Rewrite(&out, strings.NewReader(in), base(t, "http://h/")); err != nil {
			t.Fatal(err)
		}
		if out.String() != strings.Replace(in, ">y<", ">http://h/y<", 1) || !reflect.DeepEqual(warnings, []error{errLong(2000)}) {
			t.Errorf("%q: %v", part, warnings)
		}
	}
}
