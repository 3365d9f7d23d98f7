package feed

import (
	"encoding/base64"
	"errors"
	"io"
	"iter"

	"absolink/internal/passage"
	"absolink/rewriter"
)

var errBase64 = errors.New("the text is not base64; it stays as it is")

// base64Document rewrites the document that is the text of an element in base64 (Atom
// 0.3). The element has just been opened; base is the xml:base in scope.
func (f *run) base64Document(base rewriter.Base) {
	f.scan.pass(f.scan.pos)
	f.scan.held = inTrail
	defer func() { f.scan.held = notHeld }()
	v := value{bare: true}
	if !f.readText(&v, int64(f.maxHeld), f.errHeld) || v.isEmpty() {
		return
	}
	d := &base64Document{run: f, start: v.start, stop: v.end, lines: passage.Base64{Out: &f.scan.output}}
	if v.broken || !d.isValid() {
		f.warn(v.start, errBase64)
		return
	}
	src := rewriter.Source{Reader: d, Charset: "utf-8", At: d.at}
	f.splice(v.start, base, d, src, func(*rewriter.Result) { d.end() })
}

// A base64Document is an HTML document in base64. Up to the first change its bytes stay;
// what follows is written anew, in lines as long as the first. It is decoded in blocks of
// blockHTML bytes, each time that they are needed.
type base64Document struct {
	*run
	start, stop int64   // in the feed: of its first digit, and the end of its last
	blocks      []int64 // where in the feed each block begins
	size        int64   // of the document

	read    int64 // the end of what Read has given
	done    int64 // the end of what has been kept or replaced
	changed bool
	lines   passage.Base64
}

const (
	blockHTML   = 96
	blockDigits = blockHTML / 3 * 4
)

// A block is the HTML in a block of digits: less than blockHTML bytes if it ends in padding.
type block struct {
	html [blockHTML]byte
	n    int
}

// digits returns the digits from an offset in the feed on, with the offset of each.
func (d *base64Document) digits(from int64) iter.Seq2[int64, byte] {
	return func(yield func(int64, byte) bool) {
		for from < d.stop {
			for _, c := range d.scan.part(from, d.stop) {
				if !isSpace(c) && !yield(from, c) {
					return
				}
				from++
			}
		}
	}
}

// decode decodes the block that begins at an offset in the feed, and returns where the next
// begins.
func (d *base64Document) decode(b *block, from int64) (next int64, err error) {
	var digits [blockDigits]byte
	n := 0
	for i, c := range d.digits(from) {
		if next = i; n == len(digits) {
			break
		}
		digits[n], next, n = c, d.stop, n+1
	}
	b.n, err = base64.StdEncoding.Decode(b.html[:], digits[:n])
	return next, err
}

// isValid reports whether the text is base64, with nothing other than white space between
// its digits. It finds the blocks, and how long the first line is.
func (d *base64Document) isValid() bool {
	var b block
	for from := d.start; from < d.stop; {
		d.blocks = append(d.blocks, from)
		next, err := d.decode(&b, from)
		if err != nil || b.n < blockHTML && next < d.stop {
			return false
		}
		from, d.size = next, d.size+int64(b.n)
	}
	for from := d.start; from < d.stop && d.lines.Length == 0; {
		part := d.scan.part(from, d.stop)
		d.lines.Follow(part)
		from += int64(len(part))
	}
	return true
}

// appendHTML appends a part of the document.
func (d *base64Document) appendHTML(dst []byte, from, to int64) []byte {
	var b block
	for from < to {
		i := from / blockHTML
		d.decode(&b, d.blocks[i])
		part := b.html[from%blockHTML : min(int64(b.n), to-i*blockHTML)]
		dst, from = append(dst, part...), from+int64(len(part))
	}
	return dst
}

// Read reads the document.
func (d *base64Document) Read(p []byte) (n int, err error) {
	if d.read == d.size {
		return 0, io.EOF
	}
	n = len(d.appendHTML(p[:0], d.read, min(d.size, d.read+int64(len(p)))))
	d.read += int64(n)
	return n, nil
}

// at returns where in the feed the group of digits begins that has a byte of the document.
func (d *base64Document) at(offset int64) int64 {
	if offset >= d.size {
		return d.stop
	}
	left := offset % blockHTML / 3 * 4
	for i := range d.digits(d.blocks[offset/blockHTML]) {
		if left == 0 {
			return i
		}
		left--
	}
	return d.stop
}

// Keep implements rewriter.Splicer.
func (d *base64Document) Keep(end int64) error {
	if d.changed {
		d.encode(end)
	}
	d.done = end
	return d.scan.output.Err()
}

// Replace implements rewriter.Splicer.
func (d *base64Document) Replace(end int64, b []byte) error {
	if !d.changed {
		group := d.done / 3
		d.scan.pass(d.at(d.done))
		d.changed, d.lines.Column = true, 0
		if d.lines.Length > 0 {
			d.lines.Column = int(group*4) % d.lines.Length
		}
		end := d.done
		d.done = group * 3
		d.encode(end)
	}
	d.lines.Encode(b)
	d.done = end
	return d.scan.output.Err()
}

// encode encodes the document again, from done up to end.
func (d *base64Document) encode(end int64) {
	for d.done < end {
		next := min(end, d.done+passage.Size)
		d.buffer = d.appendHTML(d.buffer[:0], d.done, next)
		d.lines.Encode(d.buffer)
		d.done = next
	}
}

// end writes what is left of the document.
func (d *base64Document) end() {
	if !d.changed || d.scan.failed() {
		return
	}
	d.lines.Close()
	if d.trace != nil {
		d.trace(d.scan.passed, d.stop)
	}
	d.scan.drop(d.stop)
}
