package rewriter

import (
	"io"

	"absolink/rewriter/internal/charset"
)

// A window is the input, from the first byte on that may still be needed: that is not
// written, or in a token that is not whole. buf[0] stands at off in the document. What
// elide took out of a long tag is no longer in it.
type window struct {
	in     charset.Source
	chars  charset.Charset // of in
	buf    []byte
	memory []byte // for buf, while that is a part of the caller's document
	off    int64
	begun  bool
	eof    bool
	empty  int   // reads of nothing, one after another
	broken error // of reading, after what is in the window
}

// windowSize is how much input is read at once, and how much is held but for
// what a tag or an undecided base needs.
var windowSize = 64 << 10

// open says what the input is, and returns that without a Source around it.
func (e *engine) open(src io.Reader) io.Reader {
	src, of := unwrap(src)
	e.in.Open(src, of.Charset)
	e.at, e.of = of.At, of.Document
	return src
}

// fill reads once into the window.
func (e *engine) fill() {
	room := e.space()
	e.in.Off = e.off
	n, err := e.in.Read(room)
	e.buf = e.buf[:len(e.buf)+n]
	if e.empty++; n > 0 {
		e.empty = 0
	} else if err == nil && e.empty == 100 {
		err = io.ErrNoProgress
	}
	if e.eof = err == io.EOF; !e.eof {
		e.broken = err
	}
}

// inPlace takes a whole document, as the WriteTo of a reader in memory gives
// it. The window moves over it, as long as nothing is taken out of the window.
type inPlace struct{ e *engine }

func (w inPlace) Write(document []byte) (int, error) {
	e := w.e
	if e.in.Take(document) {
		return len(document), nil
	}
	e.memory, e.buf = e.buf, document[:0]
	for end := 0; e.err == nil && !e.eof; {
		n := min(windowSize, len(document)-end)
		if e.memory == nil {
			n = copy(e.space(), document[end:])
		} else if drop := e.drop(); drop > 0 {
			e.buf = e.buf[drop:]
		}
		e.buf = e.buf[:len(e.buf)+n]
		end += n
		e.eof = end == len(document)
		e.advance()
	}
	return len(document), nil
}

// holds makes a document that is in memory all of the input.
func (e *engine) holds(document []byte) {
	e.memory, e.buf, e.eof = e.buf, document, true
}

// space returns room for input at the end of the window. Moving the window and
// making it larger cost no more than reading what fills it.
func (e *engine) space() []byte {
	if len(e.buf) > cap(e.buf)/2 {
		if n := e.drop(); n > 0 {
			e.buf = e.buf[:copy(e.buf, e.buf[n:])]
		}
		if len(e.buf) > cap(e.buf)*3/4 {
			e.buf = append(make([]byte, 0, 2*cap(e.buf)), e.buf...)
		}
	}
	return e.buf[len(e.buf):cap(e.buf)]
}

// drop lets go of the first bytes of the window, which are not needed any more,
// and returns how many.
func (e *engine) drop() int {
	n := min(e.passed, e.context.Needed())
	if e.in.Wide != nil && n > 0 {
		e.in.Wide.Drop(0, n)
	}
	e.off += int64(n)
	e.passed -= n
	e.context.Shift(n)
	return n
}

// inputOffset returns where what stands at offset in this document stands in
// the outermost; -1 where that is a tree.
func (e *engine) inputOffset(offset int64) int64 {
	switch {
	case e.inTree:
		return -1
	case e.parent == nil:
		if offset = e.rawOffset(offset); e.at != nil {
			offset = e.at(offset)
		}
		return offset
	}
	return e.parent.inputOffset(e.origin + int64(e.origins.Raw(int(offset))))
}

// rawOffset returns where what stands at offset in this document, which is in
// no other, stands in the input.
func (e *engine) rawOffset(offset int64) int64 {
	if e.in.Wide != nil {
		return e.in.Wide.At(int(offset - e.off))
	}
	return offset
}

// input returns what raw, which stands at offset in this document, is in the
// outermost.
func (e *engine) input(offset int64, raw []byte) []byte {
	switch {
	case e.in.Wide != nil:
		start := int(offset - e.off)
		if bytes := e.in.Wide.Bytes(start, start+len(raw)); bytes != nil {
			return bytes
		}
		return raw
	case e.parent == nil:
		return raw
	}
	from, to := int64(e.origins.Raw(int(offset))), int64(e.origins.Raw(int(offset)+len(raw)))
	start := e.origin + from - e.parent.off
	return e.parent.input(e.origin+from, e.parent.buf[start:start+to-from])
}
