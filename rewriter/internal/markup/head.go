package markup

import (
	"bytes"

	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
)

// A Head follows tokens to the end of the HEAD portion of a document, with or
// without its tags, to know which BASE counts (RFC 1808, Appendix; HTML
// Standard §13.2.6.4.3 to §13.2.6.4.6), and on until it is known whether the
// document has a frameset instead of a body.
type Head struct {
	Ended    bool
	closed   bool     // </head> was there
	Template int      // depth of open templates: a BASE in one does not count
	Frameset frameset // what a frameset start tag means
	Whole    bool     // a BASE after the HEAD counts as well
}

type frameset uint8

const (
	framesetOK      frameset = iota // it takes the place of the body
	FramesetIgnored                 // in the body: content came before it
	FramesetOpen                    // it did: elements but its own are ignored from here on
)

// Done reports whether tokens make no difference any more.
func (h *Head) Done() bool { return h.Settled() && h.Frameset != framesetOK }

// Settled reports whether no BASE can come any more that counts.
func (h *Head) Settled() bool { return h.Ended && (!h.Whole || h.Frameset == FramesetOpen) }

// MayReplace reports whether a frameset may still take the place of a body that
// has begun, and take a BASE in it away.
func (h *Head) MayReplace() bool { return h.Ended && h.Frameset == framesetOK }

// Text follows text that is not raw text, and returns from where in it the HEAD
// has ended or a frameset is ignored, or -1. Only white space may stand in the
// HEAD.
func (h *Head) Text(raw []byte) int {
	at := -1
	if i := skipNothing(raw); i < len(raw) && h.Frameset == framesetOK {
		h.Frameset, at = FramesetIgnored, i
	}
	if i := skipBlank(raw); i < len(raw) && h.Template == 0 && !h.Ended {
		h.Ended, at = true, i
	}
	return at
}

// CharacterData follows the text of a CDATA section.
func (h *Head) CharacterData(text []byte) int {
	i := bytes.IndexFunc(text, func(c rune) bool { return c != 0 && (c > ' ' || !ascii.IsSpace(byte(c))) })
	if i >= 0 && h.Frameset == framesetOK {
		h.Frameset = FramesetIgnored
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

// StartTag follows the start tag t of an element and reports whether, if it is a
// BASE, it counts; b begins at its "<".
func (h *Head) StartTag(el *Element, ns Namespace, t *Tag, b []byte) bool {
	if ns == NsHTML {
		h.content(el, t, b)
	}
	switch {
	case h.Settled():
		return false
	case h.Template > 0:
		if el.Atom == atom.Template && ns == NsHTML {
			h.Template++
		}
		return false
	case el.Atom == atom.Template && ns == NsHTML:
		h.Template = 1
	case el.Kind&inHead == 0, el.Atom == atom.Noscript && h.closed:
		h.Ended = true
	}
	return ns == NsHTML && !h.Settled()
}

// content follows what a start tag means for a frameset.
func (h *Head) content(el *Element, t *Tag, b []byte) {
	switch {
	case h.Frameset == FramesetOpen:
	case el.Atom == atom.Frameset:
		if h.Frameset == framesetOK && h.Ended || !h.Ended && h.Template == 0 {
			h.Frameset = FramesetOpen
		}
	case el.Kind&noFrameset != 0 && !t.isHidden(el, b):
		h.Frameset = FramesetIgnored
	}
}

// isHidden reports what makes an input no content.
func (t *Tag) isHidden(el *Element, b []byte) bool {
	if el.Start != startInput {
		return false
	}
	raw, _ := t.Value(b, "type")
	return ascii.EqualFold(charref.AppendDecoded(nil, raw, nil), "hidden")
}

// EndTag follows an end tag. ns is the namespace of the element that it closes.
func (h *Head) EndTag(el *Element, ns Namespace) {
	if ns != NsHTML {
		return
	}
	switch el.Atom {
	case atom.Template:
		h.Template = max(h.Template-1, 0)
	case atom.Head:
		h.closed = h.closed || h.Template == 0
	case atom.Body, atom.Html, atom.Br:
		h.Ended = h.Ended || h.Template == 0
		if el.Atom == atom.Br && h.Frameset == framesetOK {
			h.Frameset = FramesetIgnored
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

// MaxSaved is the length up to which a comment is read as one of them: each has
// little but a URL.
const MaxSaved = 9 << 10
