// Package coding undoes and applies the content codings of HTTP bodies (RFC 9110
// §8.4.1), also several on one body. Memory is bounded, and time is linear in the
// length of the body, both as it is read and decoded.
package coding

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
)

// A Coding is a content coding.
type Coding uint8

const (
	Gzip    Coding = iota
	Zlib           // HTTP calls it deflate
	Deflate        // what some servers send as deflate: without the header and checksum of zlib
	Brotli
	Zstd
	count
)

const (
	// MaxNested is how many codings a body may have. Each takes memory, and no
	// server has use for two.
	MaxNested = 4

	// maxWindows is how many bytes the windows of all codings of a body may have
	// together: the largest window of Brotli (RFC 7932 §9.1), or two of Zstandard.
	// The other codings have small windows, which do not count.
	maxWindows = 16 << 20

	// maxZstdWindow is the largest window of a Zstandard frame in HTTP (RFC 9659).
	maxZstdWindow = 8 << 20
)

var (
	// ErrNested says that a body has more than MaxNested codings.
	ErrNested = errors.New("encoded more than 4 times")

	// ErrHollow says that far more bytes pass from one coding of a body to the next
	// than are read and decoded, as in a coding full of empty blocks.
	ErrHollow = errors.New("nested content codings hold hardly anything but empty blocks")

	// ErrWindow says that a coding needs a larger window than allowed.
	ErrWindow = errors.New("a content coding needs too large a window: zstd may have 8 MiB, nested codings together 16 MiB")
)

// Named returns the coding with this name in Content-Encoding, in any case. For
// deflate that is Zlib; whether the body is Deflate instead, its first bytes tell.
func Named(name string) (c Coding, ok bool) {
	c, ok = named[strings.ToLower(name)]
	return c, ok
}

var named = map[string]Coding{"gzip": Gzip, "x-gzip": Gzip, "deflate": Zlib, "br": Brotli, "zstd": Zstd}

const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
)

// Magic returns the coding with the magic number that start begins with.
func Magic(start []byte) (c Coding, ok bool) {
	switch {
	case bytes.HasPrefix(start, []byte(gzipMagic+"\x08")):
		return Gzip, true
	case bytes.HasPrefix(start, []byte(zstdMagic)):
		return Zstd, true
	}
	return 0, false
}

// Begins reports whether a body that begins with start may be in this coding. If the
// coding has no magic number, the beginning of start must decode.
func (c Coding) Begins(start []byte) bool {
	switch c {
	case Zlib:
		return isZlib(start)
	case Deflate:
		return decodes(flate.NewReader(bytes.NewReader(start)))
	case Brotli:
		return decodes(brotliStream{brotli.NewReader(bytes.NewReader(start))})
	}
	by, ok := Magic(start)
	return ok && by == c
}

// isZlib reports whether start begins with the header of zlib (RFC 1950 §2.2).
func isZlib(start []byte) bool {
	return len(start) >= 2 && start[0]&0x0f == 8 && start[0]>>4 <= 7 && (uint(start[0])<<8|uint(start[1]))%31 == 0
}

// decodes reports whether r decodes its first bytes without an error, other than the
// end of the input.
func decodes(r io.Reader) bool {
	n, err := io.ReadFull(r, make([]byte, 256))
	return err == nil || err == io.ErrUnexpectedEOF || n > 0 && err == errTrailing
}

// Parse returns the codings that the values of Content-Encoding list, in the order in
// which they were applied. ok is false if a coding is not known, or if there are more than
// MaxNested.
func Parse(lists ...string) (codings []Coding, ok bool) {
	for name := range Elements(lists...) {
		if strings.EqualFold(name, "identity") {
			continue
		}
		c, known := Named(name)
		if !known || len(codings) == MaxNested {
			return nil, false
		}
		codings = append(codings, c)
	}
	return codings, true
}

// String returns the name in Content-Encoding.
func (c Coding) String() string {
	return [...]string{Gzip: "gzip", Zlib: "deflate", Deflate: "deflate", Brotli: "br", Zstd: "zstd"}[c]
}
