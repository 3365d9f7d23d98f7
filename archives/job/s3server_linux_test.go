package job

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"absolink/archives/internal/sample"
)

// A gateway is a server of S3 that somebody else wrote, versitygw, behind a proxy of ours
// that has faults. The variable S3_PROGRAM names the program.
type gateway struct {
	args    []string
	command *exec.Cmd
	backend *httputil.ReverseProxy
	store   string         // the directory of the server
	back    sync.WaitGroup // for a server that is started again

	mu       sync.Mutex
	trouble  trouble // nil for none
	requests int
	troubled int // how many of them met the trouble
}

// A trouble answers the request with a number itself, and returns nil, or returns where the
// server answers.
type trouble func(n int, w http.ResponseWriter, r *http.Request) http.ResponseWriter

// startGateway starts the server and the proxy, and makes a bucket. It returns the URL of the
// bucket, and the parameters that follow a key.
func startGateway(t *testing.T, g *gateway) (bucket, parameters string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	if g.store == "" {
		g.store = t.TempDir()
	}
	if err := os.Mkdir(filepath.Join(g.store, "bucket"), 0o777); err != nil {
		t.Fatal(err)
	}
	g.args = []string{"--access", "a", "--secret", "b", "--port", address, "--quiet", "posix", "--sidecar", t.TempDir(), g.store}
	g.backend = httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	g.backend.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	g.startServer(t)
	t.Cleanup(g.kill)
	proxy := httptest.NewServer(g)
	t.Cleanup(proxy.Close)
	return "s3://bucket", "?region=us-east-1&use_path_style=true&endpoint=" + proxy.URL
}

// startServer starts the server, and waits until it answers.
func (g *gateway) startServer(t *testing.T) {
	g.command = exec.Command(os.Getenv("S3_PROGRAM"), g.args...)
	if err := g.command.Start(); err != nil {
		t.Error(err)
		return
	}
	for range 200 {
		conn, err := net.Dial("tcp", g.args[5])
		if err == nil {
			conn.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the server does not answer")
}

func (g *gateway) kill() {
	g.command.Process.Kill()
	g.command.Wait()
}

// set changes the trouble, and counts requests from 1 again. It returns the counts until then.
func (g *gateway) set(f trouble) (requests, troubled int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	requests, troubled = g.requests, g.troubled
	g.trouble, g.requests, g.troubled = f, 0, 0
	return requests, troubled
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.requests++
	n, trouble := g.requests, g.trouble
	g.mu.Unlock()
	if trouble != nil {
		whole := w
		if w = trouble(n, w, r); w != whole {
			g.mu.Lock()
			g.troubled++
			g.mu.Unlock()
		}
	}
	if w != nil {
		g.backend.ServeHTTP(w, r)
	}
}

// answer answers a request with an error of S3.
func answer(w http.ResponseWriter, status int, code string) http.ResponseWriter {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>A fault of the proxy.</Message></Error>", code)
	return nil
}

// A cutWriter ends the connection after some bytes.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (w *cutWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		panic(http.ErrAbortHandler)
	}
	return w.ResponseWriter.Write(b)
}

// A dripping writer takes its time for each piece of an answer.
type dripping struct{ http.ResponseWriter }

func (w dripping) Write(b []byte) (int, error) {
	time.Sleep(5 * time.Millisecond)
	return w.ResponseWriter.Write(b)
}

// With each fault of a store, the files become the same as without faults; or the job stops
// with one line, no archive has a letter for it and nothing half-written a final name, and
// the same files come out of the next start.
func TestRealS3(t *testing.T) {
	if os.Getenv("S3_PROGRAM") == "" {
		t.Skip("S3_PROGRAM does not name versitygw")
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	long := make([]byte, 18<<20) // several parts of an upload
	for i := range long {
		long[i] = byte(rand.Uint32())
	}
	archives := samples()
	archives["long.warc.gz"] = append(sample.Record("response", "http://h/long.png", "image/png", string(long)), sample.Archive(3, 30)...)
	local := Options{Manifest: manifest(t, archives), Out: t.TempDir(), Convert: true, Replace: true, List: "parquet", Workers: 16}
	mustRun(t, local)
	store := func(t *testing.T, g *gateway) Options {
		bucket, parameters := startGateway(t, g)
		in, err := OpenDir(t.Context(), bucket+"/"+parameters)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{"manifest": bucket + "/crawl/*.warc.gz" + parameters + "\n"}
		for name, b := range archives {
			files["crawl/"+name] = string(b)
		}
		for name, text := range files {
			if _, err := in.Write(t.Context(), name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
				t.Fatal(err)
			}
		}
		o := local
		o.Manifest, o.Out = bucket+"/manifest"+parameters, bucket+"/out"+parameters
		return o
	}
	o := store(t, new(gateway))
	mustRun(t, o)
	want := tree(t, o.Out)
	for name, text := range tree(t, local.Out) {
		if strings.HasPrefix(name, "converted/") || strings.HasPrefix(name, "replaced/") {
			if want[name] != text {
				t.Errorf("%s has %d bytes, in a directory %d", name, len(want[name]), len(text))
			}
		} else if _, ok := want[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}

	isPart := func(r *http.Request) bool { return r.Method == http.MethodPut && r.URL.Query().Has("partNumber") }
	for _, row := range []struct {
		name  string
		fault func(t *testing.T, g *gateway) trouble
		stops string // what the job says when it stops; "" if it goes on
		full  bool   // the disk of the server
	}{
		{name: "503 to each fourth request", fault: func(*testing.T, *gateway) trouble {
			return func(n int, w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
				if n%4 == 0 {
					return answer(w, http.StatusServiceUnavailable, "SlowDown")
				}
				return w
			}
		}},
		{name: "answers that are cut", fault: func(*testing.T, *gateway) trouble {
			return func(n int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
				if n%2 == 0 && r.Method == http.MethodGet {
					return &cutWriter{w, 100_000}
				}
				return w
			}
		}},
		{name: "slow answers", fault: func(*testing.T, *gateway) trouble {
			return func(_ int, w http.ResponseWriter, _ *http.Request) http.ResponseWriter { return dripping{w} }
		}},
		{name: "resets", fault: func(*testing.T, *gateway) trouble {
			return func(n int, w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
				if n%5 > 0 {
					return w
				}
				conn, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					conn.(*net.TCPConn).SetLinger(0)
					conn.Close()
				}
				return nil
			}
		}},
		{name: "parts that fail", fault: func(*testing.T, *gateway) trouble {
			failed := map[string]bool{}
			var mu sync.Mutex
			return func(_ int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
				mu.Lock()
				defer mu.Unlock()
				if part := r.URL.String(); isPart(r) && !failed[part] {
					failed[part] = true
					return answer(w, http.StatusInternalServerError, "InternalError")
				}
				return w
			}
		}},
		{name: "a completion that answers 200 with an error", stops: "cannot write replaced/long.warc.gz: InternalError: A fault of the proxy.; see that the store answers", fault: func(*testing.T, *gateway) trouble {
			return func(_ int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
				if r.Method == http.MethodPost && r.URL.Query().Has("uploadId") {
					return answer(w, http.StatusOK, "InternalError")
				}
				return w
			}
		}},
		{name: "the server is killed for ten seconds", fault: func(t *testing.T, g *gateway) trouble {
			return func(n int, w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
				if n == 26 {
					g.kill()
					g.back.Go(func() {
						time.Sleep(10 * time.Second)
						g.startServer(t)
					})
					return answer(w, http.StatusBadGateway, "ServerDown")
				}
				return w
			}
		}},
		{name: "credentials that expire", stops: "ExpiredToken: A fault of the proxy.; look at the credentials and the permissions", fault: func(*testing.T, *gateway) trouble {
			return func(n int, w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
				if n > 25 {
					return answer(w, http.StatusBadRequest, "ExpiredToken")
				}
				return w
			}
		}},
		{name: "a full disk", full: true, stops: "cannot write ", fault: func(*testing.T, *gateway) trouble { return nil }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			g, resize := new(gateway), func(string) {}
			if row.full {
				g.store, resize = smallDisk(t, "256m")
			}
			o := store(t, g)
			resize("24m")
			g.set(row.fault(t, g))
			_, err := run(o)
			stop := FaultOf(&o)
			if (stop == nil) != (err == nil) || (stop == nil) != (row.stops == "") || stop != nil && (!strings.Contains(stop.Error(), row.stops) || strings.Contains(stop.Error(), "\n")) {
				t.Errorf("the job stopped: %v, want %q", err, row.stops)
			}
			requests, troubled := g.set(nil)
			t.Logf("%d requests, %d met the trouble; stopped: %v", requests, troubled, stop)
			if troubled == 0 && !row.full {
				t.Error("there was no trouble")
			}
			g.back.Wait()
			resize("256m")
			for name, text := range tree(t, o.Out) {
				if text != want[name] && !strings.HasPrefix(text, `{"attempts":`) {
					t.Errorf("%s is there after the fault, with %d bytes, want %d", name, len(text), len(want[name]))
				}
			}
			mustRun(t, o)
			sample.Compare(t, tree(t, o.Out), want)
		})
	}
}
