package web

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// A coding is a content coding (RFC 9110 §8.4.1) of one body. What was read in it
// is written in it.
type coding interface {
	kind() kind
	reader(src *bufio.Reader) (io.Reader, error)
	writer(dst io.Writer) encoder
}

// An encoder writes in a coding. What Flush was called after can be decoded.
type encoder interface {
	io.WriteCloser
	Flush() error
	Reset(dst io.Writer)
}

// A kind is what encoders are of that can take the place of one another.
type kind uint8

const (
	kindGzip kind = iota
	kindZlib
	kindFlate
	kindBrotli
	kindZstd
	kinds
)

// pools keep encoders, each of which takes a megabyte or more, to be used again.
type pools [kinds]sync.Pool

func (p *pools) get(c coding, dst io.Writer) encoder {
	if e, ok := p[c.kind()].Get().(encoder); ok {
		e.Reset(dst)
		return e
	}
	return c.writer(dst)
}

// maxCodings is how many codings a body may have, one in another. Each takes
// memory, and no server has use for two.
const maxCodings = 4

// codingsOf returns the codings that a Content-Encoding lists, in the order in
// which they were applied. It is not ok where there is one that is not known here.
func codingsOf(h http.Header) (list []coding, ok bool) {
	for name := range strings.SplitSeq(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		switch strings.ToLower(strings.Trim(name, " \t")) {
		case "", "identity":
			continue
		case "gzip", "x-gzip":
			list = append(list, gzipCoding{})
		case "deflate":
			list = append(list, new(deflateCoding))
		case "br":
			list = append(list, brotliCoding{})
		case "zstd":
			list = append(list, zstdCoding{})
		default:
			return nil, false
		}
	}
	return list, len(list) <= maxCodings
}

type gzipCoding struct{}

func (gzipCoding) kind() kind                                  { return kindGzip }
func (gzipCoding) reader(src *bufio.Reader) (io.Reader, error) { return &members{src: src}, nil }
func (gzipCoding) writer(dst io.Writer) encoder                { return gzip.NewWriter(dst) }

// members reads the members of a gzip file (RFC 1952 §2.2). It does not wait for
// another before it gives what the last one holds. What follows and is none
// ends them.
type members struct {
	src  *bufio.Reader
	z    *gzip.Reader // nil before the first
	open bool
}

func (m *members) Read(p []byte) (n int, err error) {
	for {
		if !m.open {
			if err := m.next(); err != nil {
				return 0, err
			}
		}
		n, err := m.z.Read(p)
		if err == io.EOF {
			m.open, err = false, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next goes on with the next member, if there is one.
func (m *members) next() (err error) {
	if m.z == nil {
		m.z, err = gzip.NewReader(m.src)
	} else if start, _ := m.src.Peek(2); string(start) != "\x1f\x8b" {
		return io.EOF
	} else {
		err = m.z.Reset(m.src)
	}
	if err == nil {
		m.z.Multistream(false)
		m.open = true
	}
	return err
}

// deflateCoding is zlib (RFC 9110 §8.4.1.2), or what some take it for: deflate
// alone.
type deflateCoding struct{ raw bool }

func (c *deflateCoding) kind() kind {
	if c.raw {
		return kindFlate
	}
	return kindZlib
}

func (c *deflateCoding) reader(src *bufio.Reader) (io.Reader, error) {
	start, err := src.Peek(2)
	if len(start) < 2 {
		return nil, err
	}
	// RFC 1950 §2.2
	if start[0]&0x0f == 8 && start[0]>>4 <= 7 && (uint(start[0])<<8|uint(start[1]))%31 == 0 {
		return zlib.NewReader(src)
	}
	c.raw = true
	return flate.NewReader(src), nil
}

func (c *deflateCoding) writer(dst io.Writer) encoder {
	if !c.raw {
		return zlib.NewWriter(dst)
	}
	w, err := flate.NewWriter(dst, flate.DefaultCompression)
	if err != nil {
		panic(err) // of the level
	}
	return w
}

type brotliCoding struct{}

func (brotliCoding) kind() kind { return kindBrotli }

func (brotliCoding) reader(src *bufio.Reader) (io.Reader, error) { return brotli.NewReader(src), nil }

func (brotliCoding) writer(dst io.Writer) encoder {
	return brotli.NewWriterOptions(dst, brotli.WriterOptions{Quality: 4, LGWin: 20})
}

type zstdCoding struct{}

func (zstdCoding) kind() kind { return kindZstd }

// maxWindow is the window that a frame may ask for (RFC 9659).
const maxWindow = 8 << 20

func (zstdCoding) reader(src *bufio.Reader) (io.Reader, error) {
	return zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
}

func (zstdCoding) writer(dst io.Writer) encoder {
	w, err := zstd.NewWriter(dst, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	if err != nil {
		panic(err) // of the options
	}
	return w
}

// encoders are those of one body, the first applied first.
type encoders []encoder

// encoders returns what writes to dst in codings.
func (p *pools) encoders(dst io.Writer, codings []coding) encoders {
	all := make(encoders, len(codings))
	for i := len(codings) - 1; i >= 0; i-- {
		all[i] = p.get(codings[i], dst)
		dst = all[i]
	}
	return all
}

// put takes encoders back, which nobody writes to any more.
func (p *pools) put(all encoders, codings []coding) {
	for i, e := range all {
		e.Reset(io.Discard)
		p[codings[i].kind()].Put(e)
	}
}

func (all encoders) Write(p []byte) (int, error) { return all[0].Write(p) }

func (all encoders) Flush() error {
	return all.each(encoder.Flush)
}

func (all encoders) Close() error {
	return all.each(encoder.Close)
}

func (all encoders) each(do func(encoder) error) (err error) {
	for _, e := range all {
		err = errors.Join(err, do(e))
	}
	return err
}
