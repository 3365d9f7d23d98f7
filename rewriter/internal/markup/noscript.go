package markup

import "bytes"

// A Noscript is where the scanner is in the content of a noscript element:
// raw text to a browser with scripts, a fragment of markup to one without.
// What the fragment leaves open ends with it.
type Noscript struct {
	Open     bool
	Searched int // in the window: its end tag is not before
	Found    bool
}

// Window returns the part of the window b that belongs to the element.
func (n *Noscript) Window(s *Scanner, b []byte, final bool) ([]byte, bool) {
	for !n.Found {
		i := bytes.IndexByte(b[n.Searched:], '<')
		if i < 0 {
			n.Searched = len(b)
			return b, final
		}
		n.Searched += i
		switch matchTag(b[n.Searched:], "</", "noscript", final) {
		case matches:
			n.Found = true
		case maybe:
			return b[:n.Searched], false
		case no:
			n.Searched++
		}
	}
	return b[:n.Searched], true
}
