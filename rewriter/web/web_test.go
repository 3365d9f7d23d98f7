package web

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"absolink/internal/coding"
	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
)

const (
	page      = "<!doctype html>\r\n<a href=x title='a &amp; b'>X</a><p>\xff<img src=\"/y\">"
	rewritten = "<!doctype html>\r\n<a href=http://h/d/x title='a &amp; b'>X</a><p>\xff<img src=\"http://h/y\">"
)

// htmlIn returns a response of HTML in a content coding.
func htmlIn(name string, body io.Reader) *http.Response {
	return &http.Response{
		StatusCode: 200, ContentLength: -1, Body: io.NopCloser(body),
		Header: http.Header{"Content-Type": {"text/html"}, "Content-Encoding": {contentEncoding(name)}},
	}
}

// codingNames are the codings that are known, alone and nested. raw is deflate
// without the zlib header, which servers send too.
var codingNames = []string{"", "identity", "gzip", "X-GZIP", "deflate", "raw", "br", "zstd", "gzip, br", "zstd, deflate, gzip"}

// contentEncoding returns the Content-Encoding for a name in codingNames.
func contentEncoding(name string) string { return strings.ReplaceAll(name, "raw", "deflate") }

func codingsNamed(t testing.TB, name string) []coding.Coding {
	t.Helper()
	list, ok := coding.Parse(contentEncoding(name))
	if !ok {
		t.Fatalf("%q is not known", name)
	}
	if name == "raw" {
		list = []coding.Coding{coding.Deflate}
	}
	return list
}

// encode encodes a body, with a flush after each piece.
func encode(t testing.TB, name string, flushes ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	if list := codingsNamed(t, name); len(list) > 0 {
		enc := coding.NewWriter(&out, list)
		for _, s := range flushes {
			io.WriteString(enc, s)
			enc.Flush()
		}
		enc.Close()
	} else {
		out.WriteString(strings.Join(flushes, ""))
	}
	return out.Bytes()
}

func decode(t testing.TB, name string, body []byte) (string, error) {
	t.Helper()
	d := newDecoder(bytes.NewReader(body), codingsNamed(t, name), 0, func(err error) { t.Errorf("%s: %v", name, err) })
	defer d.close()
	got, err := io.ReadAll(d)
	return string(got), err
}

// decoded returns what can be decoded of a body, up to 1 MiB.
func decoded(body []byte, codings []coding.Coding) (string, error) {
	d := newDecoder(bytes.NewReader(body), codings, 1<<20, func(error) {})
	defer d.close()
	b, err := io.ReadAll(d)
	return string(b), err
}

// at returns a function for Rewriter.URL that always returns one URL.
func at(t testing.TB, s string) func(*http.Request) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return func(*http.Request) *url.URL { return u }
}

// proxy starts a server with a handler and a reverse proxy before it, and returns a
// client and the URL of the proxy.
func proxy(t *testing.T, rw *Rewriter, handler http.HandlerFunc) (*http.Client, string) {
	t.Helper()
	p := reverseProxy(t, handler)
	p.ModifyResponse = rw.ModifyResponse
	return serve(t, p)
}

// reverseProxy starts a server with a handler, and returns a reverse proxy to it.
func reverseProxy(t *testing.T, handler http.HandlerFunc) *httputil.ReverseProxy {
	t.Helper()
	upstream := httptest.NewServer(handler)
	t.Cleanup(upstream.Close)
	target, _ := url.Parse(upstream.URL)
	return &httputil.ReverseProxy{ErrorLog: quiet, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header["Accept-Encoding"] = []string{"gzip, deflate, br, zstd"} // so that the transport decodes nothing itself
	}}
}

// middleware starts a server with a rewriting handler, and returns a client and its
// URL.
func middleware(t *testing.T, rw *Rewriter, handler http.HandlerFunc) (*http.Client, string) {
	t.Helper()
	return serve(t, rw.Handler(handler))
}

// serve starts a server, and returns a client and its URL.
func serve(t *testing.T, handler http.Handler) (*http.Client, string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = quiet
	server.Start()
	t.Cleanup(server.Close)
	client := server.Client()
	client.Transport.(*http.Transport).DisableCompression = true
	return client, server.URL
}

// ways are the ways to rewrite the responses of a handler: in a proxy, in the server,
// and in the client.
var ways = map[string]func(*testing.T, *Rewriter, http.HandlerFunc) (*http.Client, string){
	"proxy": proxy, "middleware": middleware,
	"response": func(t *testing.T, rw *Rewriter, handler http.HandlerFunc) (*http.Client, string) {
		t.Helper()
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		inner := server.Client().Transport.(*http.Transport)
		inner.DisableCompression = true
		return &http.Client{Transport: &Transport{Base: inner, Rewriter: rw}}, server.URL
	},
}

func everyWay(t *testing.T, test func(t *testing.T, start func(*testing.T, *Rewriter, http.HandlerFunc) (*http.Client, string))) {
	t.Helper()
	for name, start := range ways {
		t.Run(name, func(t *testing.T) { test(t, start) })
	}
}

func get(t *testing.T, client *http.Client, r *http.Request) (*http.Response, []byte, error) {
	t.Helper()
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

func request(t *testing.T, method, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A rewritten body is in the codings of the original.
func TestCodings(t *testing.T) {
	everyWay(t, func(t *testing.T, start func(*testing.T, *Rewriter, http.HandlerFunc) (*http.Client, string)) {
		for _, name := range codingNames {
			ended := make(chan *rewriter.Document, 1)
			rw := &Rewriter{
				URL: at(t, "http://h/d/"),
				HTML: new(rewriter.Rewriter).With(rewriter.Hooks{
					Warn: func(_ int64, err error) { t.Errorf("%s: %v", name, err) },
				}),
				End: func(_ *http.Request, d *rewriter.Document, err error) {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					ended <- d
				},
			}
			client, url := start(t, rw, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=windows-1252")
				w.Header().Set("Content-Encoding", contentEncoding(name))
				w.Header().Set("ETag", `"1"`)
				body := encode(t, name, page)
				w.Header().Set("Content-Length", fmt.Sprint(len(body)))
				w.Write(body)
			})
			resp, body, err := get(t, client, request(t, "GET", url))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got, err := decode(t, name, body); got != rewritten || err != nil {
				t.Errorf("%s: %q, %v", name, got, err)
			}
			if h := resp.Header; h.Get("Content-Encoding") != contentEncoding(name) || h.Get("ETag") != `W/"1"` {
				t.Errorf("%s: %v", name, h)
			}
			d := <-ended
			if d.Result.Rewritten != 2 || d.Outer.Name != "retrieval URL" || d.Outer.Source != rewriter.OuterBase || d.Result.Base != d.Outer {
				t.Errorf("%s: %+v", name, d)
			}
		}
	})
}

// A client gets the first bytes before the server writes the last.
func TestSlowUpstream(t *testing.T) {
	everyWay(t, func(t *testing.T, start func(*testing.T, *Rewriter, http.HandlerFunc) (*http.Client, string)) {
		for _, name := range codingNames {
			goOn := make(chan struct{})
			client, url := start(t, &Rewriter{URL: at(t, "http://h/d/")}, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Content-Encoding", contentEncoding(name))
				var enc interface {
					io.WriteCloser
					Flush() error
				} = flusher{w}
				if list := codingsNamed(t, name); len(list) > 0 {
					enc = coding.NewWriter(w, list)
				}
				io.WriteString(enc, "<body><a href=x>first</a><")
				enc.Flush()
				w.(http.Flusher).Flush()
				<-goOn
				io.WriteString(enc, "a href=y>")
				enc.Close()
			})
			resp, err := client.Do(request(t, "GET", url))
			if err != nil {
				t.Fatal(err)
			}
			d := newDecoder(resp.Body, codingsNamed(t, name), 0, func(error) {})
			first := make([]byte, len("<body><a href=http://h/d/x>first</a>"))
			_, err = io.ReadFull(d, first)
			close(goOn)
			if string(first) != "<body><a href=http://h/d/x>first</a>" || err != nil {
				t.Errorf("%s: %q, %v", name, first, err)
			}
			rest, err := io.ReadAll(d)
			if string(rest) != "<a href=http://h/d/y>" || err != nil {
				t.Errorf("%s: then %q, %v", name, rest, err)
			}
			resp.Body.Close()
		}
	})
}

type flusher struct{ http.ResponseWriter }

func (w flusher) Flush() error { return http.NewResponseController(w.ResponseWriter).Flush() }
func (w flusher) Close() error { return nil }

// When a client goes away, the work for it ends, and no goroutine stays behind.
func TestAbortedClient(t *testing.T) {
	before := runtime.NumGoroutine()
	everyWay(t, func(t *testing.T, start func(*testing.T, *Rewriter, http.HandlerFunc) (*http.Client, string)) {
		for _, name := range []string{"", "gzip", "br", "zstd"} {
			gone, ended := make(chan struct{}), make(chan error, 1)
			rw := &Rewriter{End: func(_ *http.Request, _ *rewriter.Document, err error) { ended <- err }}
			client, url := start(t, rw, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Content-Encoding", contentEncoding(name))
				defer close(gone)
				body := encode(t, name, "<body><a href=x>first</a>", strings.Repeat("<a href=x>", 1000))
				w.Write(body[:len(body)-20])
				w.(http.Flusher).Flush()
				<-r.Context().Done()
				panic(http.ErrAbortHandler)
			})
			resp, err := client.Do(request(t, "GET", url))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := resp.Body.Read(make([]byte, 10)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			resp.Body.Close()
			wait(t, gone)
			if err := wait(t, ended); err == nil {
				t.Errorf("%s: no error for a part", name)
			}
			client.CloseIdleConnections()
		}
	})
	checkGoroutines(t, before)
}

func wait[T any](t *testing.T, c <-chan T) (got T) {
	t.Helper()
	select {
	case got = <-c:
	case <-time.After(10 * time.Second):
		t.Fatal("still at it after 10 seconds")
	}
	return got
}

func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, before %d:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// Close ends a Read that waits.
func TestCloseDuringRead(t *testing.T) {
	for _, name := range []string{"", "gzip"} {
		in, write := io.Pipe()
		ended := make(chan error, 2)
		original := htmlIn(name, nil)
		original.Body = in
		resp := (&Rewriter{End: func(_ *http.Request, _ *rewriter.Document, err error) { ended <- err }}).Response(original)
		result := make(chan error)
		go func() {
			_, err := io.ReadAll(resp.Body)
			result <- err
		}()
		write.Write(encode(t, name, "<p>")[:2])
		resp.Body.Close()
		if err := <-result; err == nil {
			t.Errorf("%s: reading ended without an error", name)
		}
		if err := <-ended; err == nil || len(ended) > 0 {
			t.Errorf("%s: ended with %v", name, err)
		}
		if _, err := resp.Body.Read(make([]byte, 1)); err == nil {
			t.Errorf("%s: more can be read", name)
		}
	}
}

// A truncated or corrupt body is an aborted response, which has everything that could
// be decoded.
func TestBrokenBodies(t *testing.T) {
	var long, want strings.Builder // cannot be compressed much
	for i := range 20000 {
		number := fmt.Sprintf("%x", sha256.Sum256([]byte{byte(i), byte(i >> 8)}))[:8]
		fmt.Fprintf(&long, "<a href=x>%s", number)
		if i < 10000 {
			fmt.Fprintf(&want, "<a href=http://h/d/x>%s", number)
		}
	}
	for _, name := range []string{"gzip", "deflate", "raw", "br", "zstd", "gzip, br"} {
		body := encode(t, name, long.String(), "<p>the end")
		corrupt := bytes.Clone(body)
		for i := range 20 {
			corrupt[len(corrupt)-1-i] ^= 0x5a
		}
		for kind, broken := range map[string][]byte{"truncated": body[:len(body)-1], "corrupt": corrupt} {
			if kind == "corrupt" && name == "raw" {
				continue // it has no checksum
			}
			everyWay(t, func(t *testing.T, start func(*testing.T, *Rewriter, http.HandlerFunc) (*http.Client, string)) {
				ended := make(chan error, 1)
				rw := &Rewriter{
					URL: at(t, "http://h/d/"),
					End: func(_ *http.Request, _ *rewriter.Document, err error) { ended <- err },
					HTML: new(rewriter.Rewriter).With(rewriter.Hooks{
						Warn: func(_ int64, err error) { t.Errorf("%s %s: %v", kind, name, err) },
					}),
				}
				client, url := start(t, rw, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					w.Header().Set("Content-Encoding", contentEncoding(name))
					w.Write(broken)
				})
				_, got, err := get(t, client, request(t, "GET", url))
				if err == nil {
					t.Errorf("%s %s: a complete response", kind, name)
				}
				text, _ := decoded(got, codingsNamed(t, name))
				if !strings.HasPrefix(text, want.String()) {
					t.Errorf("%s %s: %d bytes of what was understood", kind, name, len(text))
				}
				var e *rewriter.Error
				if err := wait(t, ended); !errors.As(err, &e) || e.Op != "read" || e.Offset < 100000 {
					t.Errorf("%s %s: ended with %v", kind, name, err)
				}
			})
		}
	}
}

// A body that is not in the coding of its header passes as it is.
func TestNotCoded(t *testing.T) {
	for _, name := range []string{"gzip", "deflate", "br", "zstd", "gzip, br"} {
		for kind, body := range map[string]string{
			"html": page, "short": "<", "empty": "", "long": strings.Repeat("<p>text", 100000),
			"large window": "\x28\xb5\x2f\xfd\x00\x90" + strings.Repeat("x", 1000),
		} {
			if kind == "large window" && name != "zstd" {
				continue
			}
			everyWay(t, func(t *testing.T, start func(*testing.T, *Rewriter, http.HandlerFunc) (*http.Client, string)) {
				warned := make(chan error, 10)
				rw := &Rewriter{HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { warned <- err }})}
				client, url := start(t, rw, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					w.Header().Set("Content-Encoding", name)
					io.WriteString(w, body)
				})
				resp, got, err := get(t, client, request(t, "GET", url))
				if string(got) != body || err != nil || resp.Header.Get("Content-Encoding") != name {
					t.Errorf("%s in %s: %.100q, %v, %v", kind, name, got, err, resp.Header)
				}
				if len(warned) != min(len(body), 1) {
					t.Errorf("%s in %s: %d warnings", kind, name, len(warned))
				} else if len(body) > 0 && !errors.Is(<-warned, ErrNotCoded) {
					t.Errorf("%s in %s: the warning is another", kind, name)
				}
			})
		}
	}
}

// Several members of gzip are one body, and what follows the last is dropped.
func TestMembersAndTrailing(t *testing.T) {
	two := append(encode(t, "gzip", "<p><a hr"), encode(t, "gzip", "ef=x>")...)
	for _, row := range []struct {
		name, body string
		warnings   int
	}{
		{"gzip", string(two), 0},
		{"gzip", string(two) + "\x00\x00\x00", 1},
		{"gzip", string(two) + "\x1f", 1},
		{"deflate", string(encode(t, "deflate", "<p><a href=x>")) + "garbage", 1},
		{"raw", string(encode(t, "raw", "<p><a href=x>")) + "garbage", 1},
		{"zstd", string(encode(t, "zstd", "<p><a hr")) + string(encode(t, "zstd", "ef=x>")), 0},
	} {
		warnings := 0
		resp := (&Rewriter{URL: at(t, "http://h/"), HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) {
			if warnings++; !errors.Is(err, ErrTrailing) {
				t.Error(err)
			}
		}})}).Response(htmlIn(row.name, strings.NewReader(row.body)))
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if got, err := decode(t, row.name, body); got != "<p><a href=http://h/x>" || err != nil || warnings != row.warnings {
			t.Errorf("%s %q: %q, %v, %d warnings", row.name, row.body, got, err, warnings)
		}
	}
}

// The base is the URL of the response, or what the fields say instead.
func TestBase(t *testing.T) {
	public := func(s string) *url.URL { return at(t, s)(nil) }
	for _, row := range []struct {
		rw       *Rewriter
		url      string
		location string
		want     string
	}{
		{&Rewriter{}, "http://h/d/p?q", "", "http://h/d/p?q"},
		{&Rewriter{}, "http://user:secret@h/d/#f", "", "http://h/d/"},
		{&Rewriter{}, "http://h?q", "", "http://h/?q"},
		{&Rewriter{}, "http://h/a%2Fb/", "", "http://h/a%2Fb/"},
		{&Rewriter{Public: public("https://www.example.org")}, "http://10.0.0.1:8080/d/p?q", "", "https://www.example.org/d/p?q"},
		{&Rewriter{Public: public("https://www.example.org/app/")}, "http://h/a%2Fb/p", "", "https://www.example.org/app/a%2Fb/p"},
		{&Rewriter{Public: public("https://www.example.org/app")}, "http://h", "", "https://www.example.org/app/"},
		{&Rewriter{URL: at(t, "http://x/y"), Public: public("http://z")}, "http://h/", "", "http://x/y"},
		{&Rewriter{URL: func(*http.Request) *url.URL { return nil }}, "http://h/", "", ""},
		{&Rewriter{}, "http://h/d/p", "e/other", "http://h/d/p"},
		{&Rewriter{ContentLocation: true}, "http://h/d/p", "", "http://h/d/p"},
		{&Rewriter{ContentLocation: true}, "http://h/d/p", "e/other", "http://h/d/e/other"},
		{&Rewriter{ContentLocation: true}, "http://h/d/p", "http://elsewhere/e", "http://elsewhere/e"},
		{&Rewriter{ContentLocation: true, URL: func(*http.Request) *url.URL { return nil }}, "http://h/d/p", "http://elsewhere/e", "http://elsewhere/e"},
	} {
		u, _ := url.Parse(row.url)
		d, err := row.rw.document(&http.Request{URL: u}, u, http.Header{"Content-Location": {row.location}})
		if err != nil {
			t.Errorf("%s: %v", row.url, err)
			continue
		}
		if got := d.Outer.URL.String(); got != row.want {
			t.Errorf("%s: %s, want %s", row.url, got, row.want)
		}
		if entity := row.rw.ContentLocation && row.location != ""; entity != (d.Outer.Source == rewriter.EntityBase) || entity != (d.Outer.Name == "Content-Location") || entity && row.rw.URL == nil != (d.Overridden.Name == "retrieval URL") {
			t.Errorf("%s: %+v over %+v", row.url, d.Outer, d.Overridden)
		}
	}
}

// The base is the URL that redirects led to, and the charset is the one in the
// header. The original response does not change.
func TestResponse(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/d/page", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "Application/XHTML+XML; charset=UTF-16LE")
		w.Write(testio.UTF16("<a href='é?é'/>", "\xff\xfe")[2:])
	}))
	defer server.Close()
	resp, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	out := new(Rewriter).Response(resp)
	defer out.Body.Close()
	body, err := io.ReadAll(out.Body)
	want := string(testio.UTF16("<a href='"+server.URL+"/d/é?é'/>", "\xff\xfe")[2:])
	if string(body) != want || err != nil {
		t.Errorf("%q, want %q, %v", body, want, err)
	}
	if resp == out || resp.ContentLength == out.ContentLength || resp.Header.Get("Content-Length") == "" {
		t.Error("the response itself changed")
	}
}

// isTooLong reports whether an error says that a body is longer than MaxDecoded.
func isTooLong(err error, limit int64) bool {
	var e *rewriter.LimitError
	return errors.As(err, &e) && *e == *errMaxDecoded(limit).(*rewriter.LimitError)
}

// MaxDecoded ends a body that is longer, whatever its coding. A handler may write the body
// at once or not.
func TestMaxDecoded(t *testing.T) {
	for _, name := range codingNames {
		body := encode(t, name, page)
		for _, limit := range []int64{int64(len(page)), int64(len(page)) - 1} {
			check := func(way string, got []byte, err error) {
				tooLong := isTooLong(err, limit)
				says := fmt.Sprintf("read at byte %d: the body is longer than %[1]d bytes, decoded", limit)
				if tooLong != (limit < int64(len(page))) || tooLong && err.Error() != says || !tooLong && err != nil {
					t.Errorf("%s, %s, %d bytes: %v", way, name, limit, err)
				}
				if text, _ := decoded(got, codingsNamed(t, name)); !strings.HasPrefix(rewritten, text) || !strings.HasPrefix(text, page[:17]) {
					t.Errorf("%s, %s, %d bytes: %q", way, name, limit, text)
				}
			}
			resp := (&Rewriter{URL: at(t, "http://h/d/"), MaxDecoded: limit}).Response(htmlIn(name, bytes.NewReader(body)))
			got, err := io.ReadAll(resp.Body)
			check("response", got, err)
			for _, size := range []int{len(body), 7} {
				answer := httptest.NewRecorder()
				err := errors.New("End was not told")
				rw := &Rewriter{URL: at(t, "http://h/d/"), MaxDecoded: limit, End: func(_ *http.Request, _ *rewriter.Document, end error) { err = end }}
				h := rw.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					maps.Copy(w.Header(), htmlIn(name, nil).Header)
					for piece := range slices.Chunk(body, size) {
						w.Write(piece)
					}
				}))
				aborted := recovered(func() { h.ServeHTTP(answer, httptest.NewRequest("GET", "/", nil)) })
				if check("handler", answer.Body.Bytes(), err); (aborted == http.ErrAbortHandler) != (err != nil) {
					t.Errorf("%s, %d bytes: %v", name, limit, aborted)
				}
			}
		}
	}
}

// A Public that was not parsed is refused in each profile if its host is none.
func TestPublicHosts(t *testing.T) {
	for host, ok := range map[string]bool{
		"x.org": true, "x.org:80": true, "x.org:": true, "X.ORG:65535": true, "[::1]": true, "[::1]:8080": true, "127.0.0.1:0": true, "münchen.example": true,
		"": false, ":80": false, "exa mple": false, "a/b": false, "a?b": false, "a#b": false, "[::1": false, "::1": false, "\x00": false, "a\nb": false, "x.org:99999": false, "x.org:65536": false,
		"x.org:a": false, "x.org:80:80": false, "u@x.org": false, "u:p@x.org": false, "a\\b": false, "a<b": false, "%2f": false, "]": false, strings.Repeat("a", 9<<10): false,
	} {
		for _, profile := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
			for _, scheme := range []string{"http", "HTTPS"} {
				rw := &Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: profile})), Public: &url.URL{Scheme: scheme, Host: host, Path: "app"}}
				if err := rw.Validate(); (err == nil) != ok {
					t.Errorf("%v, %.100q: %.200v", profile, host, err)
				}
			}
		}
	}
}

// A Public that gives no base is refused everywhere: pages would pass unrewritten.
func TestPublicIsChecked(t *testing.T) {
	for text, ok := range map[string]bool{
		"http://h": true, "HTTPS://h/app/": true, "//www.example.org": false, "www.example.org": false, "/app": false, "https:": false,
		"https:h": false, "mailto:a@b": false, "": false, "ftp://h": false,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		rw := &Rewriter{Public: u}
		if err := rw.Validate(); (err == nil) != ok || err != nil && !strings.HasPrefix(err.Error(), `web: Rewriter.Public is "`) {
			t.Errorf("%q: %v", text, err)
		}
		if r := recovered(func() { rw.Handler(http.NotFoundHandler()) }); (r == nil) != ok {
			t.Errorf("%q: Handler panics with %v", text, r)
		}
	}
	if err := (&Rewriter{Public: &url.URL{Host: "www.example.org"}}).Validate(); err == nil || !strings.Contains(err.Error(), `"//www.example.org": it takes a URL with a scheme and a host, such as https://www.example.org`) {
		t.Error(err)
	}
}
