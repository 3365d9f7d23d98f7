package syntax

import (
	"bytes"
	"strings"

	"absolink/rewriter/internal/ascii"
)

// ListReferences appends the references in a list that white space separates
// (HTML Standard, "split a string on ASCII whitespace"), as ping holds them.
func ListReferences(dst []Reference, value []byte) []Reference {
	for i := ascii.SkipSpace(value, 0); i < len(value); {
		end := ascii.SkipNonSpace(value, i)
		dst = append(dst, newReference(i, end, FormListed))
		i = ascii.SkipSpace(value, end)
	}
	return dst
}

// Separated is how a list is written that a separator divides, with or without
// white space around it: commas in the archive of applet (HTML 4.01 §13.4),
// semicolons in the values of animate (SVG Animations §3.7).
type Separated struct {
	Separator byte
	Form      Form
	Keys      string // Rule.Keys
}

// References appends the references in a list. Of one with keys they are the
// values of those: "a=x;b=y".
func (s Separated) References(dst []Reference, value []byte) []Reference {
	for i := 0; i < len(value); i++ {
		start := ascii.SkipSpace(value, i)
		for i < len(value) && value[i] != s.Separator {
			i++
		}
		end := ascii.TrimSpaceRight(value, start, i)
		if s.Keys != "" {
			start = skipKey(value, start, end, s.Keys)
		}
		if start < end {
			dst = append(dst, newReference(start, end, s.Form))
		}
	}
	return dst
}

// skipKey returns where the value of "key=value" in value[start:end] begins, and
// end where the key is none of keys.
func skipKey(value []byte, start, end int, keys string) int {
	equals := bytes.IndexByte(value[start:end], '=')
	if equals < 0 {
		return end
	}
	equals += start
	if !isOneOf(value[start:ascii.TrimSpaceRight(value, start, equals)], keys) {
		return end
	}
	return min(ascii.SkipSpace(value, equals+1), end)
}

// isOneOf reports whether a key is, in any case, one of keys.
func isOneOf(key []byte, keys string) bool {
	for k := range strings.FieldsSeq(keys) {
		if ascii.EqualFold(key, k) {
			return true
		}
	}
	return false
}
