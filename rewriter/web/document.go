package web

import (
	"cmp"
	"io"
	"iter"
	"net/http"

	"absolink/rewriter"
)

// A document is rewritten as far as it has been written.
type document interface {
	io.Writer
	flush() error          // writes what an encoder holds
	close(err error) error // ends the document as if reading it had ended with err: io.EOF if it is whole
	end(err error)         // releases what the document holds, and tells End of the error that ended it
}

// A plain document is in no content coding.
type plain struct {
	*rewriter.Writer
	reporter reporter
	count    int64 // of bytes in all writes
}

func (rw *Rewriter) plain(dst io.Writer, r *http.Request, plan plan) *plain {
	reporter := reporter{rw, r, plan.source.Document}
	return &plain{Writer: reporter.begin().NewWriter(dst, plan.source, plan.source.Document.Outer.URL), reporter: reporter}
}

func (d *plain) Write(p []byte) (int, error) {
	limit := d.reporter.rewriter.MaxDecoded
	over := limit > 0 && int64(len(p)) > limit-d.count
	if over {
		p = p[:limit-d.count]
	}
	n, err := d.Writer.Write(p)
	if d.count += int64(n); over && err == nil {
		err = d.close(errMaxDecoded(limit))
	}
	return n, err
}

func (d *plain) flush() error { return nil }

func (d *plain) close(err error) error {
	if err == io.EOF {
		return d.Writer.Close()
	}
	return &rewriter.Error{Op: "read", Offset: d.count, Err: err}
}

func (d *plain) end(err error) { d.reporter.end(d.Result(), err) }

// A coded document is in content codings. Its bytes come by Write, and a decoder wants to read
// them. So the stream that decodes and rewrites runs in a coroutine: each Write resumes the
// stream, which waits when it wants to read more than has been written.
type coded struct {
	*stream
	dst    responseBody
	in     []byte                  // what is not yet read of the last write
	inErr  error                   // that comes after in; nil if there may be more writes
	resume func() (struct{}, bool) // runs the stream until it waits, and reports whether it does
	wait   func(struct{}) bool     // the other side of resume: it returns when the stream is resumed
	outErr error                   // that ended the stream; nil while it waits, and if it came to its end
}

func (rw *Rewriter) coded(dst io.Writer, r *http.Request, plan plan) *coded {
	d := &coded{dst: responseBody{dst: dst}}
	d.stream = rw.stream(r, (*pushed)(d), plan)
	d.lazy = true
	d.resume, _ = iter.Pull(d.run)
	return d
}

// run is the coroutine. The stream waits where it reads from pushed, by yield.
func (d *coded) run(yield func(struct{}) bool) {
	d.wait = yield
	_, d.outErr = io.Copy(&d.dst, d.stream)
}

func (d *coded) Write(p []byte) (int, error) {
	d.in = p
	if _, waits := d.resume(); !waits {
		return 0, cmp.Or(d.outErr, io.ErrClosedPipe)
	}
	return len(p), nil // the stream waits only when it has read all of p
}

func (d *coded) flush() error {
	d.stream.flush()
	_, err := d.out.WriteTo(&d.dst)
	return err
}

func (d *coded) close(err error) error {
	d.inErr = err
	d.resume()
	return d.outErr
}

// pushed is a coded document as its own stream reads it: the last write, then inErr.
type pushed coded

func (d *pushed) Read(p []byte) (int, error) {
	for len(d.in) == 0 && d.inErr == nil {
		d.wait(struct{}{})
	}
	if len(d.in) == 0 {
		return 0, d.inErr
	}
	n := copy(p, d.in)
	d.in = d.in[n:]
	return n, nil
}

// A responseBody is what a coded document is written to. It counts the bytes, and its errors
// have their offset.
type responseBody struct {
	dst   io.Writer
	count int64 // of the bytes written
}

func (b *responseBody) Write(p []byte) (int, error) {
	n, err := b.dst.Write(p)
	if err != nil {
		err = &rewriter.Error{Op: "write", Offset: b.count + int64(n), Err: err}
	}
	b.count += int64(n)
	return n, err
}
