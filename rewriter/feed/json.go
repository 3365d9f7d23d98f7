package feed

import (
	"cmp"
	"errors"
	"iter"
	"strings"
	"unicode/utf16"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/syntax"
)

// maxKey is how long the name of a member may be; a longer name is unknown.
const maxKey = 64

var errJSON = errors.New("the feed is not JSON from here on, and stays as it is")

// A jsonReader reads JSON through the window of a scanner. What its caller does not read is
// skipped, without recursion. After the first error, nothing more is read and all loops end.
type jsonReader struct {
	scan  *scanner
	until int64 // the offset after which reading ends
	err   error // errHold after until; errJSON where the text is not JSON, or ends early
}

// stop ends reading. The first error counts.
func (j *jsonReader) stop(err error) { j.err = cmp.Or(j.err, err) }

// members reads the object that stands next. It yields the name of each member, and the first
// byte of its value. The value stands next then; if the loop does not read it, it is skipped.
func (j *jsonReader) members() iter.Seq2[string, byte] {
	return func(yield func(string, byte) bool) {
		j.scan.pos++
		for j.hasItem('}') && j.expect('"') {
			raw, _ := j.text(maxKey)
			name := string(unescaped(raw))
			if !j.expect(':') || !j.value(func(first byte) bool { return yield(name, first) }) {
				return
			}
		}
	}
}

// elements reads the array that stands next, as members reads an object: it yields the first
// byte of each element.
func (j *jsonReader) elements() iter.Seq[byte] {
	return func(yield func(byte) bool) {
		j.scan.pos++
		for j.hasItem(']') && j.value(yield) {
		}
	}
}

// hasItem goes to the next member or element. If end stands before that, hasItem goes past
// end and returns false.
func (j *jsonReader) hasItem(end byte) bool {
	for {
		switch j.next() {
		case ',':
			j.scan.pos++
		case end:
			j.scan.pos++
			return false
		default:
			return j.err == nil
		}
	}
}

// expect goes past c, and reports whether c stood next.
func (j *jsonReader) expect(c byte) bool {
	if j.next() != c {
		j.stop(errJSON)
		return false
	}
	j.scan.pos++
	return true
}

// value yields the first byte of the value that stands next, and skips the value if yield does
// not read it. It reports whether the loop goes on.
func (j *jsonReader) value(yield func(first byte) bool) bool {
	first := j.next()
	start := j.scan.pos
	if j.err != nil || !yield(first) {
		return false
	}
	if j.scan.pos == start {
		j.skip()
	}
	return true
}

// next goes past white space and returns the byte after it; 0 is none.
func (j *jsonReader) next() byte {
	for j.more() {
		if c := j.scan.at(0); !isSpace(c) {
			return c
		}
		j.scan.pos++
	}
	return 0
}

// more reports whether there is more to read. Where there is not, it stops reading with the
// reason.
func (j *jsonReader) more() bool {
	switch {
	case j.scan.pos > j.until:
		j.stop(errHold(int64(j.scan.hold)))
	case j.scan.failed() || !j.scan.has(1):
		j.stop(errJSON)
	}
	return j.err == nil
}

// text goes past the rest of a string, from the byte after its opening quote on. raw is the
// content with its escapes, and is valid until more is read. ok is false if raw would have more
// than limit bytes. ok is also false if reading has stopped: because the string does not end,
// or has an invalid escape.
func (j *jsonReader) text(limit int) (raw []byte, ok bool) {
	start, heldBefore := j.scan.pos, j.scan.held
	if heldBefore == notHeld {
		j.scan.pass(start) // what comes before the string need not wait for it
	}
	j.scan.held = inWindow
	defer func() { j.scan.held = heldBefore }()
	for j.more() {
		part, valid := j.scan.stringPart()
		j.scan.pos += int64(len(part))
		isLong := j.scan.pos-start > int64(limit)
		switch {
		case !valid: // part is empty here, too
			j.stop(errJSON)
		case len(part) == 0: // the quote that ends the string
			j.scan.pos++
			if isLong {
				return nil, false
			}
			return j.scan.bytes(start, j.scan.pos-1), true
		case isLong: // the content is not wanted any more
			j.scan.held = heldBefore
		}
	}
	return nil, false
}

// skip goes past a value. Brackets in it need not match.
func (j *jsonReader) skip() {
	for depth := 0; ; {
		switch c := j.next(); c {
		case '"':
			j.scan.pos++
			j.text(0) // whose content is not wanted
		case '{', '[':
			depth++
			j.scan.pos++
		case '}', ']', ',', ':', 0:
			if c == 0 || depth == 0 {
				j.stop(errJSON)
				return
			}
			if j.scan.pos++; c == '}' || c == ']' {
				depth--
			}
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
		n := before(rest, " \t\r\n,:{}[]\"")
		if j.scan.pos += int64(n); n < len(rest) {
			return
		}
	}
}

// stringPart returns what stands next in a string: an escape, or bytes without one; nothing
// at the quote that ends the string. ok is false, and part empty, where an escape is not
// valid.
func (s *scanner) stringPart() (part []byte, ok bool) {
	if s.at(0) == '\\' {
		n := s.escapeLength()
		return s.bytes(s.pos, s.pos+int64(n)), n > 0
	}
	rest := s.window()
	return rest[:before(rest, `"\`)], true
}

const unicodeLength = len(`\u0000`)

// escapeLength returns the length of the escape that stands next (RFC 8259 §7); 0 if it is not
// valid. The window then has all of the escape. A surrogate pair is one escape, and half a pair
// is valid.
func (s *scanner) escapeLength() int {
	if s.has(2) && strings.IndexByte(`"\/bfnrt`, s.at(1)) >= 0 {
		return 2
	}
	first, ok := s.unicodeEscape(0)
	if !ok {
		return 0
	}
	if utf16.IsSurrogate(first) {
		if second, ok := s.unicodeEscape(unicodeLength); ok && utf16.DecodeRune(first, second) != '\ufffd' {
			return 2 * unicodeLength
		}
	}
	return unicodeLength
}

// unicodeEscape returns the number of the \u escape that stands i bytes after pos.
func (s *scanner) unicodeEscape(i int) (c rune, ok bool) {
	for n, want := range `\u0000` {
		if !s.has(i + n + 1) {
			return 0, false
		}
		b := s.at(i + n)
		switch digit := ascii.Digit(b); {
		case want == '0' && digit < 16:
			c = c<<4 | digit
		case rune(b) != want:
			return 0, false
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
	if s.has(1) && s.at(0) == '{' {
		return true
	}
	s.rewind(0)
	return false
}
