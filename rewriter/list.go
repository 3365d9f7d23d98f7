package rewriter

import (
	"bytes"
	"strings"
)

// listReferences appends the references in a list that white space separates
// (HTML Standard, "split a string on ASCII whitespace"), as ping holds them.
func listReferences(dst []reference, value []byte) []reference {
	for i := skipSpace(value, 0); i < len(value); {
		end := skipNonSpace(value, i)
		dst = append(dst, newReference(i, end, formListed))
		i = skipSpace(value, end)
	}
	return dst
}

// separated is how a list is written that a separator divides, with or without
// white space around it: commas in the archive of applet (HTML 4.01 §13.4),
// semicolons in the values of animate (SVG Animations §3.7).
type separated struct {
	separator byte
	form      form
	keys      string // Rule.Keys
}

// references appends the references in a list. Of one with keys they are the
// values of those: "a=x;b=y".
func (s separated) references(dst []reference, value []byte) []reference {
	for i := 0; i < len(value); i++ {
		start := skipSpace(value, i)
		for i < len(value) && value[i] != s.separator {
			i++
		}
		end := trimSpaceRight(value, start, i)
		if s.keys != "" {
			start = skipKey(value, start, end, s.keys)
		}
		if start < end {
			dst = append(dst, newReference(start, end, s.form))
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
	if !isOneOf(value[start:trimSpaceRight(value, start, equals)], keys) {
		return end
	}
	return min(skipSpace(value, equals+1), end)
}

// isOneOf reports whether a key is, in any case, one of keys.
func isOneOf(key []byte, keys string) bool {
	for k := range strings.FieldsSeq(keys) {
		if equalFold(key, k) {
			return true
		}
	}
	return false
}

func skipNonSpace(b []byte, i int) int {
	for i < len(b) && !isSpace(b[i]) {
		i++
	}
	return i
}

// trimSpaceRight returns where b[start:end] ends without the white space at
// its end.
func trimSpaceRight(b []byte, start, end int) int {
	for start < end && isSpace(b[end-1]) {
		end--
	}
	return end
}
