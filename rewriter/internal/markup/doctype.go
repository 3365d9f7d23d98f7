package markup

import (
	"bytes"

	"golang.org/x/net/html"

	"absolink/rewriter/internal/ascii"
)

// A doctype says whether a document is in quirks mode, in which a table does
// not close a p.
type doctype struct {
	Raw  []byte // the token; none is quirks mode
	Mode quirksMode
}

type quirksMode uint8

const (
	byDoctype quirksMode = iota
	quirks
	NoQuirks
)

// maxDoctype is the length up to which a DOCTYPE is read. The longest that asks
// for quirks mode are far shorter.
const maxDoctype = 1 << 10

// isQuirky reads the DOCTYPE when that is first asked.
func (d *doctype) isQuirky() bool {
	if d.Mode == byDoctype {
		d.Mode = NoQuirks
		if !ascii.EqualFold(d.Raw, "<!doctype html>") && tableInP(d.Raw) {
			d.Mode = quirks
		}
	}
	return d.Mode == quirks
}

// tableInP reports whether the parser leaves a table in a p, in a document that
// begins with that DOCTYPE.
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

func IsHTML(n *html.Node, name string) bool {
	return n.Type == html.ElementNode && n.Namespace == "" && n.Data == name
}
