// Package lines finds the line and the column of an offset in an input, for messages that
// people and editors read: FILE:LINE:COLUMN.
//
// The library counts bytes, because an offset is known while a document passes and costs
// nothing. A line is asked for only where something is to be said, which is seldom, and
// often long after its bytes have passed: a warning about the first link of a page comes
// when its HEAD has ended. So nothing is counted on the way. [Lines.Position] reads the bytes
// before the offset once more and counts the line feeds in them. There are two sources for
// these bytes:
//
//   - A regular file is read again with ReadAt, see [Of]. The file may be a file of a tree
//     that is opened only for this.
//   - An input that passes once, such as a pipe, is remembered in part, see [Passing]: its
//     first 256 KiB, which have the heads of most documents, and its last bytes. About the
//     bytes between them no line is known, and the message names the byte.
//
// A page of ten megabytes may cause a million warnings, in any order. Marks, which are
// offsets whose lines are known, keep the time linear where positions are asked for in
// order. In any other order, a position takes at most the time of the way from one mark to
// the next. There are at most 512 marks, so memory does not grow with the file.
//
// What a line and a column are: a line ends with a line feed, in the encoding of the input.
// Columns count bytes from 1, as compilers do and as editors jump to. In UTF-16 columns count
// units of two bytes. A byte order mark is before the first column. The encoding is that of
// the byte order mark, otherwise the charset that the caller names; what a document says of
// its own encoding does not matter, because every other encoding of the web has the line
// feed of ASCII.
//
// A Lines is used by one goroutine at a time. A nil *Lines knows no position.
package lines

import (
	"bytes"
	"io"
	"math"
	"slices"
	"sort"

	htmlcharset "golang.org/x/net/html/charset"
)

// Lines finds the line and the column of an offset in an input.
type Lines struct {
	src     io.ReaderAt
	charset string // given by --charset or the transport; "" if there is none
	feed    []byte // a line feed in the encoding of the input; set by begin

	last  mark   // the offset that was asked for last
	known []mark // in ascending order; the first is at offset 0
	every int64  // position adds a mark after so many bytes without one; 0 is never
}

// A mark is an offset whose line is known.
type mark struct{ offset, line, start int64 } // start is the offset where the line begins

const (
	minMarks = 1 << 20 // how many bytes marks are apart, until there are too many
	maxMarks = 512
)

// Of returns the lines of a regular file, which is read again when a position is
// asked for. Marks on the way keep the time for many positions linear. at is the offset in
// the file at which the input begins.
func Of(f io.ReaderAt, at int64, charset string) *Lines {
	return &Lines{src: io.NewSectionReader(f, at, math.MaxInt64-at), charset: charset, every: minMarks}
}

// Position returns the line and the column of an offset, both from 1. ok is false where the
// bytes before the offset cannot be read: not any more, or not yet.
func (l *Lines) Position(offset int64) (line, column int64, ok bool) {
	if l == nil {
		return 0, 0, false
	}
	l.begin()
	width := int64(len(l.feed))
	offset -= offset % width
	after := sort.Search(len(l.known), func(i int) bool { return l.known[i].offset > offset })
	m := l.known[after-1] // the last mark up to offset; the first one is at 0
	if m.offset < l.last.offset && l.last.offset <= offset {
		m = l.last
	}
	var buf [32 << 10]byte
	for m.offset < offset {
		n, _ := l.src.ReadAt(buf[:min(int64(len(buf)), offset-m.offset)], m.offset)
		if n -= n % int(width); n == 0 {
			return 0, 0, false
		}
		m = l.pass(m, buf[:n])
		l.remember(m)
	}
	l.last = m
	return m.line + 1, (offset-min(m.start, offset))/width + 1, true
}

// begin sets feed, and the mark of the beginning: the first line starts after a byte order
// mark.
func (l *Lines) begin() {
	if l.feed != nil {
		return
	}
	var start [3]byte
	n, _ := l.src.ReadAt(start[:], 0)
	_, charset := htmlcharset.Lookup(l.charset)
	m := mark{}
	for _, bom := range []struct{ charset, bytes string }{{"utf-8", "\xef\xbb\xbf"}, {"utf-16le", "\xff\xfe"}, {"utf-16be", "\xfe\xff"}} {
		if bytes.HasPrefix(start[:n], []byte(bom.bytes)) {
			charset, m.start = bom.charset, int64(len(bom.bytes))
		}
	}
	switch charset {
	case "utf-16le":
		l.feed = []byte("\n\x00")
	case "utf-16be":
		l.feed = []byte("\x00\n")
	default:
		l.feed = []byte("\n")
	}
	l.known = append(l.known, m)
	l.last = m
}

// pass returns the mark after b, which follows m.
func (l *Lines) pass(m mark, b []byte) mark {
	if len(l.feed) == 1 {
		if n := bytes.Count(b, l.feed); n > 0 {
			m.line += int64(n)
			m.start = m.offset + int64(bytes.LastIndexByte(b, '\n')) + 1
		}
	} else {
		for i := 0; i+1 < len(b); i += 2 {
			if b[i] == l.feed[0] && b[i+1] == l.feed[1] {
				m.line++
				m.start = m.offset + int64(i) + 2
			}
		}
	}
	m.offset += int64(len(b))
	return m
}

// remember adds a mark if the last one is far away. If there are then too many, every second
// one is dropped.
func (l *Lines) remember(m mark) {
	if l.every == 0 || m.offset-l.known[len(l.known)-1].offset < l.every {
		return
	}
	if l.known = append(l.known, m); len(l.known) < maxMarks {
		return
	}
	l.every *= 2
	kept := l.known[:0]
	for i, k := range l.known {
		if i%2 == 0 {
			kept = append(kept, k)
		}
	}
	l.known = kept
}

// A recent is an input that cannot be read again. It remembers what it begins with, and
// the last bytes that were read from it, so that their lines are known.
type recent struct {
	io.Reader
	lines *Lines
	parts []part // the beginning and the last two; lines.known has the marks of their first bytes
}

// A part is bytes of an input, from an offset on.
type part struct {
	offset int64
	bytes  []byte
}

const (
	// beginning is longer than most heads are.
	beginning = 256 << 10

	// stretch is how many of the last bytes are remembered at least: more than the
	// longest tag has by default, about which there may be a message.
	stretch = 5 << 18
)

// Passing returns a reader of src, and the lines of what is read from it.
func Passing(src io.Reader, charset string) (io.Reader, *Lines) {
	r := &recent{Reader: src, parts: make([]part, 1, 4)}
	r.lines = &Lines{src: r, charset: charset}
	return r, r.lines
}

func (r *recent) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	for b := p[:n]; len(b) > 0; {
		last := &r.parts[len(r.parts)-1]
		room := stretch - len(last.bytes)
		if last.offset == 0 {
			room = beginning - len(last.bytes)
		}
		if room == 0 {
			r.next()
			continue
		}
		room = min(room, len(b))
		last.bytes = append(last.bytes, b[:room]...)
		b = b[room:]
	}
	return n, err
}

// next begins a new part after the last one. It takes the memory of the part that is
// forgotten.
func (r *recent) next() {
	l := r.lines
	l.begin()
	last := len(r.parts) - 1
	m := l.pass(l.known[last], r.parts[last].bytes)
	var free []byte
	if last == 2 {
		free = r.parts[1].bytes[:0]
		r.parts, l.known = slices.Delete(r.parts, 1, 2), slices.Delete(l.known, 1, 2)
	}
	r.parts, l.known = append(r.parts, part{m.offset, free}), append(l.known, m)
}

// ReadAt reads what is remembered.
func (r *recent) ReadAt(p []byte, offset int64) (int, error) {
	for _, part := range r.parts {
		if at := offset - part.offset; at >= 0 && at < int64(len(part.bytes)) {
			return copy(p, part.bytes[at:]), nil
		}
	}
	return 0, io.EOF
}
