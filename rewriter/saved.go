package rewriter

import (
	"bytes"
	"errors"
	"regexp"

	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/syntax"
)

// A savedMark is the comment in which a program that saves pages writes where a page
// came from.
type savedMark struct {
	name    string
	start   string         // what the comment begins with, in lower case
	pattern *regexp.Regexp // what comes after that; its submatch is the URL
	scheme  string         // of a URL that the program writes without one
}

// savedMarks count in comments before the body.
var savedMarks = []savedMark{
	{"saved from url", "saved from url=", regexp.MustCompile(`^\(\d{1,9}\)(\S+)\s*$`), ""}, // Chromium, Edge, Internet Explorer
	{"SingleFile", "page saved with singlefile", regexp.MustCompile(`^\s+url: *(\S+)`), ""},
	{"monolith", "saved from ", regexp.MustCompile(`^(\S+) at \S+ using monolith\b`), ""},
	{"HTTrack", "mirrored from ", regexp.MustCompile(`^(\S+) by HTTrack\b`), "http://"},
}

// A canonical is an element that names the URL of the document.
type canonical struct{ name, element, kind, token, url string }

var canonicals = []canonical{
	{"link rel=canonical", "link", "rel", "canonical", "href"},
	{"og:url", "meta", "property", "og:url", "content"},
}

// is reports whether the value of the attribute c.kind makes the element a canonical.
func (c *canonical) is(kind []byte) bool {
	for token := range bytes.FieldsSeq(kind) {
		if ascii.EqualFold(token, c.token) {
			return true
		}
	}
	return false
}

// savedFrom reads a comment before the body, at offset in the input. The first comment
// with a URL counts.
func (e *engine) savedFrom(comment []byte, offset int64) {
	if e.overridden.URL != nil || e.outer.Source == SavedBase {
		return
	}
	comment = bytes.TrimLeft(comment, " \t\n\f\r")
	for _, mark := range savedMarks {
		if !ascii.HasPrefixFold(comment, mark.start) {
			continue
		}
		m := mark.pattern.FindSubmatch(comment[len(mark.start):])
		if m == nil {
			continue
		}
		url := string(m[1])
		if !bytes.Contains(m[1], []byte("://")) {
			url = mark.scheme + url
		}
		if b := e.retrievalURL(url, offset); b != nil {
			e.adopt(Base{b, SavedBase, mark.name, offset})
		}
		return
	}
}

// retrievalURL returns the base that the document's own URL gives, or nil. The document
// says that URL at offset in the input. Only ASCII counts.
func (e *engine) retrievalURL(url string, offset int64) *resolver.Base {
	for i := range len(url) {
		if url[i] <= ' ' || url[i] >= 0x7f {
			return nil
		}
	}
	b, err := e.rw.ParseBase(url)
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
	t := e.context.Tag()
	e.readCanonical(el.Name, e.inputOffset(e.tagOffset()), func(name string) ([]byte, error) {
		if t.IsLong(e.buf[t.Start:], name) {
			return nil, ErrLongBase
		}
		value, _ := e.attr(name, t.Pos)
		return value, nil
	})
}

// readCanonical takes note of the URL in an element before the body, at offset in the
// input, if the element is a canonical. The first URL counts.
func (e *engine) readCanonical(element string, offset int64, attr func(name string) ([]byte, error)) {
	if !e.rw.Canonical || e.canonical.URL != nil {
		return
	}
	for _, c := range canonicals {
		if c.element != element {
			continue
		}
		if kind, err := attr(c.kind); err != nil || !c.is(kind) {
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
