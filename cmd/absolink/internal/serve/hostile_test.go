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
	"strings"
	"sync"
	"testing"
	"time"
)

// Clients make up no names of metrics.
func TestMetricLabels(t *testing.T) {
	s := new(Server)
	server := startServer(t, s, echo)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for i := range 10 {
		for _, path := range []string{"/%d", "/page/%d", "/%d/../do", "//%d", "/do/%d", "/page/../%d/../do?x"} {
			resp, err := client.Get(server.URL + fmt.Sprintf(path, i))
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
	t.Parallel()
	server := startServer(t, &Server{Jobs: 1}, echo)
	proxy := httptest.NewServer(newProxy("http://127.0.0.1:1").Handler())
	t.Cleanup(proxy.Close)
	var all sync.WaitGroup
	defer all.Wait()
	hang := func(server *httptest.Server, request string) {
		conn := dial(t, server.Listener.Addr().String())
		all.Go(func() {
			fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n", request)
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("%s: %v", request, err)
			}
		})
	}
	for _, request := range []string{"POST /nowhere", "POST /do?%zz", "POST /healthz", "GET /healthz", "GET /"} {
		hang(server, request)
	}
	hang(proxy, "POST /")
	conn := dial(t, server.Listener.Addr().String())
	for range 2 { // a connection on which bodies arrive is kept
		fmt.Fprint(conn, "POST /do HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx")
		time.Sleep(drainTimeout * 5 / 4)
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
	address, stop, ended := run(t, s.Handler(), time.Second, s.Limits())
	for _, version := range []string{"1.0", "1.1"} {
		for _, query := range []string{"", "?fail=1"} {
			conn := dial(t, address)
			resp := ask(t, conn, fmt.Sprintf("GET /do%s HTTP/%s\r\nHost: h\r\nConnection: close\r\n\r\n", query, version))
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

// A request may have so many fields and parameters, and no more, so that what it holds is
// bounded by its length. It is answered before its body arrives.
func TestManyFields(t *testing.T) {
	server := startServer(t, &Server{Jobs: 1}, echo)
	_, proxy := startProxy(t, "", "", func(http.ResponseWriter, *http.Request) {})
	var trailers strings.Builder
	for i := range maxFields {
		fmt.Fprintf(&trailers, ", a%d", i)
	}
	for _, test := range []struct {
		name, query, header string
		want                int
	}{
		{"fields", "", strings.Repeat("a:\r\n", maxFields-1), http.StatusOK},
		{"too many fields", "", strings.Repeat("a:\r\n", maxFields), http.StatusRequestHeaderFieldsTooLarge},
		{"too many trailers", "", "Transfer-Encoding: chunked\r\nTrailer: " + trailers.String()[2:] + "\r\nX-", http.StatusRequestHeaderFieldsTooLarge},
		{"parameters", strings.Repeat("&", maxParameters-1), "", http.StatusOK},
		{"too many parameters", strings.Repeat("&", maxParameters), "", http.StatusBadRequest},
	} {
		for _, address := range []string{server.Listener.Addr().String(), proxy} {
			body := "Content-Length: 1\r\n\r\n"
			if test.want != http.StatusRequestHeaderFieldsTooLarge {
				body += "x"
			}
			resp := ask(t, dial(t, address), fmt.Sprintf("POST /do?%s HTTP/1.1\r\nHost: h\r\n%s%s", test.query, test.header, body))
			passed := address == proxy && test.query != "" && resp.StatusCode == http.StatusOK
			if resp.StatusCode != test.want && !passed {
				t.Errorf("%s: %s", test.name, resp.Status)
			}
		}
	}
}

// More requests than there may be are answered 503, whatever they ask for: many of them
// come with one connection of HTTP/2.
func TestMaxRequests(t *testing.T) {
	s := new(Server)
	server := startServer(t, s, echo)
	s.all.Add(int64(s.maxRequests()) - 1)
	for i, want := range []int{http.StatusOK, http.StatusServiceUnavailable, http.StatusServiceUnavailable} {
		if i == 1 {
			s.all.Add(1)
		}
		resp, _ := send(t, "GET", server.URL+"/healthz", nil)
		if resp.StatusCode != want || want != http.StatusOK && resp.Header.Get("Retry-After") != "1" {
			t.Errorf("%s %v", resp.Status, resp.Header)
		}
	}
}

// Connections beyond the limit wait until others are closed.
func TestConnections(t *testing.T) {
	ok := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	address, stop, ended := run(t, ok, time.Minute, Limits{Connections: 2})
	connect := func() (net.Conn, chan error) {
		conn := dial(t, address)
		answered := make(chan error, 1)
		fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		go func() {
			_, err := http.ReadResponse(bufio.NewReader(conn), nil)
			answered <- err
		}()
		return conn, answered
	}
	first, answered := connect()
	if err := <-answered; err != nil {
		t.Error(err)
	}
	_, answered = connect()
	if err := <-answered; err != nil {
		t.Error(err)
	}
	_, answered = connect()
	select {
	case <-answered:
		t.Error("a third connection is served")
	case <-time.After(50 * time.Millisecond):
	}
	first.Close()
	if err := <-answered; err != nil {
		t.Error(err)
	}
	stop() // while Accept waits for a place
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A client that does not read /metrics holds up no other request.
func TestMetricsWait(t *testing.T) {
	s := new(Server)
	server := startServer(t, s, echo)
	w := &stuckWriter{begun: make(chan struct{}), end: make(chan struct{})}
	go s.metrics.serve(w, httptest.NewRequest("GET", "http://localhost/metrics", nil))
	<-w.begun
	defer close(w.end)
	send(t, "GET", server.URL+"/healthz", nil) // is counted
}

// A stuckWriter takes nothing until it ends.
type stuckWriter struct {
	httptest.ResponseRecorder
	begun, end chan struct{}
}

func (w *stuckWriter) Write(p []byte) (int, error) {
	close(w.begun)
	<-w.end
	return len(p), nil
}
