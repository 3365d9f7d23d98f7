package listing

import "io"

// A Buffer gathers text. One with a writer passes on what is more than bufferSize, so that
// texts of any length take little memory.
type Buffer struct {
	b   []byte
	w   io.Writer // nil where everything stays in b
	err error     // the first of w
}

// bufferSize is how much text a Buffer with a writer holds, beyond one short text.
const bufferSize = 32 << 10

// NewBuffer returns a Buffer that writes to w.
func NewBuffer(w io.Writer) *Buffer { return &Buffer{w: w} }

// AppendTo returns a Buffer that appends to b.
func AppendTo(b []byte) *Buffer { return &Buffer{b: b} }

// Bytes returns what is gathered, after what AppendTo was called with.
func (b *Buffer) Bytes() []byte { return b.b }

// Write adds bytes. It never fails; Flush returns the error.
func (b *Buffer) Write(p []byte) (int, error) {
	b.b = append(b.b, p...)
	b.spill()
	return len(p), nil
}

// Add adds a text.
func (b *Buffer) Add(text string) {
	b.b = append(b.b, text...)
	b.spill()
}

// spill passes on what is gathered, if that is long.
func (b *Buffer) spill() {
	if len(b.b) >= bufferSize && b.w != nil {
		b.Flush()
	}
}

// Flush passes on everything, and returns the first error of the writer.
func (b *Buffer) Flush() error {
	if b.w != nil && len(b.b) > 0 {
		if b.err == nil {
			_, b.err = b.w.Write(b.b)
		}
		b.b = b.b[:0]
	}
	return b.err
}
