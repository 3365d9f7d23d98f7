package coding

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// errTrailing is the end of what is encoded, for a decoder that has found more bytes
// after it.
var errTrailing = errors.New("bytes follow the end of what is encoded")

// open returns what undoes the coding of a layer. That of Zlib becomes Deflate where
// its source is not zlib.
func (l *layer) open() (io.Reader, error) {
	start, err := l.src.Peek(2)
	if len(start) == 0 {
		return nil, err
	}
	switch l.coding {
	case Gzip:
		return &members{src: l.src}, nil
	case Zlib:
		if isZlib(start) {
			return zlib.NewReader(l.src)
		}
		l.coding = Deflate
		return flate.NewReader(l.src), nil
	case Deflate:
		return flate.NewReader(l.src), nil
	case Brotli:
		if l.reader.windows -= brotliWindow(start[0]); l.reader.windows < 0 {
			return nil, ErrWindow
		}
		return brotliStream{brotli.NewReader(l.src)}, nil
	case Zstd:
		return l.openZstd()
	}
	panic("coding: no such coding")
}

// members reads the members of a gzip file (RFC 1952 §2.2). It does not wait for
// another before it gives what the last one holds. What follows and is not a
// member ends them.
type members struct {
	src *bufio.Reader
	z   *gzip.Reader // nil before the first
}

func (m *members) Read(p []byte) (n int, err error) {
	if m.z == nil {
		if m.z, err = gzip.NewReader(m.src); err != nil {
			return 0, noEOF(err)
		}
		m.z.Multistream(false)
	}
	for n == 0 && err == nil {
		if n, err = m.z.Read(p); err == io.EOF && n == 0 {
			err = m.next()
		} else if err == io.EOF {
			err = nil // z gives it again
		}
	}
	return n, err
}

// next goes on with the next member, if there is one.
func (m *members) next() error {
	if start, _ := m.src.Peek(len(gzipMagic)); string(start) != gzipMagic {
		return io.EOF
	}
	if err := m.z.Reset(m.src); err != nil {
		return noEOF(err)
	}
	m.z.Multistream(false)
	return nil
}

// brotliWindow returns the size of the window of a stream by its first byte (RFC
// 7932 §9.1).
func brotliWindow(first byte) int {
	switch {
	case first&1 == 0:
		return 1 << 16
	case first>>1&7 != 0:
		return 1 << (17 + first>>1&7)
	case first>>4&7 != 0:
		return 1 << (8 + first>>4&7)
	}
	return 1 << 17
}

// A brotliStream may be followed by other bytes.
type brotliStream struct{ *brotli.Reader }

func (r brotliStream) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == errAfterBrotli {
		err = errTrailing
	}
	return n, err
}

// errAfterBrotli is what package brotli, which does not export it, makes of bytes
// after a stream.
var errAfterBrotli = func() error {
	const empty = "\x06"
	_, err := brotli.NewReader(strings.NewReader(empty + "x")).Read(make([]byte, 1))
	return err
}()

func (l *layer) openZstd() (io.Reader, error) {
	window := min(maxZstdWindow, l.reader.windows)
	if window < zstd.MinWindowSize {
		return nil, ErrWindow
	}
	l.reader.windows -= window
	f, _ := zstdDecoders.Get().(*frames)
	if f == nil {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, err
		}
		f = &frames{z: z}
	}
	f.some = false
	return f, f.z.ResetWithOptions(l.src, zstd.WithDecoderMaxWindow(uint64(window)))
}

// zstdDecoders keeps *frames to be used again, each with its window, of which
// maxZstdWindow is the bound. Made anew for each body they are most of the cost of a
// short one, and of the memory of many.
var zstdDecoders sync.Pool

// frames reads Zstandard frames. What follows the first and is not another ends
// them.
type frames struct {
	z    *zstd.Decoder
	some bool // was decoded
}

func (f *frames) Read(p []byte) (int, error) {
	n, err := f.z.Read(p)
	f.some = f.some || n > 0
	switch {
	case err == zstd.ErrMagicMismatch && f.some:
		err = errTrailing
	case err == zstd.ErrWindowSizeExceeded || err == zstd.ErrDecoderSizeExceeded:
		err = ErrWindow
	}
	return n, err
}

// release lets go of the decoder of a layer, which is not read any more.
func (l *layer) release() {
	if f, ok := l.decoder.(*frames); ok && f.z.Reset(nil) == nil {
		zstdDecoders.Put(f)
	}
	l.decoder = nil
}
