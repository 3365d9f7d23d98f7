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
	server := startServer(t, &Server{MaxBody: 1 << 20}, echo)
	slow := startServer(t, &Server{Timeout: 300 * time.Millisecond}, echo)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusConflict)
	}))
	defer target.Close()
	proxy := newProxy(target.URL)
	chunk := func(n int) string { return fmt.Sprintf("%x\r\n%s\r\n", n, strings.Repeat("x", n)) }
	const chunked = "Transfer-Encoding: chunked"
	const known = "Content-Length: 1000000"
	for _, test := range []struct {
		name               string
		handler            http.Handler
		path, header, body string
		want               int
	}{
		{"too long", server.Config.Handler, "/do", chunked, chunk(2 << 20), http.StatusRequestEntityTooLarge},
		{"too slow", slow.Config.Handler, "/do", "Content-Length: 1000", "x", http.StatusRequestTimeout},
		{"too slow, long", slow.Config.Handler, "/do", known, strings.Repeat("x", 200_000), http.StatusRequestTimeout},
		{"proxy", proxy.Handler(), "/", chunked, chunk(1000), http.StatusConflict},
		{"proxy, known length", proxy.Handler(), "/", known, "x", http.StatusConflict},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp, lingers := sendOn(t, test.handler, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: h\r\n%s\r\n\r\n%s", test.path, test.header, test.body))
			if resp.StatusCode != test.want || !resp.Close || !lingers {
				t.Errorf("lingers %v: %v", lingers, resp)
			}
		})
	}
}

// linger has its effect by what net/http does in go1.26, which no documentation promises.
func TestLingerOfGo(t *testing.T) {
	t.Parallel()
	for _, want := range []bool{false, true} {
		resp, lingers := sendOn(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
			io.Copy(io.Discard, r.Body)
			if want {
				linger(&record{ResponseWriter: w})
			}
			w.WriteHeader(http.StatusConflict)
		}), "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nx")
		if resp.StatusCode != http.StatusConflict || !resp.Close || lingers != want {
			t.Errorf("with %s, linger has another effect than with go1.26: lingers %v, want %v: %v", runtime.Version(), lingers, want, resp)
		}
	}
}

// sendOn sends the beginning of a request, reads the answer, and sends on until the connection is
// reset. It returns the answer, and whether the connection lingered.
func sendOn(t *testing.T, h http.Handler, request string) (resp *http.Response, lingers bool) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	ended := make(chan bool, 1)
	server.Listener = endedListener{server.Listener, ended}
	server.Start()
	defer server.Close()
	conn := dial(t, server.Listener.Addr().String())
	go io.WriteString(conn, request)
	resp = ask(t, conn, "")
	for err := error(nil); err == nil; {
		_, err = conn.Write([]byte("x"))
		time.Sleep(10 * time.Millisecond)
	}
	return resp, <-ended
}

// An endedListener says of each connection whether it lingered: net/http ends its own side first,
// waits for half a second, and then closes the connection.
type endedListener struct {
	net.Listener
	ended chan<- bool
}

func (l endedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &endedConn{TCPConn: conn.(*net.TCPConn), ended: l.ended}, nil
}

type endedConn struct {
	*net.TCPConn
	lingers bool
	ended   chan<- bool
}

func (c *endedConn) CloseWrite() error {
	c.lingers = true
	return c.TCPConn.CloseWrite()
}

func (c *endedConn) Close() error {
	select {
	case c.ended <- c.lingers:
	default: // closed again
	}
	return c.TCPConn.Close()
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
		conn := dial(t, server)
		all.Go(func() {
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: h\r\n%s\r\n\r\n5\r\n", test.path, test.header)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || resp.StatusCode != test.want {
				t.Errorf("%.20s, %s: %v, %v", test.path, test.header, resp, err)
			}
		})
	}
}
