package feed

import (
	"bytes"
	"iter"
	"strconv"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
)

// tagName returns the name in a tag.
func tagName(tag []byte) []byte {
	name := bytes.TrimPrefix(tag[1:], []byte("/"))
	return name[:before(name, space+"/>")]
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
			if i < end && ascii.IsQuote(tag[i]) {
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

// space is the white space of XML.
const space = " \t\r\n"

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
	base := 10
	if hex, ok := bytes.CutPrefix(digits, []byte("x")); ok {
		base, digits = 16, hex
	}
	n, err := strconv.ParseUint(string(digits), base, 31)
	if char = rune(n); err != nil || !isChar(char) {
		return -1
	}
	return char
}

// isChar reports whether a character may stand in XML (XML 1.0 §2.2).
func isChar(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r < 0xfffe && !(r >= 0xd800 && r < 0xe000) || r >= 0x10000 && r <= utf8.MaxRune
}

// A reference stands in a text from start to end. char is as in parseReference.
type reference struct {
	start, end int
	char       rune
}

// references yields the references in a text.
func references(text []byte) iter.Seq[reference] {
	return func(yield func(reference) bool) {
		for i := bytes.IndexByte(text, '&'); i >= 0; i = ascii.NextByte(text, i, '&') {
			if char, n := parseReference(text[i:]); n > 0 && !yield(reference{i, i + n, char}) {
				return
			}
		}
	}
}

// appendDecoded appends a value or text with its references decoded. Unknown ones stay as
// they are written.
func appendDecoded(dst, raw []byte) []byte {
	done := 0
	for r := range references(raw) {
		if r.char >= 0 {
			dst = utf8.AppendRune(append(dst, raw[done:r.start]...), r.char)
			done = r.end
		}
	}
	return append(dst, raw[done:]...)
}

// hasEntity reports whether a value or text has a reference that is not decoded.
func hasEntity(raw []byte) bool {
	for r := range references(raw) {
		if r.char < 0 {
			return true
		}
	}
	return false
}
