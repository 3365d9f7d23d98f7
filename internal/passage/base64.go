package passage

import (
	"encoding/base64"
	"io"
)

// A Base64 encodes what is written anew of a document in base64, in lines as long as those
// before it.
type Base64 struct {
	Out    *Output
	Length int    // how many digits a line has; 0 is no limit, or is not known
	Ending string // of a line
	Column int    // how many digits stand in the line that is written

	last    byte // that Follow was given
	encoder io.WriteCloser
	encoded int
}

// Follow follows bytes that stay as they are. The first line that ends in them says how long
// lines are.
func (w *Base64) Follow(raw []byte) {
	for _, c := range raw {
		switch {
		case c == '\n':
			if w.Column > 0 && w.Length == 0 {
				if w.Length, w.Ending = w.Column, "\n"; w.last == '\r' {
					w.Ending = "\r\n"
				}
			}
			w.Column = 0
		case isDigit(c):
			w.Column++
		}
		w.last = c
	}
}

// isDigit reports whether a byte is a digit of base64 or padding.
func isDigit(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '/' <= c && c <= '9' || c == '+' || c == '='
}

// Encode writes b. Up to two bytes wait for a group of three.
func (w *Base64) Encode(b []byte) {
	if w.encoder == nil {
		w.encoder = base64.NewEncoder(base64.StdEncoding, (*digits)(w))
	}
	w.encoder.Write(b)
	w.encoded += len(b)
}

// Close writes what waits, and reports whether padding ends it.
func (w *Base64) Close() (padded bool) {
	w.encoder.Close()
	return w.encoded%3 > 0
}

// digits is a Base64 as its encoder writes to it.
type digits Base64

// Write writes digits, and breaks lines.
func (w *digits) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		part := p
		if w.Length > 0 {
			if w.Column >= w.Length {
				w.Out.PutString(w.Ending)
				w.Column = 0
			}
			part = p[:min(len(p), w.Length-w.Column)]
		}
		w.Out.Put(part)
		w.Column += len(part)
		p = p[len(part):]
	}
	return n, nil
}
