package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"absolink/rewriter"
)

// Clients make up no names of metrics.
func TestMetricLabels(t *testing.T) {
	s := new(Server)
	server := startServer(t, s, echo)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for i := range 10 {
		for _, path := range []string{"/%d", "/page/%d", "/%d/../do", "//%d", "/do/%d", "/page/../%d/../do?x"} {
			r, _ := http.NewRequest("GET", server.URL+fmt.Sprintf(path, i), nil)
			resp, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
	}
	s.metrics.mu.Lock()
	defer s.metrics.mu.Unlock()
	for labels := range s.metrics.requests {
		if labels.path != "/do" && labels.path != "/page/" && labels.path != "other" {
			t.Errorf("%v", labels)
		}
	}
}

// A body that nobody reads, and that does not arrive, holds no connection.
func TestDrain(t *testing.T) {
	defer func(before time.Duration) { drainTimeout = before }(drainTimeout)
	drainTimeout = 100 * time.Millisecond
	server := startServer(t, &Server{Jobs: 1}, echo)
	p := &Proxy{HTML: new(rewriter.Rewriter), Log: slog.New(slog.DiscardHandler), Target: &url.URL{Scheme: "http", Host: "127.0.0.1:1"}}
	proxy := httptest.NewServer(p.Handler())
	defer proxy.Close()
	hang := func(server *httptest.Server, request string) {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n", request)
		conn.SetDeadline(time.Now().Add(time.Minute))
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Errorf("%s: %v", request, err)
		}
	}
	for _, request := range []string{"POST /nowhere", "POST /do?%zz", "POST /healthz", "GET /healthz", "GET /"} {
		hang(server, request)
	}
	hang(proxy, "POST /")
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range 3 { // a connection on which bodies arrive is kept
		fmt.Fprint(conn, "POST /do HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx")
		time.Sleep(2 * drainTimeout)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp, err)
		}
		io.Copy(io.Discard, resp.Body)
	}
}

// An aborted response never looks whole: with HTTP/1.0 too, where the end of the connection
// is the end of the response.
func TestAborts(t *testing.T) {
	s := &Server{Jobs: 1, Memory: 1, Timeout: time.Minute, MaxBody: 1 << 20, Log: slog.New(slog.DiscardHandler)}
	s.Init()
	s.Handle("GET /do", weightIn, func(_ context.Context, x *Exchange) error {
		x.Type = "text/plain"
		x.Write(make([]byte, 2*maxHeld))
		if x.Query.Get("fail") != "" {
			return errors.New("cannot go on")
		}
		return nil
	})
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- Run(ctx, l, s.Handler(), s.Log, time.Second) }()
	for _, version := range []string{"1.0", "1.1"} {
		for _, query := range []string{"", "?fail=1"} {
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "GET /do%s HTTP/%s\r\nHost: h\r\nConnection: close\r\n\r\n", query, version)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, resp.Body)
			if whole := err == nil; whole != (query == "") || whole && n != 2*maxHeld {
				t.Errorf("HTTP/%s, %q: %d bytes, %v", version, query, n, err)
			}
			conn.Close()
		}
	}
	stop()
	<-ended
}
