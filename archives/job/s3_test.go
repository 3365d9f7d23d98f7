package job

import (
	"context"
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
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"absolink/archives/internal/sample"
	"absolink/internal/test/testio"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
)

func init() {
	os.Setenv("AWS_ACCESS_KEY_ID", "a")
	os.Setenv("AWS_SECRET_ACCESS_KEY", "b")
}

// The URL once://bucket?endpoint=X is for a client that makes each request once: the job itself
// has to make it again. Such a client does not wait.
func init() { blob.DefaultURLMux().RegisterBucket("once", onceOpener{}) }

type onceOpener struct{}

func (onceOpener) OpenBucketURL(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	client := s3.New(s3.Options{
		BaseEndpoint:               aws.String(u.Query().Get("endpoint")),
		Credentials:                aws.AnonymousCredentials{},
		Region:                     "us-east-1",
		Retryer:                    retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts, o.MaxBackoff = 1, time.Millisecond }),
		UsePathStyle:               true,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	})
	return s3blob.OpenBucket(ctx, client, u.Host, nil)
}

// A store is a server of S3 that somebody else wrote, behind a proxy of ours that has faults:
// one in memory, or a program, versitygw.
type store struct {
	t       *testing.T
	once    bool // for a client that makes each request once
	server  http.Handler
	program string // "" for memory
	args    []string
	command *exec.Cmd
	dir     string         // of the program
	back    sync.WaitGroup // for a program that is started again

	mu       sync.Mutex
	trouble  trouble // nil for none
	requests int
	troubled int // how many of them met the trouble
}

// A trouble answers the request with a number itself, and returns nil, or returns where the
// server answers.
type trouble func(s *store, n int, w http.ResponseWriter, r *http.Request) http.ResponseWriter

// start starts the server and the proxy, and makes a bucket. It returns the URL of the bucket,
// and the parameters that follow a key.
func (s *store) start(t *testing.T) (bucket, parameters string) {
	t.Helper()
	s.t = t
	if s.program == "" {
		memory := s3mem.New()
		if err := memory.CreateBucket("bucket"); err != nil {
			t.Fatal(err)
		}
		s.server = gofakes3.New(memory).Server()
	} else {
		s.startProgram()
	}
	proxy := httptest.NewServer(s)
	t.Cleanup(proxy.Close)
	if s.once {
		return "once://bucket", "?endpoint=" + proxy.URL
	}
	return "s3://bucket", "?region=us-east-1&use_path_style=true&endpoint=" + proxy.URL
}

// startProgram starts versitygw with a bucket in s.dir.
func (s *store) startProgram() {
	address := testio.FreeAddress(s.t)
	if s.dir == "" {
		s.dir = s.t.TempDir()
	}
	if err := os.Mkdir(filepath.Join(s.dir, "bucket"), 0o777); err != nil {
		s.t.Fatal(err)
	}
	s.args = []string{"--access", "a", "--secret", "b", "--port", address, "--quiet", "posix", "--sidecar", s.t.TempDir(), s.dir}
	backend := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	backend.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) {
		s.t.Logf("%s %s: %v", r.Method, r.URL.Path, err)
		w.WriteHeader(http.StatusBadGateway)
	}
	s.server = backend
	s.run()
	s.t.Cleanup(s.kill)
}

// run starts the program, and waits until it answers.
func (s *store) run() {
	s.command = exec.Command(s.program, s.args...)
	s.command.Stderr = s.t.Output()
	if err := s.command.Start(); err != nil {
		s.t.Error(err)
		return
	}
	testio.AwaitListener(s.t, "tcp", s.args[5])
}

func (s *store) kill() {
	s.command.Process.Kill()
	s.command.Wait()
}

// set changes the trouble, and counts requests from 1 again. It returns the counts until then.
func (s *store) set(f trouble) (requests, troubled int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, troubled = s.requests, s.troubled
	s.trouble, s.requests, s.troubled = f, 0, 0
	return requests, troubled
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	n, trouble := s.requests, s.trouble
	s.mu.Unlock()
	if trouble != nil {
		whole := w
		if w = trouble(s, n, w, r); w != whole {
			s.mu.Lock()
			s.troubled++
			s.mu.Unlock()
		}
	}
	if w != nil {
		s.server.ServeHTTP(w, r)
	}
}

// put writes files into a bucket.
func put(t *testing.T, location string, files map[string][]byte) {
	t.Helper()
	d, err := OpenDir(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range files {
		if _, err := d.Write(t.Context(), name, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
			t.Fatal(err)
		}
	}
}

// refusing is the trouble that some requests are answered with an error of S3, or with a
// status alone if code is "".
func refusing(status int, code string, is func(n int, r *http.Request) bool) trouble {
	return func(_ *store, n int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		if !is(n, r) {
			return w
		}
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		if code != "" {
			fmt.Fprintf(w, "<Error><Code>%s</Code><Message>A fault of the proxy.</Message></Error>", code)
		}
		return nil
	}
}

// isOutput reports whether a request writes more than a report.
func isOutput(_ int, r *http.Request) bool {
	return r.Method == http.MethodPut && r.ContentLength > 2000
}

// A cutWriter ends the connection after some bytes.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (w *cutWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left >= 0 {
		return w.ResponseWriter.Write(b)
	}
	w.ResponseWriter.Write(b[:len(b)+w.left])
	http.NewResponseController(w.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// ranges is the trouble that answers are cut, and that the first answer to each request for the
// rest is another: change changes that request.
func ranges(change func(h http.Header, from int)) trouble {
	var asked sync.Map
	return func(_ *store, n int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		var from int
		if r.Method != http.MethodGet || r.URL.Query().Has("list-type") {
			return w
		}
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err != nil {
			return &cutWriter{w, 1000 + n} // another rest each time
		}
		if _, again := asked.LoadOrStore(r.URL.Path+r.Header.Get("Range"), true); !again {
			change(r.Header, from)
		}
		return w
	}
}

// lists is the trouble that lists are others than were asked for: change changes the request.
func lists(change func(query url.Values)) trouble {
	return func(_ *store, _ int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		query := r.URL.Query()
		if !query.Has("list-type") {
			return w
		}
		change(query)
		r.URL.RawQuery = query.Encode()
		return struct{ http.ResponseWriter }{w}
	}
}

// cutWith is the trouble that answers are cut, and that the answer to what is then asked for has
// another header.
func cutWith(change func(http.Header)) trouble {
	return func(_ *store, _ int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		switch {
		case r.Method != http.MethodGet:
			return w
		case r.Header.Get("Range") == "":
			return &cutWriter{w, 100_000}
		}
		return headed{w, change}
	}
}

// A headed writer changes the header of an answer.
type headed struct {
	http.ResponseWriter
	change func(http.Header)
}

func (w headed) WriteHeader(status int) {
	w.change(w.Header())
	w.ResponseWriter.WriteHeader(status)
}

func (w headed) Write(b []byte) (int, error) {
	w.change(w.Header()) // without an effect after WriteHeader
	return w.ResponseWriter.Write(b)
}

// A dripping writer takes its time for each piece of an answer.
type dripping struct{ http.ResponseWriter }

func (w dripping) Write(b []byte) (int, error) {
	time.Sleep(5 * time.Millisecond)
	return w.ResponseWriter.Write(b)
}

// A storeFault is a fault of a store, and what the job makes of it.
type storeFault struct {
	name    string
	trouble trouble
	stops   string // a pattern of what the job says when it stops; "" if it goes on
	program bool   // only a program has it
	edits   bool   // the request, whose signature then no longer fits: a program refuses it

	// disk makes the disk on which the program writes; nil if it is not full.
	disk func(t *testing.T, size string) (dir string, resize func(size string))
}

const otherRange = `^cannot read \w+://\S+: the server answers with another part: asked for the bytes from \d+ of \d+ on, the answer has Content-Length \d+ and Content-Range "bytes \d+-\d+/\d+"; see that the store answers, `

const written = `^cannot write (converted|replaced|list)/\w+\.warc\.gz(\.parquet)?: `

var failedParts sync.Map

var storeFaults = []storeFault{
	{name: "503 to each fourth request", trouble: refusing(503, "SlowDown", func(n int, _ *http.Request) bool { return n%4 == 0 })},
	{name: "503 to four of eight requests", trouble: refusing(503, "SlowDown", func(n int, _ *http.Request) bool { return n%8 < 4 })},
	{name: "answers that are cut", trouble: func(_ *store, n int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		if n%2 == 0 && r.Method == http.MethodGet {
			return &cutWriter{w, 100_000}
		}
		return w
	}},
	{name: "answers that are cut, and no range for the rest", trouble: cutWith(func(h http.Header) { h.Del("Content-Range") })},
	{name: "answers that are cut, and other ranges", trouble: cutWith(func(h http.Header) { h.Set("Content-Range", "bytes 1-2/3") }), stops: otherRange},
	{name: "a part of another place", edits: true, trouble: ranges(func(h http.Header, from int) { h.Set("Range", fmt.Sprintf("bytes=%d-", from/2)) })},
	{name: "the whole instead of a part", edits: true, trouble: ranges(func(h http.Header, _ int) { h.Del("Range") })},
	{name: "lists of more than was asked for", edits: true, trouble: lists(func(query url.Values) { query.Del("prefix") })},
	{name: "lists that begin again", edits: true, trouble: lists(func(query url.Values) {
		query.Del("continuation-token")
		query.Set("max-keys", "2")
	}), stops: `^\S+/m:1: cannot list crawl/: the list begins again where it has to go on; see that the store answers, `},
	{name: "lists that do not find the bucket", trouble: refusing(404, "NoSuchBucket", func(_ int, r *http.Request) bool { return strings.HasPrefix(r.URL.Query().Get("prefix"), "out/") }),
		stops: "^cannot list _job/plan/: NoSuchBucket: A fault of the proxy.; see that the store answers, "},
	{name: "answers without a length", trouble: func(_ *store, _ int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		if r.Method == http.MethodGet {
			return headed{w, func(h http.Header) { h.Del("Content-Length") }}
		}
		return w
	}},
	{name: "slow answers", trouble: func(_ *store, _ int, w http.ResponseWriter, _ *http.Request) http.ResponseWriter { return dripping{w} }},
	{name: "resets", trouble: func(_ *store, n int, w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
		if n%5 > 0 {
			return w
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		}
		return nil
	}},
	{name: "parts that fail", trouble: refusing(500, "InternalError", func(_ int, r *http.Request) bool {
		_, failed := failedParts.LoadOrStore(r.Host+r.URL.String(), true)
		return r.Method == http.MethodPut && r.URL.Query().Has("partNumber") && !failed
	})},
	{name: "a completion that answers 200 with an error", trouble: refusing(200, "InternalError", func(_ int, r *http.Request) bool {
		return r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
	}), stops: "^cannot write replaced/long.warc.gz: InternalError: A fault of the proxy.; see that the store answers, "},
	{name: "writes that are done, and answered with an error", trouble: func(s *store, n int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		if n%3 > 0 || r.Method != http.MethodPut && r.Method != http.MethodPost && r.Method != http.MethodDelete {
			return w
		}
		s.server.ServeHTTP(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusInternalServerError)
		return nil
	}},
	{name: "late answers, in another order", trouble: func(_ *store, n int, w http.ResponseWriter, _ *http.Request) http.ResponseWriter {
		time.Sleep(time.Duration(n%7) * 20 * time.Millisecond)
		return struct{ http.ResponseWriter }{w}
	}},
	{name: "the server is killed for ten seconds", program: true, trouble: func(s *store, n int, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		if n != 26 {
			return w
		}
		s.kill()
		s.back.Go(func() {
			time.Sleep(10 * time.Second)
			s.run()
		})
		w.WriteHeader(http.StatusBadGateway)
		return nil
	}},
	{name: "credentials that expire", trouble: refusing(400, "ExpiredToken", func(n int, _ *http.Request) bool { return n > 25 }), stops: "^cannot .*: ExpiredToken: A fault of the proxy.; look at the credentials and the permissions, "},
	{name: "no permission to write", trouble: refusing(400, "ExpiredToken", isOutput), stops: written + "ExpiredToken: A fault of the proxy.; look at the credentials and the permissions, "},
	{name: "a full store", trouble: refusing(507, "", isOutput), stops: written + "InsufficientStorage: Insufficient Storage; make room, "},
}

// With each fault of a store, the files become the same as without faults; or the job stops
// with one line, no archive has a letter for it and nothing half-written a final name, and
// the same files come out of the next start.
// With a store in memory, the client makes each request once.
func TestS3(t *testing.T) { checkS3(t, "") }

// TestRealS3 is TestS3 with the program that the variable S3_PROGRAM names, and the usual client.
func TestRealS3(t *testing.T) {
	program := os.Getenv("S3_PROGRAM")
	if program == "" {
		t.Skip("S3_PROGRAM does not name versitygw")
	}
	checkS3(t, program)
}

func checkS3(t *testing.T, program string) {
	long := make([]byte, 18<<20) // several parts of an upload
	for i := range long {
		long[i] = byte(rand.Uint32())
	}
	archives := samples()
	archives["long.warc.gz"] = append(sample.Record("response", "http://h/long.png", "image/png", string(long)), sample.Archive(3, 30)...)
	local := Options{Manifest: manifest(t, archives), Out: t.TempDir(), Convert: true, Replace: true, List: "parquet", Workers: 16}
	mustRun(t, local)
	prepare := func(t *testing.T, s *store) Options {
		bucket, parameters := s.start(t)
		put(t, bucket+"/crawl"+parameters, archives)
		put(t, bucket+"/"+parameters, map[string][]byte{"m": []byte(bucket + "/crawl/*.warc.gz" + parameters + "\n")})
		o := local
		o.Manifest, o.Out = bucket+"/m"+parameters, bucket+"/out"+parameters
		return o
	}
	o := prepare(t, &store{program: program, once: program == ""})
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
	for _, row := range storeFaults {
		if row.program && program == "" || row.edits && program != "" {
			continue
		}
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, resize := &store{program: program, once: program == ""}, func(string) {}
			if row.disk != nil {
				s.dir, resize = row.disk(t, "256m")
			}
			o := prepare(t, s)
			resize("24m")
			s.set(row.trouble)
			_, err := run(o)
			says := "^<nil>$"
			if row.stops != "" {
				says = row.stops + ".*and start the job again: it does what is missing$"
			}
			line, _, _ := strings.Cut(fmt.Sprint(err), "\n")
			if !regexp.MustCompile(says).MatchString(line) {
				t.Errorf("the job stopped: %s, want %s", line, says)
			}
			requests, troubled := s.set(nil)
			t.Logf("%d requests, %d met the trouble; stopped: %v", requests, troubled, err)
			if troubled == 0 && row.trouble != nil {
				t.Error("there was no trouble")
			}
			s.back.Wait()
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
