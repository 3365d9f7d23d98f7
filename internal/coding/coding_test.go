package coding

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

var errTooLong = errors.New("too long")

// all are lists of codings: each coding alone, and several nested.
var all = [][]Coding{
	{Gzip}, {Zlib}, {Deflate}, {Brotli}, {Zstd},
	{Gzip, Brotli}, {Zlib, Zstd}, {Brotli, Brotli}, {Zstd, Deflate, Gzip}, {Gzip, Gzip, Gzip, Gzip},
}

const text = "<p>Some text in <a href=x>a page</a>\n"

// encode encodes a body, and flushes after each of the pieces.
func encode(codings []Coding, pieces ...string) []byte {
	var b bytes.Buffer
	w := NewWriter(&b, codings)
	for _, piece := range pieces {
		io.WriteString(w, piece)
		w.Flush()
	}
	w.Close()
	return b.Bytes()
}

// undo returns a Reader that undoes the codings of a body. A limit of 0 is none.
func undo(t testing.TB, body io.Reader, codings []Coding, limit int64) *Reader {
	t.Helper()
	r := NewReader(body, limit, errTooLong)
	for i := len(codings) - 1; i >= 0; i-- {
		c := codings[i]
		if c == Deflate {
			c = Zlib // as a header would say
		}
		if err := r.Undo(c); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// An encoded body is decoded to what it was, however it is read, and Codings returns
// its true codings.
func TestRoundTrip(t *testing.T) {
	long := strings.Repeat(text, 2000)
	for _, codings := range all {
		for _, pieces := range [][]string{{""}, {text}, {text, "", text}, {long, text}} {
			body := encode(codings, pieces...)
			for i, src := range []io.Reader{bytes.NewReader(body), iotest.OneByteReader(bytes.NewReader(body)), iotest.DataErrReader(bytes.NewReader(body))} {
				r := undo(t, src, codings, 0)
				var got []byte
				var err error
				if i == 0 {
					got, err = io.ReadAll(iotest.OneByteReader(r))
				} else {
					got, err = io.ReadAll(r)
				}
				if want := strings.Join(pieces, ""); string(got) != want || err != nil || r.Trailing() {
					t.Errorf("%v: %d bytes of %d, %v", codings, len(got), len(want), err)
				}
				for j, c := range r.Codings() {
					if c != codings[len(codings)-1-j] {
						t.Errorf("%v: found %v", codings, r.Codings())
					}
				}
			}
		}
	}
}

// Encoders are used again, and what they encoded before leaves no trace.
func TestEncodersAgain(t *testing.T) {
	for range 10 {
		for _, codings := range all {
			var b bytes.Buffer
			w := NewWriter(&b, codings)
			io.WriteString(w, text)
			if err := w.Close(); err != nil {
				t.Error(err)
			}
			w.Release()
			if got, err := io.ReadAll(undo(t, &b, codings, 0)); string(got) != text || err != nil {
				t.Errorf("%v: %q, %v", codings, got, err)
			}
			io.WriteString(NewWriter(io.Discard, codings), text) // and is not released
		}
	}
}

// A new Reader reads nothing before the first Peek or Read.
func TestReadsNothing(t *testing.T) {
	undo(t, iotest.ErrReader(nil), all[0], 0)
	read := errors.New("read")
	if _, err := undo(t, iotest.ErrReader(read), all[0], 0).Read(make([]byte, 1)); err != read {
		t.Error(err)
	}
}

// Peek returns bytes as they are decoded so far, and Read returns them again.
func TestPeek(t *testing.T) {
	for _, codings := range all {
		body := encode(codings, text)
		r := NewReader(bytes.NewReader(body), 0, nil)
		for i := len(codings) - 1; i >= 0; i-- {
			if b, err := r.Peek(1); len(b) != 1 || err != nil {
				t.Errorf("%v: %q, %v", codings, b, err)
			}
			r.Undo(codings[i])
		}
		b, err := r.Peek(1 << 10)
		if string(b) != text || err != io.EOF {
			t.Errorf("%v: %q, %v", codings, b, err)
		}
		if got, err := io.ReadAll(r); string(got) != text || err != nil {
			t.Errorf("%v: %q, %v", codings, got, err)
		}
	}
}

// A body as long as the limit is read whole; one byte more is an error.
func TestLimit(t *testing.T) {
	for _, codings := range append(all, nil) {
		body := []byte(text)
		if codings != nil {
			body = encode(codings, text)
		}
		for short := range int64(2) {
			limit := int64(len(text)) - short
			r := undo(t, bytes.NewReader(body), codings, limit)
			got, err := io.ReadAll(r)
			if string(got) != text[:limit] || (err == errTooLong) != (short == 1) || short == 0 && err != nil {
				t.Errorf("%v, %d bytes: %q, %v", codings, limit, got, err)
			}
			if n, again := r.Read(make([]byte, 1)); n != 0 || again != err && (err != nil || again != io.EOF) {
				t.Errorf("%v: then %d, %v", codings, n, again)
			}
		}
	}
}

// A fifth coding is refused.
func TestNested(t *testing.T) {
	r := undo(t, strings.NewReader(""), []Coding{Gzip, Gzip, Gzip, Gzip}, 0)
	if err := r.Undo(Gzip); err != ErrNested {
		t.Error(err)
	}
}

// A body that ends too early, or is damaged, is an error after all bytes that could be
// decoded, and every later Read returns the same error. That holds for each coding,
// and for each byte at which the body breaks off.
func TestTruncated(t *testing.T) {
	for _, codings := range all {
		body := encode(codings, text, text)
		for n := range body {
			r := undo(t, bytes.NewReader(body[:n]), codings, 0)
			got, err := io.ReadAll(r)
			if !strings.HasPrefix(text+text, string(got)) || err == nil {
				t.Errorf("%v: %d bytes of %d: %q, %v", codings, n, len(body), got, err)
			}
			if _, again := r.Read(make([]byte, 1)); again != err {
				t.Errorf("%v: %v, then %v", codings, err, again)
			}
		}
	}
}

// Reading ends with the error of the source, whatever a decoder makes of it.
func TestSourceError(t *testing.T) {
	broken := errors.New("broken")
	for _, codings := range all {
		body := encode(codings, text, text)
		for n := range body {
			src := io.MultiReader(bytes.NewReader(body[:n]), iotest.ErrReader(broken))
			if got, err := io.ReadAll(undo(t, src, codings, 0)); err != broken || !strings.HasPrefix(text+text, string(got)) {
				t.Errorf("%v: %d bytes of %d: %q, %v", codings, n, len(body), got, err)
			}
		}
		src := io.MultiReader(bytes.NewReader(body), iotest.ErrReader(broken))
		if got, err := io.ReadAll(undo(t, src, codings, 0)); err != broken || string(got) != text+text {
			t.Errorf("%v: %q, %v", codings, got, err)
		}
	}
}

// Trailing reports bytes after the end. They are dropped, and no decoded byte is.
func TestTrailing(t *testing.T) {
	for _, codings := range all {
		for _, rest := range []string{"garbage", strings.Repeat("\x00", 1000), strings.Repeat("<p>", 100000)} {
			for _, whole := range []string{text, strings.Repeat(text, 5000)} {
				body := append(encode(codings, whole), rest...)
				for _, src := range []io.Reader{bytes.NewReader(body), iotest.OneByteReader(bytes.NewReader(body))} {
					r := undo(t, src, codings, 0)
					if got, err := io.ReadAll(r); string(got) != whole || err != nil || !r.Trailing() {
						t.Errorf("%v, then %.10q: %d bytes, %v, %v", codings, rest, len(got), err, r.Trailing())
					}
				}
			}
		}
	}
	// between two codings
	inner := append(encode([]Coding{Brotli}, text), "garbage"...)
	r := undo(t, bytes.NewReader(encode([]Coding{Gzip}, string(inner))), []Coding{Brotli, Gzip}, 0)
	if got, err := io.ReadAll(r); string(got) != text || err != nil || !r.Trailing() {
		t.Errorf("%q, %v, %v", got, err, r.Trailing())
	}
}

// All members or frames, also empty ones, are one body.
func TestMembers(t *testing.T) {
	const many = 20000
	empty := map[Coding]string{Gzip: string(encode([]Coding{Gzip})), Zstd: "\x28\xb5\x2f\xfd\x00\x00\x01\x00\x00"}
	for c, empty := range empty {
		page := string(encode([]Coding{c}, text))
		for name, body := range map[string]string{
			"two":          page + page,
			"empty, first": strings.Repeat(empty, many) + page + page,
			"empty, last":  page + page + strings.Repeat(empty, many),
			"empty":        page + strings.Repeat(empty, many) + page,
		} {
			for _, src := range []io.Reader{strings.NewReader(body), iotest.HalfReader(strings.NewReader(body))} {
				r := undo(t, src, []Coding{c}, 2*int64(len(text)))
				if got, err := io.ReadAll(r); string(got) != text+text || err != nil || r.Trailing() {
					t.Errorf("%d, %s: %q, %v", c, name, got, err)
				}
			}
			r := NewReader(strings.NewReader(body), 0, nil)
			r.Undo(c)
			if b, _ := r.Peek(len(text)); string(b) != text {
				t.Errorf("%d, %s: peeked at %q", c, name, b)
			}
		}
	}
}

// Named knows each name of a coding, and Magic the coding that a body begins with.
func TestNames(t *testing.T) {
	for name, want := range map[string]Coding{"gzip": Gzip, "X-GZIP": Gzip, "Deflate": Zlib, "br": Brotli, "zstd": Zstd} {
		if c, ok := Named(name); c != want || !ok {
			t.Errorf("%s: %v, %v", name, c, ok)
		}
	}
	for _, name := range []string{"", "identity", "x-br", "compress", "gzip ", "dcb"} {
		if c, ok := Named(name); ok {
			t.Errorf("%s: %v", name, c)
		}
	}
	for c := range count {
		for _, body := range []string{text, strings.Repeat(text, 100), strings.Repeat("\x00", 10000)} {
			encoded := encode([]Coding{c}, body)
			for n := 10; n <= min(len(encoded), 1<<10); n++ {
				if !c.Begins(encoded[:n]) {
					t.Errorf("%d: %d bytes of %.20q do not begin it", c, n, encoded)
				}
			}
			if by, ok := Magic(encoded); ok != (c == Gzip || c == Zstd) || ok && by != c {
				t.Errorf("%d: magic %v, %v", c, by, ok)
			}
		}
		if start := []byte(text); c.Begins(start) {
			t.Errorf("%d: begins with %q", c, start)
		}
	}
}
