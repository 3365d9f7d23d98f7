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
	rw := feed.Rewriter{End: func(d *rewriter.Document) {
		fmt.Println(d.Result.Rewritten, "on", d.Result.Base.URL, "from", d.Result.Base.Name)
	}}
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
