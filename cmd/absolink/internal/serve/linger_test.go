package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// An answer to a request that is not read to its end can be read by a client that still sends:
// the connection is not closed at once, and so not reset.
func TestLinger(t *testing.T) {
	t.Parallel()
	server := startServer(t, &Server{MaxBody: 1 << 20}, echo).Listener.Addr().String()
	const patience = 300 * time.Millisecond
	slow := startServer(t, &Server{Timeout: patience}, echo).Listener.Addr().String()
	_, proxy := startProxy(t, "", "", func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusConflict)
	})
	chunk := func(n int) string { return fmt.Sprintf("%x\r\n%s\r\n", n, strings.Repeat("x", n)) }
	const chunked = "Transfer-Encoding: chunked"
	const known = "Content-Length: 1000000"
	for _, test := range []struct {
		name, address, path, header, body string
		want                              int
		waits                             time.Duration // before it answers
	}{
		{"too long", server, "/do", chunked, chunk(2 << 20), http.StatusRequestEntityTooLarge, 0},
		{"too slow", slow, "/do", "Content-Length: 1000", "x", http.StatusRequestTimeout, patience},
		{"too slow, long", slow, "/do", known, strings.Repeat("x", 200_000), http.StatusRequestTimeout, patience},
		{"proxy", proxy, "/", chunked, chunk(1000), http.StatusConflict, 0},
		{"proxy, known length", proxy, "/", known, "x", http.StatusConflict, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp, lingers := sendOn(t, test.address, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: h\r\n%s\r\n\r\n%s", test.path, test.header, test.body))
			if resp.StatusCode != test.want || !resp.Close {
				t.Errorf("%v", resp)
			}
			if lingers -= test.waits; lingers < leastLinger || lingers >= drainTimeout { // a drain alone takes as long
				t.Errorf("the connection is reset after %v", lingers)
			}
		})
	}
}

// linger has its effect by what net/http does in go1.26, which no documentation promises.
func TestLingerOfGo(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
		io.Copy(io.Discard, r.Body)
		linger(&record{ResponseWriter: w})
		w.WriteHeader(http.StatusConflict)
	}))
	defer server.Close()
	resp, lingers := sendOn(t, server.Listener.Addr().String(), "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nx")
	if resp.StatusCode != http.StatusConflict || !resp.Close || lingers < leastLinger {
		t.Errorf("with %s, linger has another effect than with go1.26: the connection is reset after %v, %v", runtime.Version(), lingers, resp)
	}
}

// leastLinger is less than the half second for which a connection lingers.
const leastLinger = 400 * time.Millisecond

// sendOn sends the beginning of a request, reads the answer, and sends on. It returns the answer,
// and how long it took until the connection was reset.
func sendOn(t *testing.T, address, request string) (*http.Response, time.Duration) {
	t.Helper()
	begun := time.Now()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(begun.Add(20 * time.Second))
	go io.WriteString(conn, request)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = conn.Write([]byte("x"))
		time.Sleep(10 * time.Millisecond)
	}
	return resp, time.Since(begun)
}

// A client that has stopped in the middle of a body that nobody reads gets the answer.
func TestAnswerToStalled(t *testing.T) {
	t.Parallel()
	server := startServer(t, new(Server), echo).Listener.Addr().String()
	var all sync.WaitGroup
	defer all.Wait()
	for _, test := range []struct {
		path, header string
		want         int
	}{
		{"/nowhere", "Content-Length: 1000", http.StatusNotFound},
		{"/nowhere", "Transfer-Encoding: chunked", http.StatusNotFound},
		{"/do", "Content-Length: 1000\r\nContent-Encoding: unknown", http.StatusUnsupportedMediaType},
		{"/do?" + strings.Repeat("&", maxParameters), "Content-Length: 1000", http.StatusBadRequest},
	} {
		conn, err := net.Dial("tcp", server)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(20 * time.Second))
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: h\r\n%s\r\n\r\n5\r\n", test.path, test.header)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || resp.StatusCode != test.want {
				t.Errorf("%.20s, %s: %v, %v", test.path, test.header, resp, err)
			}
		})
	}
}
