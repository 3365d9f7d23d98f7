package rewriter

import (
	"bytes"
	"errors"

	"absolink/resolver"
)

// A BaseSource is the layer of RFC 1808 §3 that a base URL came from.
type BaseSource uint8

const (
	NoBase       BaseSource = iota // none is known (§3.4)
	OuterBase                      // the caller's: retrieval URL or encapsulating entity (§3.3, §3.2)
	EmbeddedBase                   // the BASE element in the HEAD of the document (§3.1)
)

// String returns "none", "outer" or "embedded".
func (s BaseSource) String() string {
	return [...]string{"none", "outer", "embedded"}[s]
}

// A head follows tokens to the end of the HEAD portion of a document, with or
// without its tags, to know which BASE counts (RFC 1808, Appendix; HTML
// Standard §13.2.6.4.3 to §13.2.6.4.6).
type head struct {
	ended    bool
	closed   bool // </head> was there
	template int  // depth of open templates: a BASE in one does not count
}

// text follows text that is not raw text. Only white space may stand in the
// HEAD.
func (h *head) text(raw []byte) {
	if h.template == 0 && !isBlank(raw) {
		h.ended = true
	}
}

// startTag follows a start tag and reports whether, if it is a BASE, it counts.
func (h *head) startTag(name []byte, k kind) bool {
	switch {
	case h.template > 0:
		if string(name) == "template" {
			h.template++
		}
		return false
	case k&inHead == 0:
		h.ended = true
	case string(name) == "template":
		h.template = 1
	case string(name) == "noscript" && h.closed:
		h.ended = true
	}
	return !h.ended
}

func (h *head) endTag(name []byte) {
	switch string(name) {
	case "template":
		h.template = max(h.template-1, 0)
	case "head":
		h.closed = h.closed || h.template == 0
	case "body", "html", "br":
		h.ended = h.ended || h.template == 0
	}
}

// isBlank reports whether text is white space once its character references
// are decoded.
func isBlank(raw []byte) bool {
	for i := 0; i < len(raw); {
		if raw[i] == '&' {
			s, n := appendReference(nil, raw[i:])
			if n == 0 || len(s) != 1 || !isSpace(s[0]) {
				return false
			}
			i += n
			continue
		}
		if !isSpace(raw[i]) {
			return false
		}
		i++
	}
	return true
}

// embed returns the base URL that a BASE element gives whose href is ref, on
// the outer base. The error says why it gives none. A base that is absolute
// and no hierarchy, about:blank or mailto:x, is of use to no relative
// reference, and its error is resolver.ErrOpaqueBase; with any other the outer
// base stays in force, as it does for data: and javascript: (HTML Standard
// §2.4.1 and §4.2.3).
func embed(ref []byte, outer *resolver.Base, p resolver.Profile) (*resolver.Base, error) {
	if len(ref) == 0 {
		return outer, nil
	}
	for _, scheme := range []string{"data:", "javascript:"} {
		if len(ref) >= len(scheme) && equalFold(ref[:len(scheme)], scheme) {
			return nil, errors.New("BASE with a " + scheme + " URL: the retrieval URL is the base")
		}
	}
	var b *resolver.Base
	var err error
	if outer != nil {
		b, err = outer.Join(string(ref))
	} else {
		b, err = resolver.ParseBase(string(ref), p)
	}
	if err == nil && b.IsOpaque() {
		err = &resolver.Error{Profile: p, Base: b.String(), Err: resolver.ErrOpaqueBase}
	}
	return b, err
}

var tagBase = []byte("base")

func isBase(name []byte) bool { return bytes.Equal(name, tagBase) }
