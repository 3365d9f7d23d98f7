package web

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// benchmarked is a page of 50 KB.
var benchmarked = strings.Repeat("<p>Some text that is in <a href=\"page.html?a=1\">a page</a>, and more of it.\n", 650)

// BenchmarkResponse rewrites the page in each coding, as a proxy does.
func BenchmarkResponse(b *testing.B) {
	for _, name := range []string{"", "gzip", "deflate", "br", "zstd"} {
		body := encode(b, name, benchmarked)
		rw := &Rewriter{URL: at(b, "http://h/d/")}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(benchmarked)))
			b.ReportAllocs()
			for b.Loop() {
				resp := rw.Response(htmlIn(name, bytes.NewReader(body)))
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
		})
	}
}

// BenchmarkHandler rewrites the same page, as a handler writes it: at once, in pieces and
// in each coding.
func BenchmarkHandler(b *testing.B) {
	for _, row := range []struct {
		coding string
		piece  int
	}{{"", 1 << 20}, {"", 4 << 10}, {"", 100}, {"gzip", 1 << 20}, {"zstd", 1 << 20}} {
		body := encode(b, row.coding, benchmarked)
		b.Run(fmt.Sprintf("%s/%d", cmp.Or(row.coding, "identity"), row.piece), func(b *testing.B) {
			h := (&Rewriter{URL: at(b, "http://h/d/")}).Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Content-Encoding", row.coding)
				for piece := range slices.Chunk(body, row.piece) {
					if _, err := w.Write(piece); err != nil {
						b.Error(err)
					}
				}
			}))
			r := httptest.NewRequest("GET", "http://h/d/", nil)
			b.SetBytes(int64(len(benchmarked)))
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(discarded{http.Header{}}, r)
			}
		})
	}
}

// discarded is a response that nobody reads.
type discarded struct{ header http.Header }

func (w discarded) Header() http.Header         { return w.header }
func (w discarded) WriteHeader(int)             {}
func (w discarded) Write(p []byte) (int, error) { return len(p), nil }
