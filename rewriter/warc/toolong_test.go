package warc

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"absolink/internal/test/soak"
)

// A record that is shorter than it says does not hide those after it, in an archive
// without compression that can be read elsewhere too.
func TestTooLong(t *testing.T) {
	whole := record("resource", "http://h/d/p", page, "Content-Type: text/html")
	length := fmt.Sprint("Content-Length: ", len(page))
	text := strings.ReplaceAll(whole, "\r\n", "\n")
	text = strings.Replace(text, length, fmt.Sprint("Content-Length: ", len(page)+20), 1)
	for name, row := range map[string]struct {
		in             string
		whole, records int64
	}{
		"by some":          {strings.Replace(whole, length, fmt.Sprint("Content-Length: ", len(whole)*2), 1) + strings.Repeat(whole, 4), 4, 5},
		"by all":           {strings.Replace(whole, length, length+"0000000", 1) + strings.Repeat(whole, 4), 4, 5},
		"once a text file": {strings.Repeat(text, 5), 0, 5},
		"and cut off":      {strings.Repeat(whole, 3) + whole[:len(whole)-30], 3, 4},
	} {
		r := &Rewriter{Output: None}
		s, err := r.Convert(context.Background(), io.Discard, strings.NewReader(row.in))
		if err != nil || s.Rewritten != row.whole || s.Records != row.records || s.Damaged != row.records-row.whole || s.Damages == 0 {
			t.Errorf("%s: %v, %+v", name, err, s)
		}
		testCopies(t, name, row.in)
	}
}

// However many records are too long, and wherever they claim to end: all other records are
// read, and the archive is read a bounded number of times.
func TestManyTooLong(t *testing.T) {
	many := int64(soak.N(1000))
	warcRecord := func(length int64) string {
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\nContent-Length: %019d\r\n\r\n", length)
	}
	arcRecord := func(length int64) string {
		return fmt.Sprintf("http://h/ 1.2.3.4 20200102030405 text/html %019d\n", length)
	}
	block := response(page + strings.Repeat("y", 3000))
	for name, head := range map[string]func(length int64) string{"WARC": warcRecord, "ARC": arcRecord} {
		whole := strings.Repeat(head(int64(len(block)))+block+"\r\n\r\n", int(many))
		for claim, length := range map[string]func(rest int64) int64{ // rest is what follows the head
			"beyond the end":     func(rest int64) int64 { return rest + 1 },
			"far beyond the end": func(rest int64) int64 { return 1000 * rest },
			"as far as possible": func(int64) int64 { return math.MaxInt64 },
			"up to the last":     func(rest int64) int64 { return rest - int64(len(block)/2) },
			"up to a place":      func(rest int64) int64 { return rest - int64(len(whole)/2+len(block)/2) },
		} {
			var in strings.Builder
			for in.Len() < len(whole) {
				in.WriteString(head(length(int64(2*len(whole) - in.Len() - len(head(0))))))
				in.WriteString(block + "\r\n\r\n")
			}
			in.WriteString(whole)
			for door, s := range readTooLong(t, in.String(), name == "ARC") {
				if s.Records != 2*many || s.Rewritten != many || s.Damaged != many || s.Damages != many {
					t.Errorf("%s, %s, %s: %+v", name, claim, door, s)
				}
			}
		}
	}
}

// readTooLong reads an archive in all ways, from memory and from a file.
func readTooLong(t *testing.T, in string, isARC bool) map[string]Summary {
	t.Helper()
	name := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(name, []byte(in), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	memory := &countedReader{ReadSeeker: strings.NewReader(in)}
	ctx, got := context.Background(), map[string]Summary{}
	do := func(door string, run func() (Summary, error)) {
		s, err := run()
		if err != nil {
			t.Errorf("%s: %v", door, err)
		}
		got[door] = s
	}
	r := &Rewriter{Output: None}
	do("Convert", func() (Summary, error) { return r.Convert(ctx, io.Discard, memory) })
	do("List", func() (Summary, error) { return r.List(ctx, io.Discard, f, appendPlace) })
	if !isARC {
		do("Replace", func() (Summary, error) { return r.Replace(ctx, io.Discard, f) })
		other := &Rewriter{Output: Gzip}
		do("Replace, compressed anew", func() (Summary, error) { return other.Replace(ctx, io.Discard, f) })
	}
	if memory.n > 5*int64(len(in)) {
		t.Errorf("of %d bytes %d were read", len(in), memory.n)
	}
	return got
}

type countedReader struct {
	io.ReadSeeker
	n int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.ReadSeeker.Read(p)
	c.n += int64(n)
	return n, err
}
