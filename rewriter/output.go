package rewriter

import "io"

// An output is what is written. What stands before passed in the window is in out or
// written, and nothing after it. out is flushed when it is outputSize, before a read
// that may block, and at the end. Nothing is written after err.
type output struct {
	dst     io.Writer
	splicer Splicer // in place of dst
	out     []byte
	passed  int // in the window
	written int64
	err     error // of reading, writing or Visit
}

// outputSize is how much output is gathered before it is written.
var outputSize = 64 << 10

// directWrite is from how many bytes on what passes is written from the window,
// without a copy.
const directWrite = 16 << 10

// writes reports whether anybody wants the output.
func (e *engine) writes() bool { return e.dst != nil || e.splicer != nil }

// release passes on all that no held place and no unfinished tag keeps back.
func (e *engine) release() {
	end := len(e.buf)
	switch {
	case e.err != nil:
		return
	case e.held.len() > 0:
		end = int(e.held.first().start - e.off)
	case e.text.rule != nil:
		end = int(e.text.start - e.off)
	case !e.eof:
		end = e.context.Unfinished(end)
	}
	if e.sheet.rule != nil {
		end = min(end, int(e.sheet.start-e.off))
	}
	if end > e.passed {
		e.pass(end)
	}
	if e.ended && e.in.Wide != nil {
		e.passTail(e.in.Wide.Tail())
	}
}

// passTail passes on what follows the last character of the input.
func (e *engine) passTail(tail []byte) {
	e.out = append(e.out, tail...)
	if e.splicer != nil && len(tail) > 0 {
		e.spliced(e.splicer.Keep(e.rawOffset(e.off+int64(len(e.buf))) + int64(len(tail))))
	}
}

// pass moves the window up to end to the output.
func (e *engine) pass(end int) {
	b := e.buf[e.passed:end]
	if e.splicer != nil && len(b) > 0 {
		e.spliced(e.splicer.Keep(e.rawOffset(e.off + int64(end))))
	}
	if e.in.Wide != nil {
		b = e.in.Wide.Bytes(e.passed, end)
	}
	e.passed = end
	if e.dst == nil {
		return
	}
	if len(e.out) >= outputSize || len(e.out)+len(b) > cap(e.out) {
		e.flush()
	}
	if len(b) > directWrite {
		e.flush()
		e.write(b)
		return
	}
	e.out = append(e.out, b...)
}

// flush writes the output that is gathered.
func (e *engine) flush() {
	if len(e.out) > 0 && e.dst != nil {
		e.write(e.out)
	}
	e.out = e.out[:0]
}

// write writes to dst, unless that has failed before.
func (e *engine) write(b []byte) {
	if e.dst == nil {
		return
	}
	n, err := e.dst.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	e.written += int64(n)
	if err != nil {
		e.dst = nil
		e.fail(&Error{"write", e.written, err})
	}
}

// spliced follows a call of the splicer.
func (e *engine) spliced(err error) {
	if err != nil {
		e.splicer = nil
		e.fail(&Error{"write", e.rawOffset(e.off + int64(e.passed)), err})
	}
}

// fail ends the run. The first error counts.
func (e *engine) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}
