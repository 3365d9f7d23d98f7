package mail

import (
	"bytes"
	"errors"
	"io"
	"sort"

	"absolink/internal/passage"
)

// A queue is the body of an HTML part on its way from the input to the output. At one
// end the document is read from it, decoded; at the other end a splicer takes the encoded
// bytes. It holds the raw bytes that have been read and not spliced. It also holds some
// that have been spliced, because their offsets may still be asked for.
type queue struct {
	in     *input
	coding *coding
	limit  int // how many raw bytes may wait to be spliced

	raw      passage.Trail // its offsets are those in the message
	body     bool          // more of the body follows in the input
	ended    bool          // the document ends at readRaw
	tooLong  bool          // it ends there because raw has reached its limit
	readRaw  int64         // in raw: the end of what has been decoded
	readText int64         // in the document: the same place
	pending  []byte        // decoded text that Read had no room for

	broken   error // the first that was wrong with the encoding
	brokenAt int64 // its offset in the message

	rawAt   int64 // in raw: the end of what has been spliced
	textAt  int64 // in the document: the same place
	changed bool  // something in the document has been replaced

	marks []mark // where some of the units in raw begin, in order
}

// A mark says where a unit begins: its offsets in the message and in the document.
type mark struct{ raw, text int64 }

// retained is how many raw bytes are kept after they have been spliced; marked is how
// many there are at least between two marks.
const (
	retained = 64 << 10
	marked   = 512
)

// newQueue returns a queue of the body that follows in an input.
func newQueue(in *input, c *coding, limit int) *queue {
	q := &queue{in: in, coding: c, limit: limit, body: true, readRaw: in.off, rawAt: in.off, marks: []mark{{in.off, 0}}}
	q.raw.Reset(in.off)
	return q
}

// start reads what the document begins with.
func (q *queue) start() ([]byte, error) {
	start := make([]byte, sniffed)
	n, err := io.ReadFull(q, start)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil
	}
	return start[:n], err
}

// sniffed is how many bytes of a document are searched for a signature.
const sniffed = 4 << 10

var errInline = errors.New("it has a signature, or is encrypted, by PGP inside; a change would break it, so it stays as it is")

// isSigned reports whether the text that a document begins with is signed or
// encrypted (RFC 4880 §6.2, §7).
func isSigned(start []byte) bool {
	return bytes.Contains(start, []byte("-----BEGIN PGP SIGNED MESSAGE-----")) || bytes.Contains(start, []byte("-----BEGIN PGP MESSAGE-----"))
}

// Read reads the document.
func (q *queue) Read(p []byte) (n int, err error) {
	if len(q.pending) > 0 {
		n = copy(p, q.pending)
		q.pending = q.pending[n:]
		return n, nil
	}
	for n == 0 || n < len(p) && q.readRaw < q.raw.End() {
		u := unit{}
		if !q.ended {
			u, _ = q.unitAt(q.readRaw, marked)
		}
		switch {
		case u.last && u.raw == 0, q.ended:
			q.note(u)
			q.ended = true
			if n == 0 {
				return 0, io.EOF
			}
			return n, nil
		case u.raw == 0 && n > 0:
			return n, nil
		case u.raw == 0 && !q.body:
			q.ended = true
			continue
		case u.raw == 0:
			if err := q.more(); err != nil {
				return 0, err
			}
			continue
		}
		if u.literal {
			u = u.upTo(min(len(p)-n, marked))
		}
		q.mark()
		q.note(u)
		q.ended = u.last
		q.readRaw += int64(u.raw)
		q.readText += int64(len(u.text))
		k := copy(p[n:], u.text)
		q.pending = append(q.pending[:0], u.text[k:]...)
		n += k
	}
	return n, nil
}

// note remembers what is wrong with the unit that is read next, if nothing was wrong
// before it.
func (q *queue) note(u unit) {
	if u.err != nil && q.broken == nil {
		q.broken, q.brokenAt = u.err, q.readRaw
	}
}

// ahead returns up to maxLine of the raw bytes to be spliced next. more says that the next
// call returns more of them.
func (q *queue) ahead() (raw []byte, more bool) {
	raw = q.raw.View(q.rawAt, maxLine)
	if len(raw) >= maxLine {
		return raw[:maxLine], false
	}
	return raw, !q.isFull() && q.body && q.more() == nil
}

// isFull reports whether no more raw bytes may be held.
func (q *queue) isFull() bool { return q.raw.End()-q.rawAt > int64(q.limit) }

// more reads more of the body.
func (q *queue) more() error {
	if q.isFull() {
		q.ended, q.tooLong = true, true
		return nil
	}
	n := q.in.body()
	if n == 0 && q.in.Err() != nil {
		return q.in.Err()
	}
	if n == 0 {
		q.body = false
		return nil
	}
	q.forget()
	q.raw.Append(q.in.buf[:n])
	q.in.skip(n)
	return nil
}

// forget frees what has been spliced, except the last bytes of it.
func (q *queue) forget() {
	q.raw.Forget(q.rawAt - retained)
	q.marks = q.marks[sort.Search(len(q.marks), func(i int) bool { return q.marks[i].raw >= q.raw.Start() }):]
}

// mark remembers where the unit that is read next begins, unless the last mark is near.
func (q *queue) mark() {
	if last := len(q.marks) - 1; last < 0 || q.readRaw-q.marks[last].raw >= marked {
		q.marks = append(q.marks, mark{q.readRaw, q.readText})
	}
}

// at returns the offset in the message of the byte at an offset in the document. For a
// byte that was spliced long ago, it returns the first offset that is still known.
func (q *queue) at(offset int64) int64 {
	i := sort.Search(len(q.marks), func(i int) bool { return q.marks[i].text > offset })
	if i == 0 {
		if len(q.marks) > 0 {
			return q.marks[0].raw
		}
		return q.raw.Start()
	}
	raw, text := q.marks[i-1].raw, q.marks[i-1].text
	for raw < q.readRaw {
		u, b := q.unitAt(raw, offset+1-text)
		if u.raw == 0 {
			break
		}
		if k := offset - text; k < int64(len(u.text)) {
			return raw + int64(u.within(b[:u.raw], int(k)))
		}
		raw += int64(u.raw)
		text += int64(len(u.text))
	}
	return raw
}

// unit returns the unit to be spliced next. If it can be divided, it ends at end in the
// document at the latest.
func (q *queue) unit(end int64) unit {
	u, _ := q.unitAt(q.rawAt, end-q.textAt)
	if u.literal {
		u = u.upTo(int(min(end-q.textAt, int64(len(u.text)))))
	}
	return u
}

// unitAt returns the unit at an offset in raw, and the bytes from there on. It looks no
// further than it has to for a caller that needs only some bytes of text, which keeps time
// linear.
func (q *queue) unitAt(at, text int64) (u unit, b []byte) {
	longest := q.coding.longest
	b = q.raw.View(at, int(min(text, marked))+longest)
	final := !q.body && at+int64(len(b)) == q.raw.End()
	if near := text + int64(longest); int64(len(b)) > near {
		b, final = b[:near], false
	}
	return q.coding.unit(b, final), b
}

// drop goes past the unit to be spliced next, and returns its raw bytes.
func (q *queue) drop(u unit) (raw []byte) {
	raw = q.raw.View(q.rawAt, u.raw)[:u.raw]
	q.rawAt += int64(u.raw)
	q.textAt += int64(len(u.text))
	return raw
}

// isSpliced reports whether no raw bytes are left.
func (q *queue) isSpliced() bool { return q.rawAt == q.raw.End() }

// next goes past raw bytes that are left, if there are any, and returns them.
func (q *queue) next() (raw []byte) {
	raw = q.raw.View(q.rawAt, 1)
	q.rawAt += int64(len(raw))
	return raw
}

// pass writes what follows the document in the body, and warns of what was wrong with the
// encoding. The separator comes before the first byte that could be taken for more of
// the document.
func (q *queue) pass(w *walk, separator string) {
	goesOn := int64(-1)
	write := func(b []byte, offset int64) {
		if i := q.coding.textIn(b); i >= 0 && goesOn < 0 {
			goesOn = offset + int64(i)
			w.out.Put(b[:i])
			w.out.PutString(separator)
			b = b[i:]
		}
		w.out.Put(b)
	}
	for !q.isSpliced() {
		offset := q.rawAt
		write(q.next(), offset)
	}
	for n := q.in.body(); n > 0; n = q.in.body() {
		write(q.in.buf[:n], q.in.off)
		q.in.skip(n)
	}
	switch {
	case q.tooLong:
		w.warn(q.raw.End(), w.errHeld)
	case goesOn >= 0 && q.broken != errCut:
		w.warn(goesOn, errGoesOn)
	}
	if q.broken != nil {
		w.warn(q.brokenAt, q.broken)
	}
}

var errGoesOn = errors.New("base64 goes on after its end; that stays as it is")
