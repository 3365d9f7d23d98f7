package lines

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
)

// naive returns the line and the column of an offset in a text. Units of width bytes
// follow a byte order mark of mark bytes.
func naive(text []byte, width, mark, offset int, feed string) string {
	line, start := 1, mark
	for i := 0; i+width <= offset-offset%width; i += width {
		if string(text[i:i+width]) == feed {
			line, start = line+1, i+width
		}
	}
	return fmt.Sprint(line, ":", max(offset-offset%width-start, 0)/width+1)
}

// randomLines returns a text with short, long and empty lines. In UTF-16, some of its
// characters share a byte with the line feed.
func randomLines(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(strings.Repeat("x", rand.N(80)*rand.N(2)))
		b.WriteString([]string{"\n", "\r\n", "\n\n\n", "\u0a0a", "\u010a", "\u0a00", "ä", "\r"}[rand.N(8)])
	}
	return b.String()
}

// The position of an offset is the same however the input is read, and in whatever order
// positions are asked for.
func TestPositions(t *testing.T) {
	text := randomLines(20000)
	for _, c := range []struct {
		name, charset string
		text          []byte
		width, mark   int
		feed          string
	}{
		{"empty", "", nil, 1, 0, "\n"},
		{"plain", "", []byte(text), 1, 0, "\n"},
		{"charset", "windows-1252", []byte(text), 1, 0, "\n"},
		{"UTF-8 with a mark", "utf-16le", []byte("\xef\xbb\xbf" + text), 1, 3, "\n"},
		{"UTF-16LE", "", testio.UTF16(text, "\xff\xfe"), 2, 2, "\n\x00"},
		{"UTF-16BE", "utf-8", testio.UTF16(text, "\xfe\xff"), 2, 2, "\x00\n"},
		{"utf-16", "utf-16", testio.UTF16(text, "\xff\xfe")[2:], 2, 0, "\n\x00"},
	} {
		file := Of(bytes.NewReader(append([]byte("xx"), c.text...)), 2, c.charset)
		dense := Of(bytes.NewReader(c.text), 0, c.charset)
		dense.every = 2
		for i := 0; i <= len(c.text); i += 4 {
			dense.Position(int64(i))
		}
		stream, passed := Passing(iotest.OneByteReader(bytes.NewReader(c.text)), c.charset)
		if _, err := io.Copy(io.Discard, stream); err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			offset := min(i, len(c.text))
			if i > 20 {
				offset = rand.N(len(c.text) + 1)
			}
			want := naive(c.text, c.width, c.mark, offset, c.feed)
			for kind, l := range map[string]*Lines{"file": file, "dense": dense, "stream": passed} {
				line, column, ok := l.Position(int64(offset))
				if got := fmt.Sprint(line, ":", column); !ok || got != want {
					t.Fatalf("%s, %s: offset %d is at %s, %v, want %s", c.name, kind, offset, got, ok, want)
				}
			}
		}
		if n := len(dense.known); n > maxMarks || n < maxMarks/4 && len(c.text) > 0 {
			t.Errorf("%s: %d marks", c.name, n)
		}
		if _, _, ok := file.Position(int64(len(c.text)) + 5); ok {
			t.Errorf("%s: an offset behind the end has a line", c.name)
		}
	}
}

// A stream remembers its beginning and its last bytes, and no more. Where it has
// forgotten, it says so.
func TestPositionsInStream(t *testing.T) {
	t.Parallel()
	text := []byte(randomLines(beginning + 4*stretch))
	src, l := Passing(bytes.NewReader(text), "")
	read, lost := 0, 0
	for read < len(text) {
		n, err := src.Read(make([]byte, 1+rand.N(400<<10)))
		if err != nil {
			t.Fatal(err)
		}
		read += n
		for range soak.N(3) {
			offset := rand.N(read + 1)
			line, column, ok := l.Position(int64(offset))
			switch {
			case !ok && (offset < beginning || offset > read-stretch):
				t.Fatalf("after %d bytes, %d is forgotten", read, offset)
			case !ok:
				lost++
			case fmt.Sprint(line, ":", column) != naive(text, 1, 0, offset, "\n"):
				t.Fatalf("after %d bytes, %d is at %d:%d", read, offset, line, column)
			}
		}
	}
	held := 0
	for _, p := range src.(*recent).parts {
		held += cap(p.bytes)
	}
	if lost == 0 || held > 4<<20 || len(l.known) > 3 {
		t.Errorf("%d positions are lost, %d bytes and %d marks are held", lost, held, len(l.known))
	}
}

// counting counts the bytes that are read.
type counting struct {
	io.ReaderAt
	n int64
}

func (c *counting) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, offset)
	c.n += int64(n)
	return n, err
}

// Positions take time that is linear in the file, if they are asked for in order, and at
// most as long as the way from the last mark otherwise.
func TestPositionsAreLinear(t *testing.T) {
	const size = 8 << 20
	src := &counting{ReaderAt: strings.NewReader(strings.Repeat("0123456789012\n", size/14+1))}
	l := Of(src, 0, "")
	for offset := int64(0); offset < size; offset += 307 {
		l.Position(offset)
	}
	if src.n > size+100 {
		t.Errorf("%d bytes are read for positions in order", src.n)
	}
	src.n = 0
	const asked = 50
	for i := int64(asked); i > 0; i-- {
		l.Position(i * size / asked)
	}
	if src.n > asked*(minMarks+32<<10) {
		t.Errorf("%d bytes are read for positions in the other order", src.n)
	}
}
