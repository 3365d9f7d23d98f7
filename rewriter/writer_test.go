package rewriter

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"absolink/resolver"
)

// A Writer writes what Rewrite writes, and has the same result. What Rewrite writes before a
// read is written when Write returns, also of a document whose encoding was not known before.
func TestWriter(t *testing.T) {
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
			wantResult, err := new(Rewriter).Rewrite(&want, Source{Reader: src, Charset: charset}, outer)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			w := new(Rewriter).NewWriter(&got, Source{Charset: charset}, outer)
			for i, piece := range append(pieces, nil) { // the last stands for the end
				if got.Len() != before[i] {
					t.Errorf("%s, %s: %d bytes are written before piece %d, want %d", page.name, charset, got.Len(), i, before[i])
				}
				if n, err := w.Write(piece); n != len(piece) || err != nil {
					t.Errorf("%d bytes of %d are taken, %v", n, len(piece), err)
				}
			}
			if err := w.Close(); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%s, %s: %v, %q, want %q", page.name, charset, err, &got, &want)
			}
			result := w.Result()
			if result.Base.URL.String() == wantResult.Base.URL.String() {
				result.Base.URL = wantResult.Base.URL
			}
			if result != wantResult {
				t.Errorf("%s, %s: %+v, want %+v", page.name, charset, result, wantResult)
			}
			if _, err := w.Write([]byte("x")); err == nil {
				t.Errorf("%s, %s: Write after Close has no error", page.name, charset)
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
