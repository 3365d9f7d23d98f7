// Package passage has the reader and the writer through which an adapter passes a container:
// both keep the first error, as a [*rewriter.Error] with its offset.
package passage

import (
	"bufio"
	"io"

	"absolink/internal/steady"
	"absolink/rewriter"
)

// Size is the size of the buffer of an Output, and a good size for the window of an Input.
const Size = 64 << 10

// An Output is where a container goes. After its first error it writes nothing more. The zero
// value discards what it is given.
type Output struct {
	dst *bufio.Writer
	n   int64 // how many bytes dst was given
	err error
}

// NewOutput returns an Output to dst, which may be nil.
func NewOutput(dst io.Writer) Output {
	if dst == nil {
		return Output{}
	}
	return Output{dst: bufio.NewWriterSize(dst, Size)}
}

// Discards reports whether o writes nothing, so that nothing need be made for it.
func (o *Output) Discards() bool { return o.dst == nil || o.err != nil }

// Err returns the first error, or nil.
func (o *Output) Err() error { return o.err }

// Stop writes what is buffered. Nothing is written after that: the run has failed, and what
// follows would not be what a whole run writes.
func (o *Output) Stop() {
	o.Flush()
	o.dst = nil
}

// Put writes b.
func (o *Output) Put(b []byte) {
	if o.Discards() {
		return
	}
	n, err := o.dst.Write(b)
	o.done(n, err)
}

// PutString writes s.
func (o *Output) PutString(s string) {
	if o.Discards() {
		return
	}
	n, err := o.dst.WriteString(s)
	o.done(n, err)
}

// PutByte writes c.
func (o *Output) PutByte(c byte) {
	if o.Discards() {
		return
	}
	o.done(1, o.dst.WriteByte(c))
}

// Flush writes what is buffered.
func (o *Output) Flush() {
	if !o.Discards() {
		o.done(0, o.dst.Flush())
	}
}

func (o *Output) done(n int, err error) {
	if o.n += int64(n); err != nil {
		o.err = &rewriter.Error{Op: "write", Offset: o.n - int64(o.dst.Buffered()), Err: err}
	}
}

// An Input is where a container comes from. After its end or its first error, it reads
// nothing more.
type Input struct {
	Src   io.Reader
	Ended bool
	err   error
	next  error // came with the last bytes, and is for the next call of Append
}

// Err returns the first error, which is not io.EOF, or nil.
func (in *Input) Err() error { return in.err }

// Append reads once, appends what comes to buf, within its capacity, and reports whether
// anything came. off is the offset of buf in the container. An error that comes with bytes is
// the next call's: before an error, everything is seen that came before it.
func (in *Input) Append(buf []byte, off int64) ([]byte, bool) {
	if in.Ended {
		return buf, false
	}
	n, err := 0, in.next
	if err == nil {
		n, err = steady.Read(in.Src, buf[len(buf):cap(buf)])
	}
	buf = buf[:len(buf)+n]
	if n > 0 {
		in.next = err
	} else if err != nil {
		in.Ended = true
		if err != io.EOF {
			in.err = &rewriter.Error{Op: "read", Offset: off + int64(len(buf)), Err: err}
		}
	}
	return buf, n > 0
}
