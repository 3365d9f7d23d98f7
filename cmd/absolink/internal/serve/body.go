package serve

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"absolink/internal/coding"
)

const (
	shortBody = 128 << 10 // up to how many bytes a body is read whole before anything is done with it
	maxHeld   = 1 << 20   // up to how many bytes a response is held back
)

// buffers has *bytes.Buffer, for what is written.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// recycle gives a buffer back. Nothing of it is used any more.
func recycle(b *bytes.Buffer) {
	if b.Cap() <= 2*maxHeld {
		b.Reset()
		buffers.Put(b)
	}
}

// A body is the body of a request, without its content codings.
type body struct {
	decoded io.Reader
	short   *bytes.Buffer // has a body that was read whole; nil for others
	raw     io.Reader     // a body that was not, behind its first bytes
	pump    *pump         // reads raw
	ended   chan struct{} // closed when the pump has ended; nil before it reads on
}

// openBody opens the body of the request of x. It returns a Problem if the body cannot be
// read or decoded. whole says that all of the body is read before it returns. What is read arrives
// before the deadline; a body that is refused unread is drained.
func (x *Exchange) openBody(deadline time.Time, limit int64, whole bool) error {
	if x.Request.ContentLength > limit {
		return errTooLong(limit)
	}
	encodings := x.Request.Header.Values("Content-Encoding")
	codings, ok := coding.Parse(encodings...)
	if !ok {
		return Problemf(http.StatusUnsupportedMediaType, "Content-Encoding %q is not known: gzip, deflate, br and zstd are, and up to %d of them on one body",
			strings.Join(encodings, ", "), coding.MaxNested)
	}
	x.control.SetReadDeadline(deadline)
	b := &x.body
	raw, err := b.open(x, http.MaxBytesReader(x.writer, x.Request.Body, limit), whole)
	if err != nil {
		return problemOf(err)
	}
	b.decoded = raw
	if len(codings) > 0 {
		r := coding.NewReader(raw, limit, errTooLong(limit))
		for i := len(codings) - 1; i >= 0; i-- {
			if err := r.Undo(codings[i]); err != nil {
				return Problemf(http.StatusUnsupportedMediaType, "the body is %v", err)
			}
		}
		b.decoded = r
	}
	x.Body = clientReader{b.decoded}
	if b.short != nil && len(codings) == 0 {
		x.Body = raw // is whole, and the engine does not copy it
	}
	return nil
}

// Start returns what the body of the request begins with, in its content codings, and
// whether that is all of it. More than the first bytes may have arrived by now.
func (x *Exchange) Start() (start []byte, whole bool) {
	switch b := &x.body; {
	case b.short != nil:
		return b.short.Bytes(), true
	case b.pump != nil:
		return b.pump.memory, b.pump.err == io.EOF && b.pump.to == 0
	}
	return nil, true
}

// Length returns how many bytes the body of the request has without its content codings; -1
// if that is not known.
func (x *Exchange) Length() int64 {
	switch b := &x.body; {
	case len(x.Request.Header.Values("Content-Encoding")) > 0:
		return -1
	case b.pump != nil && x.Request.ContentLength < 0:
		if b.pump.err != io.EOF {
			return -1
		}
		return int64(len(b.pump.memory)) + b.pump.to
	}
	return x.Request.ContentLength
}

// open returns what reads the body as it arrives, or when it is whole.
func (b *body) open(x *Exchange, src io.ReadCloser, whole bool) (io.Reader, error) {
	if n := x.Request.ContentLength; n >= 0 && n <= shortBody {
		// A buffer of the pool would be as long as a response, and this one may wait.
		b.short = bytes.NewBuffer(make([]byte, 0, int(n)+bytes.MinRead))
		if _, err := b.short.ReadFrom(src); err != nil {
			linger(x.writer)
			return nil, clientError(err)
		}
		x.control.SetReadDeadline(time.Time{}) // otherwise it would end the request
		return bytes.NewReader(b.short.Bytes()), nil
	}
	x.control.EnableFullDuplex() // an error says that it is so anyway, as with HTTP/2
	b.raw, b.pump = src, newPump(x.out.flush)
	err := b.pump.step(src)
	if err == nil && whole {
		err = b.pump.run(src)
	}
	if err != nil && err != io.EOF {
		return nil, clientError(err)
	}
	x.control.SetReadDeadline(time.Time{}) // x waits until it is worked on
	return b.pump, nil
}

// readOn has what follows the first bytes of a long body read, up to the deadline.
func (b *body) readOn(x *Exchange, deadline time.Time) {
	if b.pump == nil || b.pump.err != nil {
		return
	}
	x.control.SetReadDeadline(deadline)
	b.pump.grow()
	b.ended = make(chan struct{})
	go func() {
		defer close(b.ended)
		if b.pump.run(b.raw) == io.EOF {
			x.control.SetReadDeadline(time.Time{})
		}
	}()
}

// close ends the reading of the body of x. A connection on which a body was not read to
// its end can take no other request.
func (b *body) close(x *Exchange) {
	if b.pump == nil {
		return
	}
	whole := b.pump.stop()
	if b.ended != nil {
		if !whole {
			x.control.SetReadDeadline(time.Unix(1, 0)) // ends the Read that goes on
		}
		<-b.ended
	}
	if !whole && x.Request.ProtoMajor == 1 {
		linger(x.writer)
		x.writer.Header().Set("Connection", "close")
	}
}

// A clientReader reads what a client sends. Its errors are Problems.
type clientReader struct{ io.Reader }

func (r clientReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = clientError(err)
	}
	return n, err
}

// clientError returns the problem with a body that cannot be read.
func clientError(err error) *Problem {
	p := problemOf(err)
	if p.Status == http.StatusInternalServerError {
		p = Problemf(http.StatusBadRequest, "the body cannot be read: %v", err)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			p.Detail = "the body ends before it is whole"
		}
	}
	return p
}
