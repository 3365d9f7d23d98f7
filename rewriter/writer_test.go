package rewriter

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"absolink/resolver"
)

// A Writer writes what Rewrite writes, and has the same result, however the document is
// cut. What Rewrite writes before a read is written when Write returns.
func TestWriter(t *testing.T) {
	outer := mustParse(t, "http://h/a/b", resolver.RFC1808)
	rw := &Rewriter{}
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
