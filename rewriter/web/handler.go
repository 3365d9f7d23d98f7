package web

import (
	"bufio"
	"cmp"
	"io"
	"net"
	"net/http"
	"slices"
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
		front := &responseWriter{ResponseWriter: w, rewriter: rw, request: r}
		defer front.stop()
		next.ServeHTTP(front, r)
		front.finish()
	})
}

// A responseWriter is what the wrapped handler writes to. Until it writes the header, it
// holds what net/http would guess the Content-Type from. Everything after that goes to rest.
type responseWriter struct {
	http.ResponseWriter
	rewriter *Rewriter
	request  *http.Request

	status int                 // 0 until the handler says it
	start  []byte              // of the body, while the Content-Type is not known
	rest   http.ResponseWriter // nil before the header; then a *rewriting, or the ResponseWriter itself
}

// sniffed is how many bytes net/http looks at to find a Content-Type.
const sniffed = 512

// WriteHeader implements [http.ResponseWriter].
func (w *responseWriter) WriteHeader(status int) {
	switch {
	case w.rest != nil || status < 200 && status != http.StatusSwitchingProtocols:
		w.ResponseWriter.WriteHeader(status)
	case w.status == 0:
		if w.status = status; !w.guessesType() {
			w.begin(nil)
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

// begin writes the header, and what is held of the body. next follows that.
func (w *responseWriter) begin(next []byte) error {
	w.rest = &rewriting{ResponseWriter: w.ResponseWriter, err: errPanicked, ended: true} // unless plan returns
	w.status = cmp.Or(w.status, http.StatusOK)
	h, start := w.Header(), w.start
	w.start = nil
	if len(start)+len(next) > 0 && w.guessesType() {
		h.Set("Content-Type", http.DetectContentType(slices.Concat(start, next[:min(len(next), sniffed)])))
	}
	plan := w.rewriter.plan(w.request, received(w.request), w.status, h, true)
	if w.rest = w.ResponseWriter; plan.body {
		w.rest = w.rewriter.rewriting(w.ResponseWriter, w.request, plan)
	}
	if plan.headers {
		changeHeader(h)
	}
	w.ResponseWriter.WriteHeader(w.status)
	if len(start) == 0 {
		return nil
	}
	_, err := w.rest.Write(start)
	return err
}

// Write implements [http.ResponseWriter]. When it returns, p has been rewritten as
// far as that is possible without what follows.
func (w *responseWriter) Write(p []byte) (int, error) {
	if w.rest == nil {
		w.status = cmp.Or(w.status, http.StatusOK)
		if len(w.start)+len(p) < sniffed && w.guessesType() {
			w.start = append(w.start, p...)
			return len(p), nil
		}
		if err := w.begin(p); err != nil {
			return 0, err
		}
	}
	return w.rest.Write(p)
}

// finish writes what remains when the handler has returned.
func (w *responseWriter) finish() {
	if w.rest == nil {
		w.begin(nil) // rest keeps the error
	}
	if page, ok := w.rest.(*rewriting); ok {
		page.finish()
	}
}

// stop ends the page of a handler that panicked.
func (w *responseWriter) stop() {
	if page, ok := w.rest.(*rewriting); ok {
		page.close(errStopped)
	}
}

// FlushError flushes what has been rewritten so far. After an error or a panic that ended the
// document, it returns that error, and writes nothing. It is for [http.ResponseController].
func (w *responseWriter) FlushError() error {
	if w.rest == nil {
		if err := w.begin(nil); err != nil {
			return err
		}
	}
	return http.NewResponseController(w.rest).Flush()
}

// Flush implements [http.Flusher].
func (w *responseWriter) Flush() { w.FlushError() }

// Hijack implements [http.Hijacker].
func (w *responseWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rest, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil && w.rest == nil {
		w.rest = w.ResponseWriter
	}
	return conn, rest, err
}

// ReadFrom implements [io.ReaderFrom], with which net/http copies files fast. What is
// not rewritten is copied in this way.
func (w *responseWriter) ReadFrom(src io.Reader) (int64, error) {
	if w.rest != nil {
		return io.Copy(w.rest, src)
	}
	return io.Copy(struct{ io.Writer }{w}, src)
}

// Unwrap is for [http.ResponseController].
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
