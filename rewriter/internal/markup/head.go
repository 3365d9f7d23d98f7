package markup

import (
	"bytes"

	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
)

// A head follows the tokens of a document to know which BASE counts (RFC 1808,
// Appendix; HTML Standard §13.2.6.4.3 to §13.2.6.4.6). The HEAD has an end even where
// its tags are left out. After the HEAD, the tokens say whether the document has a
// frameset instead of a body.
type head struct {
	ended    bool
	closed   bool     // </head> has been read
	template int      // how many templates are open: a BASE in a template does not count
	frameset frameset // what a frameset start tag means
	whole    bool     // a BASE after the HEAD counts as well
}

type frameset uint8

const (
	framesetOK      frameset = iota // the frameset takes the place of the body
	framesetIgnored                 // in the body the tag is ignored: content came before it
	framesetOpen                    // there was a frameset: from here on only its own elements count
)

// done reports whether further tokens make no difference.
func (h *head) done() bool { return h.settled() && h.isQuiet() }

// isQuiet reports whether only templates, a BASE and a frameset still make a difference:
// no text does, and no other tag.
func (h *head) isQuiet() bool { return h.ended && h.frameset != framesetOK }

// settled reports whether no BASE that follows can count.
func (h *head) settled() bool { return h.ended && (!h.whole || h.frameset == framesetOpen) }

// text follows text that is not raw text. It returns where in the text the HEAD ends, or
// a frameset begins to be ignored, or -1 if neither happens. The only text that may
// stand in the HEAD is white space.
func (h *head) text(raw []byte) int {
	at := -1
	if i := skipNothing(raw); i < len(raw) && h.frameset == framesetOK {
		h.frameset, at = framesetIgnored, i
	}
	if i := skipBlank(raw); i < len(raw) && h.template == 0 && !h.ended {
		h.ended, at = true, i
	}
	return at
}

// characterData is text for the content of a CDATA section.
func (h *head) characterData(text []byte) int {
	i := bytes.IndexFunc(text, func(c rune) bool { return c != 0 && (c > ' ' || !ascii.IsSpace(byte(c))) })
	if i >= 0 && h.frameset == framesetOK {
		h.frameset = framesetIgnored
		return i
	}
	return -1
}

// skipNothing returns the length of the white space and NULs at the start of raw. They
// are not content: a frameset may follow them.
func skipNothing(raw []byte) int {
	i := 0
	for {
		i += skipBlank(raw[i:])
		if i == len(raw) || raw[i] != 0 {
			return i
		}
		i++
	}
}

// startTag follows the start tag t of an element. It reports whether the element counts
// in the place where it stands, if it is a BASE. b begins at the tag's "<".
func (h *head) startTag(el *Element, ns Namespace, t *Tag, b []byte) bool {
	if ns == NsHTML {
		h.content(el, t, b)
	}
	switch {
	case h.settled():
		return false
	case h.template > 0:
		if el.Atom == atom.Template && ns == NsHTML {
			h.template++
		}
		return false
	case el.Atom == atom.Template && ns == NsHTML:
		h.template = 1
	case el.kind&inHead == 0, el.Atom == atom.Noscript && h.closed:
		h.ended = true
	}
	return ns == NsHTML && !h.settled()
}

// content takes note of what a start tag means for a frameset, now or later.
func (h *head) content(el *Element, t *Tag, b []byte) {
	switch {
	case h.frameset == framesetOpen:
	case el.Atom == atom.Frameset:
		if h.frameset == framesetOK && h.ended || !h.ended && h.template == 0 {
			h.frameset = framesetOpen
		}
	case el.kind&noFrameset != 0 && !t.isHidden(el, b):
		h.frameset = framesetIgnored
	}
}

// isHidden reports whether the tag is an input of type hidden, which is not content.
func (t *Tag) isHidden(el *Element, b []byte) bool {
	if el.start != startInput {
		return false
	}
	raw, _ := t.Value(b, "type")
	return ascii.EqualFold(charref.AppendDecoded(nil, raw, nil), "hidden")
}

// endTag follows an end tag. ns is the namespace of the element that it closes.
func (h *head) endTag(el *Element, ns Namespace) {
	if ns != NsHTML {
		return
	}
	switch el.Atom {
	case atom.Template:
		h.template = max(h.template-1, 0)
	case atom.Head:
		h.closed = h.closed || h.template == 0
	case atom.Body, atom.Html, atom.Br:
		h.ended = h.ended || h.template == 0
		if el.Atom == atom.Br && h.frameset == framesetOK {
			h.frameset = framesetIgnored
		}
	}
}

// skipBlank returns the length of the white space at the start of raw. Character
// references to white space are part of that.
func skipBlank(raw []byte) int {
	i := 0
	for i < len(raw) {
		if raw[i] == '&' {
			c, n := charref.AppendReference(nil, raw[i:min(len(raw), i+charref.MaxReference)])
			if n == 0 || len(c) != 1 || !ascii.IsSpace(c[0]) {
				return i
			}
			i += n
			continue
		}
		if !ascii.IsSpace(raw[i]) {
			return i
		}
		i++
	}
	return i
}

// maxSaved is the length up to which a comment can be a commentToken. The comments that
// matter, in which browsers and savers leave the URL of a page, hold little else.
const maxSaved = 9 << 10
