package feed

import (
	"math/rand/v2"
	"strings"
	"testing"

	"absolink/internal/test/soak"
)

// What isPage decides without the scanner, the scanner decides in the same way: a name of a file
// that says nothing has Is take it.
func TestIsPage(t *testing.T) {
	parts := []string{"<!doctype html", "<!DOCTYPE HTML ", "<html", "<HTML", ">", " ", "\n", "<rss>", "<rss", `"`, `">"`, "'", "[", "]>", "<htmlx>", "<p>", "<p ", "<feed ", "<entry>", "<RDF>", "<rdf:RDF xmlns=\"http://purl.org/rss/1.0/\">", "{", "<!--", "-->", `PUBLIC "-//W3C//DTD"`, "\x00", "\ufeff"}
	r := rand.New(rand.NewPCG(1, 2))
	pages := 0
	n := soak.N(300_000)
	for range n {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		start := b.String()
		if isPage([]byte(start)) {
			pages++
		}
		if got, want := Is([]byte(start), ""), Is([]byte(start), "x.html"); got != want {
			t.Fatalf("%q: %v, but with a name %v", start, got, want)
		}
	}
	if pages < n/100 {
		t.Errorf("%d pages", pages)
	}
}

func BenchmarkIs(b *testing.B) {
	page := []byte("<!DOCTYPE html>\n<html lang=en><style>a{}</style>" + strings.Repeat("<p class=x>text</p>\n", 200))
	for b.Loop() {
		Is(page, "")
	}
}
