package web

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/resolver"
	"absolink/rewriter"
)

// The base in a handler is the URL that the client asked for, also where handlers
// around it have changed the URL of the request.
func TestHandlerBase(t *testing.T) {
	serve := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<p><a href=x>")
	}
	handler := http.StripPrefix("/app", new(Rewriter).Handler(http.HandlerFunc(serve)))
	for _, start := range []func(http.Handler) *httptest.Server{httptest.NewServer, httptest.NewTLSServer} {
		server := start(handler)
		resp, err := server.Client().Get(server.URL + "/app/d//a%2Fb?q")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		if want := "<p><a href=" + server.URL + "/app/d//x>"; string(body) != want {
			t.Errorf("%q, want %q", body, want)
		}
		resp.Body.Close()
		server.Close()
	}
}

// If a handler sets no Content-Type, the one that net/http finds counts.
func TestHandlerWithoutType(t *testing.T) {
	for _, row := range []struct {
		writes []string
		flush  bool
		want   string
		typ    string
	}{
		{writes: []string{"<", "html", "><a href=x>"}, want: "<html><a href=http://h/x>", typ: "text/html; charset=utf-8"},
		{writes: []string{"<html>" + strings.Repeat(" ", 600), "<a href=x>"}, want: "<html>" + strings.Repeat(" ", 600) + "<a href=http://h/x>", typ: "text/html; charset=utf-8"},
		{writes: []string{"<html>", "<a href=x>"}, flush: true, want: "<html><a href=http://h/x>", typ: "text/html; charset=utf-8"},
		{writes: []string{"text <a href=x>"}, want: "text <a href=x>", typ: "text/plain; charset=utf-8"},
		{want: ""},
	} {
		for _, status := range []int{0, 404} {
			client, url := middleware(t, &Rewriter{URL: at(t, "http://h/")}, func(w http.ResponseWriter, r *http.Request) {
				if status != 0 {
					w.WriteHeader(status)
				}
				for _, s := range row.writes {
					if n, err := io.WriteString(w, s); n != len(s) || err != nil {
						t.Errorf("%d of %d bytes, %v", n, len(s), err)
					}
					if row.flush {
						w.(http.Flusher).Flush()
					}
				}
			})
			resp, body, err := get(t, client, request(t, "GET", url))
			if string(body) != row.want || resp.Header.Get("Content-Type") != row.typ || err != nil || resp.StatusCode != max(status, 200) {
				t.Errorf("%q: %q, %s, %v", row.writes, body, resp.Header.Get("Content-Type"), err)
			}
		}
	}
}

// If a handler fails, or writes less than it announced, the response is aborted.
func TestHandlerAborts(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, serve := range map[string]http.HandlerFunc{
		"panic": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "<a href=x><a")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
		"short": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "<a href=x>")
		},
	} {
		t.Run(name, func(t *testing.T) {
			client, url := middleware(t, &Rewriter{URL: at(t, "http://h/")}, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				serve(w, r)
			})
			_, body, err := get(t, client, request(t, "GET", url))
			if err == nil {
				t.Errorf("a complete response: %q", body)
			}
		})
	}
	checkGoroutines(t, before)
}

// After a panic or an error of the caller's function, nothing more is written, whatever a
// handler calls that goes on.
func TestHandlerGoesOn(t *testing.T) {
	const page = "<body><p>text</p><a href=http://x/><a href=x>"
	for coding, body := range map[string][]byte{"identity": []byte(page), "gzip": encode(t, "gzip", page[:20], page[20:])} {
		for what, visit := range map[string]func() error{"panic": func() error { panic("the visitor's") }, "error": func() error { return errors.New("bad") }} {
			t.Run(coding+" "+what, func(t *testing.T) {
				var ended []error
				rw := &Rewriter{
					HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(*rewriter.Place) error { return visit() }}),
					End:  func(_ *http.Request, _ *rewriter.Document, err error) { ended = append(ended, err) },
				}
				answer := httptest.NewRecorder()
				h := rw.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					w.Header().Set("Content-Encoding", coding)
					var told error
					if recovered(func() { _, told = w.Write(body) }) == nil && told == nil {
						t.Error("nothing is told of it")
					}
					before := answer.Body.Len()
					for i, f := range []func() error{
						http.NewResponseController(w).Flush,
						func() error { _, err := w.Write([]byte("more")); return err },
						func() error { _, err := io.Copy(w, strings.NewReader("more")); return err },
						http.NewResponseController(w).Flush,
					} {
						if err := f(); err == nil || answer.Body.Len() != before {
							t.Errorf("call %d: %v, and %d bytes are written after %d", i, err, answer.Body.Len()-before, before)
						}
					}
				}))
				if r := recovered(func() { h.ServeHTTP(answer, httptest.NewRequest("GET", "http://h/", nil)) }); r != http.ErrAbortHandler {
					t.Errorf("the end of the response is %v", r)
				}
				if len(ended) != 1 || ended[0] == nil {
					t.Errorf("End is told %v", ended)
				}
			})
		}
	}
}

// Nothing is written after a panic of URL either: the page would pass with its own links.
func TestHandlerURLPanics(t *testing.T) {
	rw := &Rewriter{URL: func(*http.Request) *url.URL { panic("the caller's") }}
	for _, contentType := range []string{"text/html", ""} {
		answer := httptest.NewRecorder()
		h := rw.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if contentType != "" {
				w.Header().Set("Content-Type", contentType)
			}
			page := "<html>" + strings.Repeat(" ", sniffLen)
			if recovered(func() { io.WriteString(w, page) }) != "the caller's" {
				t.Error("no panic")
			}
			if n, err := io.WriteString(w, page); n > 0 || err == nil {
				t.Errorf("%d bytes, %v", n, err)
			}
			if http.NewResponseController(w).Flush() == nil {
				t.Error("Flush says that all is well")
			}
		}))
		if r := recovered(func() { h.ServeHTTP(answer, httptest.NewRequest("GET", "/", nil)) }); r != http.ErrAbortHandler || answer.Body.Len() > 0 {
			t.Errorf("%q: %v, %q", contentType, r, answer.Body)
		}
	}
}

// After a panic of the caller's function, a body gives nothing more.
func TestBodyGoesOn(t *testing.T) {
	for _, coding := range []string{"identity", "gzip"} {
		rw := &Rewriter{HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(*rewriter.Place) error { panic("the visitor's") }}), URL: at(t, "http://h/")}
		src := iotest.OneByteReader(bytes.NewReader(encode(t, coding, "<body><p>text</p>", "<p>text</p><a href=x>")))
		body := rw.Response(htmlIn(coding, src)).Body
		if recovered(func() { io.Copy(io.Discard, body) }) == nil {
			t.Fatalf("%s: no panic", coding)
		}
		for range 3 {
			if n, err := body.Read(make([]byte, 100)); n > 0 || err == nil || err == io.EOF {
				t.Errorf("%s: after the panic, %d bytes and %v", coding, n, err)
			}
		}
		body.Close()
	}
}

// recovered calls f, and returns the value of its panic.
func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// What a handler writes beyond its Content-Length is refused, as net/http does.
func TestHandlerWritesTooMuch(t *testing.T) {
	client, url := middleware(t, &Rewriter{URL: at(t, "http://h/")}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "<a href=x>")
		if _, err := io.WriteString(w, "y"); err != http.ErrContentLength {
			t.Error(err)
		}
	})
	if _, body, err := get(t, client, request(t, "GET", url)); string(body) != "<a href=http://h/x>" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
}

// Files are rewritten if they are HTML, and pass otherwise; so do ranges of them.
func TestHandlerFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"page.html": "<p><a href=x>", "text.txt": "<a href=x>"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	client, url := middleware(t, &Rewriter{URL: at(t, "http://h/")}, http.FileServer(http.Dir(dir)).ServeHTTP)
	for _, row := range []struct{ path, bytes, want string }{
		{"/page.html", "", "<p><a href=http://h/x>"},
		{"/page.html", "bytes=3-", "<a href=x>"},
		{"/text.txt", "", "<a href=x>"},
	} {
		r := request(t, "GET", url+row.path)
		if row.bytes != "" {
			r.Header.Set("Range", row.bytes)
		}
		resp, body, err := get(t, client, r)
		if string(body) != row.want || err != nil || (resp.StatusCode == 206) != (row.bytes != "") {
			t.Errorf("%+v: %d %q, %v", row, resp.StatusCode, body, err)
		}
	}
}

// A handler can take over the connection, by Hijack and through a
// ResponseController.
func TestHijack(t *testing.T) {
	for name, hijack := range map[string]func(http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error){
		"interface": func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) { return w.(http.Hijacker).Hijack() },
		"controller": func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) {
			return http.NewResponseController(w).Hijack()
		},
		"unwrapped": func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) {
			return w.(interface{ Unwrap() http.ResponseWriter }).Unwrap().(http.Hijacker).Hijack()
		},
	} {
		client, url := middleware(t, &Rewriter{}, func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := hijack(w)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n<a href=x>")
		})
		if _, body, err := get(t, client, request(t, "GET", url)); string(body) != "<a href=x>" || err != nil {
			t.Errorf("%s: %q, %v", name, body, err)
		}
	}
}

// After an upgrade, bytes pass untouched through proxy and handler.
func TestUpgrade(t *testing.T) {
	for _, name := range []string{"proxy", "middleware"} {
		_, url := ways[name](t, &Rewriter{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "echo")
			w.WriteHeader(http.StatusSwitchingProtocols)
			conn, rw, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			line, _ := rw.ReadString('\n')
			io.WriteString(conn, "<a href=x>"+line)
		})
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		r := bufio.NewReader(conn)
		resp, err := http.ReadResponse(r, nil)
		if err != nil || resp.StatusCode != 101 {
			t.Fatalf("%s: %v, %v", name, resp, err)
		}
		io.WriteString(conn, "hello\n")
		if got, err := io.ReadAll(r); string(got) != "<a href=x>hello\n" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		conn.Close()
	}
}

// Early hints pass, and the response after them is rewritten.
func TestEarlyHints(t *testing.T) {
	w := httptest.NewRecorder()
	new(Rewriter).Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusNotFound)
		w.Write([]byte("<p><a href=x>"))
	})).ServeHTTP(hinted{w}, httptest.NewRequest("GET", "http://h/d/", nil))
	if got := w.Body.String(); w.Code != 404 || got != "<p><a href=http://h/d/x>" {
		t.Errorf("%d %q", w.Code, got)
	}
}

// A hinted recorder does not take 103 for the status of the response.
type hinted struct{ *httptest.ResponseRecorder }

func (w hinted) WriteHeader(status int) {
	if status >= 200 {
		w.ResponseRecorder.WriteHeader(status)
	}
}

// The target of a request gives a base if it names something on a server.
func TestHandlerTargets(t *testing.T) {
	rw := &Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG}))}
	server := httptest.NewServer(rw.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<a href=x>")
	})))
	defer server.Close()
	for target, want := range map[string]string{
		"/d/":                      "http://h/d/x",
		"//other/d/":               "http://h//other/d/x",
		"/x:http://other/d/":       "http://h/x:http://other/d/x",
		"http://named/d/":          "http://named/d/x",
		"x:http://127.0.0.1/admin": "x",
		"http:?":                   "http://h/x",
		"h:443":                    "x",
		"javascript:alert(1)":      "x",
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", target)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		conn.Close()
		if got := string(body); got != "<a href="+want+">" {
			t.Errorf("%s: %s %s", target, resp.Status, got)
		}
	}
}
