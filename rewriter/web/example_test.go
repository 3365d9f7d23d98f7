package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"

	"absolink/rewriter/web"
)

// The links in the pages of a handler lead to where clients reach it.
func ExampleRewriter_Handler() {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `<!doctype html><a href="guide.html">Guide</a>`)
	})
	rw := &web.Rewriter{Public: &url.URL{Scheme: "https", Host: "www.example.org"}}
	server := httptest.NewServer(rw.Handler(page))
	defer server.Close()

	resp, err := http.Get(server.URL + "/docs/")
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(string(body))
	// Output: <!doctype html><a href="https://www.example.org/docs/guide.html">Guide</a>
}

// A reverse proxy whose pages lead to the server behind it.
func ExampleRewriter_ModifyResponse() {
	target, _ := url.Parse("https://www.example.org")
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = new(web.Rewriter).ModifyResponse
	http.Handle("/", proxy)
}
