package rewriter

import (
	"errors"
	"strings"

	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/saver"
	"absolink/rewriter/internal/syntax"
)

// A canonicalPlace is an element that names the URL of the document.
type canonicalPlace struct{ name, element, kind, token, url string }

var canonicals = []canonicalPlace{
	{"link rel=canonical", "link", "rel", "canonical", "href"},
	{"og:url", "meta", "property", "og:url", "content"},
}

// headComment follows a comment before the body.
func (e *engine) headComment() {
	start, end := e.context.Comment()
	e.savedFrom(e.buf[start:end], e.inputOffset(e.offsetOf(start-len("<!--"))))
}

// savedFrom reads a comment before the body, at offset in the input. The first comment
// with a URL counts.
func (e *engine) savedFrom(comment []byte, offset int64) {
	if e.decided || e.overridden.URL != nil || e.outer.Source == SavedBase {
		return
	}
	if url, name := saver.URL(comment); url != "" {
		if b := e.retrievalURL(url, offset); b != nil {
			e.adopt(Base{b, SavedBase, name, offset})
		}
	}
}

// retrievalURL returns the base that the document's own URL gives, or nil. The document
// says that URL at offset in the input. Only ASCII counts.
func (e *engine) retrievalURL(url string, offset int64) *resolver.Base {
	if strings.ContainsFunc(url, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil
	}
	b, err := outerBase(nil, url, e.set.Profile)
	if errors.Is(err, ErrLongBase) || errors.Is(err, ErrScriptBase) || errors.Is(err, ErrCredentials) {
		e.warnOf(offset, err)
	}
	if b == nil || b.IsOpaque() {
		return nil
	}
	return b
}

// canonicalTag is readCanonical for the start tag that was followed.
func (e *engine) canonicalTag(el *markup.Element) {
	if !e.wantsCanonical() { // an offset may take long to find
		return
	}
	t := e.context.Tag()
	e.readCanonical(el.Name, e.inputOffset(e.tagOffset()), func(name string) ([]byte, error) {
		if a := t.Attr(e.buf[t.Start:], name); a != nil && a.Long {
			return nil, ErrLongBase
		}
		value, _ := e.attr(name, t.Pos)
		return value, nil
	})
}

// wantsCanonical reports whether a canonical would still count.
func (o *outcomes) wantsCanonical() bool { return o.set.Canonical && o.canonical.URL == nil }

// readCanonical takes note of the URL in an element before the body, at offset in the
// input, if the element is a canonical. The first URL counts.
func (e *engine) readCanonical(element string, offset int64, attr func(name string) ([]byte, error)) {
	if !e.wantsCanonical() {
		return
	}
	for _, c := range canonicals {
		if c.element != element {
			continue
		}
		if kind, err := attr(c.kind); err != nil || !ascii.HasToken(kind, c.token) {
			continue
		}
		value, err := attr(c.url)
		switch {
		case err != nil:
			e.warnOf(offset, err)
		case syntax.IsDangling(value):
		default:
			if b := e.retrievalURL(string(syntax.TrimURL(value)), offset); b != nil {
				e.canonical = Base{b, SavedBase, c.name, offset}
			}
		}
	}
}
