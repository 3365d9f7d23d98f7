package syntax

import (
	"bytes"
	"slices"

	"absolink/rewriter/internal/ascii"
)

// IsDangling reports whether a decoded value is a URL that browsers do not fetch: it has
// a "<", and a tab or newline that is not white space at one of its ends (Fetch Standard,
// "potentially dangling markup", as Chromium has it).
func IsDangling(value []byte) bool {
	return bytes.IndexByte(value, '<') >= 0 && bytes.ContainsAny(bytes.Trim(value, " \t\n\f\r"), "\t\n\r")
}

// TrimURL returns the URL in a decoded value as the URL parser sees it, without C0
// controls and spaces at its ends, and without tabs and newlines (URL Standard §4.4). The
// result is a part of value's memory, which changes only if a byte has to be removed. It is nil
// where there is white space at most: browsers fetch nothing then, and where there are other
// controls, they fetch the base.
func TrimURL(value []byte) []byte {
	if len(value) > 0 && ascii.ClassOf(value)&(ascii.Control|ascii.Space) == 0 {
		return value
	}
	url := bytes.TrimFunc(value, func(r rune) bool { return r <= ' ' })
	if len(url) == 0 && len(bytes.Trim(value, " \t\n\f\r")) > 0 {
		return value[:0]
	}
	end := 0
	for _, c := range url {
		if c != '\t' && c != '\n' && c != '\r' {
			url[end] = c
			end++
		}
	}
	return url[:end]
}

// IsCURIE reports whether a value is a compact URI, "x:y" or "[x:y]" (RDFa Core 1.1
// §7.4.3), or a URL with a scheme.
func IsCURIE(value []byte) bool {
	i := bytes.IndexAny(value, ":/?#")
	return i >= 0 && value[i] == ':' || bytes.HasPrefix(value, []byte("["))
}

// IsTemplate reports whether a value has a part that a script has yet to fill in.
func IsTemplate(value []byte) bool {
	marks := []string{"{{", "{%", "<%", "${"}
	return slices.ContainsFunc(marks, func(mark string) bool { return bytes.Contains(value, []byte(mark)) })
}
