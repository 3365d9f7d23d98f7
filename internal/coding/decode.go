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

// errTrailing is returned by a decoder at the end of the encoded data, if more bytes
// follow.
var errTrailing = errors.New("bytes follow the end of what is encoded")

// open returns a decoder for the coding of a layer. A Zlib layer becomes Deflate if
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

// members decodes the members of a gzip file (RFC 1952 §2.2). It returns all data of
// a member before it waits for the next one. Bytes that are not a member end the file.
type members struct {
	src *bufio.Reader
	z   *gzip.Reader // nil before the first member
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
			err = nil // z returns io.EOF again
		}
	}
	return n, err
}

// next begins the next member. io.EOF says that there is none.
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

// brotliWindow returns the size of a stream's window, in bytes, by the first byte of
// the stream (RFC 7932 §9.1).
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

// A brotliStream decodes a stream that other bytes may follow.
type brotliStream struct{ *brotli.Reader }

func (r brotliStream) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == errAfterBrotli {
		err = errTrailing
	}
	return n, err
}

// errAfterBrotli is the error of package brotli for bytes after a stream. The package
// does not export it.
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

// zstdDecoders keeps *frames for other bodies, each with its window of at most
// maxZstdWindow bytes. To make them anew would be most of the time for a short body,
// and most of the memory for many bodies.
var zstdDecoders sync.Pool

// frames decodes Zstandard frames. After the first frame, bytes that are not another
// one end them.
type frames struct {
	z    *zstd.Decoder
	some bool // data was decoded
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

// release gives the decoder of a layer back. The layer is not read any more.
func (l *layer) release() {
	if f, ok := l.decoder.(*frames); ok && f.z.Reset(nil) == nil {
		zstdDecoders.Put(f)
	}
	l.decoder = nil
}
