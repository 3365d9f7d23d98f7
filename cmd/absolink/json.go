package main

import (
	"encoding/json"
	"io"
	"unicode/utf8"
)

// writeJSON writes a value as one line of JSON.
func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// printJSON writes a value to standard output as one line of JSON.
func (u *ui) printJSON(v any) {
	if err := writeJSON(u.stdout, v); err != nil {
		u.cannotWriteOn(err)
	}
}

// A text is a string that JSON has as appendJSONString writes it.
type text string

// MarshalJSON returns the string of JSON.
func (t text) MarshalJSON() ([]byte, error) { return appendJSONString(nil, string(t)), nil }

// appendJSONString appends a string of JSON (RFC 8259 §7), in which characters that
// a terminal would obey are escaped. A byte that is not UTF-8 becomes U+FFFD, as in
// package json.
func appendJSONString(b []byte, value string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	done, i := 0, 0
	for {
		for i < len(value) && plainJSON[value[i]] {
			i++
		}
		if i == len(value) {
			return append(append(b, value[done:]...), '"')
		}
		c := value[i]
		r, n := utf8.DecodeRuneInString(value[i:])
		if c >= utf8.RuneSelf && !isHidden(r) && (r != utf8.RuneError || n > 1) {
			i += n
			continue
		}
		b = append(b, value[done:i]...)
		switch {
		case c >= utf8.RuneSelf:
			b = append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\f':
			b = append(b, `\f`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i += n
		done = i
	}
}

// plainJSON says which bytes stand for themselves in a string.
var plainJSON = func() (plain [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()
