package rewriter

// Hooks are told what runs find, while they go on. Each may be nil, and then takes no time.
// A run over one document calls them one at a time, in the goroutine of its caller. Packages
// tree, warc and web say which goroutines call theirs.
type Hooks struct {
	// Visit is called for every place in document order, after p is resolved and
	// before it is written. Visit may change p.URL, which is what is written; bytes in
	// it that are not UTF-8 are percent-encoded. "" keeps the value as it is. An error
	// ends the run. After a panic that the caller recovers, a Reader or Writer of the run
	// returns an error and writes nothing more; the Rewriter can be used again. p is valid only during
	// the call.
	Visit func(p *Place) error

	// Unresolvable is called for every place whose reference has no absolute form;
	// p.Err says why. If no base is known, it is called for relative references, which
	// Result counts under Left. Unlike Visit, it takes no time for other places.
	Unresolvable func(p *Place)

	// Warn is told of what is wrong with the document or its container, other than with one
	// place: a BASE that cannot be a base, a limit that was reached. An err that is a
	// [*LimitError] names the limit. The run goes on. The offset is in bytes from the start
	// of the input.
	Warn func(offset int64, err error)

	// Begin is told of each document in a container before it is rewritten, and End after that,
	// even if reading or writing failed: of the parts of a message, the entries of a feed and
	// the like. They are not told of a document that Rewrite is given as it is.
	Begin, End func(d *Document)

	// Text sets Place.Text to the text of a link: what stands between the tags of an a,
	// with the alt of each img there, or the alt of an area. It is the first 200
	// characters, in UTF-8, with one space for each stretch of white space, and is looked
	// for in the 8 KiB after the start tag. Where an a has no end tag, the text ends at
	// the next a. A start tag of more than 64 KiB and an element of a tree get none.
	Text bool
}
