package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"absolink/internal/test/soak"
)

// Tests that run side by side mostly wait, so that more of them run than there are processors.
func TestMain(m *testing.M) {
	drainTimeout = time.Second
	flag.Set("test.parallel", "16")
	m.Run()
}

// startServer starts a server whose POST /do and GET /do are done by do.
func startServer(t *testing.T, s *Server, do func(context.Context, *Exchange) error) *httptest.Server {
	t.Helper()
	if s.Jobs == 0 {
		s.Jobs = 4
	}
	if s.Memory == 0 {
		s.Memory = int64(s.Jobs)
	}
	if s.Timeout == 0 {
		s.Timeout = time.Minute
	}
	if s.MaxBody == 0 {
		s.MaxBody = 64 << 20
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	s.Init()
	s.Handle("POST /do", weightIn, do)
	s.Handle("GET /do", weightIn, do)
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	return server
}

// dial connects to a server until the end of the test.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute))
	return conn
}

// ask sends a request on a connection, and returns the answer.
func ask(t *testing.T, conn net.Conn, request string) *http.Response {
	t.Helper()
	io.WriteString(conn, request)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%.100q: %v", request, err)
	}
	return resp
}

// send sends a request, and returns the answer with all that can be read of its body.
func send(t *testing.T, method, url string, body io.Reader, header ...string) (*http.Response, string) {
	t.Helper()
	return sendRequest(t, request(t, method, url, body, header...))
}

// request returns a request with a header of names and values. What has no value is left out.
func request(t *testing.T, method, url string, body io.Reader, header ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	return r
}

func sendRequest(t *testing.T, r *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, string(b)
}

// run runs a server until stop is called. ended then has what Run returns.
func run(t *testing.T, h http.Handler, grace time.Duration, limits Limits) (address string, stop func(), ended chan error) {
	t.Helper()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended = make(chan error, 1)
	go func() { ended <- Run(ctx, l, h, slog.New(slog.DiscardHandler), grace, limits) }()
	return l.Addr().String(), stop, ended
}

// weightIn is a Weigher by a parameter of the request.
func weightIn(x *Exchange) int64 {
	n, _ := strconv.ParseInt(x.Query.Get("weight"), 10, 64)
	return n
}

// echo answers with the body.
func echo(_ context.Context, x *Exchange) error {
	x.Type = "text/plain"
	_, err := io.Copy(x, x.Body)
	return err
}

// problem reads a problem from a response.
func problem(t *testing.T, resp *http.Response) (p struct {
	Title  string
	Status int
	Detail string
}) {
	t.Helper()
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&p); err != nil || resp.Header.Get("Content-Type") != "application/problem+json" || resp.Header.Get("X-Content-Type-Options") != "nosniff" || p.Status != resp.StatusCode || p.Title == "" {
		t.Errorf("not a problem: %s, %v, %v", resp.Status, resp.Header, err)
	}
	return p
}

func TestProblem(t *testing.T) {
	w := httptest.NewRecorder()
	Problemf(400, `<a href="?a&b">`).write(w)
	if !strings.Contains(w.Body.String(), `"<a href=\"?a&b\">"`) {
		t.Error(w.Body)
	}
	problem(t, w.Result())
}

// Beyond the jobs and the queue, a request is refused at once; those that wait are answered.
func TestQueue(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	s := &Server{Jobs: 1, Queue: 1}
	server := startServer(t, s, func(ctx context.Context, x *Exchange) error {
		begun <- struct{}{}
		<-end
		return echo(ctx, x)
	})
	answers := make(chan string, 2)
	post := func() {
		resp, err := http.Post(server.URL+"/do", "text/plain", strings.NewReader("x"))
		if err != nil {
			answers <- err.Error()
			return
		}
		resp.Body.Close()
		answers <- resp.Status
	}
	go post()
	<-begun
	go post()
	for s.present.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	resp, _ := send(t, "POST", server.URL+"/do", strings.NewReader("x"))
	if p := problem(t, resp); p.Status != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "1" {
		t.Errorf("%v, %v", p, resp.Header)
	}
	end <- struct{}{}
	<-begun
	end <- struct{}{}
	for range 2 {
		if got := <-answers; got != "200 OK" {
			t.Error(got)
		}
	}
	_, metrics := send(t, "GET", server.URL+"/metrics", nil)
	for _, want := range []string{"absolink_documents_refused_total 1\n", `absolink_requests_total{path="/do",code="200"} 2` + "\n", `absolink_requests_total{path="/do",code="503"} 1` + "\n"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("/metrics lacks %s%s", want, metrics)
		}
	}
}

// A body that has half arrived takes no job, nor does one of which nothing has arrived. A
// request that is refused has not been asked for its body.
func TestHalfBodies(t *testing.T) {
	t.Parallel()
	s := &Server{Jobs: 1, Queue: 5}
	server := startServer(t, s, echo)
	begin := func(request string) net.Conn {
		conn := dial(t, server.Listener.Addr().String())
		io.WriteString(conn, request)
		return conn
	}
	half := begin("POST /do HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\nhalf")
	for _, request := range []string{
		"POST /do HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 99_999),
		"POST /do HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n",
		"POST /do HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
		"POST /do HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n",
	} {
		begin(request)
	}
	for s.present.Load() < 5 {
		time.Sleep(time.Millisecond)
	}
	if _, got := send(t, "POST", server.URL+"/do", strings.NewReader("whole")); got != "whole" {
		t.Errorf("%q", got)
	}
	begin("POST /do HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n")
	for s.present.Load() < 6 {
		time.Sleep(time.Millisecond)
	}
	refused, err := io.ReadAll(begin("POST /do HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"))
	if !strings.HasPrefix(string(refused), "HTTP/1.1 503 ") {
		t.Errorf("%s, %v", refused, err)
	}
	if b, _ := io.ReadAll(ask(t, half, "done").Body); string(b) != "halfdone" {
		t.Errorf("%q", b)
	}
}

// An error before the first byte is a problem; after it, the response does not end as if
// it were whole.
func TestErrors(t *testing.T) {
	failed := errors.New("cannot go on")
	server := startServer(t, &Server{}, func(_ context.Context, x *Exchange) error {
		n := 1 << 20 // as many bytes as a response is held back
		if x.Query.Get("late") != "" {
			n++
		}
		x.Write(make([]byte, n))
		return failed
	})
	resp, _ := send(t, "GET", server.URL+"/do", nil)
	if p := problem(t, resp); p.Status != http.StatusInternalServerError || p.Detail != failed.Error() {
		t.Error(p)
	}
	resp, err := http.DefaultClient.Do(request(t, "GET", server.URL+"/do?late=1", nil, "Accept-Encoding", "identity"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK || n < 1<<20 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%s, %d bytes, %v", resp.Status, n, err)
	}
}

// What a client sends too much of, too slowly or in no coding is its problem.
func TestBodies(t *testing.T) {
	t.Parallel()
	server := startServer(t, &Server{MaxBody: 1 << 20, Timeout: 2 * time.Second}, func(_ context.Context, x *Exchange) error {
		_, err := io.Copy(io.Discard, x.Body)
		return err
	})
	for _, test := range []struct {
		name, coding string
		body         io.Reader
		want         int
	}{
		{"too long", "", strings.NewReader(strings.Repeat("x", 2<<20)), http.StatusRequestEntityTooLarge},
		{"too long, unknown length", "", io.LimitReader(neverEnding{}, 2<<20), http.StatusRequestEntityTooLarge},
		{"unknown coding", "compress", strings.NewReader("x"), http.StatusUnsupportedMediaType},
		{"five codings", "gzip,gzip,gzip,gzip,gzip", strings.NewReader("x"), http.StatusUnsupportedMediaType},
		{"not in its coding", "gzip", strings.NewReader("<a href=x>"), http.StatusBadRequest},
		{"incomplete", "gzip", strings.NewReader("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), http.StatusBadRequest},
		{"too slow", "", new(slowReader), http.StatusRequestTimeout},
	} {
		resp, err := http.DefaultTransport.RoundTrip(request(t, "POST", server.URL+"/do", test.body, "Content-Encoding", test.coding))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if p := problem(t, resp); p.Status != test.want {
			t.Errorf("%s: %v", test.name, p)
		}
	}
}

// A body that says it is too long is refused before anything of it is asked for or held, and
// one that has no room before anything is answered.
func TestRefusedBodies(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere")
	server := startServer(t, &Server{MaxBody: 1 << 20}, echo)
	conn := dial(t, server.Listener.Addr().String())
	fmt.Fprintf(conn, "POST /do HTTP/1.1\r\nHost: h\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", 1<<20+1)
	if answer, err := io.ReadAll(conn); !strings.HasPrefix(string(answer), "HTTP/1.1 413 ") {
		t.Errorf("%s, %v", answer, err)
	}
	for _, length := range []int64{-1, 1 << 19} {
		r, _ := http.NewRequest("POST", server.URL+"/do", io.LimitReader(neverEnding{}, 1<<19))
		r.ContentLength = length
		resp, _ := sendRequest(t, r)
		if p := problem(t, resp); p.Status != http.StatusInsufficientStorage || strings.Contains(p.Detail, "nowhere") {
			t.Errorf("no room: %v", p)
		}
	}
}

type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) { return len(p), nil }

// A slowReader has a byte every 100 ms, and ends after 50 of them.
type slowReader struct{ n int }

func (r *slowReader) Read(p []byte) (int, error) {
	time.Sleep(100 * time.Millisecond)
	if r.n++; r.n > 50 {
		return 0, io.EOF
	}
	return copy(p, "x"), nil
}

// A client may send all of a long body before it reads anything.
func TestSendsFirst(t *testing.T) {
	server := startServer(t, &Server{}, echo)
	conn := dial(t, server.Listener.Addr().String())
	const size = 32 << 20
	fmt.Fprintf(conn, "POST /do HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", size)
	if _, err := io.CopyN(conn, neverEnding{}, size); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, ask(t, conn, "").Body); n != size || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// Clients that go away, or stop reading, leave no goroutine and no file.
func TestLeaks(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := &Server{Timeout: 200 * time.Millisecond, Jobs: 100}
	server := startServer(t, s, echo)
	before := runtime.NumGoroutine()
	for i := range 40 {
		conn := dial(t, server.Listener.Addr().String())
		go func() {
			fmt.Fprintf(conn, "POST /do HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", 16<<20)
			switch i % 4 {
			case 0: // goes away at once
				conn.Close()
			case 1: // goes away in the body
				io.CopyN(conn, neverEnding{}, 1<<20)
				conn.Close()
			case 2: // sends no more
				io.CopyN(conn, neverEnding{}, 1<<20)
			case 3: // sends everything, reads nothing
				io.CopyN(conn, neverEnding{}, 16<<20)
			}
		}()
	}
	ends(t, before, func() bool {
		left, _ := os.ReadDir(os.Getenv("TMPDIR"))
		return len(left) == 0 && s.jobs.documents.Load() == 0
	})
}

// ends waits until as few goroutines are left as there were before, and rest is true.
func ends(t *testing.T, before int, rest func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before || !rest(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 64<<10)
			t.Fatalf("%d goroutines, there were %d; the rest: %v\n%s", runtime.NumGoroutine(), before, rest(), stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// A log has a line for each request, with the reason where a response was aborted.
func TestLog(t *testing.T) {
	var out strings.Builder
	log := slog.New(slog.NewTextHandler(&out, nil))
	handler := Logged(log, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "four")
		note(r, errors.New("cannot go on"))
		panic(http.ErrAbortHandler)
	}), nil)
	func() {
		defer func() { recover() }()
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/path?url=http://user:secret@h/", nil))
	}()
	for _, want := range []string{"level=WARN", "method=GET", "path=/path", "status=200", "bytes=4", "aborted=true", `error="cannot go on"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in %s", want, &out)
		}
	}
	if strings.Contains(out.String(), "secret") {
		t.Error(out.String())
	}
}

// A Unix socket that nobody serves is replaced; any other file stays.
func TestListen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen("unix:" + path)
	if err != nil {
		t.Skip(err)
	}
	if _, err := Listen("unix:" + path); err == nil {
		t.Error("a socket that is served is replaced")
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	again, err := Listen("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if got := Address(again); got != "unix:"+path {
		t.Error(got)
	}
	again.Close()
	if os.Getuid() != 0 {
		if l, err = Listen("unix:" + path); err != nil {
			t.Fatal(err)
		}
		os.Chmod(path, 0)
		if _, err := Listen("unix:" + path); err == nil {
			t.Error("a socket that is served for others is replaced")
		}
		l.Close()
	}
	os.WriteFile(path, []byte("mine"), 0o666)
	if _, err := Listen("unix:" + path); err == nil {
		t.Error("a file is replaced")
	}
}

// An address of IPv4 is not listened on by IPv6 too.
func TestListenIPv4(t *testing.T) {
	for address, want := range map[string]string{"0.0.0.0:0": "http://0.0.0.0:", "127.0.0.1:0": "http://127.0.0.1:", "[::]:0": "http://[::]:"} {
		l, err := Listen(address)
		if err != nil {
			t.Log(err) // the machine may be without IPv6
			continue
		}
		if got := Address(l); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", address, got)
		}
		l.Close()
	}
}

// After ctx has ended, requests in progress are answered, for as long as grace.
func TestStop(t *testing.T) {
	t.Parallel()
	for _, grace := range []time.Duration{10 * time.Second, 50 * time.Millisecond} {
		l, err := Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stop()
			select {
			case <-time.After(500 * time.Millisecond):
			case <-r.Context().Done():
			}
			io.WriteString(w, "done")
		})
		ended := make(chan error)
		go func() { ended <- Run(ctx, l, handler, slog.New(slog.DiscardHandler), grace, Limits{}) }()
		resp, err := http.Get(Address(l))
		runErr := <-ended
		if runErr != nil && runErr.Error() != "requests were cut off after 50ms" {
			t.Error(runErr)
		}
		if whole := err == nil && resp.StatusCode == 200; whole != (grace > time.Second) || whole != (runErr == nil) {
			t.Errorf("grace %v: %v, %v", grace, err, runErr)
		}
	}
}

// A request that comes long after its connection is answered after ctx has ended, as on a
// machine too busy to read it. net/http alone gives it 5 s.
func TestStopSilent(t *testing.T) {
	soak.Only(t)
	t.Parallel()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	conn := dial(t, l.Addr().String())
	ended := make(chan error)
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "done") })
	go func() { ended <- Run(ctx, l, handler, slog.New(slog.DiscardHandler), time.Minute, Limits{}) }()
	time.Sleep(6500 * time.Millisecond)
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if all, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(all), "done") {
		t.Errorf("%q, %v", all, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if conn, err := net.Dial("tcp", l.Addr().String()); err == nil {
		conn.Close()
		t.Error("it still listens")
	}
}

// Work on a long document begins only when all of it has arrived, so that a server in front may
// stop sending when an answer begins.
func TestArrivesFirst(t *testing.T) {
	began := make(chan struct{})
	server := startServer(t, &Server{Jobs: 1}, func(_ context.Context, x *Exchange) error {
		close(began)
		_, err := io.Copy(x, x.Body)
		return err
	})
	body, send := io.Pipe()
	got := make(chan int)
	go func() {
		answer, err := http.Post(server.URL+"/do", "text/html", body)
		if err != nil {
			t.Error(err)
			got <- 0
			return
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Error(err)
		}
		got <- len(b)
	}()
	piece := bytes.Repeat([]byte("x"), 3<<20)
	send.Write(piece)
	select {
	case <-began:
		t.Error("work on the document has begun before all of it has arrived")
	case <-time.After(50 * time.Millisecond):
	}
	send.Write(piece)
	send.Close()
	if n := <-got; n != 2*len(piece) {
		t.Errorf("%d bytes, want %d", n, 2*len(piece))
	}
}
