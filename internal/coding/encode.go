package coding

import (
	"errors"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// An encoder writes in a coding. After Flush, all that was written can be decoded.
type encoder interface {
	io.WriteCloser
	Flush() error
	Reset(dst io.Writer)
}

// Plain returns a writer to dst without any coding. Its Close does nothing.
func Plain(dst io.Writer) io.WriteCloser { return plain{dst} }

type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// used keeps encoders for other bodies: each takes a megabyte or more.
var used [count]sync.Pool

// NewWriter returns a Writer to dst that applies the codings, at least one, in their
// order.
func NewWriter(dst io.Writer, codings []Coding) *Writer {
	w := &Writer{codings: codings, encoders: make([]encoder, len(codings))}
	for i := len(codings) - 1; i >= 0; i-- {
		w.encoders[i] = encoderTo(codings[i], dst)
		dst = w.encoders[i]
	}
	return w
}

func encoderTo(c Coding, dst io.Writer) (w encoder) {
	if w, ok := used[c].Get().(encoder); ok {
		w.Reset(dst)
		return w
	}
	var err error
	switch c {
	case Gzip:
		w = gzip.NewWriter(dst)
	case Zlib:
		w = zlib.NewWriter(dst)
	case Deflate:
		w, err = flate.NewWriter(dst, flate.DefaultCompression)
	case Brotli:
		w = brotli.NewWriterOptions(dst, brotli.WriterOptions{Quality: 4, LGWin: 20})
	case Zstd:
		w, err = zstd.NewWriter(dst, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20), zstd.WithZeroFrames(true))
	}
	if err != nil {
		panic(err) // the options are wrong, and they are constant
	}
	return w
}

// A Writer writes in codings.
type Writer struct {
	codings  []Coding
	encoders []encoder // in the order of codings
}

func (w *Writer) Write(p []byte) (int, error) { return w.encoders[0].Write(p) }

// Flush writes what the encoders hold, so that all data so far can be decoded.
func (w *Writer) Flush() error { return w.each(encoder.Flush) }

// Close ends the encoded data. It does not close the destination.
func (w *Writer) Close() error { return w.each(encoder.Close) }

func (w *Writer) each(do func(encoder) error) (err error) {
	for _, e := range w.encoders {
		err = errors.Join(err, do(e))
	}
	return err
}

// Release gives the encoders back. The Writer is not used any more.
func (w *Writer) Release() {
	for i, e := range w.encoders {
		e.Reset(io.Discard)
		used[w.codings[i]].Put(e)
	}
	w.encoders = nil
}
