package feed_test

import (
	"fmt"
	"os"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/feed"
)

func ExampleRewriter() {
	const in = `<item>
  <description>See &lt;a href="next?a=1&amp;amp;b=2"&gt;the next&lt;/a&gt;.</description>
  <content:encoded><![CDATA[<img src=/logo.png>]]></content:encoded>
  <link>http://blog.example/2024/05/one.html</link>
</item>
`
	base, err := resolver.ParseBase("http://blog.example/feed.xml", resolver.RFC1808)
	if err != nil {
		panic(err)
	}
	rw := feed.Rewriter{HTML: new(rewriter.Rewriter).With(rewriter.Hooks{End: func(d *rewriter.Document) {
		fmt.Println(d.Result.Rewritten, "on", d.Result.Base.URL, "from", d.Result.Base.Name)
	}})}
	if _, err := rw.Rewrite(os.Stdout, strings.NewReader("<rss><channel>"+in+"</channel></rss>\n"), base); err != nil {
		panic(err)
	}
	// Output:
	// 1 on http://blog.example/2024/05/one.html from entry link
	// 1 on http://blog.example/2024/05/one.html from entry link
	// <rss><channel><item>
	//   <description>See &lt;a href="http://blog.example/2024/05/next?a=1&amp;amp;b=2"&gt;the next&lt;/a&gt;.</description>
	//   <content:encoded><![CDATA[<img src=http://blog.example/logo.png>]]></content:encoded>
	//   <link>http://blog.example/2024/05/one.html</link>
	// </item>
	// </channel></rss>
}

// Warn is told what is wrong with a feed; everything that can be understood is
// rewritten. Visit sees each place, and may have another URL written.
func ExampleRewriter_warnings() {
	const in = `<rss><channel>
<link>http://blog.example/</link>
<item>
  <link>mailto:editor@blog.example</link>
  <description>&lt;a href="one.html"&gt; and &lt;img src="old.png"&gt; </i></description>
</item>
</channel></rss>
`
	rw := feed.Rewriter{
		HTML: new(rewriter.Rewriter).With(rewriter.Hooks{
			Visit: func(p *rewriter.Place) error {
				if p.Ref == "old.png" {
					p.URL = "http://archive.example/old.png"
				}
				fmt.Printf("%d: %s %s=%q in the document at %d\n", p.Offset, p.Element, p.Attr, p.URL, p.Document.Offset)
				return nil
			},
			Warn: func(offset int64, err error) { fmt.Printf("%d: %v\n", offset, err) },
		}),
	}
	if _, err := rw.Rewrite(os.Stdout, strings.NewReader(in), nil); err != nil {
		panic(err)
	}
	// Output:
	// 21: link ="http://blog.example/" in the document at 0
	// 64: link ="mailto:editor@blog.example" in the document at 0
	// 58: entry link gives no base URL and does not count: base URL "mailto:editor@blog.example": cannot be a base URL: scheme mailto is never used with relative URLs (RFC 1808 §2.3)
	// 125: a href="http://blog.example/one.html" in the document at 113
	// 156: img src="http://archive.example/old.png" in the document at 113
	// 169: the end tag closes no open element; it is ignored
	// <rss><channel>
	// <link>http://blog.example/</link>
	// <item>
	//   <link>mailto:editor@blog.example</link>
	//   <description>&lt;a href="http://blog.example/one.html"&gt; and &lt;img src="http://archive.example/old.png"&gt; </i></description>
	// </item>
	// </channel></rss>
}
