package coding

import (
	"iter"
	"strings"
)

// Elements yields the elements of comma-separated lists, in which HTTP names codings
// and much else (RFC 9110 §5.6.1): without the white space around them, and without
// empty ones.
func Elements(lists ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, list := range lists {
			for element := range strings.SplitSeq(list, ",") {
				if element = strings.Trim(element, " \t"); element != "" && !yield(element) {
					return
				}
			}
		}
	}
}

// HasToken reports whether token is an element of the lists, in any case.
func HasToken(token string, lists ...string) bool {
	for element := range Elements(lists...) {
		if strings.EqualFold(element, token) {
			return true
		}
	}
	return false
}
