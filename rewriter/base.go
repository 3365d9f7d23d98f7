package rewriter

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/net/html/atom"

	"absolink/resolver"
)

// A BaseSource is the layer of RFC 1808 §3 that a base URL came from.
type BaseSource uint8

const (
	NoBase       BaseSource = iota // none is known (§3.4)
	OuterBase                      // the caller's: retrieval URL or encapsulating entity (§3.3, §3.2)
	EmbeddedBase                   // the BASE element in the HEAD of the document (§3.1)
	EntityBase                     // a header or element of what the document stands in (§3.2)
	SavedBase                      // the retrieval URL that a program left in the document that it saved (§3.3)
)

// String returns "none", "outer", "embedded", "entity" or "saved".
func (s BaseSource) String() string {
	return [...]string{"none", "outer", "embedded", "entity", "saved"}[s]
}

// A Base is the base URL of a document, and where it came from.
type Base struct {
	URL    *resolver.Base // nil is none
	Source BaseSource
	Name   string // of what has it: "BASE", or a header; "" for the caller's
	Offset int64  // of that in the input, in bytes; -1 in a tree
}

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
	i := bytes.IndexFunc(text, func(c rune) bool { return c != 0 && (c > ' ' || !isSpace(byte(c))) })
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
func (h *head) startTag(el *element, ns namespace, t *tag, b []byte) bool {
	if ns == nsHTML {
		h.content(el, t, b)
	}
	switch {
	case h.settled():
		return false
	case h.template > 0:
		if el.atom == atom.Template && ns == nsHTML {
			h.template++
		}
		return false
	case el.atom == atom.Template && ns == nsHTML:
		h.template = 1
	case el.kind&inHead == 0, el.atom == atom.Noscript && h.closed:
		h.ended = true
	}
	return ns == nsHTML && !h.settled()
}

// content follows what a start tag means for a frameset.
func (h *head) content(el *element, t *tag, b []byte) {
	switch {
	case h.frameset == framesetOpen:
	case el.atom == atom.Frameset:
		if h.frameset == framesetOK && h.ended || !h.ended && h.template == 0 {
			h.frameset = framesetOpen
		}
	case el.kind&noFrameset != 0 && !t.isHidden(el, b):
		h.frameset = framesetIgnored
	}
}

// isHidden reports what makes an input no content.
func (t *tag) isHidden(el *element, b []byte) bool {
	if el.start != startInput {
		return false
	}
	raw, _ := t.value(b, "type")
	return equalFold(appendDecoded(nil, raw, nil), "hidden")
}

// endTag follows an end tag. ns is the namespace of the element that it closes.
func (h *head) endTag(el *element, ns namespace) {
	if ns != nsHTML {
		return
	}
	switch el.atom {
	case atom.Template:
		h.template = max(h.template-1, 0)
	case atom.Head:
		h.closed = h.closed || h.template == 0
	case atom.Body, atom.Html, atom.Br:
		h.ended = h.ended || h.template == 0
		if el.atom == atom.Br && h.frameset == framesetOK {
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
			c, n := appendReference(nil, raw[i:min(len(raw), i+maxReference)])
			if n == 0 || len(c) != 1 || !isSpace(c[0]) {
				return i
			}
			i += n
			continue
		}
		if !isSpace(raw[i]) {
			return i
		}
		i++
	}
	return i
}

// embed returns the base URL that a BASE element gives whose href is ref, on
// the outer base. The error says why it gives none, and the outer base then
// stays in force, as it does for data: and javascript: (HTML Standard §2.4.1
// and §4.2.3); but one that is resolver.ErrOpaqueBase is a base all the same,
// about:blank or mailto:x, and of use to no relative reference. A user and a
// password stay: the document tells them to everybody as it is.
func embed(ref []byte, outer *resolver.Base, p resolver.Profile) (*resolver.Base, error) {
	if len(ref) == 0 {
		return outer, nil
	}
	b, err := parseBaseOn(outer, string(ref), p)
	switch {
	case errors.Is(err, ErrLongBase), errors.Is(err, ErrScriptBase):
		return nil, fmt.Errorf("BASE: %w", err)
	case err == nil && b.IsOpaque():
		err = &resolver.Error{Profile: p, Base: b.String(), Err: resolver.ErrOpaqueBase}
	}
	return b, err
}
