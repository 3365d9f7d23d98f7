package serve

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"absolink/internal/coding"
)

const (
	shortBody  = 128 << 10 // up to how many bytes a body is in memory that says how long it is
	waitMemory = 64 << 10  // how many bytes of any other body are in memory
	maxHeld    = 1 << 20   // up to how many bytes a response is held back
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

// A body is the body of a request, all of which has arrived.
type body struct {
	start  []byte   // its first bytes, in memory
	rest   *os.File // what follows, in a temporary file; nil where nothing follows
	length int64
}

// openBody receives the body of the request of x, and undoes its content codings. It returns a
// Problem if the body cannot be read or decoded. The body arrives before the deadline; a body
// that is refused unread is drained.
func (x *Exchange) openBody(deadline time.Time, limit int64) error {
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
	if err := x.body.receive(http.MaxBytesReader(x.writer, x.Request.Body, limit), x.Request.ContentLength); err != nil {
		linger(x.writer)
		return clientError(err)
	}
	x.control.SetReadDeadline(time.Time{}) // otherwise it would end the request
	x.Body = x.body.reader()
	if len(codings) > 0 {
		r := coding.NewReader(x.Body, limit, errTooLong(limit))
		for i := len(codings) - 1; i >= 0; i-- {
			if err := r.Undo(codings[i]); err != nil {
				return Problemf(http.StatusUnsupportedMediaType, "the body is %v", err)
			}
		}
		x.Body = clientReader{r}
	}
	return nil
}

// Start returns what the body of the request begins with, in its content codings: all of it,
// or some KiB.
func (x *Exchange) Start() []byte { return x.body.start }

// Length returns how many bytes the body of the request has without its content codings; -1
// if that is not known.
func (x *Exchange) Length() int64 {
	switch n := x.Request.ContentLength; {
	case len(x.Request.Header.Values("Content-Encoding")) > 0:
		return -1
	case n >= 0:
		return n
	}
	return x.body.length
}

// receive reads src to its end. length is how many bytes src says that it has; -1 is not known.
func (b *body) receive(src io.Reader, length int64) error {
	most := int64(waitMemory)
	if length >= 0 && length <= shortBody {
		most = length
	}
	// A buffer of the pool would be as long as a response, and this one may wait. It never grows:
	// ReadFrom wants room for one more Read, also at the end.
	start := bytes.NewBuffer(make([]byte, 0, most+1+bytes.MinRead))
	n, err := start.ReadFrom(io.LimitReader(src, most+1))
	b.start, b.length = start.Bytes(), n
	if err != nil || n <= most {
		return err
	}
	if b.rest, err = os.CreateTemp("", ".absolink-*"); err != nil {
		return err
	}
	os.Remove(b.rest.Name()) // where an open file cannot be removed, close does it
	n, err = io.Copy(b.rest, src)
	b.length += n
	if err != nil {
		return err
	}
	_, err = b.rest.Seek(0, io.SeekStart)
	return err
}

// reader returns what reads b. If b is in memory, the engine does not copy it.
func (b *body) reader() io.Reader {
	start := bytes.NewReader(b.start)
	if b.rest == nil {
		return start
	}
	return clientReader{io.MultiReader(start, b.rest)}
}

// close drops what is held.
func (b *body) close() {
	if b.rest != nil {
		b.rest.Close()
		os.Remove(b.rest.Name())
	}
}

// A clientReader reads what a client has sent. Its errors are Problems.
type clientReader struct{ io.Reader }

func (r clientReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = clientError(err)
	}
	return n, err
}

// clientError returns the problem with a body that cannot be received, or read afterwards. The
// client is not told where the temporary file is.
func clientError(err error) *Problem {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return Problemf(http.StatusInsufficientStorage, "the server has no room to hold the body: %v", file.Err)
	}
	p := problemOf(err)
	if p.Status == http.StatusInternalServerError {
		p = Problemf(http.StatusBadRequest, "the body cannot be read: %v", err)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			p.Detail = "the body ends before it is whole"
		}
	}
	return p
}
