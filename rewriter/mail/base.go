package mail

import (
	"fmt"

	"absolink/internal/media"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// baseFields are the fields that give a base, in the order in which they count.
var baseFields = []string{"Base", "Content-Base", "Content-Location", "Snapshot-Content-Location"}

// A scope is what an entity inherits.
type scope struct {
	base       rewriter.Base // what relative references are resolved against
	overridden rewriter.Base // the base that there would be without base
	message    int64         // the offset of the message that the entity is in
	http       bool          // the entity is a message of HTTP
	attached   bool          // what the entity is in was attached
	depth      int
}

// enter returns the scope inside an entity. If several fields of one name give no base,
// Warn is told of the first.
func (w *walk) enter(h *header, outer scope) scope {
	told := ""
	found := w.given(h, outer.base.URL, func(f field, err error) {
		if told != f.name {
			w.warn(f.offset, err)
			told = f.name
		}
	})
	outer.depth++
	if found = append(found, outer.base, outer.overridden); len(found) > 2 {
		outer.base, outer.overridden = found[0], found[1]
	}
	return outer
}

// given returns the bases that a header gives, at most one for each name, in the order in
// which they count. The first of them is the base of the entity, and the base of the relative
// URLs in the fields after it (RFC 1808 §3.1); before it, outer is. outer is the base of the
// enclosing entity. tell is told of a field with which something is wrong.
func (w *walk) given(h *header, outer *resolver.Base, tell func(field, error)) (found []rewriter.Base) {
	for _, name := range baseFields {
		for _, f := range h.fields {
			if f.name != name {
				continue
			}
			b, err := w.base(name, f.value, outer)
			if err != nil {
				tell(f, err)
			}
			if b != nil {
				if len(found) == 0 {
					outer = b
				}
				found = append(found, rewriter.Base{URL: b, Source: rewriter.EntityBase, Name: name, Offset: f.offset})
				break
			}
		}
	}
	return found
}

// base returns the base URL that the value of a field gives, as
// [container.ParseBaseField] does. Encoded words are decoded. Every base that comes
// from a message is made here.
func (w *walk) base(field, value string, outer *resolver.Base) (*resolver.Base, error) {
	if len(value) > maxValue {
		return nil, fmt.Errorf("%s gives no base: %w", field, rewriter.ErrLongBase)
	}
	return container.ParseBaseField(w.bases, outer, field, media.DecodeWords(value))
}
