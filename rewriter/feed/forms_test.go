package feed

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	htmlcharset "golang.org/x/net/html/charset"

	"absolink/resolver"
	"absolink/rewriter"
)

// Where HTML is, and how it is written: each in becomes want on http://h/.
func TestForms(t *testing.T) {
	item := func(s string) string { return `<rss><channel><item>` + s + `</item></channel></rss>` }
	entry := func(s string) string {
		return `<feed xmlns="http://www.w3.org/2005/Atom"><entry>` + s + `</entry></feed>`
	}
	old := func(s string) string {
		return `<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry>` + s + `</entry></feed>`
	}
	const ns = `xmlns="http://www.w3.org/1999/xhtml"`
	for _, test := range []struct {
		name     string
		around   func(string) string
		in, want string // "" as want stands for the same as in
	}{
		{"description", item, `<description>` + anchor + `</description>`, `<description>&lt;a href="http://h/x"&gt;</description>`},
		{"CDATA", item, `<description><![CDATA[<a href="x">]]></description>`, `<description><![CDATA[<a href="http://h/x">]]></description>`},
		{"content:encoded", item, `<content:encoded xmlns:content="http://purl.org/rss/1.0/modules/content/"><![CDATA[<a href="x">]]></content:encoded>`, `<content:encoded xmlns:content="http://purl.org/rss/1.0/modules/content/"><![CDATA[<a href="http://h/x">]]></content:encoded>`},
		{"another prefix", item, `<c:encoded xmlns:c="http://purl.org/rss/1.0/modules/content/">` + anchor + `</c:encoded>`, `<c:encoded xmlns:c="http://purl.org/rss/1.0/modules/content/">&lt;a href="http://h/x"&gt;</c:encoded>`},
		{"the default namespace", item, `<encoded xmlns="http://purl.org/rss/1.0/modules/content/">` + anchor + `</encoded>`, `<encoded xmlns="http://purl.org/rss/1.0/modules/content/">&lt;a href="http://h/x"&gt;</encoded>`},
		{"no declaration", item, `<content:encoded>` + anchor + `</content:encoded>`, `<content:encoded>&lt;a href="http://h/x"&gt;</content:encoded>`},
		{"another namespace", item, `<content:encoded xmlns:content="http://x.example/">` + anchor + `</content:encoded>`, ""},
		{"encoded of nothing", item, `<encoded>` + anchor + `</encoded>`, ""},
		{"RSS title", item, `<title>` + anchor + `</title>`, ""},
		{"dc:description", item, `<dc:description xmlns:dc="http://purl.org/dc/elements/1.1/">` + anchor + `</dc:description>`, ""},
		{"itunes:summary", item, `<itunes:summary xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">` + anchor + `</itunes:summary>`, `<itunes:summary xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">&lt;a href="http://h/x"&gt;</itunes:summary>`},
		{"media:description", item, `<media:group><media:description type="html">` + anchor + `</media:description></media:group>`, `<media:group><media:description type="html">&lt;a href="http://h/x"&gt;</media:description></media:group>`},
		{"plain media:description", item, `<media:description>` + anchor + `</media:description>`, ""},
		{"xhtml:body", item, `<body ` + ns + `><p><a href="x">y</a></p></body>`, `<body ` + ns + `><p><a href="http://h/x">y</a></p></body>`},
		{"the feed's links", item, `<enclosure url="x"/><source url="x"/><comments>x</comments>`, `<enclosure url="http://h/x"/><source url="http://h/x"/><comments>http://h/x</comments>`},
		{"the feed's links in Atom", entry, `<link href="x" rel="self"/><content src="x" type="html"/><icon>x</icon>`, `<link href="http://h/x" rel="self"/><content src="http://h/x" type="html"/><icon>http://h/x</icon>`},

		{"Atom html", entry, `<content type="html">` + anchor + `</content>`, `<content type="html">&lt;a href="http://h/x"&gt;</content>`},
		{"Atom HTML", entry, `<summary type=' HTML '>` + anchor + `</summary>`, `<summary type=' HTML '>&lt;a href="http://h/x"&gt;</summary>`},
		{"Atom title", entry, `<title type="html">` + anchor + `</title>`, `<title type="html">&lt;a href="http://h/x"&gt;</title>`},
		{"Atom rights", entry, `<rights type="html">` + anchor + `</rights>`, `<rights type="html">&lt;a href="http://h/x"&gt;</rights>`},
		{"Atom text/html", entry, `<content type="text/html; charset=utf-8">` + anchor + `</content>`, `<content type="text/html; charset=utf-8">&lt;a href="http://h/x"&gt;</content>`},
		{"Atom text", entry, `<content type="text">` + anchor + `</content>`, ""},
		{"Atom without type", entry, `<content>` + anchor + `</content>`, ""},
		{"Atom other type", entry, `<content type="image/svg+xml"><svg xmlns="http://www.w3.org/2000/svg"><a href="x"/></svg></content>`, ""},
		{"Atom xhtml", entry, `<content type="xhtml"><div ` + ns + `><a href="x"/></div></content>`, `<content type="xhtml"><div ` + ns + `><a href="http://h/x"/></div></content>`},
		{"Atom xhtml with prefix", entry, `<content type="xhtml" xmlns:h="http://www.w3.org/1999/xhtml"><h:div><h:form action="x"/><h:img srcset="x 1x, y 2x"/></h:div></content>`, `<content type="xhtml" xmlns:h="http://www.w3.org/1999/xhtml"><h:div><h:form action="http://h/x"/><h:img srcset="http://h/x 1x, http://h/y 2x"/></h:div></content>`},
		{"Atom application/xhtml+xml", entry, `<content type="application/xhtml+xml"><html ` + ns + `><head><title/><script/><base href="/d/"/></head><body><a href="x"/></body></html></content>`, `<content type="application/xhtml+xml"><html ` + ns + `><head><title/><script/><base href="http://h/d/"/></head><body><a href="http://h/d/x"/></body></html></content>`},
		{"the atom prefix", item, `<a:summary xmlns:a="http://www.w3.org/2005/Atom" type="html">` + anchor + `</a:summary>`, `<a:summary xmlns:a="http://www.w3.org/2005/Atom" type="html">&lt;a href="http://h/x"&gt;</a:summary>`},

		{"Atom 0.3 escaped", old, `<content type="text/html" mode="escaped">` + anchor + `</content>`, `<content type="text/html" mode="escaped">&lt;a href="http://h/x"&gt;</content>`},
		{"Atom 0.3 xml", old, `<content type="application/xhtml+xml"><div ` + ns + `><a href="x"/></div></content>`, `<content type="application/xhtml+xml"><div ` + ns + `><a href="http://h/x"/></div></content>`},
		{"fullitem", item, `<fullitem>` + anchor + `</fullitem>`, `<fullitem>&lt;a href="http://h/x"&gt;</fullitem>`},
		{"body of elements", item, `<body>y <p><a href="x?a&amp;b">y</a><style>a&gt;b{c:url(z)}</style><link>x</link></p></body>`, `<body>y <p><a href="http://h/x?a&amp;b">y</a><style>a&gt;b{c:url(http://h/z)}</style><link>x</link></p></body>`},
		{"body of text", item, `<body>` + anchor + `</body>`, `<body>&lt;a href="http://h/x"&gt;</body>`},
		{"an empty body", item, `<body/><body></body><description>` + anchor + `</description>`, `<body/><body></body><description>&lt;a href="http://h/x"&gt;</description>`},
		{"body of the channel", func(s string) string { return `<rss><channel>` + s + `</channel></rss>` }, `<body><a href="x"/></body><fullitem>` + anchor + `</fullitem>`, ""},

		{"Atom 0.3 plain", old, `<content mode="escaped">` + anchor + `</content>`, ""},

		// How text is written.
		{"an ampersand", item, `<description>&lt;a href="x?a&amp;amp;b"&gt;</description>`, `<description>&lt;a href="http://h/x?a&amp;amp;b"&gt;</description>`},
		{"references of all kinds", item, `<description>&#60;a href=&#x22;x&quot;&#62;&lt;a href=&apos;y&apos;&gt;</description>`, `<description>&#60;a href=&#x22;http://h/x&quot;&#62;&lt;a href=&apos;http://h/y&apos;&gt;</description>`},
		{"a reference in the URL", item, `<description>&lt;a href="&#120;&#x79;"&gt;</description>`, `<description>&lt;a href="http://h/xy"&gt;</description>`},
		{"text and CDATA", item, `<description>&lt;a <![CDATA[href="x">]]> &lt;a href="y"&gt;</description>`, `<description>&lt;a <![CDATA[href="http://h/x">]]> &lt;a href="http://h/y"&gt;</description>`},
		{"a URL that is CDATA", item, `<description>&lt;a href="<![CDATA[y]]>"></description>`, `<description>&lt;a href="<![CDATA[http://h/y]]>"></description>`},
		{"]]> in CDATA", item, `<description><![CDATA[<a href="]]]]><![CDATA[>x">]]></description>`, `<description><![CDATA[<a href="http://h/]]]]><![CDATA[>x">]]></description>`},
		{"]] at the end in CDATA", item, `<description><![CDATA[<a href=x]&#93;>]]></description>`, `<description><![CDATA[<a href=http://h/x]&#93;>]]></description>`},
		{"]]> in text", item, `<description>&lt;a href=x]&#93;&gt;</description>`, `<description>&lt;a href=http://h/x]]&gt;</description>`},
		{"a comment beside", item, `<description><!-- &lt;a href="x"&gt; -->` + anchor + `<?x &lt;a href="x"&gt;?></description>`, `<description><!-- &lt;a href="x"&gt; -->&lt;a href="http://h/x"&gt;<?x &lt;a href="x"&gt;?></description>`},
		{"no control character", item, `<description>&lt;a href="x&amp;#1;y"&gt;</description>`, `<description>&lt;a href="http://h/x&amp;#1;y"&gt;</description>`},
		{"style", item, `<description>&lt;style&gt;a{b:url(x?&amp;y)}&lt;/style&gt;&lt;p style="b:url(x?&amp;amp;y)"&gt;</description>`, `<description>&lt;style&gt;a{b:url(http://h/x?&amp;y)}&lt;/style&gt;&lt;p style="b:url(http://h/x?&amp;amp;y)"&gt;</description>`},
		{"CRLF", item, "<description>\r\n&lt;a\r\nhref=\"x\r\ny\"&gt;\r\n</description>", "<description>\r\n&lt;a\r\nhref=\"http://h/xy\"&gt;\r\n</description>"},

		// How XHTML is read and written.
		{"empty elements", entry, `<content type="xhtml"><div ` + ns + `><script/><title/><style/><iframe/><textarea/><noscript/><template/><plaintext/><a href="x"/></div></content>`, `<content type="xhtml"><div ` + ns + `><script/><title/><style/><iframe/><textarea/><noscript/><template/><plaintext/><a href="http://h/x"/></div></content>`},
		{"CDATA in XHTML", entry, `<content type="xhtml"><div ` + ns + `><![CDATA[<a href="x"><script>]]><a href="x"/></div></content>`, `<content type="xhtml"><div ` + ns + `><![CDATA[<a href="x"><script>]]><a href="http://h/x"/></div></content>`},
		{"a comment in XHTML", entry, `<content type="xhtml"><div ` + ns + `><!--> <a href="x"/> --><?x > <a href="x"/>?><a href="x"/></div></content>`, `<content type="xhtml"><div ` + ns + `><!--> <a href="x"/> --><?x > <a href="x"/>?><a href="http://h/x"/></div></content>`},
		{"style in XHTML", entry, `<content type="xhtml"><div ` + ns + `><style>a{b:url(x?a&amp;b)} <![CDATA[@import 'x?a&b' </style> ]]></style><a href="x"/></div></content>`, `<content type="xhtml"><div ` + ns + `><style>a{b:url(http://h/x?a&amp;b)} <![CDATA[@import 'http://h/x?a&b' </style> ]]></style><a href="http://h/x"/></div></content>`},
		{"style in CDATA in XHTML", entry, `<content type="xhtml"><div ` + ns + `><style><![CDATA[a > b{b:url(x?a&b)}]]></style></div></content>`, `<content type="xhtml"><div ` + ns + `><style><![CDATA[a > b{b:url(http://h/x?a&b)}]]></style></div></content>`},
		{"script in XHTML", entry, `<content type="xhtml"><div ` + ns + `><script>if (a &lt; b) "&lt;/script>&lt;!--&lt;script>"</script><a href="x"/></div></content>`, `<content type="xhtml"><div ` + ns + `><script>if (a &lt; b) "&lt;/script>&lt;!--&lt;script>"</script><a href="http://h/x"/></div></content>`},
		{"attributes in XHTML", entry, `<content type="xhtml"><div ` + ns + `><a href='x?a&amp;b=&quot;&#39;&lt;'/></div></content>`, `<content type="xhtml"><div ` + ns + `><a href='http://h/x?a&amp;b=&quot;&#39;&lt;'/></div></content>`},
		{"SVG in XHTML", entry, `<content type="xhtml"><div ` + ns + `><s:svg xmlns:s="http://www.w3.org/2000/svg"><s:style/><s:image href="x"/></s:svg><a href="x"/></div></content>`, `<content type="xhtml"><div ` + ns + `><s:svg xmlns:s="http://www.w3.org/2000/svg"><s:style/><s:image href="http://h/x"/></s:svg><a href="http://h/x"/></div></content>`},
		{"xml:base in XHTML", entry, `<content type="xhtml"><div ` + ns + `><a href="x"/><p xml:base="/p/"><a href="x"/><b xml:base="b/"><a href="x"/></b><a href="x"/></p><img xml:base="i/" src="x"/><a href="x"/></div></content>`, `<content type="xhtml"><div ` + ns + `><a href="http://h/x"/><p xml:base="/p/"><a href="http://h/p/x"/><b xml:base="b/"><a href="http://h/p/b/x"/></b><a href="http://h/p/x"/></p><img xml:base="i/" src="http://h/i/x"/><a href="http://h/x"/></div></content>`},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := test.around(test.in)
			if test.want != "" {
				want = test.around(test.want)
			}
			got, warnings := rewriteString(t, test.around(test.in))
			if got != want || warnings != "" {
				t.Errorf("got  %s\nwant %s\n%s", got, want, warnings)
			}
			if !isWellFormed(got) {
				t.Errorf("%s is not well-formed", got)
			}
			checkPromises(t, []byte(test.around(test.in)))
		})
	}
}

// The form of a body may be known only after so much is read that its tag has moved in the
// window.
func TestLongBody(t *testing.T) {
	for pad := range 2 {
		in := `<rss><channel><item><title>` + strings.Repeat("x", 40_000+pad) + `</title><body>` + strings.Repeat("/>", 40_000) + anchor + `</body></item></channel></rss>`
		if out := passBy(t, Rewriter{Hold: 30_000}, strings.NewReader(in), "http://h/", nil).out; out != strings.Replace(in, `"x"`, `"http://h/x"`, 1) {
			t.Errorf("%d: %s", pad, out[len(out)-80:])
		}
	}
}

// Warn is told what is wrong with a feed, and what can be understood is rewritten.
func TestMalformed(t *testing.T) {
	for _, test := range []struct{ name, in, want, warning string }{
		{"UTF-16", "\xff\xfe<\x00r\x00s\x00s\x00>\x00", "", errWide.Error()},
		{"UTF-16 without mark", "\x00<\x00r\x00s\x00s\x00>", "", errWide.Error()},
		{"ISO-2022-JP", `<?xml version="1.0" encoding="iso-2022-jp"?><rss><channel><item><description>` + anchor, "", errWide.Error()},
		{"an end tag too many", `<rss><channel><item></b><description>` + anchor + `</i></description></item></channel></rss>`, `<rss><channel><item></b><description>&lt;a href="http://h/x"&gt;</i></description></item></channel></rss>`, errEndTag.Error()},
		{"an end tag too few", `<rss><channel><item><description>` + anchor + `</item><item><description>` + anchor + `</item></channel></rss>`, `<rss><channel><item><description>&lt;a href="http://h/x"&gt;</item><item><description>&lt;a href="http://h/x"&gt;</item></channel></rss>`, ""},
		{"cut off", `<rss><channel><item><description>` + anchor + ` &lt;a href="y`, `<rss><channel><item><description>&lt;a href="http://h/x"&gt; &lt;a href="y`, errEnd.Error()},
		{"cut off in a comment", `<rss><!-- `, "", errEnd.Error()},
		{"a bracket", `<rss><channel><item><description>1 < 2 ` + anchor + `</description></item></channel></rss>`, `<rss><channel><item><description>1 < 2 &lt;a href="http://h/x"&gt;</description></item></channel></rss>`, errBracket.Error()},
		{"an ampersand", `<rss><channel><item><description>a & b; ` + anchor + ` &</description></item></channel></rss>`, `<rss><channel><item><description>a & b; &lt;a href="http://h/x"&gt; &</description></item></channel></rss>`, ""},
		{"elements in text", `<rss><channel><item><description>` + anchor + `<b>y</b>` + anchor + `</description></item></channel></rss>`, `<rss><channel><item><description>&lt;a href="http://h/x"&gt;<b>y</b>` + anchor + `</description></item></channel></rss>`, errChild.Error()},
		{"an unknown entity", `<rss><channel><item><description>&nbsp;` + anchor + `&lt;a href="x&nbsp;y"&gt;</description></item></channel></rss>`, `<rss><channel><item><description>&nbsp;&lt;a href="http://h/x"&gt;&lt;a href="x&nbsp;y"&gt;</description></item></channel></rss>`, errMiddle.Error()},
		{"a comment in a URL", `<rss><channel><item><description>&lt;a href="x<!-- -->y"&gt;</description></item></channel></rss>`, "", errMiddle.Error()},
		{"a URL that goes into CDATA", `<rss><channel><item><description>&lt;a href="x<![CDATA[y"> <]]></description></item></channel></rss>`, "", errMiddle.Error()},
		{"a URL that comes out of CDATA", `<rss><channel><item><description><![CDATA[<a href="x]]>y"&gt;</description></item></channel></rss>`, "", errMiddle.Error()},
		{"a URL through CDATA", `<rss><channel><item><description>&lt;a href="x<![CDATA[y]]>z"></description></item></channel></rss>`, "", errMiddle.Error()},
		{"a URL of two sections", `<rss><channel><item><description><![CDATA[<a href="x]]><![CDATA[y">]]></description></item></channel></rss>`, "", errMiddle.Error()},
		{"a bad xml:base", `<rss><channel><item xml:base="http:x"><link>http://c/</link><description>` + anchor + `</description></item></channel></rss>`, `<rss><channel><item xml:base="http:x"><link>http://c/</link><description>` + anchor + `</description></item></channel></rss>`, "xml:base gives no base URL, and links that need it stay"},
		{"a bad link", `<rss><channel><item><link>http:</link><link>http://c/</link><description>` + anchor + `</description></item></channel></rss>`, `<rss><channel><item><link>http:</link><link>http://c/</link><description>&lt;a href="http://c/x"&gt;</description></item></channel></rss>`, "entry link gives no base URL, and links that need it stay"},
		{"a long link", `<rss><channel><item><link>http://c/` + strings.Repeat("x", rewriter.MaxBase) + `</link><description>` + anchor + `</description></item></channel></rss>`, `<rss><channel><item><link>http://c/` + strings.Repeat("x", rewriter.MaxBase) + `</link><description>&lt;a href="http://h/x"&gt;</description></item></channel></rss>`, rewriter.ErrLongBase.Error()},
		{"entities", `<!DOCTYPE rss [<!ENTITY a "]>"><!-- ' --><?p "?><!ENTITY b '&a;&a;<rss>'>]><rss><channel><item><description>&b;` + anchor + `</description></item></channel></rss>`, `<!DOCTYPE rss [<!ENTITY a "]>"><!-- ' --><?p "?><!ENTITY b '&a;&a;<rss>'>]><rss><channel><item><description>&b;&lt;a href="http://h/x"&gt;</description></item></channel></rss>`, ""},
		{"nothing", "", "", ""},
		{"no feed", `<html><a href="x">`, "", errEnd.Error()},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := test.want
			if want == "" {
				want = test.in
			}
			got, warnings := rewriteString(t, test.in)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if !strings.Contains(warnings, test.warning) || test.warning == "" && warnings != "" {
				t.Errorf("warnings: %s", warnings)
			}
			checkPromises(t, []byte(test.in))
		})
	}
}

func TestEncodings(t *testing.T) {
	around := func(encoding, s string) string {
		return `<?xml version="1.0" encoding='` + encoding + `'?><rss><channel><item><description>` + s + `</description></item></channel></rss>`
	}
	for _, test := range []struct{ encoding, in, want string }{
		{"UTF-8", `é&#233; &lt;a href="é&#233;"&gt;`, `é&#233; &lt;a href="http://h/éé"&gt;`},
		{"iso-8859-1", "\xe9&#233; &lt;a href=\"\xe9&#233;\"&gt;", ""},
		{"Shift_JIS", "\x83\x5c &lt;a href=\"\x83\x5c\"&gt;", "\x83\x5c &lt;a href=\"http://h/\x83\x5c\"&gt;"},
		{"windows-1252", "\xff\xfe&lt;a href=\"x\"&gt;", "\xff\xfe&lt;a href=\"http://h/x\"&gt;"},
		{"windows-1252", "<![CDATA[\xfe\xff<a href=\"x\">]]>", "<![CDATA[\xfe\xff<a href=\"http://h/x\">]]>"},
		{"UTF-16", anchor, `&lt;a href="http://h/x"&gt;`},
		{"no-such", anchor, `&lt;a href="http://h/x"&gt;`},
		{"us-ascii", anchor, `&lt;a href="http://h/x"&gt;`},
	} {
		got, _ := rewriteString(t, around(test.encoding, test.in))
		if want := around(test.encoding, test.want); test.want != "" && got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		if test.want == "" {
			t.Logf("%q", got)
		}
	}
}

// whatwg is of the profile of the URL Standard.
var whatwg = rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG}))

// A feed that has been decoded is written as its bytes are, whatever it declares.
func TestDecoded(t *testing.T) {
	const in = `<rss><channel><link>/ж?ж</link><item><description>ж &lt;a href="ж?ж"&gt;</description></item></channel></rss>`
	rewritten := func(src io.Reader) string { return passBy(t, Rewriter{HTML: whatwg}, src, "http://h/", nil).out }
	for _, name := range []string{"utf-8", "windows-1251", "koi8-r", "shift_jis", "gb18030", "euc-jp"} {
		encoding, _ := htmlcharset.Lookup(name)
		decoded := `<?xml version="1.0" encoding="` + name + `"?>` + in
		encoded, err := encoding.NewEncoder().String(decoded)
		if err != nil {
			t.Fatal(err)
		}
		want, err := encoding.NewDecoder().String(rewritten(strings.NewReader(encoded)))
		if err != nil {
			t.Fatal(err)
		}
		src := rewriter.Source{Reader: strings.NewReader(decoded), Charset: name, Decoded: true}
		if got := rewritten(src); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
		src.Reader, src.Charset = strings.NewReader(decoded), ""
		want = strings.ReplaceAll(decoded, `href="ж?ж"`, `href="http://h/%D0%B6?%D0%B6"`)
		want = strings.ReplaceAll(want, "/ж?ж", "http://h/%D0%B6?%D0%B6")
		if got := rewritten(&src); got != want {
			t.Errorf("%s, without a charset:\ngot  %s\nwant %s", name, got, want)
		}
	}
	for _, declared := range []string{"utf-16", "iso-2022-jp", "iso-2022-kr"} {
		decoded := `<?xml version="1.0" encoding="` + declared + `"?>` + in
		if got := rewritten(rewriter.Source{Reader: strings.NewReader(decoded), Decoded: true}); !strings.Contains(got, "<link>http://h/%D0%B6?%D0%B6</link>") {
			t.Errorf("%s: %s", declared, got)
		}
	}
}

// The URL that a feed gives as a base is in the encoding of the feed, wherever the feed is cut.
func TestEncodedBase(t *testing.T) {
	encoding, name := htmlcharset.Lookup("shift_jis")
	for _, in := range []string{
		`<rss><channel><link>/ソ&#x30BD;ソ/</link><item><description>@</description></item></channel></rss>`,
		`<rss><channel><link><![CDATA[/ソソソ/]]></link><item><description>@</description></item></channel></rss>`,
		`<rss xml:base="/ソ&#x30BD;ソ/"><channel><item><description>@</description></item></channel></rss>`,
		`<feed xmlns="http://www.w3.org/2005/Atom"><link href="/ソソソ/"/><entry><content type="html">@</content></entry></feed>`,
	} {
		around := `<?xml version="1.0" encoding="` + name + `"?>` + strings.Replace(in, "@", `&lt;a href="x"&gt;`, 1)
		encoded, err := encoding.NewEncoder().String(around)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 9 {
			src := strings.NewReader(encoded)
			pieces := io.MultiReader(io.LimitReader(src, int64(strings.Index(encoded, "\x83")+n)), iotest.OneByteReader(src))
			p := passBy(t, Rewriter{HTML: whatwg}, pieces, "http://h/", nil)
			if want := `href="http://h/%E3%82%BD%E3%82%BD%E3%82%BD/x"`; !strings.Contains(p.out, want) || len(p.warnings) > 0 {
				t.Fatalf("%q, want %s, warnings %v", p.out, want, p.warnings)
			}
		}
	}
}

// A character that lacks its end is U+FFFD, also where the text of a link ends.
func TestEncodedBaseCut(t *testing.T) {
	for link, want := range map[string]string{
		"/a\x83":                 "http://h/a%EF%BF%BD?q",
		"/a\x83&#x2f;":           "http://h/a%EF%BF%BD/?q",
		"/a\x83<!-- c -->\x5cb":  "http://h/a%EF%BF%BD/b?q",
		"/a<![CDATA[\x83]]>\x5c": "http://h/a%EF%BF%BD/?q",
	} {
		in := `<?xml version="1.0" encoding="shift_jis"?><rss><channel><link>` + link + `</link><item><description>&lt;a href="?q"&gt;</description></item></channel></rss>`
		if out := passBy(t, Rewriter{HTML: whatwg}, strings.NewReader(in), "http://h/", nil).out; !strings.Contains(out, `href="`+want+`"`) {
			t.Errorf("%q: %q, want %s", link, out, want)
		}
	}
}

// HTML in base64 (Atom 0.3) stays, and Warn is told of the element that holds it.
func TestBase64(t *testing.T) {
	for _, test := range []struct{ content, warning string }{
		{`<content type="text/html" mode="base64">PGEgaHJlZj0ieCI+</content>`, "60: " + errBase64.Error()},
		{`<content type="text/html" mode="base64"><![CDATA[PGEgaHJlZj14Pg==]]></content>`, "60: " + errBase64.Error()},
		{`<content type="text/html" mode="base64"/>`, ""},
		{`<content type="image/png" mode="base64">PGEgaHJlZj0ieCI+</content>`, ""},
	} {
		in := `<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry>` + test.content + `<link href="http://h/x"/></entry></feed>`
		if got, warnings := rewriteString(t, in); got != in || warnings != test.warning {
			t.Errorf("%s became %s, with the warning %q", in, got, warnings)
		}
	}
}
