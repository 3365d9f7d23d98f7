package web

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// BenchmarkResponse rewrites a page of 50 KB in each coding, as a proxy does.
func BenchmarkResponse(b *testing.B) {
	text := strings.Repeat("<p>Some text that is in <a href=\"page.html?a=1\">a page</a>, and more of it.\n", 650)
	for _, name := range []string{"", "gzip", "deflate", "br", "zstd"} {
		body := encode(b, name, text)
		rw := &Rewriter{URL: at(b, "http://h/d/")}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				resp := rw.Response(&http.Response{
					StatusCode: 200, ContentLength: -1, Body: io.NopCloser(bytes.NewReader(body)),
					Header: http.Header{"Content-Type": {"text/html"}, "Content-Encoding": {name}},
				})
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
		})
	}
}
