package feed

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// examples returns the feeds in testdata by file name: each as it is, and rewritten.
func examples(t testing.TB) map[string][2][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	all := map[string][2][]byte{}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil || len(a.Files) != 2 {
			t.Fatalf("%s: %d files, %v", name, len(a.Files), err)
		}
		all[filepath.Base(name)] = [2][]byte{a.Files[0].Data, a.Files[1].Data}
	}
	return all
}

func TestExamples(t *testing.T) {
	for name, example := range examples(t) {
		t.Run(name, func(t *testing.T) {
			p := passBy(t, Rewriter{}, bytes.NewReader(example[0]), "https://feeds.example/log.atom", nil)
			if p.out != string(example[1]) || len(p.warnings) > 0 {
				t.Errorf("got\n%s\nwant\n%s\n%q", p.out, example[1], p.warnings)
			}
			checkPromises(t, example[0])
			for i := range example[0] { // wherever the feed is cut off
				if i%61 == 0 {
					checkPromises(t, example[0][:i])
				}
			}
			if !Is(example[0], "x") {
				t.Error("is no feed")
			}
		})
	}
}

func TestIs(t *testing.T) {
	for _, test := range []struct {
		start, name string
		want        bool
	}{
		{`<rss version="2.0">`, "", true},
		{"\ufeff<?xml version='1.0'?>\n<!-- x --><!DOCTYPE rss [<!ENTITY a '>'>]>\n<rss>", "x.html", true},
		{`<feed xmlns="http://www.w3.org/2005/Atom">`, "", true},
		{`<a:feed xmlns:a='http://www.w3.org/2005/Atom'>`, "", true},
		{`<atom:feed xmlns:atom='http://www.w3.org/2005/Atom'>`, "", true},
		{`<entry xmlns="http://www.w3.org/2005/Atom">`, "", true},
		{`<feed version="0.3" xmlns="http://purl.org/atom/ns#">`, "", true},
		{`<feed>`, "x.xml", false},
		{`<feed>`, "x.atom", true},
		{`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">`, "", true},
		{`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">`, "x.rdf", false},
		{`<html xmlns="http://www.w3.org/1999/xhtml">`, "x.rss", false},
		{`<!DOCTYPE html><html>`, "", false},
		{`<?xml version="1.0"?><!-- ` + strings.Repeat("x", 4096), "x.RSS", true},
		{`<?xml version="1.0"?><!-- ` + strings.Repeat("x", 4096), "x.xml", false},
		{`<?xml version="1.0"?><rss xmlns="x`, "x.rss", true},
		{"\xff\xfe<\x00r\x00s\x00s\x00>\x00", "", true},
		{"{}", "x.rss", false},
		{`{"version": "https://jsonfeed.org/version/1.1"`, "", true},
		{"\xef\xbb\xbf\n{\"title\": \"version\", \"version\": \"https:\\/\\/jsonfeed.org\\/version\\/1\"", "", true},
		{`{"version": "https://www.jsonfeed.org/version/1.2"}`, "x", true},
		{`{"version": "1.1", "items": [], "feed_url": "x"}`, "feed.json", false},
		{`{"a": {"version": "https://jsonfeed.org/version/1.1"}}`, "feed.json", false},
		{`["version", "https://jsonfeed.org/version/1.1"]`, "feed.json", false},
		{`{"feed_url": "x", "items": [{"id": "` + strings.Repeat("x", 4096), "feed.json", true},
		{`{"feed_url": "x", "items": [{"id": "` + strings.Repeat("x", 4096), "feed", false},
		{`{"feed_url": "x", "items": []}`, "feed.json", false},
		{`{"name": "x", "items": [{"id": "` + strings.Repeat("x", 4096), "package.json", false},
		{"{{ define }}", "x.json", false},
		{"{", "x.json", false},
		{`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, "", true},
		{`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, "x.xml", true},
		{`<urlset>`, "sitemap.xml", true},
		{`<urlset xmlns="http://x.example/">`, "sitemap.xml", false},
		{"", "x.rss", false},
		{"", "", false},
	} {
		if got := Is([]byte(test.start), test.name); got != test.want {
			t.Errorf("%.60q, %s: %v", test.start, test.name, got)
		}
	}
}

// The promises hold for any bytes: as a feed, and inside two elements that hold HTML.
func FuzzFeed(f *testing.F) {
	for _, example := range examples(f) {
		f.Add(example[0])
	}
	for _, s := range []string{
		"\xff\xfe<\x00", "<!DOCTYPE x [<!--]>-->'\"", "<?xml encoding='shift_jis'?><rss>\x83]]>", "<a x='<b y=\"<", "&#xfffe;&#55296;&a.b-c;&;", "]]>]]&gt;",
		`<a href="x<![CDATA[y]]>`, `&lt;base ]] href=x&gt;`, "<![CDATA[<base ]] href=x>]]>", `{"icon":"x","items":[{"url":"\u0061/","content_html":"<base href=\"b/\"><a href=\ud83d\ude00>"}]}`, `\u003ca href='x\/\ud800'`, "PGEgaHJlZj0ieCI+\r\n PGI+", "<p xml:base='/a'><style><b>&lt;/style>",
	} {
		f.Add([]byte(s))
		for _, around := range []string{rssAround, atomAround, ownAround, quotedAround, bodyAround} {
			f.Add([]byte(strings.Replace(around, "*", s, 1)))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 4<<10 {
			return
		}
		checkPromises(t, in)
		for _, around := range []string{rssAround, atomAround, ownAround, quotedAround, bodyAround} {
			if wrapped := strings.Replace(around, "*", string(in), 1); bytes.IndexByte(in, 0) < 0 {
				checkPromises(t, []byte(wrapped))
			}
		}
		Is(in, "")
	})
}

const (
	rssAround    = `<rss><channel><item><description>*</description><link>http://c/d/</link></item></channel></rss>`
	ownAround    = `<rss><channel xml:base="b/"><item><link>*</link><enclosure url="*"/><comments> *x<![CDATA[*]]>y </comments></item></channel></rss>`
	quotedAround = `{"icon": "*", "items": [{"*": "x", "content_html": "<p>*", "url": "u/*"}, {"content_html": "<a href=x>"}]}`
	bodyAround   = `<rss><channel><item><body>*</body></item></channel></rss>`
	atomAround   = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">*</div></content></entry></feed>`
)
