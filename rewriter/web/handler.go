package web

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"strconv"

	"absolink/rewriter"
)

// Handler returns a handler that rewrites the HTML in what next writes. The base
// is the URL that the client asked for, unless Public or URL say otherwise.
//
// When next calls Flush, everything that it has written is flushed, except what has
// to wait for the end of a tag, or for a BASE. The response ends with a panic of
// [http.ErrAbortHandler] in two cases: what next writes leaves its content coding, or is
// shorter than its Content-Length.
//
// Handler panics with the error of [Rewriter.Validate], if there is one.
func (rw *Rewriter) Handler(next http.Handler) http.Handler {
	if err := rw.Validate(); err != nil {
		panic(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rewritten := &responseWriter{ResponseWriter: w, rewriter: rw, request: r}
		defer rewritten.stop()
		next.ServeHTTP(rewritten, r)
		rewritten.finish()
	})
}

// A responseWriter is what the wrapped handler writes to.
type responseWriter struct {
	http.ResponseWriter
	rewriter *Rewriter
	request  *http.Request

	status int    // 0 until the handler says it
	begun  bool   // the header was written
	start  []byte // what the handler wrote while the Content-Type was not known

	// The rest is for a response that is rewritten. The stream runs in a coroutine,
	// from write to write. It reads from in what the handler writes, and waits there.
	stream   *stream // nil if the response passes untouched
	document *rewriter.Document
	in       written
	declared int64 // the Content-Length that the handler set; -1 is none
	resume   func() (struct{}, bool)
	cancel   func()
	err      error // that ended the stream; nil while it waits, and if it came to its end
	ended    bool
}

// sniffed is how many bytes net/http looks at to find a Content-Type.
const sniffed = 512

// WriteHeader implements [http.ResponseWriter].
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

// guessesType reports whether net/http would guess the Content-Type from what is
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
	plan := w.rewriter.plan(w.request, received(w.request), w.status, h, true)
	w.declared = -1
	if n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64); err == nil {
		w.declared = n
	}
	if plan.headers {
		changeHeader(h)
	}
	if plan.body {
		w.document = plan.document
		w.stream = w.rewriter.stream(w.request, &w.in, plan)
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

// run is the coroutine, which waits in yield.
func (w *responseWriter) run(yield func(struct{}) bool) {
	w.in.more = func() bool { return yield(struct{}{}) }
	_, w.err = io.Copy(struct{ io.Writer }{w.ResponseWriter}, w.stream)
}

// Write implements [http.ResponseWriter]. When it returns, p has been rewritten as
// far as that is possible without what follows.
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
			p = nil // begin writes start
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

// proceed runs the stream until it needs more, and reports whether it does.
func (w *responseWriter) proceed() bool {
	if !w.ended {
		w.err = errPanicked // unless resume returns
	}
	_, ok := w.resume()
	w.in.p = nil
	if !ok {
		w.end()
	} else {
		w.err = nil
	}
	return ok
}

// failure returns the reason why nothing more can be written.
func (w *responseWriter) failure() error {
	if w.err == nil {
		return io.ErrClosedPipe
	}
	return w.err
}

// end is called when the stream has ended, and does its work once.
func (w *responseWriter) end() {
	if !w.ended {
		w.ended = true
		w.rewriter.ended(w.request, w.document, w.stream, w.err)
	}
}

// finish writes what remains when the handler has returned.
func (w *responseWriter) finish() {
	if !w.begun {
		if err := w.begin(); err != nil && w.stream == nil {
			return
		}
	}
	if w.stream == nil {
		return
	}
	changeFields(w.Header()) // the handler has put the trailers there
	w.in.err = io.EOF
	if w.in.count < w.declared && w.request.Method != http.MethodHead {
		w.in.err = io.ErrUnexpectedEOF
	}
	for !w.ended && w.proceed() {
	}
	if w.err != nil {
		http.NewResponseController(w.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
}

// stop ends the stream of a handler that panicked.
func (w *responseWriter) stop() {
	if w.stream != nil && !w.ended {
		w.in.err, w.err = errStopped, cmp.Or(w.err, errStopped)
		w.cancel()
		w.end()
	}
}

var errPanicked = errors.New("a function of the Rewriter has panicked")

var errStopped = errors.New("the handler did not return")

// FlushError flushes what has been rewritten so far. After an error or a panic that ended the
// stream, it returns that error, and writes nothing. It is for [http.ResponseController].
func (w *responseWriter) FlushError() error {
	if !w.begun {
		if err := w.begin(); err != nil {
			return err
		}
	}
	if w.err != nil {
		return w.err
	}
	if w.stream != nil && !w.ended {
		w.stream.flush()
		if _, err := w.stream.out.WriteTo(w.ResponseWriter); err != nil {
			return err
		}
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush implements [http.Flusher].
func (w *responseWriter) Flush() { w.FlushError() }

// Hijack implements [http.Hijacker].
func (w *responseWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rest, err := http.NewResponseController(w.ResponseWriter).Hijack()
	w.begun = w.begun || err == nil
	return conn, rest, err
}

// ReadFrom implements [io.ReaderFrom], with which net/http copies files fast. What is
// not rewritten is copied in this way.
func (w *responseWriter) ReadFrom(src io.Reader) (int64, error) {
	if w.begun && w.stream == nil {
		return io.Copy(w.ResponseWriter, src)
	}
	return io.Copy(struct{ io.Writer }{w}, src)
}

// Unwrap is for [http.ResponseController].
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// A written reads what a handler writes.
type written struct {
	p     []byte      // what is not yet read of the last write
	count int64       // of bytes in all writes
	err   error       // that comes after p; nil if there may be more writes
	more  func() bool // waits for the next write, and reports whether there is one
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
