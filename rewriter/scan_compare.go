//go:build compare

package rewriter

// CountTags runs the scanner alone over an HTML document and returns how many
// start tags and attributes it finds. It is there to be measured, with the
// build tag compare.
func CountTags(document []byte) (tags, attrs int) {
	var s scanner
	for {
		switch s.next(document, true) {
		case noToken:
			return tags, attrs
		case startTagToken:
			tags++
			attrs += len(s.tag.attrs)
			el := elementOf(s.tag.hash, s.tag.name.of(document[s.tag.start:]))
			if el.kind&rawText != 0 {
				s.enter(el.name)
			}
		}
	}
}
