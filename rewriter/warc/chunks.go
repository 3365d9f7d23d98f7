package warc

import (
	"bufio"
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// chunks undoes the chunked transfer encoding (RFC 9112 §7.1). Where the chunks
// break off, what follows is read as it is: some programs remove the encoding from
// a part of a message only.
type chunks struct {
	src   *bufio.Reader
	left  int64 // bytes of the chunk
	begun bool  // a chunk was read
	ended bool  // no chunk follows
}

func (c *chunks) Read(p []byte) (int, error) {
	for c.left == 0 && !c.ended {
		c.next()
	}
	if !c.ended {
		p = p[:min(int64(len(p)), c.left)]
	}
	n, err := c.src.Read(p)
	c.left -= int64(n)
	return n, err
}

// next begins a chunk, or passes over the fields after the last chunk.
func (c *chunks) next() {
	const maxLine = 1 << 10
	line, _ := c.src.Peek(maxLine)
	skip := 0
	if rest, ok := bytes.CutPrefix(bytes.TrimPrefix(line, []byte("\r")), []byte("\n")); ok && c.begun { // the line end after the chunk before
		skip = len(line) - len(rest)
	}
	size, n := chunkSize(line[skip:])
	c.src.Discard(skip + n)
	c.left, c.begun, c.ended = size, true, size == 0
	if n > 0 && c.ended {
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

// chunkSize returns the size of the chunk that begins with b, and n, the length of
// the line that says so; n is 0 where b does not begin a chunk.
func chunkSize(b []byte) (size int64, n int) {
	digits := 0
	for digits < len(b) && digits < 15 && ascii.Digit(b[digits]) < 16 {
		size = size<<4 | int64(ascii.Digit(b[digits]))
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

// isChunked reports whether a body that begins with start is chunked; said is what
// its head says. Where the head does not say so, a line end must stand where the
// first chunk ends, or that end must lie behind start.
func isChunked(start []byte, said bool) bool {
	size, n := chunkSize(start)
	if n == 0 || said {
		return n > 0
	}
	line := bytes.TrimRight(start[:n], "\r\n")
	if rest := start[n:]; int64(len(rest)) > size {
		return bytes.HasPrefix(rest[size:], []byte("\r\n")) && bytes.HasSuffix(start[:n], []byte("\r\n"))
	}
	// HTML does not begin with a line of hexadecimal digits. A text might, by chance;
	// three digits or more make that unlikely.
	return size > 0 && len(line) >= 3 && bytes.HasSuffix(start[:n], []byte("\r\n"))
}
