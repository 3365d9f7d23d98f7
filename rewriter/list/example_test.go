package list_test

import (
	"context"
	"os"
	"strings"

	"absolink/rewriter"
	"absolink/rewriter/list"
	"absolink/rewriter/warc"
)

// The lines that absolink list writes for an archive.
func ExampleAppendJSON() {
	const archive = "WARC/1.1\r\n" +
		"WARC-Type: resource\r\n" +
		"WARC-Record-ID: <urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0>\r\n" +
		"WARC-Date: 2020-01-02T03:04:05Z\r\n" +
		"WARC-Target-URI: http://example.org/a/\r\n" +
		"Content-Type: text/html\r\n" +
		"Content-Length: 12\r\n\r\n" +
		"<a href=\"b\">" + "\r\n\r\n"

	_, err := new(warc.Rewriter).List(context.Background(), os.Stdout, strings.NewReader(archive),
		func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
			return list.AppendJSON(b, "crawl.warc", page, p)
		})
	if err != nil {
		panic(err)
	}
	// Output:
	// {"file":"crawl.warc","page":"http://example.org/a/","date":"2020-01-02T03:04:05Z","record":"<urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0>","record_offset":0,"record_length":232,"offset":9,"element":"a","attr":"href","syntax":"url","raw":"b","ref":"b","url":"http://example.org/a/b"}
}

// The lines that absolink list writes for a document.
func ExampleAppendJSON_document() {
	rw := &rewriter.Rewriter{Text: true}
	base, err := rw.ParseBase("http://example.org/")
	if err != nil {
		panic(err)
	}
	var line []byte
	rw.Visit = func(p *rewriter.Place) error {
		line = list.AppendJSON(line[:0], "page.html", nil, p)
		_, err := os.Stdout.Write(line)
		return err
	}
	if _, err := rw.Rewrite(nil, strings.NewReader(`<a href=a>All the news</a>`), base); err != nil {
		panic(err)
	}
	// Output:
	// {"file":"page.html","offset":8,"element":"a","attr":"href","syntax":"url","text":"All the news","raw":"a","ref":"a","url":"http://example.org/a"}
}
