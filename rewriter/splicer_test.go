package rewriter

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/resolver"
)

// A splicing is a Splicer that does what Rewrite does.
type splicing struct {
	t        testing.TB
	in       []byte
	out      bytes.Buffer
	end      int64
	most     int // bytes in place of others at once
	replaced []replaced
}

// A replaced is what was written in place of a part of a document.
type replaced struct {
	start, end int64
	by         string
}

func (s *splicing) Keep(end int64) error {
	if end <= s.end {
		s.t.Fatalf("splice: up to %d is kept after %d", end, s.end)
	}
	s.out.Write(s.in[s.end:end])
	s.end = end
	return nil
}

func (s *splicing) Replace(end int64, b []byte) error {
	if end < s.end {
		s.t.Fatalf("splice: up to %d is replaced after %d", end, s.end)
	}
	s.out.Write(b)
	s.replaced = append(s.replaced, replaced{s.end, end, string(b)})
	s.end, s.most = end, max(s.most, len(b))
	return nil
}

// checkSplice checks that what a Splicer is told adds up to what is written.
func checkSplice(t testing.TB, rw *Rewriter, in []byte, outer *resolver.Base, want []byte) {
	t.Helper()
	for _, src := range []io.Reader{bytes.NewReader(in), iotest.OneByteReader(bytes.NewReader(in))} {
		s := &splicing{t: t, in: in}
		if _, err := rw.Splice(s, src, outer); err != nil {
			t.Fatal(err)
		}
		if s.end != int64(len(in)) || !bytes.Equal(s.out.Bytes(), want) {
			t.Errorf("splice: of %d bytes %d are spoken of, which give\n%q\nnot\n%q", len(in), s.end, s.out.Bytes(), want)
		}
	}
}

// Offsets are what At makes of them.
func TestAt(t *testing.T) {
	const in = "<base href=data:x><a href=b><a href='http://['><p style='background:url(c)'>"
	var plain, moved []int64
	for _, at := range []func(int64) int64{nil, func(offset int64) int64 { return 2*offset + 100 }} {
		var seen []int64
		rw := new(Rewriter).With(Hooks{Visit: func(p *Place) error {
			seen = append(seen, p.Offset)
			return nil
		}, Warn: func(offset int64, err error) { seen = append(seen, offset) }})
		src := Source{Reader: io.MultiReader(strings.NewReader(in), iotest.ErrReader(errors.New("broken"))), At: at}
		_, err := rw.Rewrite(nil, src, mustParse(t, "http://h/", resolver.RFC1808))
		var e *Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		plain, moved = moved, append(seen, e.Offset)
	}
	if len(plain) < 5 {
		t.Errorf("too few: %v", plain)
	}
	for i, offset := range plain {
		if moved[i] != 2*offset+100 {
			t.Errorf("%v became %v", plain, moved)
		}
	}
}
