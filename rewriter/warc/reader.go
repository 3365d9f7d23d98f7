package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"absolink/rewriter"
)

const (
	recordMagic = "WARC/"

	windowSize = 32 << 10
	maxHead    = 1 << 20 // how long the header of a record may be
)

// A DamageError says where an archive is damaged. Reading goes on after it.
type DamageError struct {
	Offset int64 // in the archive as it is stored, in bytes
	Err    error // what is wrong there
}

// Error returns one line with the offset.
func (e *DamageError) Error() string { return fmt.Sprintf("at %d: %v", e.Offset, e.Err) }

// Unwrap returns e.Err.
func (e *DamageError) Unwrap() error { return e.Err }

var (
	errNoRecord  = errors.New("no WARC record begins here")
	errLongHead  = fmt.Errorf("the header of a record is longer than %d MiB", maxHead>>20)
	errNoHeadEnd = errors.New("the header of a record has no empty line at its end")
	errNoLength  = errors.New("a record without a Content-Length that is a number")
	errLength    = errors.New("a record is not as long as its Content-Length says")
	errTruncated = errors.New("the archive ends within a record")
	errCut       = errors.New("the archive ends within a compressed part")
)

// An extent is a range of an archive as it is stored, from the start of a compressed part
// that is also the start of a record, to the next such place. The extents of an archive
// cover all of its bytes.
type extent struct {
	start, end int64
	damaged    bool // somewhere in it
}

// A Reader reads the records of an archive, whatever its compression.
type Reader struct {
	// MaxWindow is as in Rewriter. It must not change after the first Next.
	MaxWindow int64

	in     *input
	format format
	un     unpacker
	plain  bool     // un is a plainPart
	part   openPart // the current one

	buf       []byte
	next, end int // buf[next:end], the window, is still to be read

	record  *Record // the current one; nil between records
	last    int64   // the Offset of the record before
	nth     int     // and its nth
	pending error   // for the next Next

	extent extent // that has not ended yet
	closed []extent
}

// An openPart is the compressed part that is being read, or the whole of an archive that is not compressed.
type openPart struct {
	start  int64 // its offset in the archive
	isOpen bool  // not all of it has been decompressed
	err    error // of decompressing; it comes after the window
}

// A format is the format of an archive.
type format uint8

const (
	unknown format = iota // until a record of either kind begins
	inWARC
	inARC
)

// NewReader returns a Reader of an archive, from its first byte on. A record that is
// shorter than its Content-Length says hides the records in the bytes that it claims. In an
// archive without compression it does not if src is an io.Seeker too: the Reader then looks
// at what follows a record before the record is read. A [*DamageError] of src is the end of
// the archive, and Next returns it.
func NewReader(src io.Reader) *Reader { return newReader(newInput(src, inputSize), nil) }

func newReader(in *input, ahead *ahead) *Reader {
	if start, _ := in.Peek(len(zstdMagic)); compressionOf(start) == Zstd {
		in = newInput(in, frameSize)
	}
	r := &Reader{in: in, buf: make([]byte, windowSize), last: -1, extent: extent{start: in.pos()}}
	r.un = newUnpacker(in, ahead, &r.MaxWindow)
	_, r.plain = r.un.(*plainPart)
	return r
}

// Next returns the next record, after the rest of the record before. A
// [*DamageError] says that something in between is damaged, or is not a record; the
// next call goes on after it. io.EOF is the end of the archive. Any other error is
// one of reading src.
func (r *Reader) Next() (*Record, error) {
	r.finish()
	if err := r.pending; err != nil {
		r.pending = nil
		return nil, err
	}
	switch err := r.skipNewlines(); {
	case err == io.EOF:
		r.close(r.in.pos())
		if damage := r.in.takeDamage(); damage != nil {
			return nil, damage
		}
		return nil, err
	case err != nil:
		return nil, err
	}
	offset := r.pos()
	if r.plain {
		r.close(offset)
	}
	raw, end, err := r.findRecord()
	var rec *Record
	if err == nil {
		rec = &Record{head: newHead(raw), Offset: offset, reader: r}
		rec.Length, err = strconv.ParseInt(rec.get("Content-Length"), 10, 64)
		if rec.left = rec.Length; err != nil || rec.Length < 0 {
			r.next += len(recordMagic)
			err = errNoLength
		}
	}
	switch {
	case err == nil:
		r.next += end
		r.record = rec
		if r.nth++; r.last != offset {
			r.last, r.nth = offset, 0
		}
		rec.nth = r.nth
		if err := r.misfit(rec); err != nil {
			rec.failed(&DamageError{offset, err})
			r.resync()
		}
		return rec, nil
	case err == io.EOF:
		return nil, r.truncated(offset)
	case err == errNoRecord, err == errLongHead, err == errNoHeadEnd, err == errNoLength:
		r.resync()
		return nil, &DamageError{offset, err}
	}
	return nil, err
}

// findRecord returns the header of the record that the window begins with, and how long
// that is in the archive.
func (r *Reader) findRecord() (header []byte, n int, err error) {
	if r.format == unknown {
		if err := r.recognize(); err != nil {
			return nil, 0, err
		}
	}
	if r.format == inARC {
		return r.findLine()
	}
	n, err = r.findHead()
	return bytes.Clone(r.buf[r.next : r.next+n]), n, err
}

// findHead returns the length of the head that the window begins with. A head in
// which another record begins has no end: each byte is in one head at most, so that
// time is linear, however many heads lack their ends.
func (r *Reader) findHead() (int, error) {
	for looked := 0; ; {
		b := r.window()
		if n := min(len(b), len(recordMagic)); string(b[:n]) != recordMagic[:n] {
			return 0, errNoRecord
		}
		end, stopped := headEnd(b, looked, recordMagic)
		switch {
		case end >= 0:
			return end, nil
		case stopped:
			r.next += len(recordMagic)
			return 0, errNoHeadEnd
		}
		if looked = len(b); looked >= maxHead {
			r.next += len(recordMagic)
			return 0, errLongHead
		}
		if err := r.more(); err != nil {
			return 0, err
		}
	}
}

// skipNewlines goes to where the next record may begin.
func (r *Reader) skipNewlines() error {
	for {
		r.newlines()
		if r.next < r.end {
			return nil
		}
		if err := r.fill(); err != nil {
			return err
		}
	}
}

// newlines passes over the line ends that the window begins with, and returns how
// many there are.
func (r *Reader) newlines() (n int) {
	for r.next < r.end {
		switch r.buf[r.next] {
		case '\n':
			n++
		case '\r':
		default:
			return n
		}
		r.next++
	}
	return n
}

// finish goes to the end of the record and of the line ends after it, and finds out
// whether the record is whole.
func (r *Reader) finish() {
	rec := r.record
	if r.record = nil; rec == nil {
		return
	}
	if rec.discard() != nil {
		return
	}
	lines := 0
	for {
		if lines += r.newlines(); r.next < r.end {
			break
		}
		if !r.part.isOpen && (lines >= 2 || r.plain || r.ends()) {
			r.close(r.in.pos())
			rec.whole = true
			return
		}
		if !r.part.isOpen {
			rec.whole = true // its line ends are in the next part
			return
		}
		if err := r.fill(); err != nil {
			r.pending = err
			return
		}
	}
	if lines == 0 && !r.mayBegin(r.window()) {
		r.extent.damaged = true
		r.pending = &DamageError{rec.Offset, errLength}
		r.resync()
		return
	}
	rec.whole = true
	if r.plain {
		r.close(r.pos())
	}
}

// stored returns how many bytes the record that was finished takes in the archive as it
// is stored; 0 where the compressed part does not end with the record.
func (r *Reader) stored(rec *Record) int64 {
	if n := len(r.closed); n > 0 && r.closed[n-1].start == rec.Offset {
		return r.closed[n-1].end - rec.Offset
	}
	return 0
}

// ends reports whether no other part follows.
func (r *Reader) ends() bool {
	_, err := r.in.Peek(1)
	return err != nil
}

// window returns what has been decompressed and is still to be read.
func (r *Reader) window() []byte { return r.buf[r.next:r.end] }

// pos returns the offset of the next byte; where that is compressed, the offset of
// the part that it is in.
func (r *Reader) pos() int64 {
	switch {
	case r.plain:
		return r.in.pos() - int64(r.end-r.next)
	case r.part.isOpen || r.next < r.end:
		return r.part.start
	}
	return r.in.pos()
}

// read reads on in the block of a record.
func (r *Reader) read(p []byte) (int, error) {
	for r.next == r.end {
		if r.part.isOpen {
			n, err := 0, r.part.err
			if err == nil {
				n, err = r.un.Read(p)
			}
			if err == io.EOF {
				r.part.isOpen, err = false, nil
			} else if err != nil {
				err = r.broken(err)
			}
			if n > 0 || err != nil {
				return n, err
			}
		} else if err := r.more(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.window())
	r.next += n
	return n, nil
}

// begins reports whether the part begins with a record.
func (r *Reader) begins(part []byte) bool {
	if r.format == inARC {
		return beginsARC(part)
	}
	return bytes.HasPrefix(part, []byte(recordMagic))
}

// more makes the window longer, within a record. The record does not go on in a part
// that begins with another record.
func (r *Reader) more() error {
	begins, had := !r.part.isOpen, r.end-r.next
	if err := r.fill(); err != nil {
		return err
	}
	if begins {
		for r.part.isOpen && r.end-r.next < had+len(recordMagic) {
			if err := r.fill(); err != nil {
				return err
			}
		}
		if part := r.buf[r.next+had : r.end]; !r.plain && r.begins(part) {
			damaged := r.extent.start
			r.next += had
			r.extent.damaged = true
			r.close(r.part.start)
			return &DamageError{damaged, errLength}
		}
	}
	return nil
}

// fill makes the window longer. Where the part is at its end, it begins the next
// part first.
func (r *Reader) fill() error {
	if r.next > 0 {
		r.end = copy(r.buf, r.window())
		r.next = 0
	}
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	if !r.part.isOpen {
		start := r.in.pos()
		err := r.un.next()
		if err == io.EOF {
			return err
		}
		r.part.start = start
		if err != nil {
			return r.broken(err)
		}
		r.part.isOpen = true
	}
	n, err := 0, r.part.err
	if err == nil {
		n, err = r.un.Read(r.buf[r.end:])
	}
	r.end += n
	switch {
	case err == io.EOF:
		r.part.isOpen = false
	case n > 0:
		r.part.err = err // the window may have whole records
	case err != nil:
		return r.broken(err)
	}
	return nil
}

// broken returns what to say of an error in a part, and goes to the next part that
// can be read, if reading is to go on.
func (r *Reader) broken(err error) error {
	failed := r.in.failed(err)
	switch {
	case failed != nil:
		return &rewriter.Error{Op: "read", Offset: r.in.pos(), Err: failed}
	case errors.Is(err, errDictionary):
		return &rewriter.Error{Op: "read", Offset: r.part.start, Err: err}
	case errors.Is(err, io.ErrUnexpectedEOF) && r.ends():
		err = errCut
	}
	r.next, r.end, r.part.isOpen, r.part.err = 0, 0, false, nil
	r.extent.damaged = true
	if r.in.pos() == r.part.start {
		r.in.Discard(1)
	}
	r.un.find()
	r.close(r.in.pos())
	return &DamageError{r.part.start, err}
}

// truncated returns the error for an archive that ends within the record at offset.
func (r *Reader) truncated(offset int64) error {
	r.next, r.end = 0, 0
	r.extent.damaged = true
	return &DamageError{offset, errTruncated}
}

// resync goes to the next line of the part at which a record may begin, or to the
// end of the part.
func (r *Reader) resync() {
	r.extent.damaged = true
	if r.format == inARC {
		r.resyncLine()
		return
	}
	const line = "\n" + recordMagic
	for {
		if i := bytes.Index(r.window(), []byte(line)); i >= 0 {
			r.next += i + 1
			return
		}
		r.next = max(r.next, r.end-len(line)+1)
		if !r.part.isOpen {
			r.next = r.end
			r.close(r.in.pos())
			return
		}
		if r.fill() != nil {
			r.next = r.end // Next comes to an error of reading again
			return
		}
	}
}

// close ends the extent at an offset, and begins the next one.
func (r *Reader) close(end int64) {
	if r.extent.end = end; end > r.extent.start {
		r.closed = append(r.closed, r.extent)
	}
	r.extent = extent{start: end}
}
