package doors

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing/iotest"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/rewriter"
)

// errFault is every fault of a test: of reading, of writing, of Visit.
var errFault = errors.New("the fault of a test")

// pass sends in through the door with a source and a destination of the caller's choice.
func (c *checking) pass(dst io.Writer, src io.Reader) error {
	_, err := c.run(&Pass{HTML: &c.usual, Dst: dst, Src: src, Outer: c.base(&c.usual)})
	return err
}

func (c *checking) zeros() {
	c.documents(func(_, in []byte) {
		want := c.whole(&c.usual, in)
		var out bytes.Buffer
		err := c.pass(&out, &sparse{src: iotest.OneByteReader(bytes.NewReader(in))})
		if err != nil || !bytes.Equal(c.plain(out.Bytes()), c.plain(want)) {
			c.errorf("%.300q: %v\n%.300q, not\n%.300q", in, err, out.Bytes(), want)
		}
	})
}

// A sparse gives nothing 5 times before it gives something.
type sparse struct {
	src io.Reader
	n   int
}

func (r *sparse) Read(p []byte) (int, error) {
	if r.n++; r.n%6 > 0 {
		return 0, nil
	}
	return r.src.Read(p)
}

func (c *checking) noProgress() {
	c.documents(func(doc, in []byte) {
		if len(doc) == 0 {
			return
		}
		src := &stuck{src: bytes.NewReader(in[:len(in)/2])}
		if err := c.pass(io.Discard, src); err == nil || src.n > 10_000 {
			c.errorf("%.100q: %v after %d empty reads", in, err, src.n)
		}
	})
}

// A stuck gives nothing for ever after src, or nearly so.
type stuck struct {
	src io.Reader
	n   int
}

func (r *stuck) Read(p []byte) (int, error) {
	n, _ := r.src.Read(p)
	if n == 0 {
		if r.n++; r.n > 1_000_000 {
			return 0, io.EOF
		}
	}
	return n, nil
}

// prefix checks what a run that failed has written, at least so many bytes, and that it says
// so: what failed, and why.
func (c *checking) prefix(what string, in, out, whole []byte, least int, err error, op string, cause error) {
	if !bytes.HasPrefix(c.plain(whole), c.plain(out)) {
		c.errorf("%s of %.200q: %.300q is no prefix of\n%.300q", what, in, out, whole)
	}
	if len(out) < least {
		c.errorf("%s of %.200q: %d bytes are written, not %d", what, in, len(out), least)
	}
	var e *rewriter.Error
	switch {
	case err == nil:
		c.errorf("%s of %.200q: no error", what, in)
	case c.Opaque != "" || cause == nil:
	case !errors.Is(err, cause) || !errors.As(err, &e) || e.Op != op:
		c.errorf("%s of %.200q: the error is %v (%T), not that of a %s that says %v", what, in, err, err, op, cause)
	}
}

// Error returns err in the form of the errors of a door: an error of the caller, who reads or
// writes, or of a door with errors of another form. Its offset is not that of a door.
func Error(op string, err error) error {
	if err == nil || errors.As(err, new(*rewriter.Error)) {
		return err
	}
	return &rewriter.Error{Op: op, Offset: -1, Err: foreign{err}}
}

// A foreign error is not in the form of the errors of a door.
type foreign struct{ error }

func (e foreign) Unwrap() error { return e.error }

// steps is at how many offsets in a document a fault is tried.
func steps() int { return soak.N(40) }

func (c *checking) readFails() {
	check := func(in []byte, offsets []int, least int, pieces func([]byte) io.Reader) {
		whole := c.whole(&c.usual, in)
		for _, at := range offsets {
			for _, src := range []io.Reader{
				io.MultiReader(pieces(in[:at]), iotest.ErrReader(errFault)),
				dataErr(in[:at]),
				&seekErr{bytes.NewReader(in), at},
			} {
				var out bytes.Buffer
				err := c.pass(&out, src)
				c.prefix(fmt.Sprintf("a read that fails at %d", at), in, out.Bytes(), whole, least, err, "read", errFault)
			}
		}
	}
	c.documents(func(_, in []byte) {
		var offsets []int
		for at := 0; at <= len(in); at += 1 + len(in)/steps() {
			offsets = append(offsets, at)
		}
		check(in, offsets, 0, func(b []byte) io.Reader { return testio.InPieces(bytes.NewReader(b), 2) })
	})
	c.withLong(func(_, in []byte) { // which fails in the middle, and in what follows it in its container
		offsets := []int{len(in) / 2}
		for tail := 50; tail > 0; tail -= 10 {
			offsets = append(offsets, len(in)-tail)
		}
		check(in, offsets, c.flows(len(in)/4), func(b []byte) io.Reader { return bytes.NewReader(b) })
	})
}

// flows returns n for a door that writes documents while it reads them, and 0 for one that
// holds a document, or writes something else.
func (c *checking) flows(n int) int {
	if c.Not[Memory] != "" || c.Most > 0 || c.Want != nil {
		return 0
	}
	return n
}

// withLong calls f for the long document, and for it in its container.
func (c *checking) withLong(f func(doc, in []byte)) {
	if doc := []byte(long()); c.Docs == nil && c.Takes(doc) {
		f(doc, c.Wrap(doc, true))
	}
}

// dataErr returns a reader that gives its error with the last bytes.
func dataErr(b []byte) io.Reader {
	return iotest.DataErrReader(io.MultiReader(bytes.NewReader(b), iotest.ErrReader(errFault)))
}

// A seekErr can be read again, and fails at the same byte each time.
type seekErr struct {
	*bytes.Reader
	at int
}

func (r *seekErr) Read(p []byte) (int, error) {
	left := r.at - int(r.Size()) + r.Len()
	if left <= 0 {
		return 0, errFault
	}
	return r.Reader.Read(p[:min(len(p), left)])
}

// WriteTo hides the method of bytes.Reader, which does not fail.
func (r *seekErr) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{r}) }

func (c *checking) writeFails() {
	check := func(in []byte, steps int, src func() io.Reader) {
		whole := c.whole(&c.usual, in)
		for at := 0; at < len(whole); at += 1 + len(whole)/steps {
			w := &testio.FailingWriter{Limit: at, Err: errFault}
			err := c.pass(w, src())
			c.prefix(fmt.Sprintf("a write that fails at %d", at), in, w.Bytes(), whole, at, err, "write", errFault)
		}
	}
	c.documents(func(_, in []byte) {
		check(in, steps(), func() io.Reader { return testio.InPieces(bytes.NewReader(in), 3) })
	})
	c.withLong(func(_, in []byte) {
		check(in, 4, func() io.Reader { return struct{ io.Reader }{bytes.NewReader(in)} })
	})
}

// where looks at the offsets in errors. What fails in the hands of the caller has none, but
// some error is the door's.
func (c *checking) where() {
	tried, looked := false, false
	at := func(what string, in []byte, want int, err error) {
		if errors.As(err, new(foreign)) {
			return
		}
		looked = true
		if e := (*rewriter.Error)(nil); !errors.As(err, &e) || e.Offset != int64(want) {
			c.errorf("%s at %d of %.200q: %v", what, want, in, err)
		}
	}
	c.documents(func(_, in []byte) {
		tried = true
		whole := c.whole(&c.usual, in)
		for part := range 3 {
			n := part * len(in) / 3
			at("a read", in, n, c.pass(new(bytes.Buffer), dataErr(in[:n])))
			if n = part * len(whole) / 3; n < len(whole) {
				at("a write", in, n, c.pass(&testio.FailingWriter{Limit: n, Err: errFault}, bytes.NewReader(in)))
			}
		}
		place := -1
		rw := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
			place = int(p.Offset)
			return errFault
		}})
		if _, err := c.run(&Pass{HTML: rw, Dst: new(bytes.Buffer), Src: bytes.NewReader(in), Outer: c.base(rw)}); place >= 0 {
			at("a place", in, place, err)
		}
	})
	if tried && !looked {
		c.errorf("no error is the door's")
	}
}

func (c *checking) shortWrite() {
	c.documents(func(_, in []byte) {
		if len(in) < 3 {
			return
		}
		w := new(shortWriter)
		whole := c.whole(&c.usual, in)
		if len(whole) < 2 {
			return
		}
		err := c.pass(w, bytes.NewReader(in))
		c.prefix("a short write", in, w.taken, whole, 1, err, "write", io.ErrShortWrite)
	})
}

// A shortWriter takes the first byte, and says nothing.
type shortWriter struct{ taken []byte }

func (w *shortWriter) Write(p []byte) (int, error) {
	if len(w.taken) > 0 || len(p) == 0 {
		return 0, nil
	}
	w.taken = append(w.taken, p[0])
	return 1, nil
}

func (c *checking) visitFails() { c.stops(func() error { return errFault }, errFault) }
func (c *checking) panics()     { c.stops(func() error { panic(errFault) }, nil) }

// stops has Visit stop at one place after another. cause is the error then; nil is any.
func (c *checking) stops(stop func() error, cause error) {
	check := func(in []byte, atLast int, src func() io.Reader) {
		places, last := 0, -1
		rw := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(*rewriter.Place) error {
			if places++; places == last {
				return stop()
			}
			return nil
		}})
		whole := c.whole(rw, in)
		all := places
		for _, last = range slices.Compact([]int{1, 2, 3, max(3, all/2), max(3, all)}) {
			if places = 0; last > all {
				break
			}
			var out bytes.Buffer
			_, err := c.run(&Pass{HTML: rw, Dst: &out, Src: src(), Outer: c.base(rw)})
			least := 0
			if last == all {
				least = atLast
			}
			c.prefix(fmt.Sprintf("a stop at place %d of %d", last, all), in, out.Bytes(), whole, least, err, "visit", cause)
			if places > last {
				c.errorf("%.200q: Visit is called again after the stop at place %d", in, last)
			}
		}
		if last = -1; !bytes.Equal(c.plain(c.whole(rw, in)), c.plain(whole)) {
			c.errorf("afterwards %.200q is not rewritten as before", in)
		}
	}
	c.documents(func(_, in []byte) {
		check(in, 0, func() io.Reader { return testio.InPieces(bytes.NewReader(in), 4) })
	})
	c.withLong(func(_, in []byte) {
		check(in, c.flows(len(in)/2), func() io.Reader { return struct{ io.Reader }{bytes.NewReader(in)} })
	})
}
