package mail

import (
	"errors"
	"fmt"
	"strings"

	"absolink/internal/media"
	"absolink/resolver"
	"absolink/rewriter"
)

// baseFields are the fields that give a base, in the order in which they count.
var baseFields = []string{"Base", "Content-Base", "Content-Location", "Snapshot-Content-Location"}

// A scope is what an entity inherits.
type scope struct {
	base       rewriter.Base // what relative references are resolved against
	overridden rewriter.Base // the base that there would be without base
	message    int64         // the offset of the message that the entity is in
	depth      int
}

var errSpace = errors.New("white space inside the URL; write it as %20")

// enter returns the scope inside an entity. If several fields of one name give no base,
// Warn is told of the first.
func (w *walk) enter(h *header, outer scope) scope {
	found := []rewriter.Base{}
	for _, name := range baseFields {
		told := false
		for _, f := range h.fields {
			if f.name != name {
				continue
			}
			b, err := w.base(name, f.value, outer.base.URL)
			if err != nil && !told {
				what := name + " gives no base"
				if b != nil {
					what = name
				}
				w.warn(f.offset, fmt.Errorf("%s: %w", what, err))
				told = true
			}
			if b != nil {
				found = append(found, rewriter.Base{URL: b, Source: rewriter.EntityBase, Name: name, Offset: f.offset})
				break
			}
		}
	}
	outer.depth++
	if found = append(found, outer.base, outer.overridden); len(found) > 2 {
		outer.base, outer.overridden = found[0], found[1]
	}
	return outer
}

// base returns the base URL that the value of a field gives on outer, the base of the
// enclosing entity; nil if it gives none. As in [rewriter.Rewriter.ParseBase] there
// may be both a base and an error. Every base that comes from a message is made here.
func (w *walk) base(field, value string, outer *resolver.Base) (*resolver.Base, error) {
	url, err := urlIn(value)
	isName := strings.HasSuffix(field, "Location")
	switch {
	case err != nil:
		return nil, err
	case url == "":
		return nil, nil
	case w.bases.Profile != resolver.WHATWG && strings.Contains(url, `\`):
		return nil, fmt.Errorf("%q has a backslash, which no URL has", url)
	}
	b, err := w.bases.ParseBaseOn(outer, url)
	switch {
	case errors.Is(err, resolver.ErrOpaqueBase) && isName, errors.Is(err, resolver.ErrNotAbsolute) && isName && outer == nil:
		return nil, nil
	case b.IsOpaque() && isName:
		return nil, nil
	case b.IsOpaque():
		return nil, &resolver.Error{Profile: w.bases.Profile, Base: url, Err: resolver.ErrOpaqueBase}
	}
	return b, err
}

// urlIn returns the URL in the value of a field, as a string that does not keep the
// value in memory. Encoded words are decoded. White space and quotes around the URL are
// ignored, and so are the brackets and the "URL:" of RFC 1808, with the white space
// inside the brackets (§3.1).
func urlIn(value string) (string, error) {
	if len(value) > maxValue {
		return "", rewriter.ErrLongBase
	}
	url := strings.TrimSpace(media.DecodeWords(value))
	if inner, ok := strings.CutPrefix(url, "<"); ok {
		url, _, _ = strings.Cut(inner, ">")
		url = strings.Join(strings.Fields(url), "")
		if len(url) >= len("URL:") && strings.EqualFold(url[:len("URL:")], "URL:") {
			url = url[len("URL:"):]
		}
	}
	url = strings.Trim(url, `"`)
	switch {
	case len(url) > rewriter.MaxBase:
		return "", rewriter.ErrLongBase
	case strings.ContainsAny(url, " \t\r\n\v\f"):
		return "", errSpace
	}
	return strings.Clone(url), nil
}
