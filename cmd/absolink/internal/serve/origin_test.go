package serve

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/page"
)

// A browser is told beforehand whether the origin of a page is allowed.
func TestPreflight(t *testing.T) {
	for _, test := range []struct {
		allowed []string
		origin  string
		status  int
		header  string
	}{
		{nil, "http://evil.test", 405, ""},
		{[]string{"http://app.test"}, "http://app.test", 204, "http://app.test"},
	} {
		server := startServer(t, &Server{Origins: test.allowed}, echo)
		resp, _ := send(t, "OPTIONS", server.URL+"/do", nil, "Origin", test.origin, "Access-Control-Request-Method", "POST")
		if got := resp.Header.Get("Access-Control-Allow-Origin"); resp.StatusCode != test.status || got != test.header {
			t.Errorf("%v: %s, %q", test, resp.Status, got)
		}
	}
}

func TestCheckOrigin(t *testing.T) {
	for origin, want := range map[string]string{
		"*": "", "https://app.example.org": "", "http://localhost:3000": "", "http://[::1]:81": "", "moz-extension://0a1b": "",
		"app.example.org": "is not an origin", "x": "is not an origin", "": "is not an origin", "null": "is not an origin",
		"localhost:3000": "is not an origin", "file:///": "is not an origin", "https://*.example.org": "is not an origin",
		"https://":                    "is not an origin",
		"https://app.example.org/":    "write https://app.example.org",
		"https://app.example.org/a?b": "write https://app.example.org",
		"HTTPS://App.example.org:443": "write https://app.example.org",
		"http://u:p@b\u00fccher.test": "write http://xn--bcher-kva.test",
	} {
		err := CheckOrigin(origin)
		if (err == nil) != (want == "") || err != nil && !strings.HasSuffix(strings.TrimSuffix(err.Error(), "; https://app.example.org is, and * is any"), want) {
			t.Errorf("%q: %v, not %q", origin, err, want)
		}
	}
}

// A request that a browser makes for a page of another origin is refused, whatever its method,
// unless that origin is allowed: then the answer names the origin. A request is answered if a user
// makes it, or a program that is not a browser.
func TestCrossSite(t *testing.T) {
	for _, test := range []struct {
		allowed, origin, site string
		status                int
	}{
		{"", "", "", 200},
		{"", "", "none", 200},
		{"", "", "same-origin", 200},
		{"", "SELF", "same-origin", 200},
		{"", "SELF", "", 200},
		{"", "", "same-site", 403}, // such as another port of localhost
		{"", "", "cross-site", 403},
		{"", "http://evil.test", "cross-site", 403},
		{"", "http://evil.test", "same-site", 403},
		{"", "http://evil.test", "", 403},
		{"", "http://localhost:1", "", 403},
		{"", "null", "cross-site", 403},
		{"", "null", "", 403},
		{"", "", "nonsense", 403},
		{"http://app.test", "http://app.test", "cross-site", 200},
		{"http://app.test", "http://app.test", "", 200},
		{"http://app.test", "http://evil.test", "", 403},
		{"http://app.test", "http://evil.test", "cross-site", 403},
		{"http://app.test", "", "cross-site", 403},
		{"*", "http://any.test", "cross-site", 200},
		{"*", "", "cross-site", 403}, // an image, which asks for nobody
	} {
		done := 0
		server := startServer(t, &Server{Origins: strings.Fields(test.allowed)}, func(context.Context, *Exchange) error {
			done++
			return nil
		})
		for _, method := range []string{"GET", "HEAD", "POST"} {
			done = 0
			origin := strings.ReplaceAll(test.origin, "SELF", server.URL)
			resp, _ := send(t, method, server.URL+"/do", nil, "Origin", origin, "Sec-Fetch-Site", test.site)
			want := ""
			if test.allowed != "" && test.status == 200 {
				want = test.origin
			}
			if got := resp.Header.Get("Access-Control-Allow-Origin"); resp.StatusCode != test.status || got != want || done != (403-test.status)/203 {
				t.Errorf("%s %+v: %s, %q, done %d times", method, test, resp.Status, got, done)
			}
		}
	}
}

// A page of a site whose name leads to the server does not see what others do with it.
func TestMetricsHosts(t *testing.T) {
	server := startServer(t, &Server{}, echo)
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8080": 200, "127.0.0.1:8080": 200, "[::1]:8080": 200, "10.1.2.3": 200,
		"evil.test": 403, "evil.test:8080": 403, "localhost.evil.test": 403, "127.0.0.1.evil.test": 403,
	} {
		r, _ := http.NewRequest("GET", server.URL+"/metrics", nil)
		r.Host = host
		resp, body := sendRequest(t, r)
		if resp.StatusCode != want || strings.Contains(body, "requests_total") != (want == 200) {
			t.Errorf("%s: %s", host, resp.Status)
		}
	}
}

// A document in an answer cannot act as a page of the server. The documents of the page have
// policies of their own, by which documents that are rendered ask no server for anything.
func TestPolicies(t *testing.T) {
	server := startServer(t, &Server{}, echo)
	_, policy := page.Index(false)
	const answer = "sandbox; default-src 'none'"
	for path, want := range map[string]string{
		"/do": answer, "/nowhere": answer, "/page/": answer, "/page/main.js": answer, "/page/frames.html": answer,
		"/": policy, "/page/quiet.html": quietPolicy, "/page/elsewhere.html": elsewherePolicy,
	} {
		resp, html := send(t, "GET", server.URL+path, nil)
		if got := resp.Header.Get("Content-Security-Policy"); got != want || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, resp.Header)
		}
		if want != answer && (strings.Contains(html, `"style.css"`) || strings.Contains(html, `"main.js"`) || !strings.Contains(html, "<style>")) {
			t.Errorf("%s: %s", path, html)
		}
	}
	for directive := range strings.SplitSeq(quietPolicy, "; ") {
		name, sources, _ := strings.Cut(directive, " ")
		if name != "frame-ancestors" && sources != "'none'" && sources != "'unsafe-inline'" && sources != "data:" {
			t.Errorf("quiet documents may ask for %s", directive)
		}
	}
	if strings.Contains(quietPolicy, "script-src") || strings.Contains(elsewherePolicy, "script-src") {
		t.Error("scripts may run among rendered documents")
	}
}
