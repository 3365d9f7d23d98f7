package rewriter

import (
	"cmp"
	"io"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/syntax"
)

// An output is what is written. Each byte of the document is either kept or replaced,
// in document order.
//
// Invariants: what stands before passed in the document is written or in out, and
// nothing after it. out is flushed when it is outputSize, before a read that may
// block, and at the end. Nothing is written after a write has failed.
type output struct {
	dst     io.Writer
	splicer Splicer // in place of dst
	source  *window // has the document from passed on
	out     []byte
	passed  docOffset
	written int64
	err     error  // of reading, writing or Visit: the first one counts
	formed  []byte // scratch
}

// outputSize is how much output is gathered before it is written.
var outputSize = 64 << 10

// directWrite is from how many bytes on what is kept is written from the window,
// without a copy.
const directWrite = 16 << 10

// writes reports whether anybody wants the output.
func (o *output) writes() bool { return o.dst != nil || o.splicer != nil }

// keep passes the document on, up to end, as it is.
func (o *output) keep(end docOffset) {
	if end == o.passed {
		return
	}
	w := o.source
	from, to := w.index(o.passed), w.index(end)
	o.passed = end
	if o.splicer != nil {
		o.spliced(o.splicer.Keep(w.rawOffset(end)))
	}
	b := w.buf[from:to]
	if w.in.Wide != nil {
		b = w.in.Wide.Bytes(from, to)
	}
	if o.dst == nil {
		return
	}
	if len(o.out) >= outputSize || len(o.out)+len(b) > cap(o.out) {
		o.flush()
	}
	if len(b) > directWrite {
		o.flush()
		o.write(b)
		return
	}
	o.out = append(o.out, b...)
}

// keepTail passes on what follows the last character of a wide document.
func (o *output) keepTail() {
	w := o.source
	if w.in.Wide == nil {
		return
	}
	tail := w.in.Wide.Tail()
	o.out = append(o.out, tail...)
	if o.splicer != nil && len(tail) > 0 {
		o.spliced(o.splicer.Keep(w.rawOffset(w.end()) + int64(len(tail))))
	}
}

// replaced says that out[from:], just appended, is in place of the document from passed
// to end.
func (o *output) replaced(from int, end docOffset) {
	w := o.source
	wide := w.in.Wide
	if wide != nil {
		o.out = wide.Encode(o.out, from, w.index(o.passed), w.index(end))
	}
	o.passed = end
	if o.splicer != nil {
		o.spliced(o.splicer.Replace(w.rawOffset(end), o.out[from:]))
		o.out = o.out[:from]
	}
	if len(o.out) >= outputSize && (wide == nil || !wide.MayShorten(o.out)) {
		o.flush()
	}
}

// flush writes the output that is gathered.
func (o *output) flush() {
	if len(o.out) > 0 && o.dst != nil {
		o.write(o.out)
	}
	o.out = o.out[:0]
}

// write writes to dst, unless that has failed before.
func (o *output) write(b []byte) {
	if o.dst == nil {
		return
	}
	n, err := o.dst.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	o.written += int64(n)
	if err != nil {
		o.dst = nil
		o.fail(&Error{"write", o.written, err})
	}
}

// spliced follows a call of the splicer.
func (o *output) spliced(err error) {
	if err != nil {
		o.splicer = nil
		o.fail(&Error{"write", o.source.rawOffset(o.passed), err})
	}
}

// fail ends the run.
func (o *output) fail(err error) {
	o.err = cmp.Or(o.err, err)
}

// A Splicer is told which parts of a document stay and which are replaced. It is for
// documents that stand in a container in another form, such as a transfer encoding, in
// which the parts that stay shall keep their bytes. Offsets are offsets in the document,
// even if it is a [Source] with an At. Each call goes on where the last one ended, and
// the last call ends at the end of the document.
type Splicer interface {
	// Keep says that the document stays as it is up to end.
	Keep(end int64) error

	// Replace says that b replaces the document up to end. If an earlier call ended at
	// end too, b is inserted after what that call put there. b is valid only during the
	// call.
	Replace(end int64, b []byte) error
}

// A writeStyle says how a part of the document is replaced.
type writeStyle struct {
	notation  charref.Notation
	form      syntax.Form // in the notation
	spaces    bool        // all white space that is read there stands there as it is
	escaped   bool        // there are escapes of the form
	semicolon bool        // a semicolon has to end what stands before the part
	front     bool        // the part is the front of a URL, whose rest stays
}

// hasSpacesOf reports whether all white space in a text stands for itself in the raw bytes
// that stand for the text.
func hasSpacesOf(raw, text []byte) bool { return ascii.CountSpace(raw) == ascii.CountSpace(text) }

// put writes a URL, or a part of one, in place of the document from start to end. No
// quote, backquote, "<" or ">" stands there, and none is written. White space is written as
// it is only where all white space that is read there stands there as it is. Where the
// document goes on with a ">", nothing is written that would make it end a comment or a
// CDATA section.
func (o *output) put(start, end docOffset, url []byte, how writeStyle) {
	if !o.writes() {
		return
	}
	o.keep(start)
	from := len(o.out)
	switch {
	case how.semicolon:
		o.out = append(o.out, ';')
	case how.notation == charref.Valueless:
		o.out = append(o.out, '=')
	}
	n := how.notation
	if !how.spaces && (n == charref.DoubleQuoted || n == charref.SingleQuoted) {
		n = charref.Unquoted
	}
	if how.form != syntax.FormPlain {
		write := how.form.Append
		if how.front {
			write = how.form.AppendFront
		}
		o.formed = write(o.formed[:0], url, how.spaces && !how.escaped)
		url = o.formed
	}
	o.out = charref.AppendPart(o.out, url, n)
	if o.closesMarkup(from, end) {
		o.escapeLast(n, how.form)
	}
	o.replaced(from, end)
}

// closesMarkup reports whether out[from:], in place of the document up to end, makes the ">"
// that follows end a comment or a CDATA section.
func (o *output) closesMarkup(from int, end docOffset) bool {
	w := o.source
	next := w.index(end)
	return next < len(w.buf) && w.buf[next] == '>' &&
		charref.ClosesMarkup(o.out[from:]) && !charref.ClosesMarkup(w.buf[:next])
}

// escapeLast writes the last byte of out, which stands for itself, as an escape.
func (o *output) escapeLast(n charref.Notation, f syntax.Form) {
	switch n {
	case charref.Comment, charref.Plain:
	case charref.RawText, charref.CDATA:
		o.out = f.EscapeLast(o.out)
	default:
		last := len(o.out) - 1
		o.out = charref.AppendCharacter(o.out[:last], o.out[last])
	}
}
