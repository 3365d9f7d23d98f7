package rewriter

import (
	"io"

	"absolink/internal/steady"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
)

// A window is the part of the document that may still be needed: it is not written,
// or it belongs to a token that is not whole. What elide takes out of a long tag is
// no longer in the window.
//
// Invariants: buf[i] stands at off+i, except in a tag that bytes were cut out of: there
// this holds only after the cut (see tagOffset). Every offset that anybody holds is from
// off to off+len(buf), or is never looked up again.
type window struct {
	src    steady.Reader // of in, unless a Writer is
	in     charset.Source
	chars  charset.Charset // of in
	buf    []byte
	memory []byte // for buf, while buf is a part of the caller's document
	off    docOffset
	eof    bool
	broken error // of reading, after what is in the window
}

// windowSize is how much input is read at once. The window is larger where a tag or an
// undecided base needs it.
var windowSize = 64 << 10

// offsetOf returns the offset of buf[i].
func (w *window) offsetOf(i int) docOffset { return w.off + docOffset(i) }

// index returns where in buf the offset o is.
func (w *window) index(o docOffset) int { return int(o - w.off) }

// raw returns the document from start to end.
func (w *window) raw(start, end docOffset) []byte { return w.buf[w.index(start):w.index(end)] }

// rawOf returns the raw value of a place.
func (w *window) rawOf(p *place) []byte { return w.raw(p.start, p.end) }

// hasRoom reports whether a value can be written in a place. After the name of an attribute
// without a value, it cannot be if a slash follows, which would become a part of it.
func (w *window) hasRoom(p *place) bool {
	return p.notation != charref.Valueless || w.buf[w.index(p.end)] != '/'
}

// valueIn appends to dst what it needs, and returns what the raw value of a place stands for,
// which may be a part of raw.
func (w *window) valueIn(dst []byte, p *place, raw []byte) (_, value []byte) {
	if p.notation == charref.Plain {
		dst = w.chars.Text(dst, raw)
		return dst, dst
	}
	return charref.AppendValue(dst, raw, &w.chars)
}

// end returns the offset of the window's end.
func (w *window) end() docOffset { return w.offsetOf(len(w.buf)) }

// rawOffset converts o to an offset in the input. The document is not in a value of
// another document.
func (w *window) rawOffset(o docOffset) int64 {
	if w.in.Wide != nil {
		return w.in.Wide.At(w.index(o))
	}
	return int64(o)
}

// fill reads once into the window.
func (w *window) fill() {
	room := w.space()
	w.in.Off = int64(w.off)
	n, err := w.in.Read(room)
	w.buf = w.buf[:len(w.buf)+n]
	if w.eof = err == io.EOF; !w.eof {
		w.broken = err
	}
}

// isHalfFull reports whether the window is more than half full. Moving the rest to its
// front then costs no more than the next read.
func (w *window) isHalfFull() bool { return len(w.buf) > cap(w.buf)/2 }

// space returns room for input at the end of the window.
func (w *window) space() []byte {
	if len(w.buf) > cap(w.buf)*3/4 {
		w.buf = append(make([]byte, 0, 2*cap(w.buf)), w.buf...)
	}
	return w.buf[len(w.buf):cap(w.buf)]
}

// drop takes the first n bytes out of the window.
func (w *window) drop(n int) {
	if w.in.Wide != nil {
		w.in.Wide.Drop(0, n)
	}
	w.off += docOffset(n)
	if w.memory != nil {
		w.buf = w.buf[n:]
	} else {
		w.buf = w.buf[:copy(w.buf, w.buf[n:])]
	}
}

// cut takes the bytes from start to end out of the window. The offsets of what comes
// after them stay.
func (w *window) cut(start, end int) {
	if w.memory != nil {
		w.buf, w.memory = append(w.memory[:0], w.buf...), nil
	}
	w.buf = append(w.buf[:start], w.buf[end:]...)
	if w.in.Wide != nil {
		w.in.Wide.Drop(start, end)
	}
	w.off += docOffset(end - start)
}

// holds makes a document that is in memory all of the input.
func (w *window) holds(document []byte) {
	w.memory, w.buf, w.eof = w.buf, document, true
}

// reuse returns the memory of a slice, or nil where that is more than limit elements.
func reuse[T any](s []T, limit int) []T {
	if cap(s) > limit {
		return nil
	}
	return s[:0]
}
