package warc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// archive is a web archive without compression: a page and a picture.
const archive = "WARC/1.1\r\n" +
	"WARC-Type: response\r\n" +
	"WARC-Record-ID: <urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0>\r\n" +
	"WARC-Date: 2020-01-02T03:04:05Z\r\n" +
	"WARC-Target-URI: http://example.org/a/\r\n" +
	"Content-Type: application/http; msgtype=response\r\n" +
	"Content-Length: 111\r\n\r\n" +
	"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 47\r\n\r\n" +
	`<a href="b.html">b</a><img src="/i.png" alt="">` + "\r\n\r\n" +
	"WARC/1.1\r\n" +
	"WARC-Type: resource\r\n" +
	"WARC-Record-ID: <urn:uuid:16da6da0-bcdc-49c3-927e-57494593b943>\r\n" +
	"WARC-Date: 2020-01-02T03:04:05Z\r\n" +
	"WARC-Target-URI: http://example.org/i.png\r\n" +
	"Content-Type: image/png\r\n" +
	"Content-Length: 4\r\n\r\n" +
	"\x89PNG" + "\r\n\r\n"

// Copying an archive with its pages rewritten. What was found is in the Summary.
func ExampleRewriter_Replace() {
	rw := &warc.Rewriter{
		Output: warc.None,
		HTML: new(rewriter.Rewriter).With(rewriter.Hooks{
			Warn: func(offset int64, err error) { fmt.Fprintf(os.Stderr, "at %d: %v\n", offset, err) },
		}),
	}
	var replaced bytes.Buffer
	summary, err := rw.Replace(context.Background(), &replaced, strings.NewReader(archive))
	if err != nil {
		panic(err)
	}
	fmt.Println(summary.Records, "records,", summary.Rewritten, "rewritten,", summary.Places.Rewritten, "links")

	records := warc.NewReader(&replaced)
	page, err := records.Next()
	if err != nil {
		panic(err)
	}
	block, err := io.ReadAll(page)
	if err != nil {
		panic(err)
	}
	_, html, _ := strings.Cut(string(block), "\r\n\r\n")
	fmt.Println(html)
	// Output:
	// 2 records, 1 rewritten, 2 links
	// <a href="http://example.org/a/b.html">b</a><img src="http://example.org/i.png" alt="">
}

// Listing the links of every page in an archive.
func ExampleRewriter_List() {
	_, err := new(warc.Rewriter).List(context.Background(), os.Stdout, strings.NewReader(archive),
		func(line []byte, page *warc.Page, p *rewriter.Place) []byte {
			return fmt.Appendf(line, "%s %s[%s] %s\n", page.URL, p.Element, p.Attr, p.URL)
		})
	if err != nil {
		panic(err)
	}
	// Output:
	// http://example.org/a/ a[href] http://example.org/a/b.html
	// http://example.org/a/ img[src] http://example.org/i.png
}

// Looking at the links of every page in an archive, without writing anything.
func ExampleRewriter_List_callback() {
	var mu sync.Mutex // line is called from several goroutines at a time
	links := map[string]int{}
	_, err := new(warc.Rewriter).List(context.Background(), io.Discard, strings.NewReader(archive),
		func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
			mu.Lock()
			defer mu.Unlock()
			links[p.Element]++
			return b
		})
	if err != nil {
		panic(err)
	}
	fmt.Println(links)
	// Output:
	// map[a:1 img:1]
}

// Reading the records of an archive.
func ExampleReader() {
	records := warc.NewReader(strings.NewReader(archive))
	for {
		record, err := records.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			panic(err) // a *warc.DamageError need not end it: Next goes on after the damage
		}
		fmt.Println(record.Type(), record.Length, record.URL())
	}
	// Output:
	// response 111 http://example.org/a/
	// resource 4 http://example.org/i.png
}
