package syntax

import (
	"bytes"
	"strings"

	"absolink/rewriter/internal/ascii"
)

// Lazy is the syntax of attributes that scripts read: one reference, image candidates, or
// references between bars. What begins like JSON, or like a list in brackets, has none.
var Lazy = Syntax{Name: "lazy", Find: withoutOptions(lazyReferences)}

// lazyReferences appends the references in an attribute that scripts read. No standard says
// how they stand there. The value is one reference unless it is certainly something else.
func lazyReferences(dst []Reference, value []byte) []Reference {
	i := ascii.SkipSpace(value, 0)
	switch {
	case i == len(value), value[i] == '{', value[i] == '[':
		return dst
	case isBetweenBars(value):
		return separated{'|', FormLazy}.references(dst, value, Options{})
	}
	before := len(dst)
	if dst = srcsetReferences(dst, value); areCandidates(value, dst[before:]) {
		for i := range dst[before:] {
			dst[before+i].Form = FormLazy
		}
		return dst
	}
	return append(dst[:before], newReference(0, len(value), FormLazy))
}

// isBetweenBars reports whether a value has a bar that is not part of a query or fragment.
func isBetweenBars(value []byte) bool {
	i := bytes.IndexAny(value, "|?#")
	return i >= 0 && value[i] == '|'
}

// areCandidates reports whether the references in a value, as srcset has them, are image
// candidates with nothing but descriptors that browsers know: several, or one with a
// descriptor. Otherwise they may be parts of one reference with spaces and commas.
func areCandidates(value []byte, refs []Reference) bool {
	described := false
	for i, r := range refs {
		end := len(value)
		if i+1 < len(refs) {
			end = int(refs[i+1].Start)
		}
		for d := range bytes.FieldsFuncSeq(value[r.End:end], isBetweenDescriptors) {
			if !isDescriptor(d) {
				return false
			}
			described = true
		}
	}
	return described || len(refs) > 1
}

func isBetweenDescriptors(c rune) bool { return c == ',' || strings.ContainsRune(whiteSpace, c) }

// isDescriptor reports whether d is a number with a unit of image candidates.
func isDescriptor(d []byte) bool {
	number, unit := d[:len(d)-1], d[len(d)-1]
	digits := false
	for _, c := range number {
		switch {
		case ascii.IsDigit(c):
			digits = true
		case c != '.':
			return false
		}
	}
	return digits && (unit == 'x' || unit == 'w' || unit == 'h')
}
