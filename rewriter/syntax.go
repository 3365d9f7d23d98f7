package rewriter

import (
	"fmt"
	"strings"

	"absolink/rewriter/internal/syntax"
)

// A Syntax says where in a value the references are.
type Syntax uint8

const (
	SyntaxURL         Syntax = iota // the whole value is a reference
	SyntaxSrcset                    // image candidates
	SyntaxLazy                      // what scripts read: the whole value, image candidates, or between "|"; not what begins with "{" or "["
	SyntaxImage                     // CSS with url(), as in a background-image, or as SyntaxLazy
	SyntaxImageSet                  // image candidates, or CSS with url()
	SyntaxList                      // between white space
	SyntaxCommas                    // between commas; may have Keys
	SyntaxSemicolons                // between semicolons; may have Keys
	SyntaxRefresh                   // after the seconds of a meta refresh
	SyntaxCSS                       // url() and its like in declarations, or in the text of style; Keys are arguments of AlphaImageLoader
	SyntaxDocument                  // an HTML document, with a base of its own
	SyntaxImportMap                 // the JSON of an import map
	SyntaxSpeculation               // the JSON of speculation rules
	SyntaxModule                    // the specifiers of imports in a module script
)

// syntaxes has a row for each Syntax.
var syntaxes = []*syntax.Syntax{
	SyntaxURL:         &syntax.URL,
	SyntaxSrcset:      &syntax.Srcset,
	SyntaxLazy:        &syntax.Lazy,
	SyntaxImage:       &syntax.Image,
	SyntaxImageSet:    &syntax.ImageSet,
	SyntaxList:        &syntax.List,
	SyntaxCommas:      &syntax.Commas,
	SyntaxSemicolons:  &syntax.Semicolons,
	SyntaxRefresh:     &syntax.Refresh,
	SyntaxCSS:         &syntax.CSS,
	SyntaxDocument:    &syntax.Document,
	SyntaxImportMap:   &syntax.ImportMap,
	SyntaxSpeculation: &syntax.Speculation,
	SyntaxModule:      &syntax.Module,
}

// row returns the row of the syntax.
func (s Syntax) row() *syntax.Syntax { return syntaxes[s] }

// String returns the name of the syntax as ParseRule reads it.
func (s Syntax) String() string {
	if int(s) >= len(syntaxes) {
		return fmt.Sprintf("Syntax(%d)", uint8(s))
	}
	return s.row().Name
}

// MarshalText returns what String does. An unknown Syntax is an error.
func (s Syntax) MarshalText() ([]byte, error) {
	if int(s) >= len(syntaxes) {
		return nil, fmt.Errorf("rewriter: %s is not known", s)
	}
	return []byte(s.String()), nil
}

// UnmarshalText reads the name of a syntax.
func (s *Syntax) UnmarshalText(name []byte) error {
	var names []string
	for i, row := range syntaxes {
		if string(name) == row.Name {
			*s = Syntax(i)
			return nil
		}
		names = append(names, row.Name)
	}
	return fmt.Errorf("unknown syntax %q: it is one of %s", name, strings.Join(names, ", "))
}
