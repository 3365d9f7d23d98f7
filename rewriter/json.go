package rewriter

import (
	"errors"

	"absolink/rewriter/internal/syntax"
)

// errNoJSON is what Warn is told of a text that should be JSON.
var errNoJSON = errors.New("the text is not JSON, or there is <!-- in it; it stays as it is")

// errRepeated is what Warn is told of an import map with a URL that stands for a
// module more than once. In JSON the last counts, in the place of the first: which
// of two that become the same absolute URL would count might change.
var errRepeated = errors.New("a URL is there twice in the import map, which stays as it is")

// errSpecifier is the Err of a Place that is what an import map has for a module.
var errSpecifier = errors.New("the absolute URL would end in a slash, by which an import map tells a directory from a module")

// isJSON reports whether the value of a place is JSON.
func (s Syntax) isJSON() bool { return s == SyntaxImportMap || s == SyntaxSpeculation }

// checkJSON returns why no reference in a text can be replaced, which is to be
// JSON.
func (s Syntax) checkJSON(text []byte) error {
	switch {
	case !syntax.HoldsJSON(text):
		return errNoJSON
	case s == SyntaxImportMap && syntax.ReadImportMap(nil, text).Repeated:
		return errRepeated
	}
	return nil
}
