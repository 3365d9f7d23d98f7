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
	maxHead    = 1 << 20 // of a record
)

// A DamageError says where an archive is not as it should be. Reading goes on
// after it.
type DamageError struct {
	Offset int64 // in the archive as it is, in bytes
	Err    error
}

func (e *DamageError) Error() string { return fmt.Sprintf("at %d: %v", e.Offset, e.Err) }
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

// An extent is a range of an archive as it is that begins and ends with parts and
// with records. Each byte of an archive is in one.
type extent struct {
	start, end int64
	damaged    bool // something in it is not as it should be
}

// A Reader reads the records of an archive, whatever its compression.
type Reader struct {
	// MaxWindow is that of Rewriter. It does not change after the first Next.
	MaxWindow int64

	in      *input
	un      unpacker
	plain   bool
	buf     []byte
	r, w    int   // buf[r:w] is still to be read
	open    bool  // the part is not yet at its end
	part    int64 // where it begins
	ending  error // of the part, after what is in the window
	record  *Record
	pending error // for Next
	again   int64 // how much was read another time

	extent extent // so far
	closed []extent
}

// NewReader returns a Reader. src is an archive from its first byte on. If it is an
// io.Seeker too, the records in what a record claims that is not as long are found.
func NewReader(src io.Reader) *Reader { return newReader(newInput(src, inputSize), nil) }

func newReader(in *input, ahead *ahead) *Reader {
	if start, _ := in.Peek(len(zstdMagic)); compressionOf(start) == Zstd {
		in = newInput(in, frameSize)
	}
	r := &Reader{in: in, buf: make([]byte, windowSize)}
	r.un = newUnpacker(in, ahead, &r.MaxWindow)
	_, r.plain = r.un.(*plainPart)
	return r
}

// Next returns the next record; what is left of the one before is passed over.
// A [*DamageError] says that something was that is no record; the next call goes
// on after it. io.EOF is the end. Other errors are those of reading.
func (r *Reader) Next() (*Record, error) {
	r.finish()
	if err := r.pending; err != nil {
		r.pending = nil
		return nil, err
	}
	switch err := r.skipNewlines(); {
	case err == io.EOF:
		r.close(r.in.pos())
		return nil, err
	case err != nil:
		return nil, err
	}
	offset := r.pos()
	if r.plain {
		r.close(offset)
	}
	end, err := r.findHead()
	var rec *Record
	if err == nil {
		rec = &Record{head: newHead(bytes.Clone(r.buf[r.r : r.r+end])), Offset: offset, reader: r}
		rec.Length, err = strconv.ParseInt(rec.get("Content-Length"), 10, 64)
		if rec.left = rec.Length; err != nil || rec.Length < 0 {
			r.r += len(recordMagic)
			err = errNoLength
		}
	}
	switch {
	case err == nil:
		r.r += end
		r.record = rec
		return rec, nil
	case err == io.EOF:
		return nil, r.truncated(offset)
	case err == errNoRecord, err == errLongHead, err == errNoHeadEnd, err == errNoLength:
		r.resync()
		return nil, &DamageError{offset, err}
	}
	return nil, err
}

// findHead returns the length of the head that the window begins with. Where another
// record begins in it, the head has no end: each byte is in one head at most, so that
// time is linear, whatever the heads lack.
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
			r.r += len(recordMagic)
			return 0, errNoHeadEnd
		}
		if looked = len(b); looked >= maxHead {
			r.r += len(recordMagic)
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
		if r.r < r.w {
			return nil
		}
		if err := r.fill(); err != nil {
			return err
		}
	}
}

// newlines passes over the line ends in the window and returns how many they are.
func (r *Reader) newlines() (n int) {
	for r.r < r.w {
		switch r.buf[r.r] {
		case '\n':
			n++
		case '\r':
		default:
			return n
		}
		r.r++
	}
	return n
}

// finish goes to the end of the record, and of the line ends after it.
func (r *Reader) finish() {
	rec := r.record
	if r.record = nil; rec == nil {
		return
	}
	if err := rec.discard(); err != nil {
		if errors.Is(err, errTruncated) && r.goBack(rec) {
			r.resync()
		}
		return
	}
	lines := 0
	for {
		if lines += r.newlines(); r.r < r.w {
			break
		}
		if !r.open && (lines >= 2 || r.plain || r.ends()) {
			r.close(r.in.pos())
			rec.whole = true
			return
		}
		if !r.open {
			rec.whole = true // the line ends are in the next part
			return
		}
		if err := r.fill(); err != nil {
			r.pending = err
			return
		}
	}
	if n := min(r.w-r.r, len(recordMagic)); lines == 0 && string(r.buf[r.r:r.r+n]) != recordMagic[:n] {
		r.extent.damaged = true
		r.pending = &DamageError{rec.Offset, errLength}
		r.goBack(rec)
		r.resync()
		return
	}
	rec.whole = true
	if r.plain {
		r.close(r.pos())
	}
}

// ends reports whether there is no other part.
func (r *Reader) ends() bool {
	_, err := r.in.Peek(1)
	return err != nil
}

// window returns what has been read and is to be read.
func (r *Reader) window() []byte { return r.buf[r.r:r.w] }

// pos returns the offset of the next byte, or of the part that it is in.
func (r *Reader) pos() int64 {
	switch {
	case r.plain:
		return r.in.pos() - int64(r.w-r.r)
	case r.open || r.r < r.w:
		return r.part
	}
	return r.in.pos()
}

// read reads on in a record.
func (r *Reader) read(p []byte) (int, error) {
	for r.r == r.w {
		if r.open {
			n, err := 0, r.ending
			if err == nil {
				n, err = r.un.Read(p)
			}
			if err == io.EOF {
				r.open, err = false, nil
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
	r.r += n
	return n, nil
}

// more makes the window longer, within a record. A part that begins with a record
// is none that this one goes on in.
func (r *Reader) more() error {
	begins, had := !r.open, r.w-r.r
	if err := r.fill(); err != nil {
		return err
	}
	if begins {
		for r.open && r.w-r.r < had+len(recordMagic) {
			if err := r.fill(); err != nil {
				return err
			}
		}
		if part := r.buf[r.r+had : r.w]; !r.plain && bytes.HasPrefix(part, []byte(recordMagic)) {
			start := r.extent.start
			r.r += had
			r.extent.damaged = true
			r.close(r.part)
			return &DamageError{start, errLength}
		}
	}
	return nil
}

// fill makes the window longer, if the part is not at its end, and else begins the
// next part.
func (r *Reader) fill() error {
	if r.r > 0 {
		r.w = copy(r.buf, r.window())
		r.r = 0
	}
	if r.w == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	if !r.open {
		part := r.in.pos()
		err := r.un.next()
		if err == io.EOF {
			return err
		}
		r.part = part
		if err != nil {
			return r.broken(err)
		}
		r.open = true
	}
	n, err := 0, r.ending
	if err == nil {
		n, err = r.un.Read(r.buf[r.w:])
	}
	r.w += n
	switch {
	case err == io.EOF:
		r.open = false
	case n > 0:
		r.ending = err // records may end before it
	case err != nil:
		return r.broken(err)
	}
	return nil
}

// broken goes to the next part that can be read, after err.
func (r *Reader) broken(err error) error {
	failed := r.in.failed(err)
	switch {
	case failed != nil:
		return &rewriter.Error{Op: "read", Offset: r.in.pos(), Err: failed}
	case errors.Is(err, errDictionary):
		return &rewriter.Error{Op: "read", Offset: r.part, Err: err}
	case errors.Is(err, io.ErrUnexpectedEOF) && r.ends():
		err = errCut
	}
	r.r, r.w, r.open, r.ending = 0, 0, false, nil
	r.extent.damaged = true
	if r.in.pos() == r.part {
		r.in.Discard(1)
	}
	r.un.find()
	r.close(r.in.pos())
	return &DamageError{r.part, err}
}

// truncated is the end of the archive within a record.
func (r *Reader) truncated(offset int64) error {
	r.r, r.w = 0, 0
	r.extent.damaged = true
	return &DamageError{offset, errTruncated}
}

// goBack goes to the block of a record that is not as long as it says, as others may
// be in it. It does nothing where that cannot be, as in a compressed part, or would be
// too often for time to be linear.
func (r *Reader) goBack(rec *Record) bool {
	src, ok := r.in.src.(io.Seeker)
	block := rec.Offset + int64(len(rec.raw))
	n := r.in.read - block
	if !ok || !r.plain || r.again+n > 4*r.in.read+1<<20 {
		return false
	}
	if _, err := src.Seek(-n, io.SeekCurrent); err != nil {
		return false
	}
	r.again += n
	r.in.read = block
	r.in.err = nil
	r.in.Reset((*counted)(r.in))
	r.r, r.w, r.open = 0, 0, true
	return true
}

// resync goes to the next line in the part that a record may begin with, else to
// its end.
func (r *Reader) resync() {
	r.extent.damaged = true
	const line = "\n" + recordMagic
	for {
		if i := bytes.Index(r.window(), []byte(line)); i >= 0 {
			r.r += i + 1
			return
		}
		r.r = max(r.r, r.w-len(line)+1)
		if !r.open {
			r.r = r.w
			r.close(r.in.pos())
			return
		}
		if r.fill() != nil {
			return
		}
	}
}

// close ends the extent.
func (r *Reader) close(end int64) {
	if r.extent.end = end; end > r.extent.start {
		r.closed = append(r.closed, r.extent)
	}
	r.extent = extent{start: end}
}
