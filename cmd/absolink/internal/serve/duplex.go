package serve

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// bothWays calls serve with a response writer and a request with which the request goes on when
// its answer has begun. Without that, the server takes what is left of the request for itself.
//
// A connection on which the answer begins before the request is whole takes no other request.
// Otherwise the server would wait for that request, after the client has not sent this one to
// its end, and would take what still comes of this one for it. When serve returns, nobody reads
// the request any more: the server sends the answer, reads what is left until the deadline of
// limitDrain, and closes the connection.
func bothWays(w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter, *http.Request)) {
	if r.ContentLength == 0 || r.ProtoMajor != 1 { // in HTTP/2, a request goes on anyway
		serve(w, r)
		return
	}
	control := http.NewResponseController(w)
	control.EnableFullDuplex()
	body := &incomingBody{ReadCloser: r.Body}
	going := r.WithContext(r.Context()) // the server looks at the body of r
	going.Body = body
	serve(&earlyWriter{ResponseWriter: w, body: body}, going)
	if !body.whole.Load() {
		control.SetReadDeadline(time.Unix(1, 0)) // ends the Read that goes on
		body.end()
		linger(w)
	}
}

// An incomingBody knows whether it has been read to its end.
type incomingBody struct {
	io.ReadCloser
	whole atomic.Bool

	mu    sync.Mutex // held by the Read that goes on
	ended bool
}

var errEnded = errors.New("the request is answered")

func (b *incomingBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return 0, errEnded
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.whole.Store(true)
	}
	return n, err
}

// end waits for the Read that goes on, and has each later one fail. While a Read goes on, the
// server would take back the deadline of limitDrain.
func (b *incomingBody) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
}

// An earlyWriter has the connection closed after an answer that begins before its request is
// whole.
type earlyWriter struct {
	http.ResponseWriter
	body  *incomingBody
	begun bool
}

func (w *earlyWriter) WriteHeader(status int) {
	if !w.begun && status >= http.StatusOK {
		w.begun = true
		if !w.body.whole.Load() {
			w.Header().Set("Connection", "close")
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the answer.
func (w *earlyWriter) Write(p []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is for [http.ResponseController].
func (w *earlyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
