//go:build compare

package markup

// CountTags runs the scanner alone over an HTML document, for benchmarks. It returns how
// many start tags and attributes there are.
func CountTags(document []byte) (tags, attrs int) {
	var s scanner
	for {
		switch s.next(document, true) {
		case noToken:
			return tags, attrs
		case startTagToken:
			tags++
			attrs += len(s.tag.Attrs)
			el := elementOf(s.tag.Hash, s.tag.Name.Of(document[s.tag.Start:]))
			if el.kind&rawText != 0 {
				s.enter(el.Name)
			}
		}
	}
}
