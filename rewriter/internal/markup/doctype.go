package markup

import (
	"bytes"

	"golang.org/x/net/html"

	"absolink/rewriter/internal/ascii"
)

// A doctype says whether a document is in quirks mode, in which a table does
// not close a p.
type doctype struct {
	raw  []byte // the token; a document without one is in quirks mode
	mode quirksMode
}

type quirksMode uint8

const (
	byDoctype quirksMode = iota
	quirks
	noQuirks
)

// maxDoctype is the length up to which a DOCTYPE is read. The longest that asks
// for quirks mode are far shorter.
const maxDoctype = 1 << 10

// isQuirky reports whether the document is in quirks mode. It reads the DOCTYPE at the
// first call.
func (d *doctype) isQuirky() bool {
	if d.mode == byDoctype {
		d.mode = noQuirks
		if !ascii.EqualFold(d.raw, "<!doctype html>") && tableInP(d.raw) {
			d.mode = quirks
		}
	}
	return d.mode == quirks
}

// tableInP reports whether the parser of x/net/html leaves a table in a p in a document
// that begins with the DOCTYPE: it does so in quirks mode.
func tableInP(doctype []byte) bool {
	doc, err := html.Parse(bytes.NewReader(append(bytes.Clone(doctype), "<p><table>"...)))
	if err != nil {
		return false
	}
	for n := range doc.Descendants() {
		if IsHTML(n, "table") {
			return IsHTML(n.Parent, "p")
		}
	}
	return false
}
