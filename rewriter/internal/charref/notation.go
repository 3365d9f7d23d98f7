// Package charref reads and writes values as they stand in a document: with character
// references and escapes.
package charref

// A Notation is how a value is written in a document.
type Notation uint8

const (
	Valueless     Notation = iota // an attribute without a value: <a href>
	Unquoted                      // an attribute value without quotes
	DoubleQuoted                  // an attribute value in double quotes
	SingleQuoted                  // an attribute value in single quotes
	RawText                       // raw text, in which nothing is escaped
	Plain                         // the value itself, as in a tree
	CharacterData                 // text with character references
	CDATA                         // the text of a CDATA section
	Comment                       // the text of a comment
)
