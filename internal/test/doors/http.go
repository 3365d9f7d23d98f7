package doors

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"absolink/internal/steady"
)

// An Origin is a server that has a document, for doors that get one over HTTP.
type Origin struct {
	URL string

	current atomic.Pointer[lent] // the document
}

// NewOrigin starts an Origin, which ends with the test.
func NewOrigin(t testing.TB) *Origin {
	o := new(Origin)
	server := httptest.NewUnstartedServer(o)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	o.URL = server.URL
	return o
}

// Page returns the URL of the document. It ends as Base does.
func (o *Origin) Page() string { return o.URL + strings.TrimPrefix(Base, "http://h") }

// With calls do while the document of o is src. When With returns, src is not read any more.
func (o *Origin) With(src io.Reader, do func() error) error {
	doc := lend(src)
	o.current.Store(doc)
	defer doc.Close()
	return do()
}

// ServeHTTP sends the document in pieces, as they come, and breaks off where it cannot be
// read. A request with a header field Coding is told that the document has this coding.
func (o *Origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	doc := o.current.Load()
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Type", "text/html")
	if coding := r.Header.Get("Coding"); coding != "" {
		w.Header().Set("Content-Encoding", coding)
	}
	piece := make([]byte, 32<<10)
	for {
		n, err := doc.Read(piece)
		if _, writeErr := w.Write(piece[:n]); writeErr != nil || err != nil && err != io.EOF {
			panic(http.ErrAbortHandler)
		}
		if err == io.EOF {
			return
		}
		http.NewResponseController(w).Flush()
	}
}

// Ask sends a request, and writes the body of the answer to p.Dst. length is how long the
// body of the request is; -1 is not known. When Ask returns, the body is not read any more,
// and the response is at its end. Without an error, its status is 200.
func Ask(p *Pass, method, url string, body io.Reader, length int64, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(p.Ctx, method, url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "text/html")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	sent := lend(body)
	if body != nil && length != 0 {
		r.Body, r.ContentLength = sent, length
		defer func() { <-sent.closed }()
	}
	resp, err := (&http.Transport{DisableKeepAlives: true, DisableCompression: true}).RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		problem, err := io.ReadAll(resp.Body)
		return nil, errors.Join(fmt.Errorf("%s: %s", resp.Status, problem), err)
	}
	if _, err := io.Copy(p.Dst, resp.Body); err != nil {
		return nil, err
	}
	return resp, sent.failure()
}

// A lent is a reader that others may read until it is closed.
type lent struct {
	mu     sync.Mutex
	src    steady.Reader
	over   bool
	closed chan struct{}
}

func lend(src io.Reader) *lent {
	return &lent{src: steady.Reader{Src: src}, closed: make(chan struct{})}
}

func (l *lent) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return 0, http.ErrBodyReadAfterClose
	}
	return l.src.Read(p)
}

func (l *lent) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over = true
		close(l.closed)
	}
	return nil
}

// failure returns why the client could not read what it sent. The server may have answered
// before.
func (l *lent) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return notEOF(l.src.Err)
}
