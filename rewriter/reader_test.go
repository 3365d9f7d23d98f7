package rewriter

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/internal/test/testio"
	"absolink/resolver"
)

// Read returns what cannot change any more before it reads again.
func TestReaderLag(t *testing.T) {
	in, write := io.Pipe()
	defer in.Close()
	r := new(Rewriter).NewReader(in, mustParse(t, "http://h/", resolver.RFC1808))
	go write.Write([]byte("<body><a href=x>text<a h"))
	got := make([]byte, 100)
	if n, err := r.Read(got); string(got[:n]) != "<body><a href=http://h/x>text" || err != nil || r.Buffered() != 0 {
		t.Errorf("%q, %v", got[:n], err)
	}
}

// What fits into the slice that Read is given is written there at once: the Reader keeps
// nothing of it.
func TestReaderInto(t *testing.T) {
	page := strings.Repeat("<p>text <a href=x>y</a>", 10_000)
	want := strings.ReplaceAll(page, "=x", "=http://h/x")
	random := rand.New(rand.NewPCG(1, 1))
	for _, sizes := range []func() int{
		func() int { return 4 * outputSize },
		func() int { return 1 + random.IntN(2*outputSize) },
	} {
		r := new(Rewriter).NewReader(strings.NewReader(page), mustParse(t, "http://h/", resolver.RFC1808))
		var got strings.Builder
		for err := error(nil); err == nil; {
			p := make([]byte, sizes())
			var n int
			n, err = r.Read(p)
			got.Write(p[:n])
			if len(p) == 4*outputSize && r.out != nil {
				t.Fatalf("%d bytes are kept", cap(r.out))
			}
		}
		if got.String() != want {
			t.Errorf("%d bytes, want %d", got.Len(), len(want))
		}
	}
}

// An error of a writer ends a Reader, also where Read has left something.
func TestWriteToFailsOnce(t *testing.T) {
	outer := mustParse(t, "http://h/a/b", resolver.RFC1808)
	for _, read := range []int{0, 3} {
		r := new(Rewriter).NewReader(strings.NewReader("<a href=x><a href=y>"), outer)
		if _, err := io.ReadFull(r, make([]byte, read)); err != nil {
			t.Fatal(err)
		}
		_, first := r.WriteTo(&testio.FailingWriter{Limit: 4, Err: errStopped})
		var out bytes.Buffer
		_, err := r.WriteTo(&out)
		if e, ok := first.(*Error); !ok || e.Op != "write" || !errors.Is(first, errStopped) || err != first || out.Len() > 0 {
			t.Errorf("after %d bytes: %v, then %v and %q", read, first, err, &out)
		}
		if n, err := r.Read(make([]byte, 9)); n > 0 || err != first {
			t.Errorf("after %d bytes: Read returns %d, %v", read, n, err)
		}
	}
}

// What comes with an error is rewritten as far as its encoding is known.
func TestErrorWithBytes(t *testing.T) {
	outer := mustParse(t, "http://h/a/b", resolver.RFC1808)
	for _, row := range []struct{ charset, in, want string }{
		{"utf-8", "<p>\u00e9<a href=x>", "<p>\u00e9<a href=http://h/a/x>"},
		{"", "<meta charset=utf-8><p>\u00e9<a href=x>", "<meta charset=utf-8><p>\u00e9<a href=http://h/a/x>"},
		{"", "<p>\u00e9<a href=x>", "<p>"},
	} {
		for _, with := range []bool{false, true} {
			src := io.MultiReader(strings.NewReader(row.in), iotest.ErrReader(errStopped))
			if with {
				src = iotest.DataErrReader(src)
			}
			var out bytes.Buffer
			_, err := new(Rewriter).Rewrite(&out, Source{Reader: src, Charset: row.charset}, outer)
			if !errors.Is(err, errStopped) || out.String() != row.want {
				t.Errorf("%q in %q, with the error %v: %q, %v", row.in, row.charset, with, &out, err)
			}
		}
	}
}
