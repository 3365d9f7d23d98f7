package web

import (
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var quiet = log.New(io.Discard, "", 0)

// Headers change, and bodies are rewritten, in the same way in a Transport, a proxy
// and a handler.
func TestHeaders(t *testing.T) {
	type headers map[string]string
	html := headers{"Content-Type": "text/html"}
	with := func(more headers) headers {
		h := maps.Clone(html)
		maps.Copy(h, more)
		return h
	}
	everyWay(t, func(t *testing.T, start func(*testing.T, *Rewriter, http.HandlerFunc) (*http.Client, string)) {
		for _, row := range []struct {
			name    string
			method  string
			request headers
			status  int
			headers headers
			want    headers // the values that change; "" is a header that goes
			body    bool    // is rewritten
		}{
			{name: "html", headers: html, body: true},
			{name: "xhtml", headers: headers{"Content-Type": "application/xhtml+xml"}, body: true},
			{name: "parameters", headers: headers{"Content-Type": `TEXT/Html ;x="a;charset=b";Charset=utf-8`}, body: true},
			{name: "length", headers: with(headers{"Content-Length": "13"}), want: headers{"Content-Length": ""}, body: true},
			{name: "strong etag", headers: with(headers{"ETag": `"a"`}), want: headers{"ETag": `W/"a"`}, body: true},
			{name: "weak etag", headers: with(headers{"ETag": `W/"a"`}), body: true},
			{name: "digests",
				headers: with(headers{"Digest": "a", "Content-Digest": "b", "Repr-Digest": "c", "Unencoded-Digest": "u", "Content-MD5": "d", "Signature": "e", "Signature-Input": "f", "Accept-Ranges": "bytes", "Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"}),
				want:    headers{"Digest": "", "Content-Digest": "", "Repr-Digest": "", "Unencoded-Digest": "", "Content-MD5": "", "Signature": "", "Signature-Input": "", "Accept-Ranges": ""}, body: true},
			{name: "not found", status: 404, headers: with(headers{"ETag": `"a"`}), want: headers{"ETag": `W/"a"`}, body: true},
			{name: "image", headers: headers{"Content-Type": "image/svg+xml", "ETag": `"a"`, "Content-Length": "13", "Accept-Ranges": "bytes", "Digest": "a"}},
			{name: "bad type", headers: headers{"Content-Type": "text/html, text/plain", "ETag": `"a"`}},
			{name: "unknown coding", headers: with(headers{"Content-Encoding": "dcb", "ETag": `"a"`, "Content-Length": "13"})},
			{name: "unknown coding in gzip", headers: with(headers{"Content-Encoding": "compress, gzip", "ETag": `"a"`})},
			{name: "too many codings", headers: with(headers{"Content-Encoding": "gzip,gzip,gzip,gzip,gzip", "ETag": `"a"`})},
			{name: "range", status: 206, headers: with(headers{"Content-Range": "bytes 0-12/100", "ETag": `"a"`, "Content-Length": "13", "Accept-Ranges": "bytes"})},
			{name: "bad range", status: 416, headers: with(headers{"Content-Range": "bytes */100", "ETag": `"a"`})},
			{name: "no content", status: 204, headers: with(headers{"ETag": `"a"`})},
			{name: "head", method: "HEAD", headers: with(headers{"ETag": `"a"`, "Content-Length": "13", "Digest": "x"}), want: headers{"ETag": `W/"a"`, "Content-Length": "", "Digest": ""}},
			{name: "head, gzip", method: "HEAD", headers: with(headers{"ETag": `"a"`, "Content-Length": "13", "Content-Encoding": "gzip"}), want: headers{"ETag": `W/"a"`, "Content-Length": ""}},
			{name: "head of an image", method: "HEAD", headers: headers{"Content-Type": "image/png", "ETag": `"a"`, "Content-Length": "13"}},
			{name: "304", status: 304, headers: headers{"ETag": `"a"`}, want: headers{"ETag": `W/"a"`}},
			{name: "304 to a weak etag", status: 304, request: headers{"If-None-Match": `"b", W/"a"`}, headers: headers{"ETag": `"a"`, "Repr-Digest": "x"}, want: headers{"ETag": `W/"a"`, "Repr-Digest": ""}},
			{name: "304 to a strong etag", status: 304, request: headers{"If-None-Match": `W/"b", "a"`}, headers: headers{"ETag": `"a"`}},
			{name: "304 html", status: 304, headers: with(headers{"ETag": `"a"`}), want: headers{"ETag": `W/"a"`}},
		} {
			client, url := start(t, &Rewriter{URL: at(t, "http://h/")}, func(w http.ResponseWriter, r *http.Request) {
				for name, value := range row.headers {
					w.Header()[http.CanonicalHeaderKey(name)] = []string{value}
				}
				if row.status != 0 {
					w.WriteHeader(row.status)
				}
				if r.Method != "HEAD" && row.status != 204 && row.status != 304 {
					io.WriteString(w, "<p><a href=x>")
				}
			})
			method := "GET"
			if row.method != "" {
				method = row.method
			}
			r := request(t, method, url)
			for name, value := range row.request {
				r.Header.Set(name, value)
			}
			resp, body, err := get(t, client, r)
			if err != nil {
				t.Errorf("%s: %v", row.name, err)
			}
			for name, value := range row.headers {
				if want, ok := row.want[name]; ok {
					value = want
				}
				if name == "Content-Length" && value == "" && row.body {
					value = resp.Header.Get(name) // net/http counts a short body itself
				}
				if got := resp.Header.Get(name); got != value && (name != "Content-Type" || row.status != 304 && row.status != 204) {
					t.Errorf("%s: %s: %q, want %q", row.name, name, got, value)
				}
			}
			want := "<p><a href=x>"
			switch {
			case row.body:
				want = "<p><a href=http://h/x>"
			case method == "HEAD" || row.status == 204 || row.status == 304:
				want = ""
			}
			if diff := cmp.Diff(want, string(body)); diff != "" {
				t.Errorf("%s: %s", row.name, diff)
			}
		}
	})
}

// Unlike net/http, other servers send a Content-Type with 304.
func TestNotModifiedImage(t *testing.T) {
	h := http.Header{"Content-Type": {"image/png"}, "Etag": {`"a"`}}
	if plan := new(Rewriter).plan(&http.Request{}, nil, 304, h, true); plan.headers {
		t.Errorf("%+v", plan)
	}
}

// Cache-Control: no-transform binds a proxy, and not a user agent.
func TestNoTransform(t *testing.T) {
	for name, start := range ways {
		client, url := start(t, &Rewriter{URL: at(t, "http://h/")}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Cache-Control", "max-age=1, No-Transform")
			io.WriteString(w, "<p><a href=x>")
		})
		want := "<p><a href=x>"
		if name == "response" {
			want = "<p><a href=http://h/x>"
		}
		if _, body, err := get(t, client, request(t, "GET", url)); string(body) != want || err != nil {
			t.Errorf("%s: %q, %v", name, body, err)
		}
	}
}

func TestIs(t *testing.T) {
	const page = "<!DOCTYPE html>"
	for _, test := range []struct {
		start, contentType string
		want               bool
	}{
		{page, "text/html", true},
		{"", " Text/HTML ; charset=x", true},
		{"", "application/xhtml+xml", true},
		{"", "text/plain, text/html", true},
		{page, "text/plain", false},
		{page, "application/xml", false},
		{page, "html", false},
		{page, "", true},
		{" \n<p>", "", true},
		{"<?xml version='1.0'?><html>", "", false}, // text/xml to net/http
		{"text", "", false},
		{"", "", false},
	} {
		if got := IsHTML([]byte(test.start), test.contentType); got != test.want {
			t.Errorf("IsHTML(%q, %q) is %v", test.start, test.contentType, got)
		}
		// A handler has the same pages rewritten.
		handler := new(Rewriter).Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if test.contentType != "" {
				w.Header().Set("Content-Type", test.contentType)
			}
			io.WriteString(w, test.start+"<a href=x>")
		}))
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "http://h/", nil))
		if got := strings.Contains(w.Body.String(), "http://h/x"); got != test.want && test.start+test.contentType != "" {
			t.Errorf("%q of type %q: rewritten is %v", test.start, test.contentType, got)
		}
	}
}

// Several fields, between which "|" stands here, are one list.
func TestMediaType(t *testing.T) {
	for in, want := range map[string][2]string{
		"":                                        {},
		"text/html":                               {"text/html", ""},
		" Text/HTML ; CHARSET = x":                {"text/html", ""},
		"text/html;charset=utf-8":                 {"text/html", "utf-8"},
		"text/html; Charset=\"utf\\-8\"; a=b":     {"text/html", "utf-8"},
		"text/html;;a;b=;charset=x ;charset=y":    {"text/html", "x"},
		`text/html;a="charset=x;\"";charset=y`:    {"text/html", "y"},
		`text/html;charset="x`:                    {"text/html", "x"},
		`text/html;charset="`:                     {"text/html", ""},
		"text/html;charset":                       {"text/html", ""},
		"text/html;charset=":                      {"text/html", ""},
		"application/xhtml+xml; charset=UTF-16LE": {"application/xhtml+xml", "UTF-16LE"},
		"text/plain|text/html":                    {"text/html", ""},
		"text/html;charset=x|text/html":           {"text/html", "x"},
		"text/html;charset=x|nonsense|*/*|text/":  {"text/html", "x"},
		"text/html;charset=x|text/plain":          {"text/plain", ""},
		`text/html;a="b|text/plain";charset=x`:    {"text/html", "x"},
	} {
		mediaType, charset := MediaType(http.Header{"Content-Type": strings.Split(in, "|")})
		if got := [2]string{mediaType, charset}; got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
