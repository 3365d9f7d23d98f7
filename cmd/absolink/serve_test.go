package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/alecthomas/kong"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/serve"
	"absolink/internal/coding"
	"absolink/internal/size"
	"absolink/internal/test/docs"
	"absolink/internal/test/doors"
	"absolink/internal/usage"
)

// startServe starts absolink serve with these options, and returns its URL.
func startServe(t testing.TB, args ...string) string {
	t.Helper()
	var c serveCommand
	parser := kong.Must(&c, kong.Name("absolink"), usage.Strings)
	if _, err := parser.Parse(args); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(c.server(slog.New(slog.DiscardHandler)).Handler())
	t.Cleanup(server.Close)
	return server.URL
}

// post sends a body of a type, and returns the response with its body.
func post(t testing.TB, url, contentType, body string, header ...string) (*http.Response, string) {
	t.Helper()
	return ask(t, "POST", url, body, append([]string{"Content-Type", contentType, "Accept-Encoding", "identity"}, header...)...)
}

// ask sends a request with fields, and returns the response with its body.
func ask(t testing.TB, method, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	r.Host = r.Header.Get("Host")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp, string(b)
}

const message = "Content-Location: http://m/d/\nContent-Type: text/html\n\n<a href=x>\n"

// Documents of each kind are rewritten as their media type, or what they begin with, says.
func TestServeRewrite(t *testing.T) {
	server := startServe(t)
	feed := `<rss><channel><link>http://f/d/</link><item><description>&lt;a href="x"&gt;</description></item></channel></rss>`
	for _, test := range []struct{ query, contentType, body, want, wantType string }{
		{"url=http://h/d/", "text/html", "<a href=x>", "<a href=http://h/d/x>", "text/html"},
		{"url=http://h/d/", "text/html; charset=utf-8", "<a href=x>", "<a href=http://h/d/x>", "text/html; charset=utf-8"},
		{"url=http://h/d/&profile=whatwg", "text/html; charset=iso-8859-7", "<a href='?\xe1'>", "<a href='http://h/d/?%E1'>", "text/html; charset=iso-8859-7"},
		{"url=http://h/d/&profile=whatwg&charset=iso-8859-7", "", "<a href='?\xe1'>", "<a href='http://h/d/?%E1'>", "text/html; charset=iso-8859-7"},
		{"url=http://h/d/", "application/octet-stream", "<a href=x>", "<a href=http://h/d/x>", "text/html"},
		{"url=http://h/d/", "application/xhtml+xml", "<a href='x'/>", "<a href='http://h/d/x'/>", "application/xhtml+xml"},
		{"", "text/html", "<a href=x>", "<a href=x>", "text/html"},
		{"url=http://h/d/&keep-fragments", "text/html", "<a href=#x>", "<a href=#x>", "text/html"},
		{"url=http://h/d/&keep-fragments=false", "text/html", "<a href=#x>", "<a href=http://h/d/#x>", "text/html"},
		{"url=http://h/d/&keep=%7B%7B*%7D%7D&keep=y", "text/html", "<a href={{x}}><a href=y><a href=z>", "<a href={{x}}><a href=y><a href=http://h/d/z>", "text/html"},
		{"url=http://h/d/&rules=meta&rule=-meta[content]&rule=p[x]", "text/html", "<p x=y><a href=x>", "<p x=http://h/d/y><a href=x>", "text/html"},
		{"", "message/rfc822", message, strings.Replace(message, "=x", "=3Dhttp://m/d/x", 1), "message/rfc822"},
		{"", "", message, "", "message/rfc822"},
		{"", "application/rss+xml", feed, strings.Replace(feed, `"x"`, `"http://f/d/x"`, 1), "application/rss+xml"},
		{"", "text/xml", feed, strings.Replace(feed, `"x"`, `"http://f/d/x"`, 1), "application/xml"},
		{"url=http://h/d/s.css", "text/css", "a { background: url(x) }", "a { background: url(http://h/d/x) }", "text/css"},
		{"type=html&url=http://h/", "image/png", "<a href=x>", "<a href=http://h/x>", "text/html"},
	} {
		resp, got := post(t, server+"/rewrite?"+test.query, test.contentType, test.body)
		if test.wantType == "message/rfc822" {
			if !strings.Contains(got, "http://m/d/x") || !strings.HasPrefix(got, message[:20]) {
				t.Errorf("%v: %s", test, got)
			}
		} else if got != test.want {
			t.Errorf("%v: %s", test, got)
		}
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != test.wantType {
			t.Errorf("%v: %s, %v", test, resp.Status, resp.Header)
		}
	}
}

// Archives are converted with the compression that they have, and listed.
func TestServeArchive(t *testing.T) {
	server := startServe(t)
	resp, got := post(t, server+"/rewrite", "application/warc", weightRecord)
	if !strings.Contains(got, "<a href=http://h/d/x>") || resp.Header.Get("Content-Type") != "application/warc" && resp.Trailer.Get("Absolink-Rewritten") != "1" {
		t.Errorf("%s %v\n%s", resp.Status, resp.Header, got)
	}
	packed := encoded(coding.Gzip, weightRecord)
	if _, got := post(t, server+"/rewrite", "", packed); !strings.HasPrefix(got, "\x1f\x8b") {
		t.Errorf("%.20q", got)
	}
	if _, got := post(t, server+"/list", "", packed); !strings.Contains(got, `"page":"http://h/d/"`) || !strings.Contains(got, `"url":"http://h/d/x"`) {
		t.Error(got)
	}
	for _, path := range []string{"/rewrite", "/list"} {
		if resp, got := post(t, server+path, "", packed+packed[:len(packed)/2]); resp.StatusCode != 200 || resp.Header.Get("Absolink-Warnings") != "1" {
			t.Errorf("%s, a damaged archive: %s %v\n%q", path, resp.Status, resp.Header, got)
		}
		if resp, got := post(t, server+path, "application/warc", "no archive"); resp.StatusCode != 415 || !strings.Contains(got, "no WARC record") {
			t.Errorf("%s: %s %v\n%q", path, resp.Status, resp.Header, got)
		}
	}
	if resp, got := post(t, server+"/base", "application/warc", weightRecord); resp.StatusCode != 415 {
		t.Errorf("%s %s", resp.Status, got)
	}
}

func encoded(c coding.Coding, s string) string { return string(doors.Coded([]byte(s), c)) }

// All codings are taken, and sent where they are asked for.
func TestServeCodings(t *testing.T) {
	server := startServe(t)
	page := strings.Repeat("<a href=x>", 1000)
	want := strings.Repeat("<a href=http://h/x>", 1000)
	for _, in := range []coding.Coding{coding.Gzip, coding.Zlib, coding.Deflate, coding.Brotli, coding.Zstd} {
		for _, out := range []coding.Coding{coding.Gzip, coding.Zlib, coding.Brotli, coding.Zstd} {
			resp, got := post(t, server+"/rewrite?url=http://h/", "text/html", encoded(in, page), "Content-Encoding", in.String(), "Accept-Encoding", out.String())
			if resp.Header.Get("Content-Encoding") != out.String() {
				t.Errorf("%v, %v: %s %v", in, out, resp.Status, resp.Header)
				continue
			}
			r := coding.NewReader(strings.NewReader(got), 0, nil)
			r.Undo(out)
			if b, err := io.ReadAll(r); string(b) != want {
				t.Errorf("%v, %v: %d bytes, %v", in, out, len(b), err)
			}
			if resp.Header.Get("Absolink-Rewritten") != "1000" {
				t.Errorf("%v", resp.Header)
			}
		}
	}
}

// Counts, the base and its origin are headers of a short document, and trailers of a
// long one.
func TestServeCounts(t *testing.T) {
	server := startServe(t)
	const head = "<base href=/b/><a href=x><a href=http://o/><a href=mailto:><img src=''>"
	want := map[string]string{
		"Absolink-Base": "http://h/b/", "Absolink-Base-Origin": "embedded: BASE, byte 0",
		"Absolink-Rewritten": "2", "Absolink-Absolute": "2", "Absolink-Left": "1", "Absolink-Unresolvable": "0", "Absolink-Removed": "0", "Absolink-Warnings": "0",
	}
	for _, size := range []int{0, 3 << 20} {
		resp, _ := post(t, server+"/rewrite?url=http://h/d/", "text/html", head+strings.Repeat("x", size))
		fields := resp.Header
		if size > 0 {
			fields = resp.Trailer
		}
		for name, value := range want {
			if fields.Get(name) != value {
				t.Errorf("%d bytes: %s is %q, want %q", size, name, fields.Get(name), value)
			}
		}
		if hasLength := resp.ContentLength >= 0; hasLength != (size == 0) {
			t.Errorf("Content-Length %d", resp.ContentLength)
		}
	}
	resp, _ := post(t, server+"/rewrite?url="+url.QueryEscape("http://user:secret@h/ä"), "text/html", "<a href=x>")
	if got := resp.Header.Get("Absolink-Base"); got != "http://h/%C3%A4" {
		t.Error(got)
	}
}

// Trailers stay below what clients take: a long base is left out of them, and its origin
// shows that there is one. As a header, it is there.
func TestServeLongBase(t *testing.T) {
	server := startServe(t)
	for _, test := range []struct {
		base    string
		size    int
		trailer bool
		sent    bool
	}{
		{strings.Repeat("b", 1400), 0, false, true},
		{strings.Repeat("b", 7900), 0, false, true},
		{strings.Repeat("b", 1400), 3 << 20, true, true},
		{strings.Repeat("b", 7900), 3 << 20, true, false},
		{strings.Repeat("\u00e4", 600), 3 << 20, true, false}, // 3 bytes for each of its bytes
	} {
		page := "<base href=http://h/" + test.base + "><a href=x>" + strings.Repeat("x", test.size)
		resp, _ := post(t, server+"/rewrite", "text/html; charset=utf-8", page) // fails if Go's client does not take the trailers
		fields := resp.Header
		if test.trailer {
			fields = resp.Trailer
		}
		if got := fields.Get("Absolink-Base"); strings.HasPrefix(got, "http://h/") != test.sent || fields.Get("Absolink-Base-Origin") != "embedded: BASE, byte 0" || fields.Get("Absolink-Rewritten") != "1" {
			t.Errorf("%.10s... in %d bytes: %.20q, %v", test.base, test.size, got, fields.Get("Absolink-Base-Origin"))
		}
		if _, err := exec.LookPath("curl"); err != nil {
			continue
		}
		curl := exec.Command("curl", "-sS", "-o", os.DevNull, "-H", "Content-Type: text/html", "--data-binary", "@-", server+"/rewrite")
		curl.Stdin = strings.NewReader(page)
		if out, err := curl.CombinedOutput(); err != nil {
			t.Errorf("%.10s... in %d bytes: curl: %v: %s", test.base, test.size, err, out)
		}
	}
}

// A list has lines as absolink list prints them; base has the layers; resolve has a line for
// each reference.
func TestServeLines(t *testing.T) {
	server := startServe(t)
	line := func(path, contentType, body, want string) {
		t.Helper()
		resp, got := post(t, server+path, contentType, body)
		if got != want {
			t.Errorf("%s: %s\n%s\nwant\n%s", path, resp.Status, got, want)
		}
	}
	line("/list?url=http://h/", "text/html", "<a href=x>", `{"file":"http://h/","offset":8,"element":"a","attr":"href","syntax":"url","raw":"x","ref":"x","url":"http://h/x"}`+"\n")
	line("/list?url=http://h/&format=text", "text/html", "<a href=x>", "http://h/:8: a[href] http://h/x\n")
	line("/base?url=http://h/", "text/html", "<base href=b/>", `{"file":"http://h/","offset":0,"base":{"url":"http://h/b/","source":"embedded","name":"BASE","offset":0},"overrides":[{"url":"http://h/","source":"retrieval","name":"url"}]}`+"\n")
	for _, page := range []struct{ options, body, want string }{
		{"", "<base href=/b/><a href='x'>", `"charset":"utf-8","profile":"rfc1808",`},
		{"", "<base href=/b/><a href='x'>", `{"offset":24,"length":1,"element":"a","attr":"href","syntax":"url","raw":"x","ref":"x","url":"http://h/b/x","state":"rewritten"}`},
		{"", "<base href=/b/><a href='x'>", `{"offset":11,"length":3,"element":"base","attr":"href","syntax":"url","raw":"/b/","ref":"/b/","url":"http://h/b/","state":"rewritten","outer":true}`},
		{"&profile=whatwg", "<a href=//[>", `"error":"reference`},
		{"", "<img data-src=x>", `"state":"request","group":"lazy"}`},
		{"&rules=html,lazy", "<img data-src=x>", `"url":"http://h/x","state":"rewritten"}`},
		{"", "<a href=http://i/><svg><use href=#x>", `"state":"absolute"}`},
		{"", "<a href=http://i/><svg><use href=#x>", `"ref":"#x","state":"left"}`},
		{"", "<meta charset=koi8-r><a href='\xc1'>", `"charset":"koi8-r"`},
	} {
		resp, got := post(t, server+"/view?url=http://h/"+page.options, "text/html", page.body)
		if resp.StatusCode != 200 || !strings.Contains(got, page.want) {
			t.Errorf("%s %s: %s\n%s", page.options, page.body, resp.Status, got)
		}
	}
	line("/base", "text/html", "<a href=x>", `{"file":"<body>","offset":0,"base":null}`+"\n")
	line("/resolve?base=http://h/d/", "text/plain", "x\r\n\n../y", `{"ref":"x","url":"http://h/d/x"}`+"\n"+`{"ref":"","url":"http://h/d/"}`+"\n"+`{"ref":"../y","url":"http://h/y"}`+"\n")
	_, got := ask(t, "GET", server+"/resolve?base=http://h/d/&ref=x&ref=//[&profile=whatwg&explain", "")
	decoder := json.NewDecoder(strings.NewReader(got))
	for _, failed := range []bool{false, true} {
		var r struct {
			Error string
			Steps []struct{ Name, Text, Value string }
		}
		if err := decoder.Decode(&r); err != nil || (r.Error != "") != failed || len(r.Steps) == 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// What a client does wrong is answered with a problem that says so.
func TestServeProblems(t *testing.T) {
	server := startServe(t, "--max-body", "1000")
	for _, test := range []struct {
		path, contentType, body string
		status                  int
		detail                  string
	}{
		{"/rewrite?url=x", "text/html", "", 400, "url: "},
		{"/rewrite?url=http://h/&url=http://i/", "", "", 400, "given 2 times"},
		{"/rewrite?profile=no", "", "", 400, "profile"},
		{"/rewrite?profile=rfc1808&profile=whatwg", "", "", 400, "given 2 times"},
		{"/rewrite?charset=no", "", "", 400, "charset"},
		{"/rewrite?hold=1999999999", "", "", 400, "hold may be at most 16MiB here"},
		{"/rewrite?hold=17+MiB", "", "", 400, "hold may be at most 16MiB here"},
		{"/rewrite?max-tag=1025kib", "", "", 400, "max-tag may be at most 1MiB here"},
		{"/rewrite?max-tag=1MB", "", "", 400, "is not a number of bytes; 4096, 64KiB, 16MiB and 1GiB are"},
		{"/rewrite?hold=8589934592GiB", "", "", 400, "more than the largest"},
		{"/rewrite?hold=0", "", "", 400, "--hold takes a number of bytes above 0"},
		{"/rewrite?rules=no", "", "", 400, "unknown group"},
		{"/rewrite?format=csv", "", "", 400, "no parameter"},
		{"/list?format=pdf", "", "", 400, "format"},
		{"/rewrite?" + strings.Repeat("rule=a["+strings.Repeat("b", 40)+"]&", 200), "", "", 400, "they may have 4096"},
		{"/resolve?base=http://h/&explain=" + strings.Repeat("x", 5000), "", "", 400, "they may have 4096"},
		{"/rewrite?%zz", "", "", 400, "query"},
		{"/rewrite", "image/png", "", 415, "image/png"},
		{"/rewrite", "", "%PDF-1.4", 415, "PDF"},
		{"/rewrite", "text/html", strings.Repeat("x", 1001), 413, "1000 bytes"},
		{"/resolve", "", "", 400, "base"},
		{"/resolve?base=x", "", "", 400, "base"},
		{"/view", "image/png", "", 415, "image/png"},
		{"/view", "application/warc", "WARC/1.0\r\n", 415, "archive"},
		{"/nowhere", "", "", 404, "no such path"},
		{"/healthz", "", "", 405, "takes GET"},
	} {
		resp, got := post(t, server+test.path, test.contentType, test.body)
		var p struct{ Detail string }
		if err := json.Unmarshal([]byte(got), &p); err != nil || resp.StatusCode != test.status || !strings.Contains(p.Detail, test.detail) {
			t.Errorf("%s %s: %s %s", test.path, test.contentType, resp.Status, got)
		}
	}
}

// An endpoint answers a query as if no other endpoint had answered the same query before.
func TestServeEndpointsApart(t *testing.T) {
	const document = "<base href=/b/><a href=x>text</a>"
	for _, query := range []string{"?url=http://h/d/", "?url=http://h/d/&format=csv", "?url=http://h/d/&name=n"} {
		answer := func(server, path string) string {
			resp, body := post(t, server+path+query, "text/html", document)
			return resp.Status + "\n" + body
		}
		paths := []string{"/rewrite", "/list", "/base", "/view"}
		for _, path := range paths {
			want := answer(startServe(t), path)
			for _, other := range paths {
				server := startServe(t)
				answer(server, other)
				if got := answer(server, path); got != want {
					t.Errorf("%s after %s%s: %s, not %s", path, other, query, got, want)
				}
			}
		}
	}
}

// A query sets no option that names a file, or is for the command line.
func TestServeParameters(t *testing.T) {
	server := startServe(t)
	safe := slices.Concat(documentParameters(), []string{"format"})
	for _, f := range kong.Must(new(listCommand), usage.Strings).Model.Flags {
		if f.Name == "url" || slices.Contains(safe, f.Name) {
			continue
		}
		if resp, got := post(t, server+"/list?"+f.Name+"=1", "text/html", ""); resp.StatusCode != 400 || !strings.Contains(got, "no parameter") {
			t.Errorf("%s: %s %s", f.Name, resp.Status, got)
		}
	}
	for _, name := range safe {
		if !slices.ContainsFunc(queryFlags(kong.Must(new(listCommand), usage.Strings), "format"), func(f *kong.Flag) bool { return f.Name == name }) {
			t.Errorf("%s is not an option", name)
		}
	}
}

// A document is fetched from listed hosts only, and its last URL is the base.
func TestServeFetch(t *testing.T) {
	t.Parallel()
	origin := fetchServer(t)
	host := strings.TrimPrefix(origin, "http://")
	open := startServe(t, "--fetch", host, "--fetch-networks", "127.0.0.0/8", "--timeout", "2s")
	for _, test := range []struct {
		server, path string
		status       int
		want         string
	}{
		{open, "/rewrite?url=" + origin + "/moved", 200, "<a href=\"" + origin + "/d/x\">"},
		{open, "/base?url=" + origin + "/moved", 200, `"source":"retrieval","name":"response"`},
		{open, "/list?url=" + origin + "/moved", 200, `"url":"` + origin + `/d/x"`},
		{open, "/rewrite?url=" + origin + "/nowhere", 502, "404"},
		{open, "/rewrite?url=" + origin + "/image", 502, "image/png"},
		{open, "/rewrite?url=" + origin + "/silent", 504, "2s"},
		{open, "/rewrite?url=http://other.test/", 403, "not a host to fetch from"},
		{open, "/rewrite?url=file:///etc/passwd", 400, "does not begin with http:// or https://"},
		{open, "/rewrite", 400, "the parameter url is missing: it names the document to fetch, as in /rewrite?url=https://example.org/;"},
		{open, "/list?url=", 400, "as in /list?url=https://example.org/;"},
		{open, "/rewrite?url=example.org/", 400, `url: \"example.org/\" cannot be fetched: it does not begin with http:// or https://`},
		{open, "/rewrite?url=" + origin + "/?a=1&b=2", 400, "(if it belongs to the url: there, & is written %26)"},
		{startServe(t), "/rewrite?url=" + origin, 403, "nothing is fetched"},
		{startServe(t, "--fetch", host), "/rewrite?url=" + origin, 403, "not public"},
	} {
		if resp, got := ask(t, "GET", test.server+test.path, ""); resp.StatusCode != test.status || !strings.Contains(got, test.want) {
			t.Errorf("%s: %s %s", test.path, resp.Status, got)
		}
	}
	if resp, got := ask(t, "GET", open+"/rewrite?url="+origin+"/moved", "", "Host", "rebound.test"); resp.StatusCode != 403 {
		t.Errorf("under another name: %s %s", resp.Status, got)
	}
}

// Nothing is fetched for a page of another site, on no path and by no method.
func TestServeFetchCrossSite(t *testing.T) {
	var fetched atomic.Int32
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		w.Header().Set("Content-Type", "text/html")
	}))
	defer origin.Close()
	server := startServe(t, "--fetch", strings.TrimPrefix(origin.URL, "http://"), "--fetch-networks", "127.0.0.0/8")
	for _, path := range []string{"/rewrite", "/list", "/base", "/view"} {
		for _, method := range []string{"GET", "HEAD"} {
			for header, want := range map[string]int{
				"": 200, "Sec-Fetch-Site: same-origin": 200, "Sec-Fetch-Site: none": 200, "Origin: " + server: 200,
				"Sec-Fetch-Site: cross-site": 403, "Sec-Fetch-Site: same-site": 403, "Origin: http://evil.test": 403, "Origin: null": 403,
			} {
				fetched.Store(0)
				fields := strings.Split(header, ": ")
				resp, _ := ask(t, method, server+path+"?url="+origin.URL, "", fields[:len(fields)/2*2]...)
				if resp.StatusCode != want || (fetched.Load() > 0) != (want == 200) {
					t.Errorf("%s %s with %q: %s, fetched %d times", method, path, header, resp.Status, fetched.Load())
				}
			}
		}
	}
}

// A describedPath is a path in openapi.json.
type describedPath struct {
	Parameters []map[string]any
	Get, Post  *struct {
		Responses map[string]struct{ Headers, Content map[string]any }
	}
}

// describedPaths returns the paths in openapi.json, in which each reference is what it leads to.
func describedPaths(t *testing.T) map[string]describedPath {
	t.Helper()
	var all any
	var resolved func(part any) any
	resolved = func(part any) any {
		switch part := part.(type) {
		case []any:
			for i := range part {
				part[i] = resolved(part[i])
			}
		case map[string]any:
			if ref, ok := part["$ref"].(string); ok {
				target := all
				for _, name := range strings.Split(ref, "/")[1:] {
					target = target.(map[string]any)[name]
				}
				return resolved(target)
			}
			for name := range part {
				part[name] = resolved(part[name])
			}
		}
		return part
	}
	if err := json.Unmarshal(openAPI(), &all); err != nil {
		t.Fatal(err)
	}
	var d struct {
		OpenAPI string
		Info    struct{ Version string }
		Paths   map[string]describedPath
	}
	if err := json.Unmarshal(inJSON(resolved(all)), &d); err != nil || d.OpenAPI != "3.1.0" || d.Info.Version != console.Release() {
		t.Fatal(d.OpenAPI, d.Info, err)
	}
	return d.Paths
}

// inJSON returns v as JSON, with the members of its objects in order.
func inJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// openapi.json has each parameter as the options of the code are, each field that says what was
// done, and each type of documents.
func TestOpenAPI(t *testing.T) {
	paths := describedPaths(t)
	documents, references := kong.Must(new(listCommand), usage.Strings), kong.Must(new(resolveCommand), usage.Strings)
	for path, of := range map[string]struct {
		flags []*kong.Flag
		more  []string // parameters that are not options
	}{
		"/rewrite": {queryFlags(documents), []string{"url"}},
		"/list":    {queryFlags(documents, "format"), []string{"url"}},
		"/base":    {queryFlags(documents), []string{"url"}},
		"/view":    {queryFlags(documents), []string{"url", "name"}},
		"/resolve": {queryFlags(references), []string{"base", "ref"}},
	} {
		described := map[string]map[string]any{}
		for _, p := range paths[path].Parameters {
			described[p["name"].(string)] = p
		}
		names := slices.Clone(of.more)
		for _, f := range of.flags {
			names = append(names, f.Name)
			want := inJSON(map[string]any{"name": f.Name, "in": "query", "description": f.Help, "schema": schemaOf(f)})
			if got := inJSON(described[f.Name]); !bytes.Equal(got, want) {
				t.Errorf("openapi.json, %s: the parameter %s is\n%s, not\n%s", path, f.Name, got, want)
			}
		}
		slices.Sort(names)
		if difference := docs.Difference(slices.Sorted(maps.Keys(described)), names); difference != "" {
			t.Errorf("openapi.json, %s, compared with the parameters, %s", path, difference)
		}
		if path == "/resolve" {
			continue
		}
		fields := slices.Sorted(maps.Keys(paths[path].Get.Responses["200"].Headers))
		if difference := docs.Difference(fields, slices.Sorted(slices.Values(serve.ResultNames))); difference != "" {
			t.Errorf("openapi.json, %s, compared with the fields of an answer, %s", path, difference)
		}
	}
	types := slices.Sorted(maps.Keys(paths["/rewrite"].Post.Responses["200"].Content))
	if difference := docs.Difference(types, slices.Sorted(maps.Keys(input.KindOfTypes))); difference != "" {
		t.Errorf("openapi.json, compared with the types of documents, %s", difference)
	}
}

// schemaOf describes the values of an option, as openapi.json does.
func schemaOf(f *kong.Flag) map[string]any {
	schema := map[string]any{"type": "string"}
	if _, most, ok := bytesOf(f); ok {
		schema["pattern"], schema["default"] = size.Pattern, most.String()
		schema["description"] = "A number of bytes, perhaps in KiB, MiB or GiB: at most the default."
		return schema
	}
	switch {
	case f.IsBool():
		schema["type"], schema["default"] = "boolean", false
	case f.IsSlice():
		schema = map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	case f.Enum != "":
		schema["enum"], schema["default"] = strings.Split(f.Enum, ","), f.Default
	case f.Default != "":
		schema["default"] = f.Default
	}
	return schema
}

// Each pattern of requests has a row in docs/serve.md, and is in the description.
func TestEndpointsAreDescribed(t *testing.T) {
	var served, documented, described []string
	for _, pattern := range (&serveCommand{Jobs: 1}).server(nil).Patterns() {
		if notDoors[pattern] != "a part of the page" {
			served = append(served, strings.TrimSuffix(pattern, "{$}"))
		}
	}
	for _, row := range docs.Table(t, "endpoints") {
		method, _, _ := strings.Cut(strings.Trim(row[0], "`"), " ")
		for _, m := range regexp.MustCompile("(/[a-z.]*)`").FindAllStringSubmatch(row[0], -1) {
			documented = append(documented, method+" "+m[1])
		}
	}
	for path, methods := range describedPaths(t) {
		if methods.Get != nil {
			described = append(described, "GET "+path)
		}
		if methods.Post != nil {
			described = append(described, "POST "+path)
		}
	}
	slices.Sort(served)
	for where, list := range map[string][]string{"the table in docs/serve.md": documented, "openapi.json": described} {
		slices.Sort(list)
		if difference := docs.Difference(list, served); difference != "" {
			t.Errorf("%s, compared with the patterns of absolink serve, %s", where, difference)
		}
	}
}
