package rewriter

import (
	"cmp"
	"io"

	"absolink/resolver"
)

// A Reader reads a document with its references made absolute: it is the io.Reader
// form of Rewrite. It reads its source only during its own methods. It holds what
// Rewrite holds, and some output. It needs no Close.
type Reader struct {
	piecewise

	into []byte // of the Read that goes on, or has panicked: what e writes goes there
	out  []byte // what e wrote beyond that
	read int    // of out
}

// A piecewise is the run of a Reader or Writer, which goes on with each call.
type piecewise struct {
	e       *engine // nil after the end and after an error
	err     error   // of every call from then on
	result  Result
	written int64 // by e, when that has ended
}

// Result says what the run did so far: all of it after the end, which io.EOF or Close is.
func (p *piecewise) Result() Result {
	if p.e != nil {
		return p.e.results()
	}
	return p.result
}

// end takes from the engine what came of the run. Without an error, every later call returns
// ended.
func (p *piecewise) end(ended error) {
	if p.e == nil {
		return
	}
	p.result, p.err, p.written = p.e.results(), cmp.Or(p.e.err, ended), p.e.written
	p.e.free()
	p.e = nil
}

// NewReader returns a Reader of the document src, which may be a [Source]. outer
// is as in Rewrite.
func (rw *Rewriter) NewReader(src io.Reader, outer *resolver.Base) *Reader {
	if err := rw.CheckBase(outer); err != nil {
		return &Reader{piecewise: piecewise{err: err}}
	}
	r := new(Reader)
	r.e = rw.newRun((*pulled)(r), outer)
	r.e.openInput(src)
	return r
}

// pulled is where the engine of a Reader writes to. It pauses the engine when there
// is enough to read.
type pulled Reader

func (r *pulled) Write(p []byte) (int, error) {
	n := copy(r.into[len(r.into):cap(r.into)], p)
	r.into, r.out = r.into[:len(r.into)+n], append(r.out, p[n:]...)
	r.e.paused = len(r.into)+len(r.out) >= outputSize
	return len(p), nil
}

// Read reads the rewritten document. It returns what there is before it reads
// the source again, which may block. Its errors are the same as Rewrite's, and come
// after all that could be written before them.
func (r *Reader) Read(p []byte) (int, error) {
	r.dropPanicked()
	for r.Buffered() == 0 {
		if r.err != nil {
			return 0, r.err
		}
		if len(p) == 0 {
			return 0, nil
		}
		r.into, r.out, r.read = p[:0:len(p)], reuse(r.out, 1<<20), 0
		if !r.e.step() {
			r.end(io.EOF)
		}
		n := len(r.into)
		if r.into = nil; n > 0 {
			return n, nil
		}
	}
	n := copy(p, r.out[r.read:])
	r.read += n
	return n, nil
}

// dropPanicked drops what a Read has left that has panicked: what it wrote before that is
// lost.
func (r *Reader) dropPanicked() {
	if r.into != nil {
		r.into, r.out, r.read = nil, nil, 0
	}
}

// WriteTo writes the rest of the rewritten document to w.
func (r *Reader) WriteTo(w io.Writer) (written int64, err error) {
	r.dropPanicked()
	if r.Buffered() > 0 {
		b := r.out[r.read:]
		n, err := w.Write(b)
		r.read += n
		if err == nil && n < len(b) {
			err = io.ErrShortWrite
		}
		if err != nil {
			r.end(io.EOF)
			r.err = &Error{"write", r.written - int64(r.Buffered()), err}
			r.out, r.read = nil, 0
			return int64(n), r.err
		}
		written = int64(n)
	}
	if r.e != nil {
		before := r.e.written
		r.e.dst = w
		for r.e.step() {
		}
		written += r.e.written - before
		r.end(io.EOF)
	}
	if r.err == io.EOF {
		return written, nil
	}
	return written, r.err
}

// Buffered returns how many bytes can be read before the source is.
func (r *Reader) Buffered() int { return len(r.out) - r.read }
