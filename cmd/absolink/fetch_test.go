package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"absolink/internal/coding"
)

// fetchServer starts the server that testdata/script/fetch.txtar asks.
func fetchServer(t *testing.T) (url string) {
	t.Helper()
	mux := http.NewServeMux()
	page := func(path, contentType, body string, header ...string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			for field := range slices.Chunk(header, 2) {
				w.Header().Add(field[0], field[1])
			}
			io.WriteString(w, strings.ReplaceAll(body, "AGENT", r.UserAgent()))
		})
	}
	const link = "<p><a href=\"x\">x</a>\n"
	page("/d/page.html", "text/html", link+"<a href=\"/y\">y</a>\n")
	page("/d/based.html", "text/html; charset=utf-8", "<base href=\"../e/\">"+link)
	page("/d/greek.html", "text/html; charset=iso-8859-7", "<p><a href=\"?\xe1\">x</a>\n")
	page("/image", "image/png", "\x89PNG")
	page("/long", "text/html", strings.Repeat("<p>long", 100))
	page("/message", "message/rfc822", "Base: <URL:/m/>\nContent-Type: text/html\n\n<a href=x>")
	page("/feed", "application/json", `{"version": "https://jsonfeed.org/version/1.1", "icon": "i.png"}`)
	page("/d/feed.json", "application/feed+json; charset=utf-8", `{"version": "https://jsonfeed.org/version/1.1", "icon": "i.png"}`)
	page("/data", "application/json", `{"icon": "<a href=x>"}`)
	page("/header", "text/html", "<a href=\"x\">x</a>\n", "Base", "(of the original) <URL:http://hdr/h/>")
	page("/header/relative", "text/html", "<a href=\"x\">x</a>\n", "Base", "<URL: mailto:x >", "Base", "<URL: h/ >")
	page("/header/based", "text/html", "<base href=\"b/\"><a href=\"x\">x</a>\n", "Base", "<URL:http://hdr/h/>")
	page("/header/message", "message/rfc822", "Content-Base: m/\nContent-Type: text/html\n\n<a href=x>\n", "Base", "<URL:http://hdr/h/>")
	page("/header/none", "text/html", "<a href=\"x\">x</a>\n", "Base", "<URL:http://hdr?q>")
	page("/agent", "text/html", "AGENT\n")
	page("/gzip", "text/html", encoded(coding.Gzip, link), "Content-Encoding", "gzip")
	page("/short", "text/html", link, "Content-Length", "1000")
	mux.Handle("/moved", http.RedirectHandler("/d/page.html?q", http.StatusMovedPermanently))
	mux.Handle("/ftp", http.RedirectHandler("ftp://h/x", http.StatusFound))
	mux.Handle("/lost", http.RedirectHandler("/nowhere", http.StatusFound))
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, link)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/silent", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}
