package syntax

import "absolink/rewriter/internal/ascii"

// Image is the syntax of a background that a script sets: CSS, or what Lazy has.
var Image = Syntax{Name: "image", Find: withoutOptions(imageReferences)}

// ImageSet is the syntax of a set of backgrounds that a script chooses from: CSS, or
// image candidates.
var ImageSet = Syntax{Name: "imageset", Find: withoutOptions(imageSetReferences)}

var imageReferences, imageSetReferences = cssOr(lazyReferences), cssOr(srcsetReferences)

// cssOr returns a function that appends the references in a value: by the syntax of CSS if
// the value is CSS, as in "url(x) 1x, url(y) 2x", and otherwise by find.
func cssOr(find func([]Reference, []byte) []Reference) func([]Reference, []byte) []Reference {
	return func(dst []Reference, value []byte) []Reference {
		if isCSSImage(value) {
			return cssReferences(dst, value, Options{})
		}
		return find(dst, value)
	}
}

// isCSSImage reports whether a value is CSS: it begins with a function, which no
// absolute URL does, and there is a url() in it.
func isCSSImage(value []byte) bool {
	start := ascii.SkipSpace(value, 0)
	end := start
	for end < len(value) && (ascii.IsLetter(value[end]) || value[end] == '-') {
		end++
	}
	if end == start || end == len(value) || value[end] != '(' {
		return false
	}
	const url = "url("
	for i := end; i >= 0; i = ascii.NextByte(value, i, '(') {
		if n := i + 1 - len(url); n >= 0 && ascii.EqualFold(value[n:i+1], url) {
			return true
		}
	}
	return false
}
