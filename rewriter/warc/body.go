package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"absolink/internal/coding"
)

var errCoding = errors.New("a content encoding that is not known")

// maxNames is how many names of encodings count; they are the ones applied last.
// Each name takes a trial, even if the body does not have that encoding.
const maxNames = 16

// decodeBody undoes the transfer and content encodings of the body of an HTTP
// message. It trusts the body more than the head: an encoding that the head names
// and the body does not have is passed over, and gzip, Zstandard and chunks are
// undone wherever they are found. A body without encodings is returned as it is.
// Reading more than limit decoded bytes fails with tooLong; 0 is no limit.
func decodeBody(h *head, body io.Reader, limit int64) (io.Reader, error) {
	start, body := peek(body)
	if isChunked(start, coding.HasToken("chunked", h.all("Transfer-Encoding"))) {
		body = &chunks{src: bufio.NewReaderSize(body, 4<<10)}
		start, body = peek(body)
	}
	names := tokens(h.all("Content-Encoding") + "," + h.all("Transfer-Encoding"))
	names = names[max(0, len(names)-maxNames):]
	var decoded *coding.Reader
	for {
		name := ""
		if len(names) > 0 {
			name, names = names[len(names)-1], names[:len(names)-1]
		}
		c, there, err := trueCoding(name, start)
		switch {
		case err != nil:
			return nil, err
		case !there && len(names) > 0:
			continue
		case !there && decoded == nil:
			return body, nil
		case !there:
			return decoded, nil
		case decoded == nil:
			decoded = coding.NewReader(body, limit, tooLong(limit))
		}
		if err := decoded.Undo(c); err != nil {
			return nil, fmt.Errorf("a body that is %w", err)
		}
		start, _ = decoded.Peek(peekSize) // Read returns the error again
	}
}

// peekSize is how many bytes of a body are enough to see how it is encoded.
const peekSize = 1 << 10

// peek returns what r begins with, and a reader of all of it.
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

// tokens returns the names of encodings in a list, in lower case and in order,
// except for chunked and those that say nothing.
func tokens(list string) (tokens []string) {
	for token := range coding.Elements(strings.ToLower(list)) {
		token, _, _ = strings.Cut(token, ";")
		if token = strings.Trim(token, " \t\""); token != "" && token != "identity" && token != "chunked" {
			tokens = append(tokens, strings.TrimPrefix(token, "x-"))
		}
	}
	return tokens
}

// trueCoding returns the coding of a body that begins with start and whose head
// names one, and whether the body is there in that coding at all. What the body
// begins with counts more than the name.
func trueCoding(name string, start []byte) (c coding.Coding, there bool, err error) {
	if c, ok := coding.Magic(start); ok {
		return c, true, nil
	}
	switch name {
	case "compress", "dcb", "dcz", "exi", "pack200-gzip", "aes128gcm":
		return 0, false, fmt.Errorf("%w: %s", errCoding, name)
	}
	c, known := coding.Named(name)
	if !known {
		return 0, false, nil // the name of no encoding
	}
	if c == coding.Zlib && !c.Begins(start) {
		c = coding.Deflate
	}
	return c, c.Begins(start), nil
}
