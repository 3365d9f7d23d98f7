package web

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
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
		defer front.close(errStopped) // after a panic of next
		next.ServeHTTP(front, r)
		front.finish()
	})
}

// A responseWriter is what the wrapped handler writes to. Until it writes the header, it
// holds what net/http would guess the Content-Type from.
type responseWriter struct {
	http.ResponseWriter
	rewriter *Rewriter
	request  *http.Request

	status int    // 0 until the handler says it
	held   []byte // of the body, until the Content-Type is known
	begun  bool   // the header is written, or the handler has the connection

	document document // nil if what follows the header passes as it is
	declared int64    // the Content-Length that the handler set; -1 is none
	count    int64    // of bytes in all writes to document
	err      error    // of every later call
	ended    bool     // End has been told
}

// sniffLen is how many bytes net/http looks at to find a Content-Type.
const sniffLen = 512

// WriteHeader implements [http.ResponseWriter].
func (w *responseWriter) WriteHeader(status int) {
	switch {
	case w.begun || status < 200 && status != http.StatusSwitchingProtocols:
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

// begin writes the header and what is held of the body, and returns the error of the latter.
// The caller writes following after it: begin only guesses the Content-Type from that. begin is
// called once.
func (w *responseWriter) begin(following []byte) error {
	w.begun = true
	w.status = cmp.Or(w.status, http.StatusOK)
	h, held := w.Header(), w.held
	w.held = nil
	if len(held)+len(following) > 0 && w.guessesType() { // net/http, too, guesses nothing from an empty body
		following = following[:min(len(following), sniffLen)]
		h.Set("Content-Type", http.DetectContentType(slices.Concat(held, following)))
	}
	w.err = errPanicked // stays if plan panics
	plan := w.rewriter.plan(w.request, received(w.request), w.status, h, true)
	w.err = nil
	if plan.body {
		w.open(plan) // before changeHeader: open reads the Content-Length of the handler
	}
	if plan.headers {
		changeHeader(h)
	}
	w.ResponseWriter.WriteHeader(w.status)
	if len(held) > 0 {
		_, err := w.Write(held)
		return err
	}
	return nil
}

// open begins to rewrite the body. The header is still the header of the handler.
func (w *responseWriter) open(plan plan) {
	declared, err := strconv.ParseInt(w.Header().Get("Content-Length"), 10, 64)
	if w.declared = declared; err != nil {
		w.declared = -1
	}
	if len(plan.codings) == 0 {
		w.document = w.rewriter.plain(w.ResponseWriter, w.request, plan)
	} else {
		w.document = w.rewriter.coded(w.ResponseWriter, w.request, plan)
	}
}

// Write implements [http.ResponseWriter]. When it returns, p has been rewritten as
// far as that is possible without what follows.
func (w *responseWriter) Write(p []byte) (int, error) {
	if !w.begun {
		w.status = cmp.Or(w.status, http.StatusOK)
		if len(w.held)+len(p) < sniffLen && w.guessesType() {
			w.held = append(w.held, p...)
			return len(p), nil
		}
		if err := w.begin(p); err != nil {
			return 0, err
		}
	}
	switch {
	case w.err != nil:
		return 0, w.err
	case w.document == nil:
		return w.ResponseWriter.Write(p)
	case w.declared >= 0 && w.count+int64(len(p)) > w.declared:
		return 0, http.ErrContentLength
	}
	w.count += int64(len(p))
	w.err = errPanicked // stays if Write panics
	if _, w.err = w.document.Write(p); w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

// finish writes what remains when the handler has returned. A response that is not whole
// ends with a panic.
func (w *responseWriter) finish() {
	if !w.begun {
		w.begin(nil) // an error of the document stays in w.err
	}
	if w.document == nil && w.err == nil {
		return
	}
	changeFields(w.Header()) // the handler has put the trailers there
	end := io.EOF
	if w.count < w.declared && w.request.Method != http.MethodHead {
		end = io.ErrUnexpectedEOF
	}
	if w.close(end); w.err != nil {
		http.NewResponseController(w.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
}

// close ends the document once, as if reading it had ended with err.
func (w *responseWriter) close(err error) {
	if w.document == nil || w.ended {
		return
	}
	if w.err == nil {
		w.err = errPanicked // stays if close panics
		w.err = w.document.close(err)
	}
	w.ended = true
	w.document.end(w.err)
}

var errPanicked = errors.New("a function of the Rewriter has panicked")

var errStopped = errors.New("the handler did not return")

// FlushError flushes what has been rewritten so far. After an error or a panic that ended the
// document, it returns that error, and writes nothing. It is for [http.ResponseController].
func (w *responseWriter) FlushError() error {
	if !w.begun {
		if err := w.begin(nil); err != nil {
			return err
		}
	}
	switch {
	case w.err != nil:
		return w.err
	case w.document != nil:
		if err := w.document.flush(); err != nil {
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
	if w.begun && w.document == nil && w.err == nil {
		return io.Copy(w.ResponseWriter, src)
	}
	return io.Copy(struct{ io.Writer }{w}, src)
}

// Unwrap is for [http.ResponseController].
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
