//go:build compare

package rewriter

import "absolink/rewriter/internal/markup"

// CountTags runs the scanner alone over an HTML document and returns how many
// start tags and attributes it finds. It is there to be measured, with the
// build tag compare.
func CountTags(document []byte) (tags, attrs int) {
	var s markup.Scanner
	for {
		switch s.Next(document, true) {
		case markup.NoToken:
			return tags, attrs
		case markup.StartTagToken:
			tags++
			attrs += len(s.Tag.Attrs)
			el := markup.ElementOf(s.Tag.Hash, s.Tag.Name.Of(document[s.Tag.Start:]))
			if el.Kind&markup.RawText != 0 {
				s.Enter(el.Name)
			}
		}
	}
}
