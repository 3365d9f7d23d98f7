package feed

import (
	"bytes"
	"unicode/utf8"
)

// tagName returns the name in a tag.
func tagName(tag []byte) []byte {
	name := bytes.TrimPrefix(tag[1:], []byte("/"))
	if i := bytes.IndexAny(name, " \t\r\n/>"); i >= 0 {
		name = name[:i]
	}
	return name
}

// isEmptyElement reports whether a start tag is an empty-element tag.
func isEmptyElement(tag []byte) bool { return bytes.HasSuffix(tag, []byte("/>")) }

// An attribute of a tag.
type attribute struct {
	name, value []byte // as they are written
	offset      int    // of value in the tag
}

// attributes calls yield for each attribute of a start tag.
func attributes(tag []byte, yield func(attribute)) {
	i := 1 + len(tagName(tag))
	end := len(tag) - 1
	for {
		for i < end && (isSpace(tag[i]) || tag[i] == '/') {
			i++
		}
		if i >= end {
			return
		}
		start := i
		for i < end && !isSpace(tag[i]) && tag[i] != '/' && (tag[i] != '=' || i == start) {
			i++
		}
		a := attribute{name: tag[start:i]}
		for i < end && isSpace(tag[i]) {
			i++
		}
		if i < end && tag[i] == '=' {
			i++
			for i < end && isSpace(tag[i]) {
				i++
			}
			start = i
			if i < end && (tag[i] == '"' || tag[i] == '\'') {
				start++
				n := bytes.IndexByte(tag[start:end], tag[i])
				if n < 0 {
					n = end - start
				}
				a.value, i = tag[start:start+n], min(end, start+n+1)
			} else {
				for i < end && !isSpace(tag[i]) {
					i++
				}
				a.value = tag[start:i]
			}
			a.offset = start
		}
		yield(a)
	}
}

// parseReference parses the reference that text begins with (XML 1.0 §4.1), and returns
// the character that it stands for. char is -1 for an entity that is not predefined and
// for a number that is not a character. n is the length of the reference; 0 says that the
// "&" does not begin one.
func parseReference(text []byte) (char rune, n int) {
	n = bytes.IndexByte(text[:min(len(text), maxReference)], ';') + 1
	if n <= 2 {
		return 0, 0
	}
	name := text[1 : n-1]
	chars, isNumber := bytes.CutPrefix(name, []byte("#"))
	for _, c := range chars {
		if !isNameStart(c) && (c < '0' || c > '9') && c != '-' && c != '.' {
			return 0, 0
		}
	}
	if isNumber {
		return number(chars), n
	}
	switch string(name) {
	case "amp":
		return '&', n
	case "lt":
		return '<', n
	case "gt":
		return '>', n
	case "quot":
		return '"', n
	case "apos":
		return '\'', n
	}
	return -1, n
}

// number returns the character that a numeric reference stands for, or -1.
func number(digits []byte) (char rune) {
	base := rune(10)
	if len(digits) > 0 && digits[0] == 'x' {
		base, digits = 16, digits[1:]
	}
	if len(digits) == 0 {
		return -1
	}
	for _, c := range digits {
		d := rune(16)
		switch {
		case c >= '0' && c <= '9':
			d = rune(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			d = rune(c|0x20-'a') + 10
		}
		if d >= base || char > utf8.MaxRune {
			return -1
		}
		char = char*base + d
	}
	if !isChar(char) {
		return -1
	}
	return char
}

// isChar reports whether a character may stand in XML (XML 1.0 §2.2).
func isChar(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r < 0xfffe && !(r >= 0xd800 && r < 0xe000) || r >= 0x10000 && r <= utf8.MaxRune
}

// appendDecoded appends a value or text with its references decoded. Unknown ones stay as
// they are written.
func appendDecoded(dst, raw []byte) []byte {
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '&')
		if i < 0 {
			break
		}
		dst = append(dst, raw[:i]...)
		raw = raw[i:]
		char, n := parseReference(raw)
		if n > 0 && char >= 0 {
			dst = utf8.AppendRune(dst, char)
		} else {
			n = max(n, 1)
			dst = append(dst, raw[:n]...)
		}
		raw = raw[n:]
	}
	return append(dst, raw...)
}

// hasEntity reports whether a value or text has a reference that is not decoded.
func hasEntity(raw []byte) bool {
	for {
		i := bytes.IndexByte(raw, '&')
		if i < 0 {
			return false
		}
		char, n := parseReference(raw[i:])
		if n > 0 && char < 0 {
			return true
		}
		raw = raw[i+1:]
	}
}
