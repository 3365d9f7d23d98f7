// Package syntax says where in a value references stand, and writes references back.
// Each syntax is a file of its own: where the references are, and the forms in which
// they are written.
package syntax

// A Syntax says where in a value the references are.
type Syntax struct {
	Name string // that rules have for it

	// Find appends the references in a value, in order. It is nil where the whole value
	// is one reference, or a document.
	Find func(dst []Reference, value []byte, o Options) []Reference

	// Document says that the value is an HTML document.
	Document bool

	// Keys says that Options.Keys are read.
	Keys bool

	// TextOf is the element whose text may be in the syntax; "" is none.
	TextOf string

	// MayHold reports whether there may be references in a value in which nothing is
	// escaped. nil is that there may be.
	MayHold func(value []byte, o Options) bool

	// Check returns why no reference in a value can be replaced. nil is that all can.
	Check func(value []byte) error
}

// Options say what is read.
type Options struct {
	Keys string // Rule.Keys
	Text bool   // the value is the text of an element
}

// withoutOptions makes a Syntax.Find of a function that no option changes.
func withoutOptions(find func([]Reference, []byte) []Reference) func([]Reference, []byte, Options) []Reference {
	return func(dst []Reference, value []byte, _ Options) []Reference { return find(dst, value) }
}

// The syntaxes without a file of their own: what stands in the value is a reference,
// or a document, as it is.
var (
	URL      = Syntax{Name: "url"}
	Document = Syntax{Name: "document", Document: true, TextOf: "#comment"}
)
