package warc

import (
	"bufio"
	"bytes"
)

// chunks undoes the chunked transfer encoding (RFC 9112 §7.1). From where there
// is no chunk the rest is what it is: some programs remove the encoding from a
// part of a message.
type chunks struct {
	src  *bufio.Reader
	left int64 // of the chunk
	rest bool  // no chunk follows
	some bool  // one was read
}

func (c *chunks) Read(p []byte) (int, error) {
	for c.left == 0 && !c.rest {
		c.next()
	}
	if !c.rest {
		p = p[:min(int64(len(p)), c.left)]
	}
	n, err := c.src.Read(p)
	c.left -= int64(n)
	return n, err
}

// next begins a chunk. After the last one come fields, and the end.
func (c *chunks) next() {
	const maxLine = 1 << 10
	line, _ := c.src.Peek(maxLine)
	skip := 0
	if c.some { // the line end after the last chunk
		skip = lineEndSize(line)
	}
	size, n := chunkSize(line[skip:])
	switch {
	case n == 0:
		c.src.Discard(skip)
		c.rest = true
	case size > 0:
		c.src.Discard(skip + n)
		c.left, c.some = size, true
	default:
		c.src.Discard(skip + n)
		c.rest = true
		c.trailer()
	}
}

// trailer passes over the fields after the last chunk.
func (c *chunks) trailer() {
	for {
		line, err := c.src.Peek(c.src.Size())
		i := bytes.IndexByte(line, '\n')
		if i < 0 {
			if err != nil {
				c.src.Discard(len(line))
			}
			return
		}
		c.src.Discard(i + 1)
		if len(bytes.TrimSpace(line[:i])) == 0 {
			return
		}
	}
}

func lineEndSize(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("\r\n")):
		return 2
	case bytes.HasPrefix(b, []byte("\n")):
		return 1
	}
	return 0
}

// chunkSize returns the size of the chunk that a line begins, and the length of
// that line, 0 where it begins none.
func chunkSize(b []byte) (size int64, n int) {
	digits := 0
	for digits < len(b) && digits < 15 && isHex(b[digits]) {
		size = size<<4 | int64(unhex(b[digits]))
		digits++
	}
	i := bytes.IndexByte(b, '\n')
	if digits == 0 || i < 0 {
		return 0, 0
	}
	if rest := bytes.TrimSpace(b[digits:i]); len(rest) > 0 && rest[0] != ';' {
		return 0, 0
	}
	return size, i + 1
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&0xf + 9
}

// isChunked reports whether a body that begins with start is chunked. Where its
// head does not say so, the first chunk must be whole in start, or be followed by
// what its size says.
func isChunked(start []byte, said bool) bool {
	size, n := chunkSize(start)
	if n == 0 || said {
		return n > 0
	}
	line := bytes.TrimRight(start[:n], "\r\n")
	if rest := start[n:]; int64(len(rest)) > size {
		return bytes.HasPrefix(rest[size:], []byte("\r\n")) && bytes.HasSuffix(start[:n], []byte("\r\n"))
	}
	// A line of hexadecimal digits is no beginning of HTML; three of them are no number
	// that a text may begin with by chance.
	return size > 0 && len(line) >= 3 && bytes.HasSuffix(start[:n], []byte("\r\n"))
}
