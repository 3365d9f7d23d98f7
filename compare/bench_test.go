package compare

import (
	"bytes"
	"io"
	"testing"

	"golang.org/x/net/html"

	"absolink/resolver"
	"absolink/rewriter"
)

// corpus returns the pages and sets the bytes of one round over all of them.
func corpus(b *testing.B) []Page {
	b.Helper()
	pages, err := Pages()
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for _, p := range pages {
		n += len(p.HTML)
	}
	b.SetBytes(int64(n))
	b.ReportAllocs()
	return pages
}

func BenchmarkRewrite(b *testing.B) {
	pages := corpus(b)
	bases := make([]*resolver.Base, len(pages))
	for i, p := range pages {
		var err error
		if bases[i], err = resolver.ParseBase(p.URL, resolver.RFC1808); err != nil {
			b.Fatal(err)
		}
	}
	var rw rewriter.Rewriter
	for b.Loop() {
		for i, p := range pages {
			if _, err := rw.Rewrite(io.Discard, bytes.NewReader(p.HTML), bases[i]); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkTokenizer reads every tag and attribute and does nothing with them.
func BenchmarkTokenizer(b *testing.B) {
	pages := corpus(b)
	for b.Loop() {
		for _, p := range pages {
			z := html.NewTokenizer(bytes.NewReader(p.HTML))
			for {
				tt := z.Next()
				if tt == html.ErrorToken {
					break
				}
				if tt != html.StartTagToken && tt != html.SelfClosingTagToken {
					continue
				}
				_, more := z.TagName()
				for more {
					_, _, more = z.TagAttr()
				}
			}
		}
	}
}
