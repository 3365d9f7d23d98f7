package listing

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Message returns a message as one visible line, which is printed.
func Message(s string) string { return Visible(Shortened(s, MaxMessage)) }

// MaxMessage is how many bytes of a message are printed: a server may send a status
// line of megabytes.
const MaxMessage = 8 << 10

// Shortened returns s without its middle where it is longer than max: a message
// begins with what it is about, and ends with what to do.
func Shortened(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return s[:max*3/4] + " … " + s[len(s)-max/4:]
}

// Visible returns s with \xNN for each byte that a terminal would obey instead of
// showing it: the bytes of control characters (also C1), of characters that end a
// line or turn its direction, and those that are not UTF-8.
func Visible(s string) string {
	if !strings.ContainsFunc(s, IsHidden) && utf8.ValidString(s) {
		return s
	}
	var b Buffer
	AddVisible(&b, s)
	return string(b.Bytes())
}

// AddVisible adds what Visible returns.
func AddVisible(b *Buffer, s string) { AddEscaped(b, s, `\x%02x`, "") }

// AddEscaped adds s with its bytes that are not UTF-8, and those of its characters that are
// hidden or special, in a format.
func AddEscaped(b *Buffer, s, format, special string) {
	done, i := 0, 0
	for i < len(s) {
		c, size := utf8.DecodeRuneInString(s[i:])
		if IsHidden(c) || c == utf8.RuneError && size == 1 || strings.ContainsRune(special, c) {
			b.Add(s[done:i])
			for _, hidden := range []byte(s[i : i+size]) {
				fmt.Fprintf(b, format, hidden)
			}
			done = i + size
		}
		i += size
	}
	b.Add(s[done:])
}
