package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"absolink/resolver"
	"absolink/rewriter"
)

// newProxy returns a proxy before a server.
func newProxy(target string) *Proxy {
	p := &Proxy{Headers: true, HTML: new(rewriter.Rewriter), Log: slog.New(slog.DiscardHandler)}
	p.Target, _ = url.Parse(target)
	return p
}

// startProxy starts a proxy before a server. In what the proxy sends, the address of the
// server is TARGET.
func startProxy(t *testing.T, path, public string, target http.HandlerFunc) (get func(path string, header ...string) (*http.Response, string), address string) {
	t.Helper()
	server := httptest.NewServer(target)
	t.Cleanup(server.Close)
	p := newProxy(server.URL + path)
	if public != "" {
		p.Public, _ = url.Parse(public)
	}
	proxy := httptest.NewServer(p.Handler())
	t.Cleanup(proxy.Close)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(path string, header ...string) (*http.Response, string) {
		resp, err := client.Do(request(t, "GET", proxy.URL+path, nil, header...))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		for _, values := range resp.Header {
			for i := range values {
				values[i] = strings.ReplaceAll(values[i], server.URL, "TARGET")
			}
		}
		return resp, strings.ReplaceAll(string(body), server.URL, "TARGET")
	}, proxy.Listener.Addr().String()
}

// Links lead to the target, or stay on the proxy if they are below the target.
func TestProxyLinks(t *testing.T) {
	for _, test := range []struct{ path, public, in, want string }{
		{"", "", "<a href=x>", "<a href=TARGET/d/x>"},
		{"", "https://p.test", "<a href=x>", "<a href=https://p.test/d/x>"},
		{"", "https://p.test/", "<a href=/x?q#f>", "<a href=https://p.test/x?q#f>"},
		{"", "https://p.test/under", "<a href=/x>", "<a href=https://p.test/under/x>"},
		{"", "https://p.test", "<a href=SERVER/abs>", "<a href=https://p.test/abs>"},
		{"", "https://p.test", "<a href=SERVER>", "<a href=https://p.test/>"},
		{"", "https://p.test", "<a href=SERVER.evil.test/x>", "<a href=TARGET.evil.test/x>"},
		{"", "https://p.test", "<a href=http://other.test/x>", "<a href=http://other.test/x>"},
		{"/app", "https://p.test", "<a href=x>", "<a href=https://p.test/d/x>"},
		{"/app", "https://p.test", "<a href=/x>", "<a href=TARGET/x>"},
		{"/app", "https://p.test", "<a href=/apple>", "<a href=TARGET/apple>"},
		{"/app", "https://p.test", "<a href=SERVER/app/../x>", "<a href=TARGET/app/../x>"},
		{"/app", "https://p.test", "<a href=SERVER/app/..;v/x>", "<a href=TARGET/app/..;v/x>"},
		{"/app", "https://p.test", "<a href=SERVER/app/x%2f..%3bv/%>", "<a href=TARGET/app/x%2f..%3bv/%>"},
		{"/app", "https://p.test", "<a href=SERVER/app/x%2f..%3bv/>", "<a href=TARGET/app/x%2f..%3bv/>"},
		{"", "https://p.test", "<a href=/100%><a href=/x?100%>", "<a href=TARGET/100%><a href=https://p.test/x?100%>"},
		{"/app", "https://p.test", "<a href=SERVER/app/x..;v/x>", "<a href=https://p.test/x..;v/x>"},
		{"/app", "https://p.test", "<a href=SERVER/app/%2E./x?/../>", "<a href=TARGET/app/%2E./x?/../>"},
		{"/app", "https://p.test", "<a href=SERVER/app/x?/../>", "<a href=https://p.test/x?/../>"},
		{"/app/", "https://p.test/q/", "<a href=../>", "<a href=https://p.test/q/>"},
		{"", "https://p.test", "<base href=/e/><a href=x>", "<base href=https://p.test/e/><a href=https://p.test/e/x>"},
	} {
		get, _ := startProxy(t, test.path, test.public, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != strings.TrimSuffix(test.path, "/")+"/d/page" {
				t.Errorf("asks for %s", r.URL)
			}
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, strings.ReplaceAll(test.in, "SERVER", "http://"+r.Host))
		})
		if _, got := get("/d/page"); got != test.want {
			t.Errorf("%v: %s", test, got)
		}
	}
}

// URLs in headers become absolute, and stay on the proxy. What a client sends ends none.
func TestProxyHeaders(t *testing.T) {
	const hostile = "?'\">,<>;" // the query of the request
	for _, test := range []struct{ name, in, public, want string }{
		{"Location", "../x?q#f", "", "TARGET/x?q#f"},
		{"Location", "x", "https://p.test", "https://p.test/d/x"},
		{"Location", "SERVER/login", "https://p.test", "https://p.test/login"},
		{"Location", "https://other.test/", "https://p.test", "https://other.test/"},
		{"Content-Location", "page.en", "", "TARGET/d/page.en"},
		{"Content-Location", "", "", ""},
		{"Refresh", "5; url=x", "", "5; url=TARGET/d/x"},
		{"Refresh", "0;URL='/x'", "https://p.test", "0;URL='https://p.test/x'"},
		{"Refresh", "5", "", "5"},
		{"Refresh", "soon", "", "soon"},
		{"Link", `</a.css>; rel=preload, <b>; rel="next"; title="<c>"`, "", `<TARGET/a.css>; rel=preload, <TARGET/d/b>; rel="next"; title="<c>"`},
		{"Link", "<#x>; rel=next", "", "<TARGET/d/page?'\"%3E,<%3E;#x>; rel=next"},
		{"Link", `<>, <#y>; title="#z>"`, "", `<>, <TARGET/d/page?'"%3E,<%3E;#y>; title="#z>"`},
		{"Refresh", "0;url='#x'", "", "0;url='TARGET/d/page?%27\">,<>;#x'"},
		{"Refresh", `0;url="#x"`, "", `0;url="TARGET/d/page?'%22>,<>;#x"`},
		{"Refresh", "0;url=#x", "", "0;url=TARGET/d/page?'\">,<>;#x"},
		{"Location", "#x", "", "TARGET/d/page?'\">,<>;#x"},
	} {
		get, _ := startProxy(t, "", test.public, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(test.name, strings.ReplaceAll(test.in, "SERVER", "http://"+r.Host))
			w.WriteHeader(http.StatusFound)
		})
		if resp, _ := get("/d/page" + hostile); resp.Header.Get(test.name) != test.want {
			t.Errorf("%v: %s", test, resp.Header.Get(test.name))
		}
	}
}

// The header Base of a response is the base of its page and of its header (RFC 1808 §3.1).
func TestProxyBase(t *testing.T) {
	for _, test := range []struct{ base, public, want string }{
		{"(c) <URL:http://hdr.test/h/>", "", "http://hdr.test/h/x"},
		{"<URL:e/>", "", "TARGET/d/e/x"},
		{"<URL:e/>", "https://p.test", "https://p.test/d/e/x"},
		{"<URL:mailto:x>", "", "TARGET/d/x"},
	} {
		get, _ := startProxy(t, "", test.public, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Base", test.base)
			w.Header().Set("Content-Location", "x")
			io.WriteString(w, "<a href=x>")
		})
		if resp, got := get("/d/page"); got != "<a href="+test.want+">" || resp.Header.Get("Content-Location") != test.want {
			t.Errorf("%v: %s, %s", test, got, resp.Header.Get("Content-Location"))
		}
	}
}

// Ranges, other types and codings pass.
func TestProxyPasses(t *testing.T) {
	get, _ := startProxy(t, "", "", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Forwarded-Host") == "" {
			t.Error("the target does not know the proxy's name")
		}
		w.Header().Set("Content-Type", strings.Trim(r.URL.RawQuery, "?"))
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("<a href=x>"))
	})
	if resp, got := get("/?text/html", "Range", "bytes=3-6"); resp.StatusCode != 206 || got != "href" {
		t.Errorf("%s %q", resp.Status, got)
	}
	if _, got := get("/?text/plain"); got != "<a href=x>" {
		t.Error(got)
	}
}

// A target is recognized by the form that the profile gives its URL.
func TestProxyOrigin(t *testing.T) {
	for _, target := range []string{"http://h.test:80", "HTTP://H.test", "http://b\u00fccher.test"} {
		p := newProxy(target)
		p.HTML, p.Public = rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG})), &url.URL{Scheme: "https", Host: "p.test"}
		p.Handler()
		base, err := p.HTML.ParseBase(target + "/d/")
		if err != nil {
			t.Fatal(err)
		}
		u, _ := base.Resolve("x")
		if got := p.moved(u); got != "https://p.test/d/x" {
			t.Errorf("%s: %s becomes %s", target, u, got)
		}
	}
}

// Only the protocol of WebSockets passes: with another, such as h2c, pages would pass as
// they are, and requests would pass unseen.
func TestProxyUpgrade(t *testing.T) {
	for protocol, want := range map[string]string{"h2c": "", "TLS/1.0": "", "websocket, h2c": "", "WebSocket": "WebSocket"} {
		get, _ := startProxy(t, "", "", func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Upgrade"); got != want || r.Header.Get("HTTP2-Settings") != "" || (r.Header.Get("Connection") == "") != (want == "") {
				t.Errorf("%s: %v", protocol, r.Header)
			}
		})
		get("/", "Connection", "Upgrade, HTTP2-Settings", "Upgrade", protocol, "HTTP2-Settings", "AAMAAABk")
	}
}

// Nothing above the path of the target is asked for.
func TestProxyBelow(t *testing.T) {
	for _, path := range []string{"/app", ""} {
		asked := ""
		_, address := startProxy(t, path, "", func(w http.ResponseWriter, r *http.Request) { asked = r.RequestURI })
		for _, request := range []string{"/../secret", "/%2e%2e/secret", "/x/.%2E/../secret", "/..", "/./x", "/x%2f..%2f..%2fsecret", `/..\secret`, "/..%5csecret", "/..;/secret", "/x/..;a=b/..%3b/secret"} {
			asked = ""
			resp := ask(t, dial(t, address), fmt.Sprintf("GET %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", request))
			if refused := resp.StatusCode == http.StatusBadRequest && asked == ""; refused != (path != "") {
				t.Errorf("%s below %q: %s, asks for %q", request, path, resp.Status, asked)
			}
		}
	}
}

// No request chooses another server, or who the client is.
func TestProxyRequests(t *testing.T) {
	var got *http.Request
	_, address := startProxy(t, "", "", func(w http.ResponseWriter, r *http.Request) { got = r })
	for _, request := range []string{
		"GET //other.test/x HTTP/1.1\r\nHost: h\r\n",
		"GET /x HTTP/1.1\r\nHost: other.test\r\nX-Forwarded-For: 1.2.3.4\r\nForwarded: for=1.2.3.4\r\n",
		"POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n",
		"GET /x HTTP/1.1\r\nHost: h\r\nProxy-Authorization: Basic x\r\nKeep-Alive: 1\r\nX-Hop: y\r\n",
	} {
		got = nil
		resp := ask(t, dial(t, address), request+"Connection: close, X-Hop\r\n\r\n0\r\n\r\n")
		if got == nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", request, resp.Status)
			continue
		}
		if got.Host == "other.test" || got.Header.Get("X-Forwarded-For") != "127.0.0.1" {
			t.Errorf("%s: %v", request, got)
		}
		for _, name := range []string{"Forwarded", "Proxy-Authorization", "Keep-Alive", "X-Hop", "Content-Length"} {
			if got.Header.Get(name) != "" {
				t.Errorf("%s: %s is %s", request, name, got.Header.Get(name))
			}
		}
	}
}

// Clients that go away, and a target that ends a page early, leave no goroutine.
func TestProxyLeaks(t *testing.T) {
	page := strings.Repeat("<p>text <a href=x>x</a>", 100_000)
	get, address := startProxy(t, "", "", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/short":
			w.Header().Set("Content-Length", "1000000")
			io.WriteString(w, page[:1000])
		case "/silent":
			io.WriteString(w, page[:1000])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			io.WriteString(w, page)
		}
	})
	get("/warm")
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	before := runtime.NumGoroutine()
	for i := range 30 {
		conn := dial(t, address)
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", []string{"/short", "/silent", "/page"}[i%3])
		if i%2 == 0 {
			io.CopyN(io.Discard, conn, 1000)
		}
		conn.Close()
	}
	ends(t, before+idleConns, func() bool { return true })
}

// idleConns is how many goroutines the connections to the target may have that wait for
// another request: three for each.
const idleConns = 6

// What is wrong with the coding of a page is logged, and the page passes. So is a limit that
// the page reaches, but not a link without an absolute form: there may be any number.
func TestProxyWarns(t *testing.T) {
	for _, test := range []struct{ coding, page, want string }{
		{"gzip", "<a href=x>", "content coding"},
		{"", "<img srcset='" + strings.Repeat("x", 2<<20) + "'><a href='http://['>", "than may be held"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", test.coding)
			io.WriteString(w, test.page)
		}))
		defer server.Close()
		var log strings.Builder
		p := newProxy(server.URL)
		p.Log = slog.New(slog.NewTextHandler(&log, nil))
		rec := httptest.NewRecorder()
		p.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/page", nil))
		warning, _, _ := strings.Cut(log.String(), "level=INFO")
		if rec.Body.String() != test.page || strings.Count(warning, "level=WARN") != 1 || !strings.Contains(warning, test.want) || !strings.Contains(warning, "path=/page") {
			t.Errorf("%.100s\n%s", rec.Body, &log)
		}
	}
}

// Server-sent events arrive one by one.
func TestProxyEvents(t *testing.T) {
	next := make(chan struct{})
	_, address := startProxy(t, "", "", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			io.WriteString(w, "data: <a href=x>\n\n")
			w.(http.Flusher).Flush()
			<-next
		}
	})
	resp, err := http.Get("http://" + address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for range 3 {
		if !lines.Scan() || lines.Text() != "data: <a href=x>" {
			t.Fatalf("%q, %v", lines.Text(), lines.Err())
		}
		lines.Scan()
		next <- struct{}{}
	}
}

// A connection that becomes a WebSocket passes bytes both ways.
func TestProxyWebSocket(t *testing.T) {
	_, address := startProxy(t, "", "", func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		io.Copy(conn, rw)
	})
	conn := dial(t, address)
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	answer := bufio.NewReader(conn)
	resp, err := http.ReadResponse(answer, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(resp, err)
	}
	fmt.Fprint(conn, "\x81\x05hello")
	got := make([]byte, 7)
	if _, err := io.ReadFull(answer, got); err != nil || string(got) != "\x81\x05hello" {
		t.Errorf("%q, %v", got, err)
	}
}

// Where the target does not answer, the proxy says so.
func TestProxyProblem(t *testing.T) {
	rec := httptest.NewRecorder()
	newProxy("http://127.0.0.1:1").Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/", nil))
	if got := problem(t, rec.Result()); got.Status != http.StatusBadGateway {
		t.Error(got)
	}
}

// A target may begin to answer before the request is whole: both go on.
func TestProxyFullDuplex(t *testing.T) {
	_, address := startProxy(t, "", "", func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		control.EnableFullDuplex()
		control.SetReadDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(w, "begun, ")
		control.Flush()
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err)
	})
	body, send := io.Pipe()
	defer send.Close()
	r, err := http.NewRequest("POST", "http://"+address+"/", body)
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = 100_000
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	context.AfterFunc(ctx, func() { send.CloseWithError(ctx.Err()) }) // which RoundTrip waits for
	answer, err := http.DefaultTransport.RoundTrip(r.WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	go func() {
		io.WriteString(send, strings.Repeat("x", 100_000))
		send.Close()
	}()
	got, err := io.ReadAll(answer.Body)
	if want := "begun, 100000 <nil>"; err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// What is left of a request that its answer did not wait for never becomes another request, and
// a client that sends no more holds its connection for no longer than a drain takes. A request
// that is whole keeps its connection.
func TestProxyEarlyAnswer(t *testing.T) {
	t.Parallel()
	var paths atomic.Int32
	_, address := startProxy(t, "", "", func(w http.ResponseWriter, r *http.Request) {
		paths.Add(1)
		if r.URL.Path == "/whole" {
			io.Copy(io.Discard, r.Body)
		} else { // otherwise the target waits for the request before it answers
			control := http.NewResponseController(w)
			control.EnableFullDuplex()
			control.SetReadDeadline(drainDeadline())
			w.Header().Set("Connection", "close")
		}
		io.WriteString(w, "answered")
	})
	for _, test := range []struct {
		name, length, sent string
		kept               bool
	}{
		{"short", "Content-Length: 1000", "x", false},
		{"long", "Content-Length: 1000000", strings.Repeat("x", 300_000), false},
		{"another request in it", "Content-Length: 1000", "POST /smuggled HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", false},
		{"chunks", "Transfer-Encoding: chunked", "5\r\nhello\r\n", false},
		{"whole", "Content-Length: 5", "hello", true},
		{"whole, in chunks", "Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n", true},
	} {
		paths.Store(0)
		path := "/early"
		if test.kept {
			path = "/whole"
		}
		conn := dial(t, address)
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: h\r\n%s\r\n\r\n%s", path, test.length, test.sent)
		answers := bufio.NewReader(conn)
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		got, err := io.ReadAll(resp.Body)
		if string(got) != "answered" || err != nil || resp.Close == test.kept {
			t.Errorf("%s: %q, %v, close: %v", test.name, got, err, resp.Close)
		}
		if test.kept {
			fmt.Fprint(conn, "GET /again HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
		}
		rest, err := io.ReadAll(answers)
		if again := strings.HasPrefix(string(rest), "HTTP/1.1 200"); again != test.kept || err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s: then %q, %v", test.name, rest, err)
		}
		if n := paths.Load(); n > 1 && !test.kept {
			t.Errorf("%s: %d requests reach the target", test.name, n)
		}
		conn.Close()
	}
}
