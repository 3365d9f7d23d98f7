package syntax

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// ReadParts reads what read reads, at less cost: no tokens but those of the
// functions and at-rules in which there may be a reference. It finds them by the
// bytes that begin them, past strings and comments; where it takes more to know
// what is one, all is read. After the last it reads nothing.
func (r *CssReader) ReadParts(dst []Reference, text []byte, sheet bool) []Reference {
	all := len(dst)
	r.begin(text, sheet)
	defer r.Reset(nil)
	candidates := newCSSCandidates(text)
	stops := cssStops{text: text}
	if !candidates.escaped {
		stops.at[len(cssStopBytes)-1] = len(text)
	}
	escape := -1 // where the last escape ends that is no part of a token that has been read
	read := 0    // where the last token ends that has been
	for i := 0; !r.unclear; {
		next := candidates.next(i)
		if next == len(text) {
			return dst
		}
		for i = stops.next(i, next); i < next; i = stops.next(i, next) {
			switch text[i] {
			case '/':
				i = cssCommentEnd(text, i)
			case '\\':
				i = cssEscapeEnd(text, i)
				escape = i
			default:
				i = cssStringEnd(text, i)
			}
		}
		switch {
		case i > next: // which is in a string, comment or escape
			continue
		case text[i] == '@':
			dst, i = r.readAtRule(dst, i)
		default:
			dst, i = r.readFunction(dst, i, read, escape)
		}
		read = i
	}
	return r.Read(dst[:all], text, sheet)
}

// readAtRule reads what begins with the at-keyword at i if there may be a
// reference in it, or something that looks like one, and returns where that
// ends.
func (r *CssReader) readAtRule(dst []Reference, i int) (_ []Reference, end int) {
	end = i + 1
	for end < len(r.text) && isCSSName(r.text[end]) {
		end++
	}
	name := r.text[i+1 : end]
	switch {
	case end < len(r.text) && r.text[end] == '\\':
		r.unclear = true
	case r.sheet && ascii.EqualFold(name, "import"), ascii.EqualFold(name, "namespace"), ascii.EqualFold(name, "charset"):
		return r.readPart(dst, i)
	}
	return dst, end
}

// readFunction reads the function whose parenthesis is at i, if it is one that
// takes references, and returns where it ends. Tokens have been read up to read,
// and escape is where the last escape before it ended.
func (r *CssReader) readFunction(dst []Reference, i, read, escape int) (_ []Reference, end int) {
	start := i
	for start > read && isCSSName(r.text[start-1]) {
		start--
	}
	r.from, r.to = start, i
	name, before := r.text[start:i], r.text[:start]
	switch {
	case start <= escape, bytes.HasPrefix(name, []byte("--")) && bytes.HasSuffix(before, []byte("<!")):
		r.unclear = true // the name begins elsewhere
	case start > 0 && (r.text[start-1] == '@' || r.text[start-1] == '#'):
	case r.function()&marks != 0:
		return r.readPart(dst, start)
	}
	return dst, i + 1
}

// readPart reads on from i to where nothing is open any more, and returns where
// that is.
func (r *CssReader) readPart(dst []Reference, i int) (_ []Reference, end int) {
	r.End = i
	for more := true; more; {
		if dst, more = r.token(dst); len(r.open) == 0 && r.mute == 0 && !r.importing {
			break
		}
	}
	return dst, r.End
}

// cssCandidates finds the parentheses and at signs with which a function or
// at-rule may begin in which there is a reference.
type cssCandidates struct {
	text        []byte
	escaped     bool // a name may have an escape in it: any of them may be one
	parenthesis int  // where the next is
	at          int
}

func newCSSCandidates(text []byte) cssCandidates {
	return cssCandidates{text: text, escaped: bytes.IndexByte(text, '\\') >= 0, parenthesis: -1, at: -1}
}

// next returns where the next of them is, from i on, or the length of the text.
func (c *cssCandidates) next(i int) int {
	if c.parenthesis < i {
		c.parenthesis = c.find(i, '(')
	}
	if c.at < i {
		c.at = c.find(i, '@')
	}
	return min(c.parenthesis, c.at)
}

// find returns where the next b is, from i on, that may be one.
func (c *cssCandidates) find(i int, b byte) int {
	for ; ; i++ {
		n := bytes.IndexByte(c.text[i:], b)
		if n < 0 {
			return len(c.text)
		}
		i += n
		if c.escaped || b == '(' && endsInURLFunction(c.text[:i]) || b == '@' && beginsReadAtRule(c.text[i+1:]) {
			return i
		}
	}
}

// beginsReadAtRule reports whether a name may begin here that is one of those of
// which readAtRule takes note.
func beginsReadAtRule(text []byte) bool {
	for _, name := range []string{"import", "namespace", "charset"} {
		if ascii.HasPrefixFold(text, name) {
			return true
		}
	}
	return false
}

// cssStops finds the bytes with which a string, a comment or an escape begins.
type cssStops struct {
	text []byte
	at   [len(cssStopBytes)]int // each of them is not before that, from where it has been looked for
}

const cssStopBytes = "\"'/\\"

// next returns where the next of them is from i on, or end. i never decreases.
func (s *cssStops) next(i, end int) int {
	if i >= end {
		return i
	}
	first := end
	for k, at := range &s.at {
		if at <= i {
			at = end
			if n := bytes.IndexByte(s.text[i:end], cssStopBytes[k]); n >= 0 {
				at = i + n
			}
			s.at[k] = at
		}
		first = min(first, at)
	}
	return first
}

// cssStringEnd returns where the string at i ends: after its quote, or before
// the newline that makes it a bad string.
func cssStringEnd(text []byte, i int) int {
	for j := i + 1; ; {
		if j = skipUntil(text, j, &cssStringStops); j == len(text) {
			return j
		}
		switch text[j] {
		case text[i]:
			return j + 1
		case '\n', '\r', '\f':
			return j
		case '\\':
			j = cssEscapeEnd(text, j)
		default: // the other quote
			j++
		}
	}
}

// cssCommentEnd returns where the comment at i ends, or the slash that is none.
func cssCommentEnd(text []byte, i int) int {
	if i+1 == len(text) || text[i+1] != '*' {
		return i + 1
	}
	if n := bytes.Index(text[i+2:], []byte("*/")); n >= 0 {
		return i + 2 + n + 2
	}
	return len(text)
}
