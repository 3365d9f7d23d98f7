package feed

import (
	"strings"
	"testing"

	"absolink/internal/test/doors"
	"absolink/rewriter"
)

// bounds are what docs/limits.md says of a feed.
var bounds = doors.Bounds{
	New:   func(html *rewriter.Rewriter, hold int) doors.Adapter { return &Rewriter{HTML: html, Hold: hold} },
	Times: 11,
}

// Memory is bounded whatever the feed, and whatever form a document has that waits for its
// base. What follows in the feed is rewritten.
func TestMemory(t *testing.T) {
	const (
		channel  = `<rss><channel><link>http://a/</link>`
		item     = `<rss><channel><item><link>http://h/</link><description>`
		start    = `<feed xmlns="http://www.w3.org/2005/Atom">`
		entry    = start + `<entry><link href="http://h/"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">`
		next     = `</description></item><item><link>http://h/</link><description>&lt;a href=x&gt;</description></item>`
		end      = `&lt;a href=http://h/x&gt;</description></item>`
		link     = `&lt;link href=x>`
		jsonItem = `{"icon": "x", "items": [{`
		atomEnd  = `</div></content></entry>`
		some     = 1 << 20   // of what is never held, and takes long
		few      = 256 << 10 // of what takes even longer
	)
	long, url := strings.Repeat("x", 15<<10), "http://h/"+strings.Repeat("a", rewriter.MaxBase-20)+"/"
	bounds.Long(t, []doors.Long{
		{Name: "many entries", Size: some, Head: channel, Part: `<item><description>` + anchor + `</description><link>http://c/</link></item>`, End: `&lt;a href="http://c/x"&gt;</description><link>http://c/</link></item>`},
		{Name: "no entries", Head: channel, Part: "<x>y</x>"},
		{Name: "a long text", Head: channel, Part: "abc &amp; "},
		{Name: "a long comment", Head: channel + "<!--", Part: "- --"},
		{Name: "a long declaration", Head: "<!DOCTYPE x [", Part: "<!ENTITY a '>'>"},
		{Name: "a long document", Size: some, Head: channel + `<item><description>`, Part: anchor, End: `&lt;a href="http://a/x"&gt;`},
		{Name: "a long document in CDATA", Head: channel + `<item><description><![CDATA[`, Part: `<a href=x>`, End: `<a href=http://a/x>`},
		{Name: "long XHTML", Size: some, Head: entry, Part: `<p><a href="x"/><br/></p>`, End: `<p><a href="http://h/x"/><br/></p>`},
		{Name: "XHTML with many bases", Head: entry, Part: `<p xml:base="b/"><a href="x"/><br/></p>`, Size: few, End: `<a href="http://h/b/x"/><br/></p>`},
		{Name: "deep", Head: channel, Part: `<x xmlns:y="http://y/" xml:base="x/">`},
		{Name: "deep XHTML", Size: some, Head: entry, Part: `<x>`},
		{Name: "a long tag", Head: channel + "<x", Part: ` y="z"`},
		{Name: "tags that do not end", Head: channel, Part: `<x y="`},
		{Name: "brackets", Head: channel, Part: `<`},
		{Name: "brackets in text", Part: "< x "},
		{Name: "end tags and brackets", Part: "</x><"},
		{Name: "brackets in a document", Head: `<rss><channel><item><description>`, Part: "< "},
		{Name: "end tags in XHTML", Head: entry, Part: "</x><"},
		{Name: "bases in a tag", Head: `<rss`, Part: ` xml:base="mailto:x"`},
		{Name: "too deep, many times", Head: strings.Repeat(`<x>`, 256), Part: `<x xml:base="y/"/>`},
		{Name: "end tags", Head: channel, Part: `</x>`},
		{Name: "many links", Size: some, Head: channel + `<item>`, Part: `<link>http://a/</link>`},
		{Name: "a long link", Head: channel + `<item><link>`, Part: `http://a/`},
		{Name: "a URL in an attribute", Head: channel + `<item><enclosure url="`, Part: `x`},
		{Name: "enclosures", Size: some, Head: channel + `<item>`, Part: `<enclosure url="x"/>`, End: `<enclosure url="http://h/x"/>`},
		{Name: "a URL of the feed", Head: channel + `<docs>`, Part: `&#120;<![CDATA[]]>`},
		{Name: "a body", Size: some, Head: channel + `<item><body>`, Part: `<a href=x/>`},
		{Name: "bodies", Size: some, Head: channel + `<item>`, Part: `<body>x</body>`},
		{Name: "references without end", Head: channel, Part: `&amp`},

		{Name: "held references", Head: item + link, Part: "&#10;", Tail: next, End: end},
		{Name: "held markup", Head: item + link, Part: "&lt;!--&gt;", Tail: next, End: end},
		{Name: "held comments", Head: item + link, Part: "<!---->", Tail: next, End: end},
		{Name: "held sections", Head: item + link, Part: "<![CDATA[]]>", Tail: next, End: end},
		{Name: "a held section", Head: item + link + "<![CDATA[", Part: " \n", Tail: "]]>" + next, End: end},
		{Name: "held brackets", Head: item + "&lt;!--", Part: "<", Tail: next, End: end},
		{Name: "long references", Head: item + link, Part: "&#" + strings.Repeat("0", 50) + "10;", Tail: next, End: end},
		{Name: "held entities", Head: item + link, Part: "&a;", Tail: next, End: end},
		{Name: "comments in a tag", Head: item + "&lt;a ", Part: "<!---->", Tail: next, End: end},
		{Name: "held XHTML", Head: entry + "<link href='x'/>", Part: "<meta/>", Tail: atomEnd, End: "</entry>"},
		{Name: "held XHTML, comments", Head: entry + "<link href='x'/>", Part: "<!---->", Tail: atomEnd, End: "</entry>"},
		{Name: "held XHTML, CDATA", Head: entry + "<style>", Part: "<![CDATA[<]]>", Tail: "</style>" + atomEnd, End: "</entry>"},
		{Name: "held XHTML, wrong tags", Head: entry + "<link href='x'/>", Part: "</x>", Tail: atomEnd, End: "</entry>"},
		{Name: "held XHTML, elements", Head: entry + "<link href='x'/><template>", Part: "<p></p>", Tail: "</template>" + atomEnd, Size: few, End: "</entry>"},
		{Name: "held XHTML, bases", Head: entry + "<link href='x'/>", Part: "<p xml:base='x/'/>", Tail: atomEnd, Size: few, End: "</entry>"},

		{Name: "open links", Head: start, Part: `<link href="` + long + `" rel="` + long + `">`, Size: 10 << 20},
		{Name: "open items", Head: start, Part: `<x xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:about="` + long + `">`, Size: 10 << 20},
		{Name: "types", Head: start, Part: `<x type="` + long + `" mode="` + long + `" y="` + long + `">`, Size: 15 << 20},
		{Name: "names", Head: start, Part: `<` + long + ` xmlns:` + long + `="` + long + `">`, Size: 15 << 20},
		{Name: "bases", Head: start, Part: `<x xml:base="` + url + `">`, More: 2 << 20},
		{Name: "prefixes", Head: start, Part: `<x` + strings.Repeat(` xmlns:`+strings.Repeat("x", 250)+`="http://www.w3.org/2005/Atom"`, 200) + `>`, Size: 10 << 20},

		{Name: "JSON, arrays", Head: `{"a":`, Part: `[`},
		{Name: "JSON, objects", Head: `{"a":`, Part: `{"b":`},
		{Name: "JSON, arrays of authors", Head: `{"authors":`, Part: `[`},
		{Name: "JSON, arrays in items", Head: `{"jsonItems":[`, Part: `[`},
		{Name: "JSON, a string", Head: `{"a":"`, Part: `abc\n`, Tail: `"}`, End: `"}`},
		{Name: "JSON, a name", Head: `{"`, Part: `abc\n`, Tail: `":1}`, End: `":1}`},
		{Name: "JSON, a URL", Head: `{"icon":"`, Part: `abc`, Tail: `","favicon":"x"}`, End: `","favicon":"http://h/x"}`},
		{Name: "JSON, a URL of escapes", Head: `{"icon":"`, Part: `\u0041`, Tail: `"}`, End: `"}`},
		{Name: "JSON, a home page", Head: `{"home_page_url":"`, Part: `\u0041`, Tail: `"}`, End: `"}`},
		{Name: "JSON, a document", Head: jsonItem + `"content_html":"`, Part: `<a href=x>`, Tail: `"}]}`, End: `"}]}`},
		{Name: "JSON, a document of escapes", Size: some, Head: jsonItem + `"content_html":"`, Part: `\u003ca href=x\u003e`, Tail: `"}]}`, End: `"}]}`},
		{Name: "JSON, a document that waits", Head: jsonItem + `"content_html":"<link href=x>`, Part: ` \n`, Tail: `"}]}`, End: `"}]}`},
		{Name: "JSON, a tag", Head: jsonItem + `"content_html":"<a `, Part: `\u0041`, Tail: `"}]}`, End: `"}]}`},
		{Name: "JSON, members", Size: some, Head: `{`, Part: `"icon":"x",`, Tail: `"a":1}`, End: `"a":1}`},
		{Name: "JSON, items", Head: `{"jsonItems":[`, Part: `{"url":"x","content_html":"<a href=y>"},`, Tail: `{}]}`, End: `{}]}`},
		{Name: "JSON, items that do not end", Head: `{"jsonItems":[`, Part: `{"url":"x",`},
		{Name: "JSON, an item", Head: jsonItem, Part: `"a":"b",`, Tail: `"url":"u"}]}`, End: `"url":"http://h/u"}]}`},
		{Name: "JSON, numbers", Head: `{"a":`, Part: `1`, Tail: `}`, End: `}`},
		{Name: "JSON, white space", Head: `{"a":`, Part: " \n", Tail: `1}`, End: `1}`},
		{Name: "JSON, commas", Head: `{"jsonItems":[`, Part: ",", Tail: `]}`, End: `]}`},
		{Name: "JSON, lone surrogates", Head: jsonItem + `"content_html":"`, Part: `\ud83d`, Tail: `"}]}`, End: `"}]}`},
		{Name: "JSON, quotes", Head: `{"a":`, Part: `""`, Tail: `}`, End: `}`},
	})
}

func TestLateBase(t *testing.T) {
	const (
		rss  = `<rss><channel><item><description>`
		end  = `</description></item></channel></rss>`
		atom = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:h="http://www.w3.org/1999/xhtml"><entry><content type="application/xhtml+xml"><html xmlns="http://www.w3.org/1999/xhtml"><head>`
		json = `{"version": "https://jsonfeed.org/version/1", "items": [{"content_html": "`
	)
	same := func(s string) string { return s }
	each := func(format string) func(string) string {
		return func(s string) string { return doors.Each(format, s) }
	}
	bounds.LateBase(t, map[string]doors.Form{
		"escaped":     {Start: rss, Encode: strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace, End: end},
		"references":  {Start: rss, Encode: each("&#%d;"), End: end},
		"hexadecimal": {Start: rss, Encode: each("&#x%x;"), End: end},
		"CDATA":       {Start: rss + "<![CDATA[", Encode: same, End: "]]>" + end},
		"XHTML":       {Start: atom, Encode: same, End: `</head></html></content></entry></feed>`},
		"prefixes":    {Start: atom, Encode: strings.NewReplacer("</", "</h:", "<", "<h:").Replace, End: `</head></html></content></entry></feed>`},
		"JSON":        {Start: json, Encode: strings.NewReplacer("\n", `\n`).Replace, End: `"}]}`},
		"escapes":     {Start: json, Encode: each(`\u%04x`), End: `"}]}`},
	})
}
