package warc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
)

const maxHead = 1 << 20 // how long the header of a record may be

var (
	errNoRecord  = errors.New("no WARC record begins here")
	errLongHead  = fmt.Errorf("the header of a record is longer than %d MiB", maxHead>>20)
	errNoHeadEnd = errors.New("the header of a record has no empty line at its end")
	errNoLength  = errors.New("a record without a Content-Length that is a number")
	errLength    = errors.New("a record is not as long as its Content-Length says")
	errTruncated = errors.New("the archive ends within a record")
)

// A Reader reads the records of an archive, whatever its compression.
type Reader struct {
	// MaxWindow is as in Rewriter. It must not change after the first Next.
	MaxWindow int64

	// parts decompress, and know offsets and extents. The Reader finds records in their
	// window, finishes them, and finds where to go on after damage.
	parts
	format format

	record  *Record // the current one; nil between records
	last    int64   // the Offset of the latest record; -1 before the first
	nth     int     // how many records before that have the same Offset
	pending error   // for the next Next
}

// NewReader returns a Reader of an archive, from its first byte on. A record that is
// shorter than its Content-Length says hides the records in the bytes that it claims. In an
// archive without compression it does not if src is an io.Seeker too: the Reader then looks
// at what follows a record before the record is read. A [*DamageError] of src is the end of
// the archive, and Next returns it.
func NewReader(src io.Reader) *Reader { return newReader(newInput(src, inputSize), nil) }

func newReader(in *input, ahead *ahead) *Reader {
	r := &Reader{last: -1}
	r.parts = newParts(in, ahead, &r.MaxWindow)
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
	if err := r.skipLines(); err == io.EOF {
		r.cut()
		return nil, cmp.Or(r.in.takeDamage(), err)
	} else if err != nil {
		return nil, err
	}
	offset := r.pos()
	if r.plain {
		r.cut()
	}
	rec, err := r.beginRecord(offset)
	switch err {
	case nil:
	case io.EOF:
		return nil, r.truncated(offset)
	case errNoRecord, errLongHead, errNoHeadEnd, errNoLength:
		r.resync()
		return nil, &DamageError{offset, err}
	default:
		return nil, err
	}
	r.record = rec
	if err := r.misfit(rec); err != nil {
		rec.failed(&DamageError{offset, err})
		r.resync()
	}
	return rec, nil
}

// skipLines goes to where the next record may begin.
func (r *Reader) skipLines() error {
	for {
		if _, err := r.lineEnds(); err != nil || len(r.window()) > 0 {
			return err
		}
		if err := r.fill(); err != nil {
			return err
		}
	}
}

// lineEnds passes over line ends, up to the end of the part, and returns how many there
// were.
func (r *Reader) lineEnds() (lines int, err error) {
	for {
		n := len(r.window()) - len(bytes.TrimLeft(r.window(), "\r\n"))
		lines += bytes.Count(r.window()[:n], []byte("\n"))
		r.skip(n)
		if len(r.window()) > 0 || !r.isOpen {
			return lines, nil
		}
		if err := r.fill(); err != nil {
			return lines, err
		}
	}
}

// beginRecord returns the record that the window begins with, and goes to its block. offset is
// where the record begins. io.EOF means that the archive ends within the head. On the other
// errors of a head, the window still begins with it.
func (r *Reader) beginRecord(offset int64) (*Record, error) {
	if r.format == unknown {
		if err := r.recognize(); err != nil {
			return nil, err
		}
	}
	raw, n, err := r.readHead()
	if err != nil {
		return nil, err
	}
	rec := &Record{head: newHead(raw), Offset: offset, reader: r}
	rec.Length, err = strconv.ParseInt(rec.get("Content-Length"), 10, 64)
	if err != nil || rec.Length < 0 {
		return nil, errNoLength
	}
	rec.left = rec.Length
	r.skip(n)
	if offset == r.last {
		r.nth++
	} else {
		r.last, r.nth = offset, 0
	}
	rec.nth = r.nth
	return rec, nil
}

// recognize finds out the format of the archive, if a record begins here. That need not be
// the record that describes the file: a part may begin with any record, and so may what is
// left of a damaged file.
func (r *Reader) recognize() error {
	for _, f := range []format{inWARC, inARC} {
		if err := r.fillFor(f, 0); err != nil {
			return err
		}
		if f.begins(r.window()) {
			r.format = f
			break
		}
	}
	return nil
}

// fillFor makes the window longer until it shows whether a record begins at window()[from],
// or has all of the part.
func (r *Reader) fillFor(f format, from int) error {
	for r.isOpen && f.needsMore(r.window()[from:]) {
		if err := r.fill(); err != nil {
			return err
		}
	}
	return nil
}

// readHead returns the head that the window begins with, and how many bytes of the window it
// takes. The head of a record in an ARC comes as the fields that a WARC would have. A head in
// which another record begins has no end: each byte is in one head at most, so that
// time is linear, however many heads lack their ends.
func (r *Reader) readHead() (head []byte, n int, err error) {
	if r.format == inARC {
		err := r.fillFor(inARC, 0)
		if head, n = arcHead(r.window()); n == 0 {
			err = cmp.Or(err, errNoRecord)
		}
		return head, n, err
	}
	for looked := 0; ; {
		b := r.window()
		if !r.format.mayBegin(b) {
			return nil, 0, errNoRecord
		}
		end, stopped := headEnd(b, looked, recordMagic)
		switch {
		case end >= 0:
			return bytes.Clone(b[:end]), end, nil
		case stopped:
			return nil, 0, errNoHeadEnd
		case len(b) >= maxHead:
			return nil, 0, errLongHead
		}
		looked = len(b)
		if err := r.more(); err != nil {
			return nil, 0, err
		}
	}
}

// read reads on in the block of a record.
func (r *Reader) read(p []byte) (int, error) {
	for {
		if n, err := r.parts.read(p); n > 0 || err != nil {
			return n, err
		}
		if err := r.more(); err != nil {
			return 0, err
		}
	}
}

// more makes the window longer, within the head or the block of a record. After the end of its
// part, the record goes on in the next part. If another record begins there, the current one is
// damaged, and the window then begins with the other.
func (r *Reader) more() error {
	samePart, partEnd := r.isOpen, len(r.window())
	if err := r.fill(); err != nil || samePart {
		return err
	}
	// The next part begins at window()[partEnd].
	if err := r.fillFor(r.format, partEnd); err != nil {
		return err
	}
	if !r.format.begins(r.window()[partEnd:]) {
		return nil
	}
	offset := r.extent.start // before cut begins another extent
	r.skip(partEnd)
	r.spoil()
	r.cut()
	return &DamageError{offset, errLength}
}

// finish goes to the end of the record and of the line ends after it, and finds out
// whether the record is whole.
func (r *Reader) finish() {
	rec := r.record
	if r.record = nil; rec == nil || rec.discard() != nil {
		return
	}
	lines, err := r.lineEnds()
	if err != nil {
		r.pending = err
		return
	}
	atEnd := len(r.window()) == 0 // of the part
	if !atEnd && lines == 0 && !r.format.mayBegin(r.window()) {
		r.pending = &DamageError{rec.Offset, errLength}
		r.resync()
		return
	}
	rec.whole = true
	if r.plain || atEnd && (lines >= 2 || r.isLast()) { // otherwise line ends may begin the next part
		r.cut()
	}
}

// truncated returns the error for an archive that ends within the record at offset.
func (r *Reader) truncated(offset int64) error {
	r.skip(len(r.window()))
	r.spoil()
	return &DamageError{offset, errTruncated}
}

// resync goes to the next line of the part at which a record begins, or to the end of the
// part.
func (r *Reader) resync() {
	r.spoil()
	for r.nextLine() {
		if r.format.begins(r.window()) {
			return
		}
	}
	r.skip(len(r.window())) // Next comes to an error of reading again
	if !r.isOpen {
		r.cut()
	}
}

// nextLine goes to the next line of the part, and looks whether a record begins there.
func (r *Reader) nextLine() bool {
	for {
		if i := bytes.IndexByte(r.window(), '\n'); i >= 0 {
			r.skip(i + 1)
			return r.fillFor(r.format, 0) == nil
		}
		r.skip(len(r.window()))
		if !r.isOpen || r.fill() != nil {
			return false
		}
	}
}
