//go:build linux && !race

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// A load is what many clients have absolink serve hold at the same time.
type load struct {
	name    string
	clients int
	request string // what each client sends: with HTTP/1.1, or the path of many streams
	waits   bool   // every request waits for a job that does not end
	reads   int    // how many answers each client reads, one after another
	answer  int64  // how long each answer is at least
	each    int    // how many bytes the server takes for each client at most
}

// fields are fields of a header with no values, and different names, in n bytes.
func fields(n int) string {
	var b strings.Builder
	for i := 0; b.Len()+6 <= n; i++ {
		fmt.Fprintf(&b, "%s:\r\n", shortName(i))
	}
	return b.String()
}

// names are different names in n bytes, with a separator behind each.
func names(n int, separator string) string {
	var b strings.Builder
	for i := 0; b.Len()+4 <= n; i++ {
		b.WriteString(shortName(i) + separator)
	}
	return b.String()
}

// shortName returns a name of three letters for each number.
func shortName(i int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	return string([]byte{letters[i%36], letters[i/36%36], letters[i/36/36%36]})
}

// post1 is a request with HTTP/1.1 that says its document has n bytes, and sends the first
// sent bytes.
func post1(n, sent int, header string) string {
	return fmt.Sprintf("POST /rewrite?url=http://h/ HTTP/1.1\r\nHost: h\r\n%sContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", header, n, strings.Repeat("x", sent))
}

var (
	longBase  = "http://h/" + strings.Repeat("a", 8000) + "/"
	manyLinks = "POST /rewrite?url=" + longBase + " HTTP/1.1\r\nHost: h\r\nContent-Type: text/html\r\nContent-Length: 1200\r\n\r\n" + strings.Repeat("<a href=x>", 120)
	someField = "x: " + strings.Repeat("y", 190) + "\r\n"
)

// resolveMany asks for the forms of n references.
func resolveMany(n int) string {
	return "GET /resolve?explain&base=" + longBase + strings.Repeat("&ref=x", n) + " HTTP/1.1\r\nHost: h\r\n\r\n"
}

func loads() []load {
	return []load{
		{name: "fields, as long as they may be", clients: 512, waits: true, each: waitMemory, request: post1(1, 1, strings.Repeat(someField, 96))},
		{name: "empty fields", clients: 1024, each: waitMemory, request: post1(1, 1, fields(19_000))},
		{name: "more empty fields", clients: 1024, each: connectionMemory, request: post1(1, 1, fields(65_000))},
		{name: "empty fields of no job", clients: 1024, each: connectionMemory, request: "POST /healthz HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n" + fields(19_000) + "\r\n"},
		{name: "a header that does not end", clients: 1500, each: connectionMemory, request: "GET /healthz HTTP/1.1\r\nHost: h\r\n" + fields(20_000)},
		{name: "names of trailers", clients: 1024, each: connectionMemory, request: strings.Replace(post1(1, 0, "Trailer: "+names(19_000, ",")+"\r\n"), "Content-Length: 1\r\n", "Transfer-Encoding: chunked\r\n", 1)},
		{name: "parameters", clients: 1024, each: waitMemory, request: strings.Replace(post1(1, 1, ""), "?", "?"+names(19_000, "&"), 1)},
		{name: "parameters, as many as there may be", clients: 512, waits: true, each: waitMemory, request: strings.Replace(post1(1, 1, ""), "?", "?"+strings.Repeat("rule="+strings.Repeat("%20", 21)+"&", 255), 1)},

		{name: "half of a short body", clients: 512, waits: true, each: waitMemory, request: post1(128<<10, 128<<10-1, strings.Repeat(someField, 96))},
		{name: "a short body", clients: 512, waits: true, each: waitMemory, request: post1(128<<10, 128<<10, strings.Repeat(someField, 96))},
		{name: "a long body", clients: 512, waits: true, each: waitMemory, request: post1(300<<10, 300<<10, strings.Repeat(someField, 96))},
		{name: "streams that send and stop", clients: 512, waits: true, each: waitMemory, request: "/rewrite"},
		{name: "streams that nobody reads", clients: 1024, each: waitMemory, request: "/"},

		{name: "answers of 1 MiB", clients: 512, reads: 3, answer: 900 << 10, each: waitMemory, request: manyLinks},
		{name: "references, as many as there may be, that nobody reads", clients: 800, each: waitMemory, request: resolveMany(254)},
		{name: "references in 62 KB that nobody reads", clients: 800, each: waitMemory, request: resolveMany(9_000)},
		{name: "pages that nobody reads", clients: 1024, each: waitMemory, request: strings.Repeat("GET / HTTP/1.1\r\nHost: h\r\n\r\n", 100)},
		{name: "pages of 200 KB", clients: 1000, reads: 1, answer: 272_000, each: 200 << 10, request: post1(200_000, 0, "") + strings.Repeat("<p>text <a href=x>x</a>\n\n", 8_000)},
		{name: "metrics that nobody reads", clients: 1024, each: waitMemory, request: strings.Repeat("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 1000)},
	}
}

// loadClaims say that what clients hold open takes no more memory than docs/sizing.md says,
// whatever they send and do not read: for jobs, for requests that wait, and for those that are
// not jobs.
func loadClaims() (claims []claim) {
	for _, l := range loads() {
		claims = append(claims, claim{
			name: "load/" + l.name, most: int64(idleMemory + jobMemory + min(l.clients, 1+1024+256)*l.each), nth: 16, alone: true,
			args: []string{"--jobs", "1", "--queue", "1024"}, use: l.use,
		})
	}
	return claims
}

func (l *load) use(t *testing.T, s *server) {
	address := strings.TrimPrefix(s.url, "http://")
	if l.waits {
		occupy(t, address)
	}
	var all sync.WaitGroup
	for range l.clients {
		all.Go(func() { l.client(t, address) })
	}
	all.Wait()
	if l.waits {
		await(t, address, fmt.Sprintf("absolink_documents_waiting %d\n", l.clients))
	}
	peak := int64(0)
	for now := peakIn(t, s.status); now > peak; now = peakIn(t, s.status) {
		peak = now
		time.Sleep(time.Second) // in which the server reads what was sent
	}
}

// References are worked on as documents are, whether a body or a query has them.
func TestResolveWaits(t *testing.T) {
	server := startServe(t, "--jobs", "1", "--queue", "0")
	occupy(t, strings.TrimPrefix(server, "http://"))
	for _, method := range []string{"GET", "POST"} {
		if resp, _ := ask(t, method, server+"/resolve?base=http://h/&ref=x", ""); resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%s: %s", method, resp.Status)
		}
	}
}

// occupy has a job go on until it times out: its client does not read.
func occupy(t *testing.T, address string) {
	conn := dial(t, address)
	fmt.Fprintf(conn, "POST /resolve?base=%s HTTP/1.1\r\nHost: h\r\nContent-Length: 40000\r\n\r\n%s", longBase, strings.Repeat("x\n", 20_000))
	await(t, address, "absolink_documents_in_progress 1\n")
}

// await waits until /metrics says something.
func await(t *testing.T, address, wanted string) {
	t.Helper()
	said := ""
	for range 3000 {
		if _, said = ask(t, "GET", "http://"+address+"/metrics", ""); strings.Contains(said, wanted) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s is not in\n%s", wanted, said)
}

// dial connects to the server until the test ends.
func dial(t *testing.T, address string) net.Conn {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Skip(err) // of file descriptors
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func (l *load) client(t *testing.T, address string) {
	conn := dial(t, address)
	if l.request[0] == '/' {
		l.stream(t, conn)
		return
	}
	answers := bufio.NewReader(conn)
	conn.SetWriteDeadline(time.Now().Add(time.Minute))
	for range l.reads {
		io.WriteString(conn, l.request)
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Error(err)
			return
		}
		if n, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 || n < l.answer {
			t.Errorf("%s, %d bytes, %v", resp.Status, n, err)
		}
	}
	if l.reads == 0 {
		conn.SetWriteDeadline(time.Now().Add(5 * time.Second))
		io.WriteString(conn, l.request) // a server that takes no more is right
	}
}

// stream sends a request with HTTP/2, and as much of its body as the server takes, but not
// the end. It takes nothing of the answer.
func (l *load) stream(t *testing.T, conn net.Conn) {
	framer := http2.NewFramer(conn, conn)
	io.WriteString(conn, http2.ClientPreface)
	framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	var block bytes.Buffer
	fields := hpack.NewEncoder(&block)
	method := "GET"
	if l.waits {
		method = "POST"
	}
	for _, field := range [][2]string{{":method", method}, {":scheme", "http"}, {":authority", "h"}, {":path", l.request}, {"content-type", "text/html"}} {
		fields.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
	}
	framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: !l.waits})
	window, sent := 65_535, 0
	stream := 1 << 20
	for l.waits && sent < min(window, stream) {
		n := min(window-sent, stream-sent, 16<<10)
		framer.WriteData(1, false, make([]byte, n))
		sent += n
		if sent < window {
			continue
		}
		for sent == window {
			conn.SetReadDeadline(time.Now().Add(time.Second))
			frame, err := framer.ReadFrame()
			if err != nil {
				return // the server takes no more
			}
			if f, ok := frame.(*http2.WindowUpdateFrame); ok && f.StreamID == 0 {
				window += int(f.Increment)
			}
			if f, ok := frame.(*http2.SettingsFrame); ok {
				if n, ok := f.Value(http2.SettingInitialWindowSize); ok {
					stream = int(n)
				}
			}
		}
	}
}
