package web

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"strconv"

	"absolink/rewriter"
)

// Handler returns a handler that rewrites the HTML in what next writes. The base
// is the URL of the request, as the client has it, unless Public or URL say
// otherwise.
//
// What next has written when it calls Flush is flushed, but for what waits for more
// of a tag or for the base. An error in what next writes in a content coding, or
// fewer bytes than its Content-Length, ends the response with a panic of
// [http.ErrAbortHandler].
//
// It panics if a limit in rw or rw.HTML is negative.
func (rw *Rewriter) Handler(next http.Handler) http.Handler {
	if err := rw.check(); err != nil {
		panic(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rewritten := &responseWriter{ResponseWriter: w, rw: rw, r: r}
		defer rewritten.stop()
		next.ServeHTTP(rewritten, r)
		rewritten.finish()
	})
}

// A responseWriter is what the wrapped handler writes to.
type responseWriter struct {
	http.ResponseWriter
	rw *Rewriter
	r  *http.Request

	status int    // 0 before there is one
	begun  bool   // it was written
	start  []byte // what was written before, while the Content-Type is not known

	// The rest is for a response that is rewritten. The stream runs in a coroutine,
	// from write to write: it reads what is written from in, and waits there.
	stream   *stream // nil for one that is not
	document *rewriter.Document
	in       written
	declared int64 // its Content-Length; -1 is none
	resume   func() (struct{}, bool)
	cancel   func()
	err      error // that ended the stream; nil at its end
	ended    bool
}

// sniffed is how many bytes net/http looks at for a Content-Type.
const sniffed = 512

// WriteHeader is that of [http.ResponseWriter].
func (w *responseWriter) WriteHeader(status int) {
	switch {
	case w.begun || status < 200 && status != http.StatusSwitchingProtocols:
		w.ResponseWriter.WriteHeader(status)
	case w.status == 0:
		if w.status = status; !w.guessesType() {
			w.begin()
		}
	}
}

// guessesType reports whether net/http would find out the Content-Type by what is
// written.
func (w *responseWriter) guessesType() bool {
	h := w.Header()
	_, has := h["Content-Type"]
	return !has && h.Get("Content-Encoding") == "" && h.Get("Transfer-Encoding") == "" &&
		w.status >= 200 && w.status != http.StatusNoContent && w.status != http.StatusNotModified
}

// begin writes the header.
func (w *responseWriter) begin() error {
	w.begun = true
	if w.status == 0 {
		w.status = http.StatusOK
	}
	h := w.Header()
	if len(w.start) > 0 && w.guessesType() {
		h.Set("Content-Type", http.DetectContentType(w.start))
	}
	plan := w.rw.plan(w.r, received(w.r), w.status, h, true)
	w.declared = -1
	if n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64); err == nil {
		w.declared = n
	}
	if plan.headers {
		changeHeader(h)
	}
	if plan.body {
		w.document = plan.document
		w.stream = w.rw.stream(w.r, &w.in, plan)
		w.stream.lazy = true
		w.resume, w.cancel = iter.Pull(w.run)
	}
	w.ResponseWriter.WriteHeader(w.status)
	if start := w.start; len(start) > 0 {
		w.start = nil
		_, err := w.Write(start)
		return err
	}
	return nil
}

// run is the coroutine. It waits where yield is called.
func (w *responseWriter) run(yield func(struct{}) bool) {
	w.in.more = func() bool { return yield(struct{}{}) }
	_, w.err = io.Copy(struct{ io.Writer }{w.ResponseWriter}, w.stream)
}

// Write is that of [http.ResponseWriter]. When it returns, p is rewritten.
func (w *responseWriter) Write(p []byte) (int, error) {
	written := len(p)
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if !w.begun {
		if w.guessesType() {
			if w.start = append(w.start, p...); len(w.start) < sniffed {
				return written, nil
			}
			p = nil // is in start
		}
		if err := w.begin(); err != nil {
			return 0, err
		}
	}
	switch {
	case len(p) == 0:
		return written, nil
	case w.stream == nil:
		return w.ResponseWriter.Write(p)
	case w.declared >= 0 && w.in.count+int64(len(p)) > w.declared:
		return 0, http.ErrContentLength
	}
	w.in.count += int64(len(p))
	w.in.p = p
	if !w.proceed() {
		return 0, w.failure()
	}
	return written, nil
}

// proceed has the stream run until it needs more, and reports whether it does.
func (w *responseWriter) proceed() bool {
	_, ok := w.resume()
	w.in.p = nil
	if !ok {
		w.end()
	}
	return ok
}

// failure is why nothing more is written.
func (w *responseWriter) failure() error {
	if w.err == nil {
		return io.ErrClosedPipe
	}
	return w.err
}

// end tells that the stream has ended.
func (w *responseWriter) end() {
	if !w.ended {
		w.ended = true
		w.rw.ended(w.r, w.document, w.stream, w.err)
	}
}

// finish writes what is left when the handler has returned.
func (w *responseWriter) finish() {
	if !w.begun {
		if err := w.begin(); err != nil && w.stream == nil {
			return
		}
	}
	if w.stream == nil {
		return
	}
	changeFields(w.Header()) // which has the trailers now
	w.in.err = io.EOF
	if w.in.count < w.declared && w.r.Method != http.MethodHead {
		w.in.err = io.ErrUnexpectedEOF
	}
	for !w.ended && w.proceed() {
	}
	if w.err != nil {
		http.NewResponseController(w.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
}

// stop ends the stream of a handler that did not return.
func (w *responseWriter) stop() {
	if w.stream != nil && !w.ended {
		w.in.err = errStopped
		w.cancel()
		w.end()
	}
}

var errStopped = errors.New("the handler did not return")

// FlushError writes what was understood of what was written.
func (w *responseWriter) FlushError() error {
	if !w.begun {
		if err := w.begin(); err != nil {
			return err
		}
	}
	if w.stream != nil && !w.ended {
		w.stream.flush()
		if _, err := w.stream.out.WriteTo(w.ResponseWriter); err != nil {
			return err
		}
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush is that of [http.Flusher].
func (w *responseWriter) Flush() { w.FlushError() }

// Hijack is that of [http.Hijacker].
func (w *responseWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rest, err := http.NewResponseController(w.ResponseWriter).Hijack()
	w.begun = w.begun || err == nil
	return conn, rest, err
}

// ReadFrom has what is not rewritten go the way that net/http has for files.
func (w *responseWriter) ReadFrom(src io.Reader) (int64, error) {
	if w.begun && w.stream == nil {
		return io.Copy(w.ResponseWriter, src)
	}
	return io.Copy(struct{ io.Writer }{w}, src)
}

// Unwrap is for [http.ResponseController].
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// written reads what is written.
type written struct {
	p     []byte
	count int64       // of what was written so far
	err   error       // after p, if there is no more to come
	more  func() bool // waits for more; false where nothing does come
}

func (in *written) Read(p []byte) (int, error) {
	for len(in.p) == 0 {
		if in.err != nil {
			return 0, in.err
		}
		if !in.more() {
			return 0, errStopped
		}
	}
	n := copy(p, in.p)
	in.p = in.p[n:]
	return n, nil
}
