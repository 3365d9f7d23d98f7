package feed

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"

	"absolink/rewriter"
)

var errBase64 = errors.New("the text is not base64; it stays as it is")

// base64Document rewrites the document that is the text of an element in base64 (Atom
// 0.3). The element has just been opened; base is the xml:base in scope.
func (f *run) base64Document(base rewriter.Base) {
	f.scan.pass(f.scan.pos)
	f.scan.held = true
	defer func() { f.scan.held = false }()
	v, ok := f.readText("Hold", f.html.Hold)
	if !ok || len(v.text) == 0 {
		return
	}
	d := &base64Document{run: f, stop: v.end}
	if v.broken || !d.decode(f.scan.bytes(v.start, v.end), v.start) {
		f.warn(v.start, errBase64)
		return
	}
	src := rewriter.Source{Reader: bytes.NewReader(d.html), Charset: "utf-8", At: d.at}
	f.splice(v.start, base, d, src, func(*rewriter.Result) { d.end() })
}

// A base64Document is an HTML document in base64. Up to the first change its bytes stay;
// what follows is written anew, in lines as long as the first.
type base64Document struct {
	*run
	html   []byte
	groups []int64 // where each group of four digits begins in the feed
	stop   int64   // where the last of them ends
	line   int     // how many digits a line has; 0 is no limit
	ending string  // of a line

	done    int64          // the end of what has been kept or replaced, in html
	encoder io.WriteCloser // nil before the first change
	column  int            // how many digits stand in the line that is written
}

// decode decodes the text that stands at an offset in the feed, and reports whether it is
// base64, with nothing other than white space between its digits.
func (d *base64Document) decode(raw []byte, offset int64) bool {
	var digits []byte
	for i, c := range raw {
		switch {
		case !isSpace(c):
			if len(digits)%4 == 0 {
				d.groups = append(d.groups, offset+int64(i))
			}
			digits = append(digits, c)
		case c == '\n' && d.line == 0:
			d.line, d.ending = len(digits), "\n"
			if raw[i-1] == '\r' {
				d.ending = "\r\n"
			}
		}
	}
	var err error
	d.html, err = base64.StdEncoding.AppendDecode(nil, digits)
	return err == nil
}

// at returns where in the feed the group begins that has a byte of the document.
func (d *base64Document) at(offset int64) int64 {
	if i := int(offset / 3); i < len(d.groups) {
		return d.groups[i]
	}
	return d.stop
}

// Keep implements rewriter.Splicer.
func (d *base64Document) Keep(end int64) error {
	if d.encoder != nil {
		d.encoder.Write(d.html[d.done:end])
	}
	d.done = end
	return d.scan.output.Err()
}

// Replace implements rewriter.Splicer.
func (d *base64Document) Replace(end int64, b []byte) error {
	if d.encoder == nil {
		group := d.done / 3
		d.scan.pass(d.at(d.done))
		if d.line > 0 {
			d.column = int(group*4) % d.line
		}
		d.encoder = base64.NewEncoder(base64.StdEncoding, d)
		d.encoder.Write(d.html[group*3 : d.done])
	}
	d.encoder.Write(b)
	d.done = end
	return d.scan.output.Err()
}

// Write writes digits, in lines.
func (d *base64Document) Write(digits []byte) (int, error) {
	n := len(digits)
	for len(digits) > 0 {
		part := digits
		if d.line > 0 {
			if d.column == d.line {
				d.scan.output.Put([]byte(d.ending))
				d.column = 0
			}
			part = digits[:min(len(digits), d.line-d.column)]
		}
		d.scan.output.Put(part)
		d.column += len(part)
		digits = digits[len(part):]
	}
	return n, nil
}

// end writes what is left of the document.
func (d *base64Document) end() {
	if d.encoder == nil || d.scan.output.Err() != nil || d.err != nil {
		return
	}
	d.encoder.Close()
	if d.trace != nil {
		d.trace(d.scan.passed, d.stop)
	}
	d.scan.drop(d.stop)
}
