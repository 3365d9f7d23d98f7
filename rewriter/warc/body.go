package warc

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// maxCodings is how often a body may be encoded.
const maxCodings = 4

var errCoding = errors.New("a content encoding that is not known")

// decodeBody undoes the transfer and content encodings of the body of an HTTP
// message, as its head says, where that is true: what is not there is not undone,
// and gzip, Zstandard and chunks that are there are undone whatever the head says.
// coded reports whether anything was undone. The result is body itself where
// nothing was.
func decodeBody(h *head, body io.Reader) (_ io.Reader, coded bool, err error) {
	var b *bufio.Reader
	begin := func() {
		b = bufio.NewReaderSize(body, 4<<10)
		coded = true
	}
	start, body := peek(body)
	if isChunked(start, hasToken(h.all("Transfer-Encoding"), "chunked")) {
		begin()
		body = &chunks{src: b}
		start, body = peek(body)
	}
	codings := tokens(h.all("Content-Encoding") + "," + h.all("Transfer-Encoding"))
	for n := 0; ; n++ {
		var coding string
		if len(codings) > 0 {
			coding, codings = codings[len(codings)-1], codings[:len(codings)-1]
		}
		if coding == "" && codingOf(start) == "" {
			return body, coded, nil
		}
		if coding, err = trueCoding(coding, start); err != nil {
			return body, coded, err
		}
		if coding == "" {
			continue
		}
		if n >= maxCodings {
			return body, coded, fmt.Errorf("a body that is encoded more than %d times", maxCodings)
		}
		begin()
		body = &decoder{src: b, coding: coding}
		start, body = peek(body)
	}
}

// peekSize is how much of a body says how it is encoded.
const peekSize = 1 << 10

// peek returns what r begins with, and a reader of the whole.
func peek(r io.Reader) ([]byte, io.Reader) {
	if m, ok := r.(*bytes.Reader); ok {
		start := make([]byte, min(peekSize, m.Len()))
		m.ReadAt(start, m.Size()-int64(m.Len()))
		return start, m
	}
	b := bufio.NewReaderSize(r, 4<<10)
	start, _ := b.Peek(peekSize)
	return bytes.Clone(start), b
}

// tokens returns the tokens of a list, in lower case and in order.
func tokens(list string) (tokens []string) {
	for token := range strings.SplitSeq(strings.ToLower(list), ",") {
		token, _, _ = strings.Cut(token, ";")
		if token = strings.Trim(token, " \t\""); token != "" && token != "identity" && token != "chunked" {
			tokens = append(tokens, strings.TrimPrefix(token, "x-"))
		}
	}
	return tokens
}

func hasToken(list, token string) bool {
	for t := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(t), token) {
			return true
		}
	}
	return false
}

// codingOf returns the coding that a body has by its magic number.
func codingOf(start []byte) string {
	switch {
	case bytes.HasPrefix(start, []byte("\x1f\x8b\x08")):
		return "gzip"
	case bytes.HasPrefix(start, []byte(zstdMagic)):
		return "zstd"
	}
	return ""
}

// trueCoding returns the coding that a body has, where its head says coding: "" is
// none.
func trueCoding(coding string, start []byte) (string, error) {
	if by := codingOf(start); by != "" {
		return by, nil
	}
	switch coding {
	case "gzip", "zstd":
		return "", nil
	case "deflate":
		if len(start) >= 2 && start[0]&0xf == 8 && (int(start[0])<<8|int(start[1]))%31 == 0 {
			return "zlib", nil
		}
		if decodes(flate.NewReader(bytes.NewReader(start))) {
			return "deflate", nil
		}
		return "", nil
	case "br":
		if decodes(brotli.NewReader(bytes.NewReader(start))) {
			return "br", nil
		}
		return "", nil
	case "compress", "dcb", "dcz", "exi", "pack200-gzip", "aes128gcm":
		return "", fmt.Errorf("%w: %s", errCoding, coding)
	}
	return "", nil // a word that says nothing
}

// decodes reports whether what begins a body decodes.
func decodes(r io.Reader) bool {
	b := make([]byte, 256)
	n, err := io.ReadFull(r, b)
	return n > 0 && (err == nil || err == io.ErrUnexpectedEOF || err == io.EOF) || err == io.ErrUnexpectedEOF
}

// A decoder undoes one coding. What is after its end is dropped.
type decoder struct {
	src    *bufio.Reader
	coding string
	r      io.Reader
}

func (d *decoder) Read(p []byte) (int, error) {
	if d.r == nil {
		if err := d.begin(); err != nil {
			return 0, noEOF(err)
		}
	}
	n, err := d.r.Read(p)
	if err == io.EOF && d.coding == codingOf(d.peek()) { // it goes on
		d.r, err = nil, nil
	}
	if err == zstd.ErrMagicMismatch && n == 0 {
		err = io.EOF
	}
	return n, err
}

// peek returns what follows.
func (d *decoder) peek() []byte {
	b, _ := d.src.Peek(4)
	return b
}

func (d *decoder) begin() (err error) {
	switch d.coding {
	case "gzip":
		var z *gzip.Reader
		if z, err = gzip.NewReader(d.src); err == nil {
			z.Multistream(false)
			d.r = z
		}
	case "zlib":
		d.r, err = zlib.NewReader(d.src)
	case "deflate":
		d.r = flate.NewReader(d.src)
	case "br":
		d.r = brotli.NewReader(d.src)
	case "zstd":
		d.r, err = newZstd(d.src)
	}
	return err
}

// newZstd returns a decoder in this goroutine, of small memory.
func newZstd(src io.Reader) (io.Reader, error) {
	z, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return z, nil
}
