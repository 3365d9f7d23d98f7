package main

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// fetchServer starts the server that testdata/script/fetch.txtar asks.
func fetchServer(t *testing.T) (url string) {
	t.Helper()
	mux := http.NewServeMux()
	page := func(path, contentType, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			io.WriteString(w, body)
		})
	}
	page("/d/page.html", "text/html", "<p><a href=\"x\">x</a>\n<a href=\"/y\">y</a>\n")
	page("/d/based.html", "text/html; charset=utf-8", "<base href=\"../e/\"><p><a href=\"x\">x</a>\n")
	page("/d/greek.html", "text/html; charset=iso-8859-7", "<p><a href=\"?\xe1\">x</a>\n")
	page("/image", "image/png", "\x89PNG")
	page("/long", "text/html", strings.Repeat("<p>long", 100))
	page("/message", "message/rfc822", "Base: <URL:/m/>\nContent-Type: text/html\n\n<a href=x>")
	page("/feed", "application/json", `{"version": "https://jsonfeed.org/version/1.1", "icon": "i.png"}`)
	page("/d/feed.json", "application/feed+json; charset=utf-8", `{"version": "https://jsonfeed.org/version/1.1", "icon": "i.png"}`)
	page("/data", "application/json", `{"icon": "<a href=x>"}`)
	header := func(path, contentType, body string, bases ...string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Base"] = bases
			w.Header().Set("Content-Type", contentType)
			io.WriteString(w, body)
		})
	}
	header("/header", "text/html", "<a href=\"x\">x</a>\n", "(of the original) <URL:http://hdr/h/>")
	header("/header/relative", "text/html", "<a href=\"x\">x</a>\n", "<URL: mailto:x >", "<URL: h/ >")
	header("/header/based", "text/html", "<base href=\"b/\"><a href=\"x\">x</a>\n", "<URL:http://hdr/h/>")
	header("/header/message", "message/rfc822", "Content-Base: m/\nContent-Type: text/html\n\n<a href=x>\n", "<URL:http://hdr/h/>")
	header("/header/none", "text/html", "<a href=\"x\">x</a>\n", "<URL:http://hdr?q>")
	mux.Handle("/moved", http.RedirectHandler("/d/page.html?q", http.StatusMovedPermanently))
	mux.Handle("/ftp", http.RedirectHandler("ftp://h/x", http.StatusFound))
	mux.Handle("/lost", http.RedirectHandler("/nowhere", http.StatusFound))
	mux.HandleFunc("/agent", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, r.UserAgent()+"\n")
	})
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, "<p><a href=\"x\">x</a>\n")
		z.Close()
	})
	mux.HandleFunc("/short", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "<p><a href=\"x\">x</a>\n")
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<p><a href=\"x\">x</a>\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/silent", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}
