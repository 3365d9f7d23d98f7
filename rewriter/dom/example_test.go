package dom_test

import (
	"fmt"
	"log"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"absolink/rewriter"
	"absolink/rewriter/dom"
)

func ExampleRewrite() {
	page := `<BASE href=/docs/><img srcset="a.png, b.png 2x"><p style="background:url(c.png)">See <a href=intro.html>the introduction</a>`
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(page))
	if err != nil {
		log.Fatal(err)
	}
	if doc.Url, err = url.Parse("http://example.org/index.html"); err != nil {
		log.Fatal(err)
	}
	result, err := dom.Rewrite(doc, new(rewriter.Rewriter))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(doc.Find("a").AttrOr("href", ""))
	fmt.Println(doc.Find("img").AttrOr("srcset", ""))
	fmt.Println(doc.Find("p").AttrOr("style", ""))
	fmt.Println(result.Base.URL, result.Base.Source, result.Rewritten)
	// Output:
	// http://example.org/docs/intro.html
	// http://example.org/docs/a.png, http://example.org/docs/b.png 2x
	// background:url(http://example.org/docs/c.png)
	// http://example.org/docs/ embedded 5
}
