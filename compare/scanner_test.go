//go:build compare

package compare

import (
	"testing"

	"absolink/rewriter"
)

// BenchmarkScanner measures the scanner alone: it finds every start tag and the spans of
// its attributes.
func BenchmarkScanner(b *testing.B) {
	n := 0
	eachPage(b, func(p Page) error {
		tags, attrs := rewriter.CountTags(p.HTML)
		n += tags + attrs
		return nil
	})
}
