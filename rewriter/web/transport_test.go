package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"absolink/rewriter"
)

// A roundTripper is a function that answers requests.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The base is the URL of the last request, whether the client around the Transport
// follows redirects, or a client that is its Base.
func TestTransportRedirects(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			w.Header().Set("Location", "/d/page?q#f")
			w.WriteHeader(http.StatusFound)
		}
		io.WriteString(w, "<p><a href=x>")
	}))
	defer server.Close()
	follower := roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.RequestURI = ""
		return server.Client().Do(r)
	})
	for name, base := range map[string]http.RoundTripper{"the client": nil, "the base": follower} {
		var bases []string
		rw := &Rewriter{End: func(r *http.Request, d *rewriter.Document, err error) {
			bases = append(bases, strings.TrimPrefix(d.Name, server.URL))
			if d.Name != BaseURL(r.URL) || d.Name != d.Outer.URL.String() {
				t.Errorf("%s: %s is the name of what %s became", name, d.Name, r.URL)
			}
		}}
		client := &http.Client{Transport: &Transport{Base: base, Rewriter: rw}}
		resp, body, err := get(t, client, request(t, "GET", "http://user:secret@"+strings.TrimPrefix(server.URL, "http://")))
		if want := "<p><a href=" + server.URL + "/d/x>"; string(body) != want || err != nil {
			t.Errorf("%s follows: %q, %v, want %q", name, body, err, want)
		}
		if resp.Request.URL.Path != "/d/page" || bases[len(bases)-1] != "/d/page?q" {
			t.Errorf("%s follows: %s, %q", name, resp.Request.URL, bases)
		}
	}
}

// A response without a request answers the request that was sent.
func TestTransportBareBase(t *testing.T) {
	sent := request(t, "GET", "http://h/d/page")
	sent.Header.Set("X-Sent", "1")
	before := sent.Clone(t.Context())
	resp, err := (&Transport{Base: roundTripper(func(r *http.Request) (*http.Response, error) {
		if r != sent {
			t.Error("another request is sent")
		}
		return htmlIn("", strings.NewReader("<p><a href=x>")), nil
	})}).RoundTrip(sent)
	if err != nil || resp.Request != sent {
		t.Fatalf("%v, %v", resp, err)
	}
	if body, err := io.ReadAll(resp.Body); string(body) != "<p><a href=http://h/d/x>" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
	if sent.URL.String() != before.URL.String() || fmt.Sprint(sent.Header) != fmt.Sprint(before.Header) {
		t.Errorf("the request has changed: %v", sent)
	}
}

// The body is plain where net/http asks for gzip itself, and where nobody asks for a
// coding. Where the caller asks for one, the body is in it.
func TestTransportAcceptEncoding(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=windows-1252")
		name, _, _ := strings.Cut(r.Header.Get("Accept-Encoding"), ",")
		if name != "" {
			w.Header().Set("Content-Encoding", name)
		}
		w.Write(encode(t, name, page))
	}))
	defer server.Close()
	for _, row := range []struct {
		accept, coding string
		disabled       bool
		uncompressed   bool
	}{
		{"", "", false, true},
		{"", "", true, false},
		{"gzip", "gzip", false, false},
		{"gzip", "gzip", true, false},
		{"br, gzip", "br", false, false},
		{"zstd", "zstd", true, false},
		{"identity", "identity", false, false},
	} {
		inner := server.Client().Transport.(*http.Transport).Clone()
		inner.DisableCompression = row.disabled
		r := request(t, "GET", server.URL)
		if row.accept != "" {
			r.Header.Set("Accept-Encoding", row.accept)
		}
		transport := &Transport{Base: inner, Rewriter: &Rewriter{URL: at(t, "http://h/d/"), HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { t.Error(err) }})}}
		resp, body, err := get(t, &http.Client{Transport: transport}, r)
		if got, decodeErr := decode(t, row.coding, body); got != rewritten || err != nil || decodeErr != nil {
			t.Errorf("%+v: %q, %v, %v", row, got, err, decodeErr)
		}
		if resp.Header.Get("Content-Encoding") != row.coding || resp.Uncompressed != row.uncompressed || resp.ContentLength != -1 {
			t.Errorf("%+v: %v, uncompressed %v, %d bytes", row, resp.Header, resp.Uncompressed, resp.ContentLength)
		}
		transport.CloseIdleConnections()
	}
}

// Whole documents are rewritten, ranges are not. With the ETag of a rewritten document
// a client gets 304, and never a range.
func TestTransportRanges(t *testing.T) {
	const html = "<p><a href=x>"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"a"`)
		w.Header().Set("Digest", "x")
		http.ServeContent(w, r, "page.html", time.Time{}, strings.NewReader(html))
	}))
	defer server.Close()
	client := &http.Client{Transport: &Transport{Rewriter: &Rewriter{URL: at(t, "http://h/")}}}
	defer client.CloseIdleConnections()
	for _, row := range []struct {
		method, name, value string
		status              int
		body, etag          string
		length              int64
	}{
		{"GET", "X-Nothing", "", 200, "<p><a href=http://h/x>", `W/"a"`, -1},
		{"HEAD", "X-Nothing", "", 200, "", `W/"a"`, -1},
		{"GET", "Range", "bytes=3-", 206, "<a href=x>", `"a"`, 10},
		{"HEAD", "Range", "bytes=3-", 206, "", `"a"`, 10},
		{"GET", "Range", "bytes=100-", 416, "invalid range: failed to overlap\n", "", 33},
		{"GET", "If-None-Match", `W/"a"`, 304, "", `W/"a"`, -1},
		{"GET", "If-None-Match", `"a"`, 304, "", `"a"`, 0},
		{"GET", "If-Match", `W/"a"`, 412, "", "", 0},
	} {
		r := request(t, row.method, server.URL+"/page.html")
		r.Header.Set(row.name, row.value)
		resp, body, err := get(t, client, r)
		if string(body) != row.body || err != nil || resp.StatusCode != row.status {
			t.Errorf("%s, %s %s: %d %q, %v", row.method, row.name, row.value, resp.StatusCode, body, err)
		}
		if etag := resp.Header.Get("ETag"); row.etag != "" && etag != row.etag || (resp.Header.Get("Digest") == "") != (row.etag == `W/"a"`) && row.etag != "" {
			t.Errorf("%s, %s %s: %v", row.method, row.name, row.value, resp.Header)
		}
		if row.status != 412 && resp.ContentLength != row.length {
			t.Errorf("%s, %s %s: %d bytes", row.method, row.name, row.value, resp.ContentLength)
		}
	}
	r := request(t, "GET", server.URL+"/page.html")
	r.Header.Set("Range", "bytes=3-")
	r.Header.Set("If-Range", `W/"a"`)
	if resp, body, err := get(t, client, r); string(body) != "<p><a href=http://h/x>" || resp.StatusCode != 200 || err != nil {
		t.Errorf("If-Range: %d %q, %v", resp.StatusCode, body, err)
	}
}

// RoundTrip returns the error of Base. Fields that cannot be used are an error before
// anything is sent, and then too the body of the request is closed.
func TestTransportFails(t *testing.T) {
	broken := errors.New("broken")
	for _, row := range []struct {
		rw   *Rewriter
		sent int
		want string
	}{
		{nil, 1, "broken"},
		{&Rewriter{MaxDecoded: -1}, 0, "web: Rewriter.MaxDecoded is -1: it takes a number of bytes, or 0 for no limit"},
	} {
		sent := 0
		transport := &Transport{Rewriter: row.rw, Base: roundTripper(func(r *http.Request) (*http.Response, error) {
			sent++
			r.Body.Close()
			return nil, broken
		})}
		body := &closing{Reader: strings.NewReader("x")}
		r := request(t, "POST", "http://h/")
		r.Body = body
		resp, err := transport.RoundTrip(r)
		if resp != nil || err == nil || err.Error() != row.want || sent != row.sent || body.closed != 1 {
			t.Errorf("%v, %v, sent %d times, closed %d times; want %s", resp, err, sent, body.closed, row.want)
		}
		r.Body = nil
		if row.rw != nil {
			if _, err := transport.RoundTrip(r); err == nil {
				t.Error("without a body there is no error")
			}
		}
	}
	nothing := &Transport{Base: roundTripper(func(r *http.Request) (*http.Response, error) { return nil, nil })}
	if _, err := (&http.Client{Transport: nothing}).Get("http://h/"); err == nil {
		t.Error("nothing is taken for a response")
	}
}

// A closing reader counts how often it is closed.
type closing struct {
	io.Reader
	closed int
}

func (c *closing) Close() error { c.closed++; return nil }

// Closing the body of the response closes the body from Base, once: before anything
// was read, halfway, and after an error.
func TestTransportCloses(t *testing.T) {
	broken := errors.New("broken")
	for _, row := range []struct {
		contentType string
		read        int64
	}{{"text/html", 0}, {"text/html", 3}, {"text/html", 1 << 20}, {"image/png", 3}} {
		upstream := &closing{Reader: io.MultiReader(strings.NewReader("<p><a href=x>"), failingReader{broken})}
		resp, err := (&Transport{Base: roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, ContentLength: -1, Header: http.Header{"Content-Type": {row.contentType}}, Body: upstream}, nil
		})}).RoundTrip(request(t, "GET", "http://h/"))
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.CopyN(io.Discard, resp.Body, row.read)
		if (n < row.read) != errors.Is(err, broken) {
			t.Errorf("%+v: %d bytes, %v", row, n, err)
		}
		if err := resp.Body.Close(); err != nil || upstream.closed != 1 {
			t.Errorf("%+v: closed %d times, %v", row, upstream.closed, err)
		}
	}
}

// A failingReader fails at once.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// When the context ends, or the Timeout of the client has passed, a Read that waits for
// the server ends too. What came before is rewritten, and no goroutine stays behind.
func TestTransportCancel(t *testing.T) {
	before := runtime.NumGoroutine()
	inner := http.DefaultTransport.(*http.Transport).Clone()
	for name, want := range map[string]error{"context": context.Canceled, "timeout": context.DeadlineExceeded} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<body><a href=/x>")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}))
		var ended error
		client := &http.Client{Transport: &Transport{Base: inner, Rewriter: &Rewriter{End: func(_ *http.Request, _ *rewriter.Document, err error) { ended = err }}}}
		ctx, cancel := context.WithCancel(t.Context())
		if name == "timeout" {
			client.Timeout = 2 * time.Second
		}
		resp, err := client.Do(request(t, "GET", server.URL).WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		start := make([]byte, len("<body><a href="+server.URL+"/x>"))
		if _, err := io.ReadFull(resp.Body, start); err != nil || string(start) != "<body><a href="+server.URL+"/x>" {
			t.Errorf("%s: %q, %v", name, start, err)
		}
		if name == "context" {
			cancel()
		}
		rest, err := io.ReadAll(resp.Body)
		if len(rest) > 0 || !errors.Is(err, want) || ended == nil {
			t.Errorf("%s: %q, %v; ended with %v", name, rest, err, ended)
		}
		resp.Body.Close()
		cancel()
		client.CloseIdleConnections()
		server.Close()
	}
	checkGoroutines(t, before)
}

// CloseIdleConnections reaches Base, if Base has this method.
func TestTransportIdle(t *testing.T) {
	base := &idle{}
	(&http.Client{Transport: &Transport{Base: base}}).CloseIdleConnections()
	if !base.closed {
		t.Error("Base is not told")
	}
	(&Transport{Base: roundTripper(nil)}).CloseIdleConnections()
}

type idle struct {
	http.RoundTripper
	closed bool
}

func (i *idle) CloseIdleConnections() { i.closed = true }
