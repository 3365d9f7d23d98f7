package testio

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// targets are the first lines of requests to a proxy, and what the server behind it is asked
// for then; "" where the answer is 400. OTHER is the address of another server.
var targets = []struct{ line, asked string }{
	{"GET /x", "GET /x"},
	{"GET /", "GET /"},
	{"GET /?", "GET /?"},
	{"OPTIONS /", "OPTIONS /"},
	{"GET /x;v=1?a=1;b=2", "GET /x;v=1?a=1;b=2"},
	{"GET /x?100%", "GET /x?100%"},
	{"GET /x?u=http://OTHER/", "GET /x?u=http://OTHER/"},

	// Forms other than a path.
	{"GET x:http://OTHER/admin", ""},
	{"OPTIONS x:http://OTHER/", ""},
	{"GET x:/y", ""},
	{"GET x:?q", ""},
	{"GET http:x", ""},
	{"GET http:/x", ""},
	{"GET http://OTHER/x", ""},
	{"GET HTTP://OTHER/x", ""},
	{"GET http://public/x", ""},
	{"GET https://u:p@OTHER/x", ""},
	{"GET ftp://OTHER/x", ""},
	{"GET file:///etc/passwd", ""},
	{"GET javascript:alert(1)", ""},
	{"OPTIONS http://OTHER/", ""},
	{"CONNECT OTHER", ""},
	{"CONNECT public:443", ""},
	{"CONNECT /x", ""},
	{"CONNECT x:http://OTHER/", ""},
	{"GET *", ""},
	{"OPTIONS *", ""},
	{"PRI *", ""},
	{"GET ?q", ""},
	{"GET x", ""},
	{"GET ", ""},
	{"GET @OTHER/x", ""},
	{"GET :80/x", ""},
	{`GET \\OTHER\x`, ""},

	// Paths that look like other forms: the server behind the proxy is asked for this path.
	{"GET //OTHER/x", "GET //OTHER/x"},
	{"GET ///OTHER/x", "GET ///OTHER/x"},
	{"GET /%2fOTHER/x", "GET /%2fOTHER/x"},
	{"GET /%2F%2FOTHER", "GET /%2F%2FOTHER"},
	{`GET /\OTHER/x`, "GET /%5COTHER/x"},
	{"GET /@OTHER/x", "GET /@OTHER/x"},
	{"GET /:80/x", "GET /:80/x"},
	{"GET /http://OTHER/x", "GET /http://OTHER/x"},

	// What a path cannot hold.
	{"GET /x#f", ""},
	{"GET /x?a#f", ""},
	{"GET /%zz", ""},
	{"GET /%u002e", ""},
	{"GET /a\x00b", ""},
	{"GET /a\tb", ""},
	{"GET /a b", ""},
	{"GET /\xc3\xbc\xff", "GET /%C3%BC%FF"},
	{"GET /a%00b", "GET /a%00b"},
	{"GET /x|y{z}^`\"<>", "GET /x%7Cy%7Bz%7D%5E%60%22%3C%3E"},
}

// A StartProxy starts a proxy before the server at a URL, and returns the proxy's address.
type StartProxy func(url string) (address string)

// ProxyTargets sends requests with targets of all forms to a proxy. Only a path may reach
// the server behind it, and nothing another one.
func ProxyTargets(t *testing.T, start StartProxy) {
	t.Helper()
	var asked atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Method + " " + r.RequestURI)
	}))
	defer server.Close()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server is asked for %s", r.RequestURI)
	}))
	defer other.Close()
	address := start(server.URL)
	named := strings.NewReplacer("OTHER", other.Listener.Addr().String())
	for _, test := range targets {
		asked.Store("")
		status := statusOf(t, address, named.Replace(test.line))
		want := http.StatusOK
		if test.asked == "" {
			want = http.StatusBadRequest
		}
		if got := asked.Load(); got != named.Replace(test.asked) || status != want {
			t.Errorf("%q: %d, the server is asked for %q", test.line, status, got)
		}
	}
}

// statusOf sends a request with this first line, and returns the status of the answer.
func statusOf(t *testing.T, address, line string) int {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: public\r\nConnection: close\r\n\r\n", line)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Errorf("%q: %v", line, err)
		return 0
	}
	return resp.StatusCode
}

// ProxyAnswers has the server behind a proxy answer with statuses, headers and protocols
// that cannot be passed on: the answer of the proxy must be 502 then.
func ProxyAnswers(t *testing.T, start StartProxy) {
	t.Helper()
	answer := ""
	address := start(Raw(t, func() string { return answer }))
	for _, test := range []struct {
		text   string
		status int // with which the proxy passes the text on
	}{
		{"HTTP/1.1 000 Zero\r\n\r\n", 502},
		{"HTTP/1.1 099 Low\r\n\r\n", 502},
		{"HTTP/1.1 1000 High\r\n\r\n", 502},
		{"HTTP/1.1 -10 Negative\r\n\r\n", 502},
		{"HTTP/1.1 101 Switching Protocols\r\n\r\n", 502},
		{"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 502},
		{"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 65<<10) + "\r\n\r\n", 502},
		{"HTTP/1.1 200 OK\r\n" + strings.Repeat("X: x\r\n", 20_000) + "\r\n", 502},
		{"HTTP/1.1 103 Early Hints\r\nLink: " + strings.Repeat("x", 65<<10) + "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", 502},
		{"no HTTP\r\n\r\n", 502},
		{"", 502},
		{"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 60<<10) + "\r\nContent-Length: 0\r\n\r\n", 200},
		{"HTTP/1.1 599 High\r\nContent-Length: 0\r\n\r\n", 599},
		{"HTTP/1.1 999 Highest\r\nContent-Length: 0\r\n\r\n", 999},
	} {
		answer = test.text
		if got := statusOf(t, address, "GET /"); got != test.status {
			t.Errorf("%.60q: the answer is %d, not %d", test.text, got, test.status)
		}
	}
}

// Raw starts a server that answers each request with the bytes that answer returns, and then
// ends the connection.
func Raw(t *testing.T, answer func() string) (url string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					io.WriteString(conn, answer())
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}
