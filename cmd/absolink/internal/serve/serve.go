package serve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"absolink/rewriter"
)

// A Server serves documents. Its fields must not change after the first use.
type Server struct {
	Jobs       int           // how many documents are worked on at a time
	Queue      int           // how many more requests may wait
	Timeout    time.Duration // how long one document may take, without waiting
	MaxBody    int64         // how many bytes a body may have, as it arrives and decoded
	HalfDuplex bool          // whether an answer begins only when the whole body has arrived
	Origins    []string      // of pages on other sites that may read responses; "*" is any
	Log        *slog.Logger  // of each request

	mux     http.ServeMux
	served  []string      // the patterns in mux
	places  chan struct{} // has room for Jobs and Queue together
	jobs    chan struct{} // has room for Jobs
	metrics *metrics
}

// Init makes the server ready for Handle.
func (s *Server) Init() {
	s.places, s.jobs = make(chan struct{}, s.Jobs+s.Queue), make(chan struct{}, s.Jobs)
	s.metrics = &metrics{server: s, requests: map[requestLabels]int64{}}
	s.on("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "ok\n")
	})
	s.on("GET /metrics", s.metrics.serve)
	servePages(s.on)
	s.mux.HandleFunc("/", s.reject)
}

// on has do answer the requests of a pattern.
func (s *Server) on(pattern string, do http.HandlerFunc) {
	s.mux.HandleFunc(pattern, do)
	s.served = append(s.served, pattern)
}

// Patterns returns the patterns of the requests that are answered, such as "GET /healthz".
func (s *Server) Patterns() []string { return s.served }

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
		Problemf(http.StatusNotFound, "%s is not here; /openapi.json says what is", r.URL.Path).write(w)
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

	jobs    chan struct{} // takes x while it is worked on; nil where x is no job
	writer  http.ResponseWriter
	control *http.ResponseController
	body    body
	out     response
}

// Write writes a piece of the response.
func (x *Exchange) Write(p []byte) (int, error) { return x.out.Write(p) }

// An Answer answers a request. Its error becomes a Problem, or aborts the response.
type Answer func(ctx context.Context, x *Exchange) error

// Handle has do answer the requests of a pattern, each as one of the jobs.
func (s *Server) Handle(pattern string, do Answer) {
	s.handle(pattern, do, func(*http.Request) bool { return true })
}

// HandleSmall has do answer the requests of a pattern. Those without a body take so little
// that they are no jobs.
func (s *Server) HandleSmall(pattern string, do Answer) {
	s.handle(pattern, do, func(r *http.Request) bool { return r.ContentLength != 0 })
}

func (s *Server) handle(pattern string, do Answer, isJob func(*http.Request) bool) {
	s.on(pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := s.sameOrigin(r); err != nil {
			err.write(w)
			return
		}
		x := &Exchange{Request: r, writer: w, control: http.NewResponseController(w)}
		if isJob(r) {
			select {
			case s.places <- struct{}{}:
				defer func() { <-s.places }()
			default:
				s.metrics.refuse()
				s.errFull().write(w)
				return
			}
			x.jobs = s.jobs
		}
		if err := s.exchange(x, do); err != nil {
			note(r, err)
			if x.out.held == nil {
				panic(http.ErrAbortHandler)
			}
			problemOf(err).write(w)
		}
	})
}

func (s *Server) errFull() *Problem {
	return &Problem{Status: http.StatusServiceUnavailable, RetryAfter: 1,
		Detail: fmt.Sprintf("%d documents are worked on, and %d wait already; try again later", s.Jobs, s.Queue)}
}

// begin waits until x may be worked on.
func (x *Exchange) begin() (end func(), err error) {
	if x.jobs == nil {
		return func() {}, nil
	}
	select {
	case x.jobs <- struct{}{}:
		return func() { <-x.jobs }, nil
	case <-x.Request.Context().Done():
		return nil, Problemf(http.StatusServiceUnavailable, "the client has gone")
	}
}

// exchange opens the body, calls do, and ends the response. After an error, the response
// is still to be answered with a problem, or has begun. x becomes a job when its body is
// there, or its first bytes where it is long.
func (s *Server) exchange(x *Exchange, do Answer) (err error) {
	x.out.open(x)
	defer func() {
		if err == nil || x.out.held == nil {
			x.out.release()
		}
	}()
	if x.Query, err = url.ParseQuery(x.Request.URL.RawQuery); err != nil {
		return Problemf(http.StatusBadRequest, "the query cannot be read: %v", err)
	}
	begun := time.Now()
	x.control.SetReadDeadline(begun.Add(s.Timeout))
	defer x.body.close(x)
	if err := x.openBody(s.MaxBody, s.HalfDuplex); err != nil {
		return err
	}
	left := s.Timeout - time.Since(begun)
	end, err := x.begin()
	if err != nil {
		return err
	}
	defer end()
	ctx, cancel := context.WithTimeout(x.Request.Context(), left)
	defer cancel()
	deadline, _ := ctx.Deadline()
	x.control.SetWriteDeadline(deadline)
	defer x.control.SetWriteDeadline(time.Time{})
	x.body.readOn(x, deadline)
	if err := do(ctx, x); err != nil {
		return err
	}
	if x.Result != nil {
		s.metrics.count(x.Result)
	}
	return x.out.end()
}

// Handler returns the handler of all requests.
func (s *Server) Handler() http.Handler {
	return s.observe(guard(s.Origins, &s.mux))
}
