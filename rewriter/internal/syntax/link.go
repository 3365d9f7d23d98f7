package syntax

import (
	"bytes"
	"strings"

	"absolink/rewriter/internal/ascii"
)

// Links yields the references in the value of a header field Link, in order, each with the
// first rel among its parameters (RFC 8288 §3). What is not a link is passed over.
func Links(value []byte, yield func(r Reference, rel string) bool) {
	for i := skipUnquoted(value, 0, "<"); i < len(value); i = skipUnquoted(value, i, "<") {
		start := i + 1
		n := bytes.IndexByte(value[start:], '>')
		if n < 0 {
			return
		}
		end, rel := start+n, ""
		if rel, i = linkParams(value, end+1); !yield(newReference(start, end, FormLink), rel) {
			return
		}
	}
}

// linkParams returns the first rel among the parameters of a link, which begin at i, and
// where they end.
func linkParams(value []byte, i int) (rel string, end int) {
	for i < len(value) && value[i] != ',' {
		start := i
		i = skipUnquoted(value, i, ";,")
		name, text, _ := bytes.Cut(value[start:i], []byte("="))
		if rel == "" && ascii.EqualFold(bytes.TrimSpace(name), "rel") {
			rel = strings.Trim(string(bytes.TrimSpace(text)), `"`)
		}
		if i < len(value) && value[i] == ';' {
			i++
		}
	}
	return rel, i
}

// skipUnquoted returns the index of the first of some bytes from i on that is in no quoted
// string.
func skipUnquoted(value []byte, i int, any string) int {
	for quoted := false; i < len(value) && (quoted || !has(any, value[i])); i++ {
		if value[i] == '"' {
			quoted = !quoted
		} else if value[i] == '\\' && quoted && i+1 < len(value) {
			i++
		}
	}
	return i
}
