package web_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"

	"absolink/rewriter"
	"absolink/rewriter/web"
)

// A client whose pages have absolute links. A crawler gets such pages in the same
// way: with colly, by c.WithTransport(new(web.Transport)).
func ExampleTransport() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/docs/", http.StatusFound)
			return
		}
		io.WriteString(w, `<!doctype html><a href="guide.html">Guide</a>`)
	}))
	defer server.Close()

	client := &http.Client{Transport: new(web.Transport)}
	resp, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		fmt.Println(err) // what was read is a part of the page
	}
	fmt.Println(strings.ReplaceAll(string(body), server.URL, "http://localhost"))
	// Output: <!doctype html><a href="http://localhost/docs/guide.html">Guide</a>
}

// The links in one response, and where they lead.
func ExampleRewriter_Response() {
	rw := &web.Rewriter{HTML: new(rewriter.Rewriter).With(rewriter.Hooks{
		Visit: func(p *rewriter.Place) error {
			fmt.Println(p.Document.Name, "has", p.Ref, "which is", p.URL)
			return nil
		},
	})}
	request := httptest.NewRequest("GET", "http://www.example.org/docs/", nil)
	resp := rw.Response(&http.Response{
		Request:    request,
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"text/html"}},
		Body:       io.NopCloser(strings.NewReader(`<p><a href="guide.html">Guide</a>`)),

		ContentLength: -1,
	})
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(string(body))
	// Output:
	// http://www.example.org/docs/ has guide.html which is http://www.example.org/docs/guide.html
	// <p><a href="http://www.example.org/docs/guide.html">Guide</a>
}

// The links in the pages of a handler lead to where clients reach the server.
func ExampleRewriter_Handler() {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `<!doctype html><a href="guide.html">Guide</a>`)
	})
	rw := &web.Rewriter{Public: &url.URL{Scheme: "https", Host: "www.example.org"}}
	w := httptest.NewRecorder()
	rw.Handler(page).ServeHTTP(w, httptest.NewRequest("GET", "/docs/", nil))
	fmt.Println(w.Body)
	// Output: <!doctype html><a href="https://www.example.org/docs/guide.html">Guide</a>
}

// A reverse proxy whose pages lead to the server behind it.
func ExampleRewriter_ModifyResponse() {
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `<!doctype html><a href="guide.html">Guide</a>`)
	}))
	defer behind.Close()
	target, _ := url.Parse(behind.URL)

	var rw web.Rewriter
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: rw.ModifyResponse,
	}
	w := httptest.NewRecorder()
	proxy.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost:8080/docs/", nil))
	fmt.Println(strings.ReplaceAll(w.Body.String(), behind.URL, "http://behind"))
	// Output: <!doctype html><a href="http://behind/docs/guide.html">Guide</a>
}

// Documents are retrieved. The header says what they are, and in which charset.
func ExampleClient() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/docs/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, `<a href="guide.html">Guide</a>`)
	}))
	defer server.Close()

	client := &web.Client{UserAgent: "example/1.0", MaxDecoded: 1 << 20}
	for _, path := range []string{"/docs/", "/lost/"} {
		resp, err := client.Get(context.Background(), server.URL+path)
		var status *web.StatusError
		if errors.As(err, &status) {
			fmt.Println(path, status.Status)
			continue
		} else if err != nil {
			fmt.Println(err)
			return
		}
		mediaType, charset := web.MediaType(resp.Header)
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(path, mediaType, charset, web.IsHTML(body, mediaType), string(body))
	}
	// Output:
	// /docs/ text/html utf-8 true <a href="guide.html">Guide</a>
	// /lost/ 404 Not Found
}
