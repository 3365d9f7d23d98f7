package rewriter

// A Place is where a URL is written in a document.
type Place struct {
	Offset  int64  // of Raw, in bytes from the start of the input; -1 in a tree
	Element string // in lower case
	Attr    string // in lower case; "" for the text of the element
	Rule    *Rule  // a copy of the rule that picked it
	Rel     string // the element's rel

	Document *Document // the document of a container that the place is in; nil without a container
	Raw      string    // the reference as it stands in the document, or in the value that a tree has
	Ref      string    // the reference: Raw decoded and trimmed

	// URL is the absolute form of Ref, or Ref itself if it is absolute already. It is
	// "" if the value stays: Ref has no absolute form, no base is known, or the value
	// means the same whatever the base is ([Local]).
	URL string
	Err error // why Ref has no absolute form; ErrNoBase if no base is known
}
