package rewriter

import (
	"bytes"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
)

// appendOutside appends text that is not from the document, in which what is not
// UTF-8 is percent-encoded: no byte in it is part of a mark, or of a character of
// the document's encoding with the byte that follows.
func appendOutside(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, '%', ascii.HexDigits[s[i]>>4], ascii.HexDigits[s[i]&15])
		} else {
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return dst
}

// isDangling reports whether a decoded value is one that browsers fetch no URL
// from: once HTML has its white space trimmed, the URL parser removes a tab or
// newline from it, and it holds "<". (Fetch Standard, "potentially dangling
// markup", as Chromium has it.)
func isDangling(value []byte) bool {
	return bytes.IndexByte(value, '<') >= 0 && bytes.ContainsAny(bytes.Trim(value, " \t\n\f\r"), "\t\n\r")
}

// trimURL returns the URL in a decoded value as the URL parser sees it: it removes
// C0 controls and spaces from the ends, and tabs and newlines from anywhere (URL
// Standard §4.4). It returns part of value's memory, which it changes only where
// there is something to remove.
func trimURL(value []byte) []byte {
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
