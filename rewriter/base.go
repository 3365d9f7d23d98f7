package rewriter

import (
	"fmt"

	"absolink/resolver"
)

// A BaseSource is the layer of RFC 1808 §3 that a base URL came from.
type BaseSource uint8

const (
	NoBase       BaseSource = iota // no base URL is known (§3.4)
	OuterBase                      // the caller's: where the document was, or the base of what encloses it (§3.3, §3.2)
	EmbeddedBase                   // the BASE element in the HEAD of the document (§3.1)
	EntityBase                     // a header or element of the container of the document (§3.2)
	SavedBase                      // the URL that the document says is its own: a saver's comment, or link rel=canonical or og:url (§3.3)
)

// String returns "none", "outer", "embedded", "entity" or "saved".
func (s BaseSource) String() string {
	names := [...]string{"none", "outer", "embedded", "entity", "saved"}
	if int(s) >= len(names) {
		return fmt.Sprintf("BaseSource(%d)", uint8(s))
	}
	return names[s]
}

// A Base is the base URL of a document, and where it came from.
type Base struct {
	URL    *resolver.Base // nil if no base URL is known
	Source BaseSource
	Name   string // the element or header with the URL, such as "BASE"; "" for the base of the caller
	Offset int64  // of that element or header in the input, in bytes; -1 if it is not in the input
}
