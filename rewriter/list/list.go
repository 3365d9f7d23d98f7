// Package list writes the lines of the command absolink list.
package list

import (
	"absolink/internal/listing"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// AppendJSON appends the line of JSON for a place, with the line feed at its end. file is
// the name of the document or archive. page is the page in an archive, and nil for a
// place in a document. p is a place as Visit or [warc.Rewriter.List] gives it, with its Rule.
//
// docs/lists.md describes the fields. A byte that is not UTF-8 becomes U+FFFD, characters
// that a terminal would obey are escaped, and the URL of the page has no user or password.
// If b has room for the line, nothing is allocated, except for the message of an error.
func AppendJSON(b []byte, file string, page *warc.Page, p *rewriter.Place) []byte {
	return listing.AppendJSON(b, listing.Place{Place: p, File: file, Page: page})
}
