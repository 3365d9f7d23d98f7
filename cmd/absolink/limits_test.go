package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/console"
)

// limitedPage meets the limits hold=10 and max-tag=100.
var limitedPage = "<link href=x><title>title</title><base href=/b/><a href=x title='" + strings.Repeat("x", 100) + "'>"

// limitedFiles have limitedPage in each form.
func limitedFiles() map[string]string {
	message := "Content-Type: text/html\n\n" + limitedPage
	feed := "<rss version='2.0'><channel><item><description><![CDATA[" + limitedPage + "]]></description></item></channel></rss>"
	return map[string]string{
		"page.html": limitedPage, "page.css": "a{b:url(x);c:'" + strings.Repeat("x", 100) + "'}",
		"page.eml": message, "page.mbox": "From a@b Mon Jan  1 00:00:00 2001\n" + message,
		"base64.eml": "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(limitedPage)),
		"feed.xml":   feed, "site/page.html": limitedPage, "site/feed.xml": feed,
		"page.warc": "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:8f0a2b4e-0000-4000-8000-000000000001>\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n" +
			fmt.Sprintf("WARC-Target-URI: http://h/d/\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(limitedPage), limitedPage),
	}
}

// A limit that is met is told at every door of the command: as a message that names the
// option, and under --strict as an exit code, also with -q.
func TestLimitsOfCommands(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, limitedPage)
	}))
	defer server.Close()
	const both, tag = "--hold and --max-tag", "--max-tag"
	for _, test := range []struct{ args, told string }{
		{"", both}, // standard input
		{"page.html", both},
		{"-o out.html page.html", both},
		{"-o out/ page.html", both},
		{"-w page.html", both},
		{"-l page.html", both},
		{"--diff page.html", both},
		{"--report page.html", both},
		{"--report=html page.html", both},
		{"-j 2 page.html page.eml", both},
		{"--keep-local page.html", both},
		{"--scope document page.html", both},
		{"--type css page.css", tag},
		{"page.eml", both},
		{"base64.eml", both},
		{"page.mbox", both},
		{"feed.xml", both},
		{server.URL, both},
		{"list page.html", both},
		{"list -o out.jsonl page.html", both},
		{"list page.eml", both},
		{"list feed.xml", both},
		{"list page.warc", both},
		{"list " + server.URL, both},
		{"base page.html", both},
		{"base page.eml", both},
		{"base " + server.URL, both},
		{"tree site out", both},
		{"tree -w site", both},
		{"tree --check site", both},
		{"warc page.warc -o out.warc", both},
		{"warc --replace page.warc -o out.warc", both},
	} {
		for _, quiet := range []bool{false, true} {
			t.Chdir(t.TempDir())
			for name, content := range limitedFiles() {
				write(t, filepath.FromSlash(name), content)
			}
			args := append(strings.Fields(test.args), "--hold", "10", "--max-tag", "100", "--strict")
			if !strings.Contains(test.args, "warc") {
				args = append(args, "--url", "http://h/d/")
			}
			if quiet {
				args = append(args, "-q")
			}
			code, _, stderr := run1(limitedPage, args...)
			if code != console.ExitStrict && !strings.Contains(test.args, "--check") {
				t.Errorf("%q: code %d", args, code)
			}
			for _, option := range []string{"--hold", "--max-tag"} {
				want := strings.Contains(test.told, option) && !quiet
				if told := strings.Contains(stderr, "("+option+" raises the limit)\n"); told != want {
					t.Errorf("%q: %s is told: %v, want %v\n%s", args, option, told, want, stderr)
				}
			}
		}
	}
}

// A server names the limits in a header, or in a trailer of a long answer, and in its log.
func TestLimitsOfServer(t *testing.T) {
	var log strings.Builder
	c := parsed[serveCommand](nil)
	server := httptest.NewServer(c.server(slog.New(slog.NewTextHandler(&log, nil))).Handler())
	defer server.Close()
	files := limitedFiles()
	types := map[string]string{
		"page.html": "text/html", "page.css": "text/css", "page.eml": "message/rfc822", "base64.eml": "", "page.mbox": "application/mbox", "feed.xml": "text/xml",
		"page.warc": "application/warc",
	}
	const query = "?url=http://h/d/&hold=10&max-tag=100"
	for name, contentType := range types {
		for _, path := range []string{"/rewrite", "/list", "/base", "/view"} {
			want := "hold, max-tag"
			switch {
			case name == "page.warc" && (path == "/base" || path == "/view"):
				continue
			case name == "page.css":
				want = "max-tag"
			}
			log.Reset()
			resp, got := post(t, server.URL+path+query, contentType, files[name])
			if told := resp.Header.Get("Absolink-Limits"); resp.StatusCode != 200 || told != want {
				t.Errorf("%s %s: %q, want %q: %s %.200s", path, name, told, want, resp.Status, got)
			}
			if want := "limits=" + strings.ReplaceAll(want, " ", ""); !strings.Contains(log.String(), want) {
				t.Errorf("%s %s: %s is not in the log: %s", path, name, want, &log)
			}
			if resp, _ := post(t, server.URL+path+"?url=http://h/d/", contentType, files[name]); resp.Header.Values("Absolink-Limits") != nil {
				t.Errorf("%s %s: limits %q, and none is met", path, name, resp.Header["Absolink-Limits"])
			}
		}
	}
	for _, path := range []string{"/rewrite", "/list"} {
		resp, _ := post(t, server.URL+path+query, "text/html", limitedPage+strings.Repeat("<a href=x>", 3<<20/10))
		if told := resp.Trailer.Get("Absolink-Limits"); told != "hold, max-tag" {
			t.Errorf("%s: the trailer is %q", path, told)
		}
	}
	_, got := post(t, server.URL+"/view"+query, "text/html", strings.Repeat("<base href=data:>", 50)+"</head>"+limitedPage)
	if !strings.Contains(got, "longer than may be held") {
		t.Error("/view: a limit after many warnings is not shown")
	}
}

// A proxy logs the limits that a page has met.
func TestLimitsOfProxy(t *testing.T) {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, limitedPage+strings.Repeat("<base href=data:>", 100))
	}))
	defer target.Close()
	var log strings.Builder
	c := parsed[proxyCommand]([]string{target.URL, "--hold=10", "--max-tag=100"})
	proxy := httptest.NewServer(c.proxy(slog.New(slog.NewTextHandler(&log, nil))).Handler())
	defer proxy.Close()
	ask(t, "GET", proxy.URL+"/d/page", "")
	proxy.Close() // when the request is logged
	for _, want := range []string{"path=/d/page byte=11 limit=hold\n", "path=/d/page byte=48 limit=max-tag\n"} {
		if strings.Count(log.String(), want) != 1 {
			t.Errorf("%s is not in the log:\n%s", want, &log)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 3 {
		t.Errorf("%d lines:\n%s", n, &log)
	}
}
