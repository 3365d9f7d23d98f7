package warc

import (
	"errors"
	"fmt"
	"io"

	"absolink/rewriter"
)

const windowSize = 32 << 10

// A DamageError says where an archive is damaged. Reading goes on after it.
type DamageError struct {
	Offset int64 // in the archive as it is stored, in bytes
	Err    error // what is wrong there
}

// Error returns one line with the offset.
func (e *DamageError) Error() string { return fmt.Sprintf("at %d: %v", e.Offset, e.Err) }

// Unwrap returns e.Err.
func (e *DamageError) Unwrap() error { return e.Err }

var errCut = errors.New("the archive ends within a compressed part")

// An extent is a range of an archive as it is stored, from the start of a compressed part
// that is also the start of a record, to the next such place. The extents of an archive
// cover all of its bytes.
type extent struct {
	start, end int64
	damaged    bool // somewhere in it
}

// parts reads the compressed parts of an archive, one after another, as one stream of
// decompressed bytes, and knows where in the archive it is. An archive that is not
// compressed is one part. What the bytes mean, and so where an extent ends, is decided above.
//
// Bytes leave in their order, by skip and read. An error comes after the bytes that were
// decompressed before it; those that are then still in the window are dropped. After a
// [*DamageError], reading goes on with the next part that begins with a record.
type parts struct {
	in    *input
	un    unpacker
	plain bool // nothing is compressed

	start  int64 // where in the archive the current part begins
	isOpen bool  // not all of the current part has been decompressed
	err    error // of decompressing it, for the next unpack

	buf       []byte
	next, end int // buf[next:end], the window, is still to be read

	extent extent // that has not ended yet
	closed []extent
}

// newParts returns the parts of an archive. maxWindow is read when the first part begins.
func newParts(in *input, ahead *ahead, maxWindow *int64) parts {
	start, _ := in.Peek(len(zstdMagic))
	c := compressionOf(start)
	if c == Zstd {
		in = newInput(in, frameSize)
	}
	return parts{in: in, un: newUnpacker(c, in, ahead, maxWindow), plain: c == None, buf: make([]byte, windowSize), extent: extent{start: in.pos()}}
}

func (p *parts) window() []byte { return p.buf[p.next:p.end] }

// skip passes over the first n bytes of the window.
func (p *parts) skip(n int) { p.next += n }

// pos returns where in the archive the next byte is. In a compressed archive, that is the
// offset of the part that has the byte.
func (p *parts) pos() int64 {
	switch {
	case p.plain:
		return p.in.pos() - int64(len(p.window()))
	case p.isOpen || p.next < p.end:
		return p.start
	}
	return p.in.pos()
}

// isLast reports whether no other part follows.
func (p *parts) isLast() bool {
	_, err := p.in.Peek(1)
	return err != nil
}

// fill decompresses more bytes into the window. If the current part is at its end, they are of
// the next part; io.EOF says that no part follows. If fill adds nothing, the caller calls it
// again. A *DamageError has emptied the window. A call of fill overwrites what window returned
// before.
func (p *parts) fill() error {
	if p.next > 0 {
		p.end = copy(p.buf, p.window())
		p.next = 0
	}
	if p.end == len(p.buf) {
		p.buf = append(p.buf, make([]byte, len(p.buf))...)
	}
	if !p.isOpen {
		if err := p.open(); err != nil {
			return err
		}
	}
	n, err := p.unpack(p.buf[p.end:])
	p.end += n
	return err
}

// read reads from the window and, once that is empty, on in the part, past the window.
// Without bytes and without an error the part is at its end.
func (p *parts) read(b []byte) (n int, err error) {
	n = copy(b, p.window())
	p.skip(n)
	for n == 0 && err == nil && p.isOpen {
		n, err = p.unpack(b)
	}
	return n, err
}

// open begins the next part.
func (p *parts) open() error {
	p.start = p.in.pos()
	err := p.un.next()
	if p.isOpen = err == nil; p.isOpen || err == io.EOF {
		return err
	}
	return p.broken(err)
}

// unpack decompresses more of the part, which it closes at its end. An error that comes
// with bytes waits, as whole records may end in them.
func (p *parts) unpack(b []byte) (n int, err error) {
	if err = p.err; err == nil {
		n, err = p.un.Read(b)
	}
	switch {
	case err == io.EOF:
		p.isOpen = false
	case n > 0:
		p.err = err
	case err != nil:
		return 0, p.broken(err)
	}
	return n, nil
}

// broken returns what to say of an error in a part, and goes to the next part that
// can be read, if reading is to go on.
func (p *parts) broken(err error) error {
	failed := p.in.failed(err)
	switch {
	case failed != nil:
		return &rewriter.Error{Op: "read", Offset: p.in.pos(), Err: failed}
	case errors.Is(err, errDictionary):
		return &rewriter.Error{Op: "read", Offset: p.start, Err: err}
	case errors.Is(err, io.ErrUnexpectedEOF) && p.isLast():
		err = errCut
	}
	p.next, p.end, p.isOpen, p.err = 0, 0, false, nil
	p.spoil()
	if p.in.pos() == p.start {
		p.in.Discard(1) // nothing was read of the part, and find must not find it again
	}
	p.un.find()
	p.cut()
	return &DamageError{p.start, err}
}

func (p *parts) spoil() { p.extent.damaged = true }

// cut ends the extent before the next byte, and begins the next one.
func (p *parts) cut() {
	if p.extent.end = p.pos(); p.extent.end > p.extent.start {
		p.closed = append(p.closed, p.extent)
	}
	p.extent = extent{start: p.extent.end}
}

// stored returns how many bytes the record at an offset, which has been read, takes in the
// archive as it is stored; 0 where the compressed part does not end with the record.
func (p *parts) stored(offset int64) int64 {
	if n := len(p.closed); n > 0 && p.closed[n-1].start == offset {
		return p.closed[n-1].end - offset
	}
	return 0
}
