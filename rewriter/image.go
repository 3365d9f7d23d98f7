package rewriter

// imageReferences appends the references in what scripts make the background
// of an element: CSS, as "url(x)", or a URL alone.
func imageReferences(dst []reference, value []byte) []reference {
	switch {
	case len(value) == 0:
		return dst
	case isCSSImage(value):
		return cssReferences(dst, value, false, "")
	}
	return append(dst, newReference(0, len(value), formPlain))
}

// imageSetReferences appends those in a set to choose the background from: CSS,
// as "url(x) 1x, url(y) 2x", or image candidates.
func imageSetReferences(dst []reference, value []byte) []reference {
	if isCSSImage(value) {
		return cssReferences(dst, value, false, "")
	}
	return srcsetReferences(dst, value)
}

// isCSSImage reports whether a value is CSS: it begins with a function, as no
// absolute URL does, and url() is in it.
func isCSSImage(value []byte) bool {
	start := skipSpace(value, 0)
	end := start
	for end < len(value) && (isLetter(value[end]) || value[end] == '-') {
		end++
	}
	if end == start || end == len(value) || value[end] != '(' {
		return false
	}
	const url = "url("
	for i := end; i >= 0; i = nextByte(value, i, '(') {
		if n := i + 1 - len(url); n >= 0 && equalFold(value[n:i+1], url) {
			return true
		}
	}
	return false
}
