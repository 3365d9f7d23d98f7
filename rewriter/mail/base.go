package mail

import (
	"errors"
	"fmt"
	"mime"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
)

// baseFields are the fields that give a base, the first first.
var baseFields = []string{"Base", "Content-Base", "Content-Location", "Snapshot-Content-Location"}

// A scope is what an entity inherits.
type scope struct {
	layer, over rewriter.Layer
	message     int64 // the offset of the message that it is in
	depth       int
}

// maxURL is the length up to which the URL in a field counts, as that of a BASE.
const maxURL = 8 << 10

var errLongURL = errors.New("a URL of more than 8 KiB")

// enter returns the scope of what is in an entity.
func (w *walk) enter(h *header, outer scope) scope {
	layers := []rewriter.Layer{}
	for _, name := range baseFields {
		for _, f := range h.fields {
			if f.name != name {
				continue
			}
			b, err := w.base(name, f.value, outer.layer.Base)
			if err != nil {
				w.warn(f.offset, fmt.Errorf("%s gives no base: %w", name, err))
			}
			if b != nil {
				layers = append(layers, rewriter.Layer{Base: b, Source: rewriter.EntityBase, Name: name, Offset: f.offset})
				break
			}
		}
	}
	outer.depth++
	if layers = append(layers, outer.layer, outer.over); len(layers) > 2 {
		outer.layer, outer.over = layers[0], layers[1]
	}
	return outer
}

// base returns the base URL that the value of a field gives on that of the
// enclosing entity; nil where it gives none.
func (w *walk) base(field, value string, outer *resolver.Base) (*resolver.Base, error) {
	url := urlIn(value)
	isName := strings.HasSuffix(field, "Location")
	switch {
	case url == "":
		return nil, nil
	case len(url) > maxURL:
		return nil, errLongURL
	case w.profile != resolver.WHATWG && strings.Contains(url, `\`):
		return nil, fmt.Errorf("%q has a backslash, which no URL has", url)
	}
	b, err := resolver.ParseBaseOn(outer, url, w.profile)
	switch {
	case errors.Is(err, resolver.ErrOpaqueBase) && isName, errors.Is(err, resolver.ErrNotAbsolute) && isName && outer == nil:
		return nil, nil
	case err != nil:
		return nil, err
	case b.IsOpaque() && isName:
		return nil, nil
	case b.IsOpaque():
		return nil, &resolver.Error{Profile: w.profile, Base: url, Err: resolver.ErrOpaqueBase}
	}
	return b, nil
}

// urlIn returns the URL in the value of a field: without white space, which
// folding brings in (RFC 1808 §3.1, RFC 2557 §4.4), without the brackets and
// the "URL:" of RFC 1808, or quotes; encoded words decoded.
func urlIn(value string) string {
	if strings.Contains(value, "=?") {
		if decoded, err := new(mime.WordDecoder).DecodeHeader(value); err == nil {
			value = decoded
		}
	}
	url := strings.Join(strings.Fields(value), "")
	if inner, ok := strings.CutPrefix(url, "<"); ok {
		url, _, _ = strings.Cut(inner, ">")
		if len(url) >= len("URL:") && strings.EqualFold(url[:len("URL:")], "URL:") {
			url = url[len("URL:"):]
		}
	}
	return strings.Trim(url, `"`)
}
