package listing_test

import (
	"strings"
	"testing"

	"absolink/internal/listing"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// A line that b has room for takes no other memory.
func TestAllocations(t *testing.T) {
	b := make([]byte, 0, 1<<10)
	rw := new(rewriter.Rewriter).With(rewriter.Hooks{Text: true, Visit: func(p *rewriter.Place) error {
		for _, page := range []*warc.Page{nil, {URL: "http://h/", ID: "<urn:x>", Date: "2020-01-02T03:04:05Z"}} {
			if n := testing.AllocsPerRun(100, func() { b = listing.AppendJSON(b[:0], listing.Place{Place: p, File: "file", Page: page}) }); n != 0 {
				t.Errorf("%v allocations for %s", n, b)
			}
		}
		return nil
	}})
	base, err := rw.ParseBase("http://h/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rw.Rewrite(nil, strings.NewReader("<a href='a&amp;\xff'>text</a>"), base); err != nil {
		t.Fatal(err)
	}
}
