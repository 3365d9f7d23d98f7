package feed

import (
	"strings"
	"testing"
)

// With IgnoreLinks, the base of a document is an xml:base or the feed's own URL, also in a feed
// that Hugo has written with relativeURLs.
func TestIgnoreLinks(t *testing.T) {
	const item = `<item><link>./posts/one/</link><description>&lt;a href="./posts/two/"&gt;</description></item>`
	for _, tt := range []struct{ name, in, byLink, byFeed string }{
		{"Hugo", `<rss><channel><link>./</link>` + item + `</channel></rss>`, "https://blog.example/posts/one/posts/two/", "https://blog.example/posts/two/"},
		{"an entry of Atom", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="/l/"/><entry><link href="/e/"/><content type="html">&lt;a href="x"&gt;</content></entry></feed>`,
			"https://blog.example/e/x", "https://blog.example/x"},
		{"the link of the feed", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="/l/"/><entry><content type="html">&lt;a href="x"&gt;</content></entry></feed>`,
			"https://blog.example/l/x", "https://blog.example/x"},
		{"rdf:about", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item rdf:about="/e/"><description>&lt;a href="x"&gt;</description></item></rdf:RDF>`,
			"https://blog.example/e/x", "https://blog.example/x"},
		{"xml:base", `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/b/"><link href="/l/"/><entry><link href="/e/"/><content type="html">&lt;a href="x"&gt;</content></entry></feed>`,
			"https://blog.example/b/x", "https://blog.example/b/x"},
		{"JSON Feed", `{"version": "https://jsonfeed.org/version/1", "home_page_url": "/l/", "items": [{"url": "/e/", "content_html": "<a href=x>"}]}`,
			"https://blog.example/e/x", "https://blog.example/x"},
	} {
		for ignore, want := range map[bool]string{false: tt.byLink, true: tt.byFeed} {
			var urls []string
			for _, p := range passBy(t, Rewriter{IgnoreLinks: ignore}, strings.NewReader(tt.in), "https://blog.example/index.xml", nil).places {
				if p.Document.Offset > 0 {
					urls = append(urls, p.URL)
				}
			}
			if strings.Join(urls, " ") != want {
				t.Errorf("%s, %v: %q, not %q", tt.name, ignore, urls, want)
			}
		}
	}
	// The feed_url of a JSON Feed is its own URL.
	in := `{"version": "https://jsonfeed.org/version/1", "home_page_url": "http://l/", "feed_url": "http://f/f.json", "items": [{"url": "http://e/", "content_html": "<a href=x>"}]}`
	if out := passBy(t, Rewriter{IgnoreLinks: true}, strings.NewReader(in), "", nil).out; !strings.Contains(out, "<a href=http://f/x>") {
		t.Error(out)
	}
}

// The style sheet for browsers is a place of the feed, before its first element.
func TestStylesheet(t *testing.T) {
	const at = "http://h/" // of rewriteString
	const rss = "<rss><channel><title>t</title></channel></rss>"
	for _, tt := range []struct{ in, want string }{
		{`<?xml-stylesheet href="rss.xsl"?>`, `<?xml-stylesheet href="` + at + `rss.xsl"?>`},
		{`<?xml version="1.0"?> <?xml-stylesheet type='text/xsl' href = '/a?b&amp;c' ?>`, `<?xml version="1.0"?> <?xml-stylesheet type='text/xsl' href = '` + at + `a?b&amp;c' ?>`},
		{`<!DOCTYPE rss [<?xml-stylesheet href="x"?>]><?xml-stylesheet href="y"?><?xml-stylesheet href="z"?>`,
			`<!DOCTYPE rss [<?xml-stylesheet href="x"?>]><?xml-stylesheet href="` + at + `y"?><?xml-stylesheet href="` + at + `z"?>`},
		{`<?xml-stylesheet href="http://e/x.css"?>`, ""},
		{`<?xml-stylesheet href="#s"?>`, ""},
		{`<?xml-stylesheet href="&#35;s"?>`, ""},
		{`<?xml-stylesheet href=x?>`, ""},
		{`<?xml-stylesheet href="x"`, ""},
		{`<?xml-stylesheet?>`, ""},
		{`<?xml-stylesheets href="x"?>`, ""},
		{`<?xml-stylesheet src="x"?>`, ""},
		{`<!--<?xml-stylesheet href="x"?>-->`, ""},
		{`<?XML-stylesheet href="x"?>`, ""},
		{`<?xml-stylesheet href="` + strings.Repeat("x", 20_000) + `"?>`, ""},
	} {
		want := tt.want
		if want == "" {
			want = tt.in
		}
		for _, after := range []string{rss, ""} {
			if got, _ := rewriteString(t, tt.in+after); got != want+after {
				t.Errorf("%q becomes %q, not %q", tt.in+after, got, want+after)
			}
		}
		if got, warnings := rewriteString(t, rss+tt.in); got != rss+tt.in {
			t.Errorf("after the feed, %q becomes %q: %s", tt.in, got, warnings)
		}
		checkPromises(t, []byte(tt.in+rss))
	}
}
