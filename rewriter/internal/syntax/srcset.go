package syntax

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// Srcset is the syntax of image candidates.
var Srcset = Syntax{Name: "srcset", Find: withoutOptions(srcsetReferences)}

// srcsetReferences appends the URLs of the image candidates in a srcset (HTML Standard,
// "parse a srcset attribute"). It includes candidates that browsers drop because of
// their descriptors.
func srcsetReferences(dst []Reference, value []byte) []Reference {
	for i := 0; ; {
		for i < len(value) && (ascii.IsSpace(value[i]) || value[i] == ',') {
			i++
		}
		if i == len(value) {
			return dst
		}
		start, end := i, ascii.SkipNonSpace(value, i)
		i = end
		for value[i-1] == ',' { // value[start] is not a comma
			i--
		}
		dst = append(dst, newReference(start, i, FormCandidate))
		if i == end {
			i = skipDescriptors(value, end)
		}
	}
}

// skipDescriptors returns where the descriptors from i on end: at a comma outside of
// parentheses, or with the value. Parentheses do not nest: the first ")" closes them.
func skipDescriptors(value []byte, i int) int {
	for i < len(value) && value[i] != ',' {
		if value[i] == '(' {
			n := bytes.IndexByte(value[i:], ')')
			if n < 0 {
				return len(value)
			}
			i += n
		}
		i++
	}
	return i
}
