package rewriter

import "bytes"

// readParts reads what read reads, at less cost: of the parts of CSS that ";",
// "{" and "}" divide it into, only those in which there may be a reference. It
// sees strings, comments, brackets and url() tokens as far as that takes; where
// it takes more, all is read.
func (r *cssReader) readParts(dst []reference, text []byte, sheet bool) []reference {
	p := cssParts{text: text}
	all := len(dst)
	for p.next() {
		n := len(dst)
		dst = r.read(dst, text[p.start:p.end], sheet)
		for i := n; i < len(dst); i++ {
			dst[i].start += p.start
			dst[i].end += p.start
		}
	}
	if p.unclear {
		return r.read(dst[:all], text, sheet)
	}
	return dst
}

// cssParts finds the parts text[start:end] in which there may be a reference.
type cssParts struct {
	text       []byte
	start, end int

	wanted bool   // the part may have a reference
	mute   bool   // it begins @namespace or @charset
	open   []byte // what closes the brackets that are open
	escape int    // in the part, after the last escape outside of strings

	unclear bool // only read knows the parts
}

// next moves on to the next part.
func (p *cssParts) next() bool {
	p.start, p.wanted = p.end, false
	for i := p.start; i < len(p.text); {
		c := p.text[i]
		if !cssStops[c] {
			i++
			continue
		}
		divides, plain := false, true
		i, divides, plain = p.stop(i, c)
		if !plain {
			p.unclear = true
			return false
		}
		if !divides {
			continue
		}
		p.escape = 0 // no name goes on
		if p.mute = false; p.wanted {
			p.end = i
			return true
		}
		p.start = i
	}
	p.end = len(p.text)
	return p.wanted
}

// stop goes past the byte c at i. It is not plain where only read knows.
func (p *cssParts) stop(i int, c byte) (next int, divides, plain bool) {
	switch c {
	case ';', '{', '}':
		if c == ';' && len(p.open) > 0 {
			return i + 1, false, true
		}
		return i + 1, true, len(p.open) == 0 && !(p.mute && c != ';')
	case '"', '\'':
		return cssStringEnd(p.text, i), false, true
	case '/':
		return cssCommentEnd(p.text, i), false, true
	case '\\':
		p.escape = i + 2
		return i + 2, false, true
	case '@':
		p.wanted = true
		p.mute = p.mute || hasPrefixFold(p.text[i:], "@namespace") || hasPrefixFold(p.text[i:], "@charset")
	case '(':
		return p.parenthesis(i)
	case '[':
		// Around the parts a bracket says nothing, as in <![CDATA[.
		if len(p.open) > 0 {
			p.open = append(p.open, ']')
		}
		return i + 1, false, !p.mute
	case ')', ']':
		if n := len(p.open); n > 0 && p.open[n-1] == c {
			p.open = p.open[:n-1]
		} else if n > 0 {
			return i, false, false
		}
	}
	return i + 1, false, p.escape == 0 || i-p.escape > maxEscapedName || c != '@'
}

// maxEscapedName is more than the longest name of a function with a reference
// takes when all of it is escaped.
const maxEscapedName = 160

// parenthesis goes past the "(" at i, and past the url() token that it may be
// part of.
func (p *cssParts) parenthesis(i int) (next int, divides, plain bool) {
	if p.escape > 0 && i-p.escape < maxEscapedName {
		return i, false, false
	}
	before := p.text[:i]
	p.wanted = p.wanted || endsInURLFunction(before)
	if n := i - len("url"); n >= 0 && equalFold(p.text[n:i], "url") && (n == 0 || !isCSSName(p.text[n-1])) {
		j := skipSpace(p.text, i+1)
		if j == len(p.text) || p.text[j] != '"' && p.text[j] != '\'' {
			return cssURLEnd(p.text, j), false, true
		}
	}
	p.open = append(p.open, ')')
	return i + 1, false, true
}

var cssStops = [256]bool{
	';': true, '{': true, '}': true, '"': true, '\'': true, '/': true, '\\': true, '@': true, '(': true, ')': true,
	'[': true, ']': true,
}

// cssStringEnd returns where the string at i ends: after its quote, or before
// the newline that makes it a bad string.
func cssStringEnd(text []byte, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch c := text[j]; c {
		case text[i]:
			return j + 1
		case '\n', '\r', '\f':
			return j
		case '\\':
			j = cssEscapeEnd(text, j) - 1
		}
	}
	return len(text)
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

// cssURLEnd returns where a url() token ends, bad or not, that text[i] is in.
func cssURLEnd(text []byte, i int) int {
	for ; i < len(text); i++ {
		switch text[i] {
		case ')':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(text)
}
