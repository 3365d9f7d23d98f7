package rewriter

import (
	"bytes"
	"fmt"
	"strings"

	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
)

// A TagError says that a reference looks like a merge tag of a template, for which the program
// that fills in the template puts a whole URL, and that the reference is made absolute, because
// no pattern of Keep fits it. Warn is told of the first of each kind in a document.
type TagError struct {
	Ref     string // the reference
	Pattern string // what Keep can have, so that references of this kind stay
}

// Error returns one line, without what to do.
func (e *TagError) Error() string {
	return fmt.Sprintf("%.200q looks like a merge tag, and leads nowhere once it is absolute", resolver.Redact(e.Ref))
}

// mergeTags are the marks around the merge tags of templates. Each of them has a byte of the class
// ascii.Tag.
var mergeTags = [...][2]string{{"{{", "}}"}, {"{%", "%}"}, {"<%", "%>"}, {"*|", "|*"}, {"%%", "%%"}, {"[[", "]]"}}

// mergeTag returns the first merge tag in a reference, and which of mergeTags it has; -1 if the
// reference has none.
func mergeTag(ref []byte) (tag []byte, kind int) {
	first, kind := len(ref), -1
	for k, marks := range mergeTags {
		i := bytes.Index(ref[:min(len(ref), first+len(marks[0]))], []byte(marks[0]))
		if i < 0 || i >= first {
			continue
		}
		rest := ref[i+len(marks[0]):]
		if n := bytes.Index(rest, []byte(marks[1])); n > 0 {
			first, tag, kind = i, ref[i:][:len(marks[0])+n+len(marks[1])], k
		}
	}
	return tag, kind
}

// classOf is ascii.ClassOf, with the class Tag only where the text has a merge tag.
func classOf(text []byte) uint8 {
	bits := ascii.ClassOf(text)
	if bits&ascii.Tag != 0 {
		if _, kind := mergeTag(text); kind < 0 {
			bits &^= ascii.Tag
		}
	}
	return bits
}

// keeping returns the pattern of Keep for a reference that has a merge tag of a kind: at its
// beginning, or anywhere.
func keeping(ref, tag []byte, kind int) string {
	pattern := strings.ReplaceAll(mergeTags[kind][0], "*", `\*`) + "*"
	if !bytes.HasPrefix(ref, tag) {
		pattern = "*" + pattern
	}
	return pattern
}
