package markup

import (
	"bytes"

	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
)

// A head follows tokens to the end of the HEAD portion of a document, with or
// without its tags, to know which BASE counts (RFC 1808, Appendix; HTML
// Standard §13.2.6.4.3 to §13.2.6.4.6), and on until it is known whether the
// document has a frameset instead of a body.
type head struct {
	ended    bool
	closed   bool     // </head> was there
	template int      // depth of open templates: a BASE in one does not count
	frameset frameset // what a frameset start tag means
	whole    bool     // a BASE after the HEAD counts as well
}

type frameset uint8

const (
	framesetOK      frameset = iota // it takes the place of the body
	framesetIgnored                 // in the body: content came before it
	framesetOpen                    // it did: elements but its own are ignored from here on
)

// done reports whether tokens make no difference any more.
func (h *head) done() bool { return h.settled() && h.frameset != framesetOK }

// settled reports whether no BASE can come any more that counts.
func (h *head) settled() bool { return h.ended && (!h.whole || h.frameset == framesetOpen) }

// mayReplace reports whether a frameset may still take the place of a body that
// has begun, and take a BASE in it away.
func (h *head) mayReplace() bool { return h.ended && h.frameset == framesetOK }

// text follows text that is not raw text, and returns from where in it the HEAD
// has ended or a frameset is ignored, or -1. Only white space may stand in the
// HEAD.
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

// characterData follows the text of a CDATA section.
func (h *head) characterData(text []byte) int {
	i := bytes.IndexFunc(text, func(c rune) bool { return c != 0 && (c > ' ' || !ascii.IsSpace(byte(c))) })
	if i >= 0 && h.frameset == framesetOK {
		h.frameset = framesetIgnored
		return i
	}
	return -1
}

// skipNothing returns the length of the white space and NULs that text begins
// with, which are no content.
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

// startTag follows the start tag t of an element and reports whether, if it is a
// BASE, it counts; b begins at its "<".
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

// content follows what a start tag means for a frameset.
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

// isHidden reports what makes an input no content.
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

// skipBlank returns the length of the white space that text begins with,
// character references decoded.
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

// maxSaved is the length up to which a comment is read as one of them: each has
// little but a URL.
const maxSaved = 9 << 10
