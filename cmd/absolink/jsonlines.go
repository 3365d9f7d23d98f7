package main

import (
	"strconv"
	"unicode/utf8"

	"absolink/rewriter/warc"
)

// appendArchived appends the line of a place in a page of an archive: that of a
// place in a file, and in it the page, its date, its record's id and where in the
// archive that begins.
func appendArchived(b []byte, page *warc.Page, l listed) []byte {
	b = appendField(b, `{"file":`, l.File)
	b = appendField(b, `,"page":`, withoutLogin(page.URL))
	b = appendField(b, `,"date":`, page.Date)
	b = appendField(b, `,"record":`, page.ID)
	b = strconv.AppendInt(append(b, `,"record_offset":`...), page.Offset, 10)
	return appendPlace(b, l)
}

// appendListed appends the line of a place in a file.
func appendListed(b []byte, l listed) []byte {
	return appendPlace(appendField(b, `{"file":`, l.File), l)
}

// appendPlace appends what a line has after its file.
func appendPlace(b []byte, l listed) []byte {
	b = strconv.AppendInt(append(b, `,"offset":`...), l.Offset, 10)
	b = appendField(b, `,"element":`, l.Element)
	b = appendOptional(b, `,"attr":`, l.Attr)
	b = appendField(b, `,"syntax":`, l.Syntax.String())
	b = appendOptional(b, `,"rel":`, l.Rel)
	b = appendField(b, `,"raw":`, l.Raw)
	b = appendField(b, `,"ref":`, l.Ref)
	b = appendOptional(b, `,"url":`, l.URL)
	b = appendOptional(b, `,"error":`, l.Error)
	return append(b, "}\n"...)
}

func appendOptional(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	return appendField(b, key, value)
}

// appendField appends a key as it is and a string of JSON (RFC 8259 §7), in which
// what a terminal would obey is escaped. A byte that is not UTF-8 is U+FFFD, as
// package json has it.
func appendField(b []byte, key, value string) []byte {
	b = append(append(b, key...), '"')
	done := 0
	for i := 0; i < len(value); {
		c := value[i]
		if plainJSON[c] {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(value[i:])
		if c >= utf8.RuneSelf && !isHidden(r) && (r != utf8.RuneError || n > 1) {
			i += n
			continue
		}
		b = append(b, value[done:i]...)
		switch {
		case c >= utf8.RuneSelf:
			const hex = "0123456789abcdef"
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
			const hex = "0123456789abcdef"
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i += n
		done = i
	}
	return append(append(b, value[done:]...), '"')
}

// plainJSON are the bytes that stand for themselves.
var plainJSON = func() (plain [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()
