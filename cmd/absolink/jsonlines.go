package main

import (
	"strconv"
	"unicode/utf8"

	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// appendArchived appends the line of a place in a page of an archive: what listed
// has, and before it the page, its date, its record's id and where in the archive
// that begins.
func appendArchived(b []byte, file string, page *warc.Page, p *rewriter.Place) []byte {
	b = appendField(b, `{"file":`, file)
	b = appendField(b, `,"page":`, page.URL)
	b = appendField(b, `,"date":`, page.Date)
	b = appendField(b, `,"record":`, page.ID)
	b = strconv.AppendInt(append(b, `,"record_offset":`...), page.Offset, 10)
	b = strconv.AppendInt(append(b, `,"offset":`...), p.Offset, 10)
	b = appendField(b, `,"element":`, p.Element)
	b = appendOptional(b, `,"attr":`, p.Attr)
	b = appendField(b, `,"syntax":`, p.Rule.Syntax.String())
	b = appendOptional(b, `,"rel":`, p.Rel)
	b = appendField(b, `,"raw":`, p.Raw)
	b = appendField(b, `,"ref":`, p.Ref)
	b = appendOptional(b, `,"url":`, p.URL)
	if p.Err != nil {
		b = appendField(b, `,"error":`, p.Err.Error())
	}
	return append(b, "}\n"...)
}

func appendOptional(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	return appendField(b, key, value)
}

// appendField appends a key as it is and a string of JSON (RFC 8259 §7). A byte
// that is no UTF-8 is U+FFFD, as package json has it.
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
		if r != utf8.RuneError && r != '\u2028' && r != '\u2029' && c >= utf8.RuneSelf || r == utf8.RuneError && n > 1 {
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
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()
