package rewriter

// A Place is where a URL is written in a document.
type Place struct {
	Offset  int64  // of Raw, in bytes from the start of the input; -1 in a tree
	Element string // in lower case
	Attr    string // in lower case; "" for the text of the element
	Rule    *Rule  // the rule that makes it a place; all runs share it, and it must not be changed
	Rel     string // the value of the element's rel
	Text    string // with Hooks.Text, of the href of a link: its text, or the beginning

	Document *Document // the document that the place is in, as a part of its container; nil without a container
	Raw      string    // the reference as it stands in the document, or in a value of the tree
	Ref      string    // the reference: Raw decoded and trimmed

	// URL is the absolute form of Ref, or Ref itself if that is absolute already. In the
	// WHATWG profile its query is in the encoding of the document, percent-encoded. URL is
	// "" if the value stays: Ref has no absolute form, no base is known, or the value
	// means the same whatever the base is ([Local]), or is kept.
	URL string
	Err error // why Ref has no absolute form; ErrNoBase if no base is known, ErrKept if it is kept

	shownAttrs *shownAttrs
}

// shownAttrs read the attributes of the element while its place is shown, and are zero afterwards:
// copies of the place lead here, too.
type shownAttrs struct {
	of  *tags
	tag *shownTag
}

// Attribute returns the value of an attribute of the element, decoded. The name is in lower
// case. Attribute may be called while Visit and Unresolvable are; after that, ok is false. It is
// also false if the element lacks the attribute, for places in the text of an element, and for
// the URLs of a feed itself. A tag of more than 64 KiB may be known only in part.
func (p *Place) Attribute(name string) (value string, ok bool) {
	value, ok = p.Attributes()[name]
	return value, ok
}

// Attributes returns all that Attribute knows, by name; nil where it knows none. The places of a
// tag share the map, which must not be changed.
func (p *Place) Attributes() map[string]string {
	if p.shownAttrs == nil || p.shownAttrs.of == nil {
		return nil
	}
	return p.shownAttrs.of.shownValues(p.shownAttrs.tag)
}
