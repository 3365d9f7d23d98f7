package serve

import (
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"absolink/cmd/absolink/internal/console"
	"absolink/rewriter"
)

// A Server serves documents. Its fields must not change after the first use.
type Server struct {
	Jobs    int           // how many documents are worked on at a time, at most
	Memory  int64         // how many bytes these documents may take together
	Queue   int           // how many more requests may wait
	Timeout time.Duration // how long one document may take, without waiting
	MaxBody int64         // how many bytes a body may have, as it arrives and decoded
	Origins []string      // of pages on other sites that may read responses; "*" is any
	Fetches bool          // whether the page offers to have a document fetched
	Log     *slog.Logger  // of each request

	mux      http.ServeMux
	patterns []string         // in mux
	all      atomic.Int64     // how many requests there are
	present  atomic.Int64     // how many of them are worked on or wait
	jobs     *memorySemaphore // of the documents that are worked on
	metrics  *metrics
}

// Init makes the server ready for Handle.
func (s *Server) Init() {
	s.jobs = newMemorySemaphore(s.Memory, s.Memory/int64(s.Jobs))
	s.metrics = &metrics{server: s, requests: map[requestLabels]int64{}}
	s.Static("GET /healthz", "text/plain", func() []byte { return []byte("ok\n") })
	s.on("GET /metrics", s.metrics.serve)
	servePages(s.on, s.Fetches)
	s.mux.HandleFunc("/", s.reject)
}

// on has do answer the requests of a pattern.
func (s *Server) on(pattern string, do http.HandlerFunc) {
	s.mux.HandleFunc(pattern, do)
	s.patterns = append(s.patterns, pattern)
}

// Patterns returns the patterns of the requests that are answered, such as "GET /healthz".
func (s *Server) Patterns() []string { return s.patterns }

// reject answers a request for a path, or with a method, that there is not.
func (s *Server) reject(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.mux.Handler(other); pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		Problemf(http.StatusNotFound, "no such path: %s (see /openapi.json)", r.URL.Path).write(w)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	Problemf(http.StatusMethodNotAllowed, "%s takes %s, not %s", r.URL.Path, strings.Join(allowed, " and "), r.Method).write(w)
}

// Static serves what get returns, as the type.
func (s *Server) Static(pattern, contentType string, get func() []byte) {
	s.on(pattern, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Write(get())
	})
}

// An Exchange is a request and the response to it.
type Exchange struct {
	Request *http.Request
	Query   url.Values
	Body    io.Reader // of the request, without its content codings; nothing with GET

	Type   string           // the Content-Type of the response
	Result *rewriter.Result // becomes headers or trailers; nil is none
	Origin string           // what gave the base in Result

	limits  []string // the names of those that Warn was told of
	weigh   Weigher
	writer  http.ResponseWriter
	control *http.ResponseController
	body    body
	out     response
}

// Write writes a piece of the response.
func (x *Exchange) Write(p []byte) (int, error) { return x.out.Write(p) }

// Warn takes a warning about the document of x. The client is told which limits were met.
func (x *Exchange) Warn(_ int64, err error) {
	if name := console.LimitName(err); name != "" && !slices.Contains(x.limits, name) {
		x.limits = append(x.limits, name)
	}
}

// An Answer answers a request. Its error becomes a Problem, or aborts the response.
type Answer func(ctx context.Context, x *Exchange) error

// A Weigher returns how many bytes of memory the document of a request may take. It is
// called when the body of the request has arrived.
type Weigher func(x *Exchange) int64

// Handle has do answer the requests of a pattern, each as one of the jobs.
func (s *Server) Handle(pattern string, weigh Weigher, do Answer) {
	s.on(pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := s.sameOrigin(r); err != nil {
			err.write(w)
			return
		}
		defer s.present.Add(-1)
		if n := s.present.Add(1); n-int64(s.Jobs) > int64(s.Queue) {
			s.metrics.refused.Add(1)
			w.Header().Set("Retry-After", "1")
			Problemf(http.StatusServiceUnavailable, "%d requests are worked on or wait already; try again later", n-1).write(w)
			return
		}
		x := &Exchange{Request: r, weigh: weigh, writer: w, control: http.NewResponseController(w)}
		x.control.SetWriteDeadline(time.Time{}) // x may wait for as long as others are worked on
		err := s.exchange(x, do)
		limitWrite(w, r)
		note(r, err, x.limits...)
		if err != nil {
			if x.out.begun {
				panic(http.ErrAbortHandler)
			}
			problemOf(err).write(w)
		}
	})
}

// brief is how many requests may be present that are not jobs.
const brief = 256

// maxRequests returns how many requests may be present. Beyond that, the answer is 503.
func (s *Server) maxRequests() int { return s.Jobs + min(s.Queue, math.MaxInt32-s.Jobs-brief) + brief }

// Limits returns what reaches the server at most, so that what it holds has a bound.
func (s *Server) Limits() Limits { return Limits{Header: 16 << 10, Connections: s.maxRequests()} }

// maxParameters is how many parameters a query may have. It bounds what a query takes while
// its request waits, and what the references in it become.
const maxParameters = 256

func parameters(r *http.Request) (url.Values, error) {
	if strings.Count(r.URL.RawQuery, "&") >= maxParameters {
		return nil, Problemf(http.StatusBadRequest, "the query has more than %d parameters", maxParameters)
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, Problemf(http.StatusBadRequest, "the query cannot be read: %v", err)
	}
	return query, nil
}

// exchange opens the body, waits until x may be worked on, calls do, and ends the response.
// x waits with nothing except its body. After an error, the caller answers with a problem, unless
// the response has begun.
func (s *Server) exchange(x *Exchange, do Answer) (err error) {
	if x.Query, err = parameters(x.Request); err != nil {
		return err
	}
	begun := time.Now()
	defer x.body.close()
	if err := x.openBody(begun.Add(s.Timeout), s.MaxBody); err != nil {
		return err
	}
	left := s.Timeout - time.Since(begun)
	lease, err := s.jobs.acquire(x.Request.Context(), x.weigh(x))
	if err != nil {
		return Problemf(http.StatusServiceUnavailable, "the client has gone")
	}
	defer lease.release()
	x.out.open(x)
	defer x.out.release()
	ctx, cancel := context.WithTimeout(x.Request.Context(), left)
	defer cancel()
	deadline, _ := ctx.Deadline()
	x.control.SetWriteDeadline(deadline)
	if err := do(ctx, x); err != nil {
		return err
	}
	if x.Result != nil {
		s.metrics.count(x.Result)
	}
	return x.out.end()
}

// Handler returns the handler of all requests, which are logged and counted.
func (s *Server) Handler() http.Handler {
	next := guard(s.Origins, &s.mux)
	return Logged(s.Log, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limitWrite(w, r)
		if r.Body != http.NoBody {
			limitDrain(w) // until an exchange reads the body by its own deadline
		}
		defer s.all.Add(-1)
		if s.all.Add(1) > int64(s.maxRequests()) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable) // a body would wait for the client
			return
		}
		next.ServeHTTP(w, r)
	}), s.metrics.request)
}
