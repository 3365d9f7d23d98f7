package rewriter

// A Place is where a URL is written in a document.
type Place struct {
	Offset  int64  // of Raw, in bytes from the start of the input; -1 in a tree
	Element string // in lower case
	Attr    string // in lower case; "" for the text of the element
	Rule    *Rule  // a copy of the rule that picked it
	Rel     string // the element's rel

	Document *Document // that it stands in, where that is one of a container
	Raw      string    // the reference as it stands in the document, or in the value that a tree has
	Ref      string    // the reference: Raw decoded and trimmed

	// URL is the absolute form of Ref, and Ref itself where that is absolute
	// already. It is empty where Ref has no absolute form, and where it is
	// none that counts: no base is known, or the value's meaning is local.
	URL string
	Err error // why Ref has no absolute form; ErrNoBase where that is for want of a base
}
