package rewriter

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"absolink/resolver"
)

// A Writer writes what Rewrite writes, and has the same result, however the document is
// cut.
func TestWriter(t *testing.T) {
	outer := mustParse(t, "http://h/a/b", resolver.RFC1808)
	rw := new(Rewriter)
	random := rand.New(rand.NewPCG(1, 1))
	for _, page := range pages(t) {
		for _, charset := range []string{"", "utf-16le", "windows-1252"} {
			of := Source{Charset: charset}
			var want bytes.Buffer
			src := of
			src.Reader = bytes.NewReader(page.data)
			wantResult, err := rw.Rewrite(&want, src, outer)
			if err != nil {
				t.Fatal(err)
			}
			for name, next := range map[string]func() int{
				"whole": func() int { return len(page.data) },
				"bytes": func() int { return 1 },
				"parts": func() int { return random.IntN(2000) },
			} {
				var got bytes.Buffer
				w := rw.NewWriter(&got, of, outer)
				for rest := page.data; len(rest) > 0; {
					n, err := w.Write(rest[:min(next(), len(rest))])
					if err != nil {
						t.Fatalf("%s, %s: %v", page.name, name, err)
					}
					rest = rest[n:]
				}
				if err := w.Close(); err != nil {
					t.Fatalf("%s, %s: %v", page.name, name, err)
				}
				if !bytes.Equal(got.Bytes(), want.Bytes()) {
					t.Errorf("%s, %s, %s: %q, want %q", page.name, charset, name, got.Bytes(), want.Bytes())
				}
				result := w.Result()
				if result.Base.URL.String() == wantResult.Base.URL.String() {
					result.Base.URL = wantResult.Base.URL
				}
				if result != wantResult {
					t.Errorf("%s, %s, %s: %+v, want %+v", page.name, charset, name, result, wantResult)
				}
			}
		}
	}
}

// What Rewrite writes before a read is written when Write returns, also of a document whose
// encoding was not known before.
func TestWriterKeepsPace(t *testing.T) {
	outer := mustParse(t, "http://h/a/b", resolver.RFC1808)
	random := rand.New(rand.NewPCG(1, 2))
	for _, page := range pages(t) {
		for _, charset := range []string{"", "utf-16le", "iso-2022-jp", "windows-1252"} {
			var pieces [][]byte
			for rest := page.data; len(rest) > 0; {
				n := 1 + random.IntN(min(len(rest), 40_000))
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
			var want bytes.Buffer
			var before []int // each piece, what was written
			src := &paced{pieces: pieces, next: func() { before = append(before, want.Len()) }}
			if _, err := new(Rewriter).Rewrite(&want, Source{Reader: src, Charset: charset}, outer); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			w := new(Rewriter).NewWriter(&got, Source{Charset: charset}, outer)
			for i, piece := range append(pieces, nil) { // the last stands for the end
				if got.Len() != before[i] {
					t.Errorf("%s, %s: %d bytes are written before piece %d, want %d", page.name, charset, got.Len(), i, before[i])
				}
				if _, err := w.Write(piece); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// A paced reader reads pieces, and calls next before each of them.
type paced struct {
	pieces [][]byte
	piece  []byte
	next   func()
}

func (r *paced) Read(p []byte) (int, error) {
	if len(r.piece) == 0 {
		if r.next(); len(r.pieces) == 0 {
			return 0, io.EOF
		}
		r.piece, r.pieces = r.pieces[0], r.pieces[1:]
	}
	n := copy(p, r.piece)
	r.piece = r.piece[n:]
	return n, nil
}

// What is settled is written at once, and a document without an end too.
func TestWriterIsPrompt(t *testing.T) {
	var got bytes.Buffer
	w := new(Rewriter).NewWriter(&got, Source{Charset: "utf-8"}, mustParse(t, "http://h/", resolver.RFC1808))
	for _, step := range []struct{ in, want string }{
		{"<body><a href=x>", "<body><a href=http://h/x>"},
		{"text <a hr", "<body><a href=http://h/x>text "},
		{"ef=y>", "<body><a href=http://h/x>text <a href=http://h/y>"},
	} {
		if _, err := io.WriteString(w, step.in); err != nil || got.String() != step.want {
			t.Errorf("after %q: %q, want %q (%v)", step.in, &got, step.want, err)
		}
	}
	io.WriteString(w, "<a href=z")
	if err := w.Close(); err != nil || got.String() != "<body><a href=http://h/x>text <a href=http://h/y><a href=z" {
		t.Errorf("%q, %v", &got, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if _, err := w.Write([]byte("x")); err == nil {
		t.Error("Write after Close has no error")
	}
}
