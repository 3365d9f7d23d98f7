// Package charref reads and writes values as they stand in a document: with character
// references and escapes.
package charref

// A Notation is how a value is written in a document.
type Notation uint8

const (
	Valueless    Notation = iota // an attribute without a value: <a href>
	Unquoted                     // an attribute value without quotes
	DoubleQuoted                 // an attribute value in double quotes
	SingleQuoted                 // an attribute value in single quotes
	RawText                      // raw text, in which nothing is escaped
	Plain                        // the value itself, as in a tree
	CDATA                        // the text of a style element in SVG, or of the CDATA section in it: nothing in it is escaped
	Comment                      // the text of a comment
)

// IsText reports whether n is text in which nothing is escaped.
func (n Notation) IsText() bool { return n == RawText || n == CDATA }
