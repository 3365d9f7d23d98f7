package syntax

import (
	"bytes"
	"strings"

	"absolink/rewriter/internal/ascii"
)

// List is the syntax of references between white space.
var List = Syntax{Name: "list", Find: withoutOptions(listReferences)}

// Commas is the syntax of references between commas: the archive of applet (HTML 4.01
// §13.4).
var Commas = Syntax{Name: "commas", Find: separated{',', FormComma}.references, Keys: true}

// Semicolons is the syntax of references between semicolons: the values of animate
// (SVG Animations §3.7).
var Semicolons = Syntax{Name: "semicolons", Find: separated{';', FormSemicolon}.references, Keys: true}

// listReferences appends the references in a list that white space separates
// (HTML Standard, "split a string on ASCII whitespace"), as ping holds them.
func listReferences(dst []Reference, value []byte) []Reference {
	for i := ascii.SkipSpace(value, 0); i < len(value); {
		end := ascii.SkipNonSpace(value, i)
		dst = append(dst, newReference(i, end, FormListed))
		i = ascii.SkipSpace(value, end)
	}
	return dst
}

// separated is a list whose elements a separator divides, with or without white space
// around them.
type separated struct {
	separator byte
	form      Form
}

// references appends the references in a list. If o has keys, the list is one of pairs,
// as in "a=x;b=y", and the references are the values of these keys.
func (s separated) references(dst []Reference, value []byte, o Options) []Reference {
	for i := 0; i < len(value); i++ {
		start := ascii.SkipSpace(value, i)
		for i < len(value) && value[i] != s.separator {
			i++
		}
		end := ascii.TrimSpaceRight(value, start, i)
		if o.Keys != "" {
			start = skipKey(value, start, end, o.Keys)
		}
		if start < end {
			dst = append(dst, newReference(start, end, s.form))
		}
	}
	return dst
}

// skipKey returns where the value begins in the pair "key=value" at value[start:end]. It
// returns end if the key is not one of keys.
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

// isOneOf reports whether a key is one of keys, in any case. Spaces separate the keys.
func isOneOf(key []byte, keys string) bool {
	for k := range strings.FieldsSeq(keys) {
		if ascii.EqualFold(key, k) {
			return true
		}
	}
	return false
}
