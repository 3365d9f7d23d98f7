// Package syntax finds the references in values and writes absolute URLs in their place.
// Syntaxes that are read alike share a file, which says where the references are and in
// which forms they are written.
package syntax

// A Syntax says where in a value the references are.
type Syntax struct {
	Name string // the name that rules have for the syntax

	// Find appends the references in a value, in order. It is nil if the whole value is
	// one reference or a document.
	Find func(dst []Reference, value []byte, o Options) []Reference

	// Keys says that Find makes use of Options.Keys.
	Keys bool

	// TextOf is the element whose text may be in the syntax, or "".
	TextOf string

	// MayHold is a quick test whether there may be references in a raw value that has no
	// character references. If MayHold is nil, there may always be some.
	MayHold func(value []byte, o Options) bool

	// Check returns an error if no reference in a value can be replaced, and why. If
	// Check is nil, all references can be.
	Check func(value []byte) error
}

// Options say how a value is read.
type Options struct {
	Keys string // Rule.Keys
	Text bool   // the value is the text of an element
}

// withoutOptions makes a Syntax.Find of a function that takes no Options.
func withoutOptions(find func([]Reference, []byte) []Reference) func([]Reference, []byte, Options) []Reference {
	return func(dst []Reference, value []byte, _ Options) []Reference { return find(dst, value) }
}

// In these syntaxes nothing has to be found: the whole value is a reference, or a
// document.
var (
	URL      = Syntax{Name: "url"}
	Document = Syntax{Name: "document", TextOf: "#comment"}
)
