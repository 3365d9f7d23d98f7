package syntax

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// IsDangling reports whether a decoded value is one that browsers fetch no URL
// from: once HTML has its white space trimmed, the URL parser removes a tab or
// newline from it, and it holds "<". (Fetch Standard, "potentially dangling
// markup", as Chromium has it.)
func IsDangling(value []byte) bool {
	return bytes.IndexByte(value, '<') >= 0 && bytes.ContainsAny(bytes.Trim(value, " \t\n\f\r"), "\t\n\r")
}

// TrimURL returns the URL in a decoded value as the URL parser sees it: it removes
// C0 controls and spaces from the ends, and tabs and newlines from anywhere (URL
// Standard §4.4). It returns part of value's memory, which it changes only where
// there is something to remove.
func TrimURL(value []byte) []byte {
	if ascii.ClassOf(value)&(ascii.Control|ascii.Space) == 0 {
		return value
	}
	value = bytes.TrimFunc(value, func(r rune) bool { return r <= ' ' })
	end := 0
	for _, c := range value {
		if c != '\t' && c != '\n' && c != '\r' {
			value[end] = c
			end++
		}
	}
	return value[:end]
}
