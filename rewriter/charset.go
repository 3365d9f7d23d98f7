package rewriter

import (
	"cmp"
	"io"
)

// A Source is a document, and what its transport says of the document. The encoding is
// the one that the byte order mark gives. Without a byte order mark Charset counts, and
// without Charset a meta in the first 1024 bytes (HTML Standard §13.2.3.2), or in a style
// sheet @charset at its start, and otherwise UTF-8 (CSS Syntax 3 §3.2).
type Source struct {
	io.Reader
	Charset string // the charset parameter of the HTTP Content-Type; "" if there is none

	// Decoded says that the document has been decoded: it comes in UTF-8, whatever encoding
	// it had, and is written in UTF-8. The encoding that it had, as above, is that of its
	// queries in the WHATWG profile, and nothing else.
	Decoded bool

	// At maps an offset in the document, up to its length, to an offset in its container.
	// All offsets that the caller sees are results of At, except the offsets that a
	// [Splicer] gets. At is nil if the document is not in a container.
	At func(offset int64) int64

	// Sheet says that the document is a style sheet. The rule for the text of style finds
	// its places. The sheet embeds no base. If a rule of the sheet is longer than
	// [Options.MaxTag], the sheet stays as it is from there on, and Warn is told.
	Sheet bool

	Document *Document // becomes Place.Document; nil if the document is not in a container
}

// unwrap returns the reader in src, which may be a Source in a Source. Each field of the
// result comes from the outermost Source that sets the field.
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
		src = s.Reader
		if of.At == nil {
			of.At = s.At
		}
		of.Charset, of.Document = cmp.Or(of.Charset, s.Charset), cmp.Or(of.Document, s.Document)
		of.Sheet, of.Decoded = of.Sheet || s.Sheet, of.Decoded || s.Decoded
	}
}
