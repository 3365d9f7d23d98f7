package charref

import (
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
)

// MaxReference is the length up to which a character reference is read where
// text is wanted.
const MaxReference = 64

// maxUnended is the length of the longest names that need no semicolon.
const maxUnended = 6

// AppendTextReference appends what the character reference at the start of raw
// stands for in text, where what follows a name without a semicolon makes no
// difference, and returns its length, 0 if it is none.
func AppendTextReference(dst, raw []byte) ([]byte, int) {
	dst, n := AppendReference(dst, raw)
	if n > 0 || len(raw) > 1 && raw[1] == '#' {
		return dst, n
	}
	for n = 1; n < len(raw) && n <= maxUnended && ascii.IsAlnum(raw[n]); n++ {
	}
	for ; n > 2; n-- {
		if s := references.named(raw[:n]); utf8.RuneCountInString(s) == 1 {
			return append(dst, s...), n
		}
	}
	return dst, 0
}
