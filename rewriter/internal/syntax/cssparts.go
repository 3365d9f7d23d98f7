package syntax

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// readParts appends the same references as read, at less cost: while no block or
// function is open, it reads only the tokens at the stops of cssStops.
func (r *cssReader) readParts(dst []Reference, text []byte, sheet bool) []Reference {
	before := len(dst)
	r.begin(text, sheet)
	stops := newCSSStops(text)
	for {
		var token cssToken
		if len(r.open) == 0 && r.mute == 0 && !r.importing {
			dst, token = r.skip(dst, &stops)
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

// CutCSS returns the end of the last semicolon or closing brace in the start of a style
// sheet after which nothing is open, or 0. The text before and the text after this end
// have the same references apart as together.
func CutCSS(text []byte) (end int) {
	r := cssReader{}
	r.begin(text, true)
	var scratch [1]Reference
	for token := r.next(); token != cssEnd; token = r.next() {
		r.take(scratch[:0], token)
		if (token == ';' || token == '}') && len(r.open) == 0 && r.mute == 0 {
			end = r.end
		}
	}
	r.release()
	return end
}

// skip reads the next token that holds a reference, or that opens something in which a
// reference may stand. It appends the references before this token. No block or function
// is open.
func (r *cssReader) skip(dst []Reference, stops *cssStops) ([]Reference, cssToken) {
	for {
		stop := stops.next(r.end)
		if form, ok := r.plainURL(stop); ok {
			dst = r.reference(dst, form)
			continue
		}
		r.end = r.tokenAround(stop)
		switch token := r.next(); token {
		case cssEnd, cssURL, cssAtKeyword:
			return dst, token
		case cssFunction:
			if r.function()&marks != 0 {
				return dst, token
			}
		}
	}
}

// plainURL reads a whole url() in its most common form, whose parenthesis is the next
// stop, and returns the form of its reference. If the url() has another form, plainURL
// reads nothing, and ok is false.
func (r *cssReader) plainURL(stop int) (form Form, ok bool) {
	name, before := stop-len("url"), r.end
	if name < before || stop == len(r.text) || r.text[stop] != '(' || !ascii.EqualFold(r.text[name:stop], "url") {
		return form, false
	}
	if name > before && (isCSSName(r.text[name-1]) || r.text[name-1] == '#' || r.text[name-1] == '@') { // the name begins there
		return form, false
	}
	r.start = ascii.SkipSpace(r.text, stop+1)
	if r.start == len(r.text) || !ascii.IsQuote(r.text[r.start]) {
		form, ok = FormCSSURL, r.url(r.start) == cssURL
	} else if form = r.stringForm(); r.string() == cssString {
		end := ascii.SkipSpace(r.text, r.end)
		ok = end < len(r.text) && r.text[end] == ')'
		r.end = end + 1
	}
	if !ok {
		r.end = before
	}
	return form, ok
}

// tokenAround returns where the token begins in which the stop at i stands. A token
// begins at r.end, and there is no stop between r.end and i.
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

// cssStops finds the stops in CSS, at which a reader has to look while no block or
// function is open. A stop is an opener, or the first byte of a string, comment or
// escape that may hide an opener. An opener is the parenthesis of a function that takes
// references, or the at sign of an at-rule that a reader takes note of.
type cssStops struct {
	text            []byte
	opener          int // the next opener, of either kind
	parenthesis, at int // the next opener that is a parenthesis, and the next that is an at sign
	last            int // the last parenthesis that was found, of any function
	hiding          [len(cssHiding)]int
}

// cssHiding has the first bytes of everything that may hide an opener. For each of these
// bytes, cssStops.hiding has an index before which the byte does not occur again.
const cssHiding = "\\\"'/"

func newCSSStops(text []byte) cssStops {
	return cssStops{text: text, opener: -1, parenthesis: -1, at: -1}
}

// nearBytes is how far it is faster to look at every byte than to search for each kind
// of stop.
const nearBytes = 64

var mayBeCSSStop = [256]bool{'(': true, '@': true, '\\': true, '"': true, '\'': true, '/': true}

// next is first, at less cost where a stop is near.
func (s *cssStops) next(i int) int {
	near := s.text[:min(i+nearBytes, len(s.text))]
	for i = skipUntil(near, i, &mayBeCSSStop); i < len(near); i = skipUntil(near, i+1, &mayBeCSSStop) {
		switch rest := s.text[i+1:]; near[i] {
		case '(':
			if endsInURLFunction(s.text[:i]) {
				return i
			}
		case '@':
			if mayBeginReadAtRule(rest) {
				return i
			}
		case '/':
			if len(rest) > 0 && rest[0] == '*' {
				return i
			}
		default:
			return i
		}
	}
	if i == len(s.text) {
		return i
	}
	return s.first(i)
}

// first returns the index of the first stop from i on, or the length of the text if no
// reference can follow. i must not decrease from call to call.
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

// findOpener returns the index of the first opener from i on, or the length of the text.
// An escape may be part of the name of a function. Therefore the last parenthesis counts
// as an opener if no other opener is left and there is an escape before it.
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

// find returns the index of the first opener from i on that is the byte c, or the length
// of the text.
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

// mayBeginReadAtRule reports whether text may begin with the name of an at-rule that a
// reader takes note of.
func mayBeginReadAtRule(text []byte) bool {
	for _, name := range []string{"import", "namespace", "charset"} {
		if ascii.HasPrefixFold(text, name) {
			return true
		}
	}
	end := skipUntil(text, 0, &cssNameStops)
	return end < len(text) && text[end] == '\\'
}
