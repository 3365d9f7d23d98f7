package syntax

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// readParts finds the same references as read, at less cost: while nothing is open,
// it reads only the tokens at the stops of cssStops.
func (r *cssReader) readParts(dst []Reference, text []byte, sheet bool) []Reference {
	before := len(dst)
	r.begin(text, sheet)
	defer r.reset(nil)
	stops := newCSSStops(text)
	for {
		var token cssToken
		if len(r.open) == 0 && r.mute == 0 && !r.importing {
			token = r.skip(&stops)
		} else {
			token = r.next()
		}
		if token == cssEnd {
			return dst
		}
		if dst = r.take(dst, token); r.unclear {
			return r.read(dst[:before], text, sheet)
		}
	}
}

// skip reads the next token that holds a reference or may begin what holds one.
// Nothing is open.
func (r *cssReader) skip(stops *cssStops) cssToken {
	for {
		r.end = r.tokenAround(stops.first(r.end))
		switch token := r.next(); token {
		case cssEnd, cssURL, cssAtKeyword:
			return token
		case cssFunction:
			if r.function()&marks != 0 {
				return token
			}
		}
	}
}

// tokenAround returns where the token begins that the stop at i is in. A token
// begins at r.end, and no stop is between.
func (r *cssReader) tokenAround(i int) int {
	if i == len(r.text) || r.text[i] != '(' && r.text[i] != '\\' {
		return i
	}
	for i > r.end && isCSSName(r.text[i-1]) {
		i--
	}
	if i == r.end {
		return i
	}
	switch r.text[i-1] {
	case '#', '@':
		return i - 1
	case '!':
		if bytes.HasSuffix(r.text[r.end:i], []byte("<!")) && bytes.HasPrefix(r.text[i:], []byte("--")) {
			return i - len("<!")
		}
	}
	return i
}

// cssStops finds the bytes that decide what a stretch of CSS holds while nothing
// is open: openers, and before them the strings, comments and escapes that may hide
// an opener. An opener is the parenthesis of a function that takes references, or
// the at sign of an at-rule that a reader takes note of.
type cssStops struct {
	text            []byte
	opener          int // the first opener from where it was looked for
	parenthesis, at int // the first opener of either kind
	last            int // the last parenthesis so far, whatever its function
	hiding          [len(cssHiding)]int
}

// cssHiding has the first bytes of what may hide an opener. For each of them,
// cssStops.hiding is a place before which it does not occur again.
const cssHiding = "\\\"'/"

func newCSSStops(text []byte) cssStops {
	return cssStops{text: text, opener: -1, parenthesis: -1, at: -1}
}

// first returns where the first stop is from i on, or the length of the text if no
// reference can follow. From call to call i does not decrease.
func (s *cssStops) first(i int) int {
	if s.opener < i {
		s.opener = s.findOpener(i)
	}
	first := s.opener
	if first == len(s.text) {
		return first
	}
	for k, next := range &s.hiding {
		if next <= i {
			next = first
			if n := bytes.IndexByte(s.text[i:first], cssHiding[k]); n >= 0 {
				next = i + n
			}
			s.hiding[k] = next
		}
		first = min(first, next)
	}
	return first
}

// findOpener returns where the first opener is from i on, or the length of the text.
// An escape may be part of the name of a function. So, if there are only escapes
// left, the last parenthesis counts as an opener.
func (s *cssStops) findOpener(i int) int {
	if s.parenthesis < i {
		s.parenthesis = s.find('(', i)
	}
	if s.at < i {
		s.at = s.find('@', i)
	}
	opener := min(s.parenthesis, s.at)
	if opener == len(s.text) && i < s.last && bytes.IndexByte(s.text[i:s.last], '\\') >= 0 {
		return s.last
	}
	return opener
}

// find returns where the first opener is that is c, from i on, or the length of the
// text.
func (s *cssStops) find(c byte, i int) int {
	for i = ascii.NextByte(s.text, i-1, c); i >= 0; i = ascii.NextByte(s.text, i, c) {
		if c == '@' && mayBeginReadAtRule(s.text[i+1:]) {
			return i
		}
		if c == '(' {
			s.last = i
			if endsInURLFunction(s.text[:i]) {
				return i
			}
		}
	}
	return len(s.text)
}

// mayBeginReadAtRule reports whether the name that text begins with may be that of
// an at-rule of which a reader takes note.
func mayBeginReadAtRule(text []byte) bool {
	for _, name := range []string{"import", "namespace", "charset"} {
		if ascii.HasPrefixFold(text, name) {
			return true
		}
	}
	end := skipUntil(text, 0, &cssNameStops)
	return end < len(text) && text[end] == '\\'
}
