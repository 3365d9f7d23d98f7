package feed

import (
	"bytes"
	"errors"
	"unicode/utf16"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/syntax"
)

// maxKey is how long the name of a member may be; a longer name is unknown.
const maxKey = 64

var errJSON = errors.New("the feed is not JSON from here on, and stays as it is")

// A jsonReader reads JSON through the window of a scanner. It calls member for each member
// of the objects that are of interest; everything else it goes past, and never recurses
// for that. Where the text is not JSON, reading ends.
type jsonReader struct {
	scan   *scanner
	enter  func(s *shape)             // if not nil, is called at the beginning of an object
	member func(s *shape, key string) // reads the value; what it leaves is skipped
	until  int64                      // reading ends after it; 0 is nowhere
	ended  bool                       // nothing more is read
}

// next goes past white space and returns the next byte; 0 is none.
func (j *jsonReader) next() byte {
	for !j.ended {
		if !j.more() {
			break
		}
		c := j.scan.buf[j.scan.pos-j.scan.off]
		if !isSpace(c) {
			return c
		}
		j.scan.pos++
	}
	return 0
}

// more reports whether there is more to read.
func (j *jsonReader) more() bool {
	if j.until > 0 && j.scan.pos > j.until || !j.scan.has(1) {
		j.ended = true
	}
	return !j.ended
}

// objects reads an object, or the objects of an array.
func (j *jsonReader) objects(s *shape) {
	switch j.next() {
	case '{':
		j.object(s)
		return
	case '[':
		j.scan.pos++
	default:
		j.skip()
		return
	}
	for {
		switch j.next() {
		case 0:
			return
		case ']':
			j.scan.pos++
			return
		case ',':
			j.scan.pos++
		case '{':
			j.object(s)
		default:
			j.skip()
		}
	}
}

// object reads an object.
func (j *jsonReader) object(s *shape) {
	if j.enter != nil {
		j.enter(s)
	}
	j.scan.pos++
	for {
		switch j.next() {
		case '}':
			j.scan.pos++
			return
		case ',':
			j.scan.pos++
			continue
		case '"':
		default:
			j.ended = true
			return
		}
		key := j.key()
		if j.next() != ':' {
			j.ended = true
			return
		}
		j.scan.pos++
		if j.next() == 0 {
			return
		}
		at := j.scan.pos
		if j.member(s, key); j.scan.pos == at {
			j.skip()
		}
	}
}

// key reads the name of a member; "" is one that is too long.
func (j *jsonReader) key() string {
	var raw []byte
	j.scan.pos++
	j.content(func(part []byte) {
		if len(raw) <= maxKey {
			raw = append(raw, part[:min(len(part), maxKey+1)]...)
		}
	})
	if len(raw) > maxKey {
		return ""
	}
	return string(unescaped(raw))
}

// text reads a string, and returns its content as it is written; ok is false where that
// is longer than limit, or does not end.
func (j *jsonReader) text(limit int) (raw []byte, ok bool) {
	s := j.scan
	s.pos++
	start, held := s.pos, s.held
	s.held = inWindow
	j.content(func([]byte) {
		if s.pos-start > int64(limit) {
			s.held = held
		}
	})
	s.held = held
	if end := s.pos - 1; !j.ended && end-start <= int64(limit) {
		return s.bytes(start, end), true
	}
	return nil, false
}

// content goes past the rest of a string. It calls yield for each part. An escape is a
// part of its own.
func (j *jsonReader) content(yield func(part []byte)) {
	for j.more() {
		rest := j.scan.window()
		n := bytes.IndexAny(rest, `"\`)
		switch {
		case n < 0:
			n = len(rest)
		case n > 0:
		case rest[0] == '"':
			j.scan.pos++
			return
		default:
			if n = escapeLength(j.scan); n == 0 {
				j.ended = true
				return
			}
			rest = j.scan.buf[j.scan.pos-j.scan.off:]
		}
		yield(rest[:n])
		j.scan.pos += int64(n)
	}
}

// skip goes past a value.
func (j *jsonReader) skip() {
	for depth := 0; ; {
		switch c := j.next(); c {
		case 0:
			return
		case '{', '[':
			depth++
			j.scan.pos++
		case '}', ']', ',', ':':
			if depth == 0 {
				j.ended = true
				return
			}
			if j.scan.pos++; c == '}' || c == ']' {
				depth--
			}
		case '"':
			j.scan.pos++
			j.content(func([]byte) {})
		default:
			j.literal()
		}
		if depth == 0 {
			return
		}
	}
}

// literal goes past a number, true, false or null.
func (j *jsonReader) literal() {
	for j.more() {
		rest := j.scan.window()
		n := bytes.IndexAny(rest, " \t\r\n,:{}[]\"")
		if n >= 0 {
			j.scan.pos += int64(n)
			return
		}
		j.scan.pos += int64(len(rest))
	}
}

// escapeLength returns the length of the escape that stands next (RFC 8259 §7), and reads
// all of it; 0 is none. Two escapes that make one character are one.
func escapeLength(s *scanner) int {
	if !s.has(2) {
		return 0
	}
	switch s.buf[s.pos-s.off+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	}
	const length = len(`\u0000`)
	first, ok := unicodeEscape(s, 0)
	if !ok {
		return 0
	}
	if utf16.IsSurrogate(first) {
		if second, ok := unicodeEscape(s, length); ok && utf16.DecodeRune(first, second) != '\ufffd' {
			return 2 * length
		}
	}
	return length
}

// unicodeEscape returns the number of the \u escape that stands at i after the position of
// a scanner.
func unicodeEscape(s *scanner, i int) (c rune, ok bool) {
	const length = len(`\u0000`)
	for n := range length {
		if !s.has(i + n + 1) {
			return 0, false
		}
		b := s.buf[s.pos-s.off+int64(i+n)]
		switch {
		case n < len(`\u`):
			if b != `\u`[n] {
				return 0, false
			}
		case ascii.Digit(b) >= 16:
			return 0, false
		default:
			c = c<<4 | ascii.Digit(b)
		}
	}
	return c, true
}

// unescaped returns the text that a part of a string stands for. Its escapes are valid.
func unescaped(raw []byte) []byte { return syntax.FormJSON.AppendDecoded(nil, raw) }

// beginsJSON reports whether the scanner is before an object of JSON, and goes to it.
func (s *scanner) beginsJSON() bool {
	const mark = "\xef\xbb\xbf"
	if s.begins(mark) {
		s.pos += int64(len(mark))
	}
	s.skipSpace()
	if s.has(1) && s.buf[s.pos-s.off] == '{' {
		return true
	}
	s.rewind(0)
	return false
}
