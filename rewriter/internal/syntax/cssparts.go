package syntax

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// readParts appends the same references as read, at less cost: while no block or
// function is open, it reads only the tokens at the stops.
func (r *cssReader) readParts(dst []Reference, text []byte, sheet bool) []Reference {
	before := len(dst)
	r.begin(text, sheet)
	for {
		var token cssToken
		if len(r.open) == 0 && r.mute == 0 && !r.importing {
			dst, token = r.skip(dst)
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

// skip reads the next token that holds a reference, or that opens something in which a
// reference may stand. It appends the references before this token. No block or function
// is open.
func (r *cssReader) skip(dst []Reference) ([]Reference, cssToken) {
	for {
		stop := r.nextStop(r.end)
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

// cssStops has the bytes that may be a stop.
var cssStops = [256]bool{'(': true, '@': true, '\\': true, '"': true, '\'': true, '/': true}

// nextStop returns the index of the first stop from i on, or the length of the text. A
// stop is a byte at which a reader has to look while no block or function is open: the
// parenthesis of a function that takes references, the at sign of an at-rule that a reader
// takes note of, or the first byte of a string, comment or escape that may hide these.
func (r *cssReader) nextStop(i int) int {
	for i = skipUntil(r.text, i, &cssStops); i < len(r.text); i = skipUntil(r.text, i+1, &cssStops) {
		switch r.text[i] {
		case '(':
			if endsInURLFunction(r.text[:i]) {
				return i
			}
		case '@':
			if mayBeginReadAtRule(r.text[i+1:]) {
				return i
			}
		case '/':
			if i+1 < len(r.text) && r.text[i+1] == '*' {
				return i
			}
		default:
			return i
		}
	}
	return i
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
