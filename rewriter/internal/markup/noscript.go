package markup

import "bytes"

// A noscript says where the scanner is in the content of a noscript element. The
// content is raw text to a browser with scripts, and a fragment of markup to a browser
// without them. Whatever the fragment leaves open ends with the fragment.
type noscript struct {
	open     bool
	searched int  // in the window: the end tag does not begin before searched
	found    bool // the end tag begins at searched
	whole    bool // the whole document is the content
}

// window returns the part of the window b that belongs to the element.
func (n *noscript) window(b []byte, final bool) ([]byte, bool) {
	if n.whole {
		n.searched = len(b)
		return b, final
	}
	for !n.found {
		i := bytes.IndexByte(b[n.searched:], '<')
		if i < 0 {
			n.searched = len(b)
			return b, final
		}
		n.searched += i
		switch matchTag(b[n.searched:], "</", "noscript", final) {
		case matches:
			n.found = true
		case maybe:
			return b[:n.searched], false
		case no:
			n.searched++
		}
	}
	return b[:n.searched], true
}
