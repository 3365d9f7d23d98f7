package rewriter

import "io"

// A Source is a document with what its transport says of it. Its encoding is
// that of its byte order mark, else Charset, else that of a meta in its first
// 1024 bytes (HTML Standard §13.2.3.2).
type Source struct {
	io.Reader
	Charset string // the charset parameter of the HTTP Content-Type; "" where there is none

	// At maps an offset in the document, up to its length, to an offset in its container.
	// All offsets that the caller sees are results of At, except for those of a [Splicer].
	// nil is for a document that is not in a container.
	At func(offset int64) int64

	Document *Document // becomes Place.Document; nil is for a document that is not in a container
}

// unwrap returns the reader in a Source, and what the outermost that says it
// says of it, if src is one.
func unwrap(src io.Reader) (r io.Reader, of Source) {
	for {
		var s Source
		switch src := src.(type) {
		case Source:
			s = src
		case *Source:
			s = *src
		default:
			return src, of
		}
		if src = s.Reader; of.Charset == "" {
			of.Charset = s.Charset
		}
		if of.At == nil {
			of.At = s.At
		}
		if of.Document == nil {
			of.Document = s.Document
		}
	}
}
