package rewriter

import (
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/syntax"
)

// A place is a value in the window that a rule picked.
type place struct {
	start, end docOffset
	rule       *rule
	element    string    // for the caller; set only if Visit or Unresolvable is, as is tag
	tag        *shownTag // nil if the place is in no tag
	notation   charref.Notation
	local      bool        // a fragment alone stays
	form       syntax.Form // of the reference, where it is part of a value
	escaped    bool        // the reference has escapes of the form
	semicolon  bool        // a semicolon must end the character reference before the place
	checked    bool        // mayHold has reported true for the value
	early      bool        // isEarly
}

// A shownTag is what the caller is shown of the tag of a place.
type shownTag struct {
	rel, text  string    // text is that of the link
	start, end docOffset // as far as the tag is known; the same if nobody can read its attributes
}

// A docOffset is where something stands in the document that is read: in bytes from
// its start, in UTF-8 where the input is wide. The methods of a window convert it to the
// other coordinates: an index in the window's buf, which is an int, and an offset in the
// input as callers see it, which is an int64. Positions in a tag count from its "<", and
// positions in the text of a value from the value's start; both are added to where the
// tag or the value stands before anybody else sees them.
type docOffset int64
