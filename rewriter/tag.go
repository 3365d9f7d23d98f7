package rewriter

import (
	"bytes"
	"slices"
)

// quoting is how an attribute value stands in its tag.
type quoting uint8

const (
	valueless    quoting = iota // <a href>: value is empty, at the end of the name
	unquoted                    // <a href=x>
	doubleQuoted                // <a href="x">
	singleQuoted                // <a href='x'>
	unescaped                   // raw text, no attribute
	decoded                     // in a tree: the value itself
	characters                  // text with character references
	cdata                       // the text of a CDATA section
	comment                     // that of a comment
)

// A span is half-open: the bytes of a tag from start up to, not including, end.
// It is small because there are many.
type span struct{ start, end int32 }

func newSpan(start, end int) span { return span{int32(start), int32(end)} }

func (s span) of(b []byte) []byte { return b[s.start:s.end] }

func (s span) len() int { return int(s.end - s.start) }

// An attribute is where an attribute stands in its tag. The value is without
// its quotes.
type attribute struct {
	hash        uint64 // of the name
	name, value span
	quoting     quoting
	long        bool // the value is streamed: what the window has of it may not be all
}

// A tag is a start tag or an end tag with the spans of what is in it, counted
// from its "<". Duplicate attributes are all there. It is read in as many
// pieces as it comes in (HTML Standard §13.2.5.8 and §13.2.5.32 to
// §13.2.5.40).
type tag struct {
	start       int // in the window
	isEnd       bool
	hash        uint64 // of the name
	name        span
	attrs       []attribute
	selfClosing bool

	pos  int // what stands before it is read
	step tagStep
	cur  attribute // being read
	skip bool      // attributes are not kept: nobody reads those of an end tag
}

type tagStep uint8

const (
	tagName tagStep = iota
	beforeName
	attrName
	afterName
	beforeValue
	unquotedValue
	quotedValue
)

// begin makes t ready for the tag at start whose name begins n bytes on.
func (t *tag) begin(start, n int) {
	t.start, t.pos, t.name = start, n, newSpan(n, n)
	t.isEnd = n == len("</")
	t.hash, t.attrs, t.selfClosing, t.step, t.skip = 0, t.attrs[:0], false, tagName, t.isEnd
}

// scan reads on in b, which begins at the tag's "<", and reports whether it has
// come to the end of the tag. Where it has not, t has all that it goes on with.
func (t *tag) scan(b []byte) bool {
	if t.step == tagName && !t.scanName(b) {
		return false
	}
	if t.step == beforeName && t.pos < len(b) && b[t.pos] == '>' {
		t.pos++
		return true
	}
	return t.scanAttributes(b)
}

func (t *tag) scanName(b []byte) bool {
	i, h := t.pos, t.hash
	for _, c := range b[i:] {
		if c = tagNameByte[c]; c == 0 {
			break
		}
		h = addToHash(h, c)
		i++
	}
	t.pos, t.hash = i, h
	if i == len(b) {
		return false
	}
	t.name.end = int32(i)
	t.step = beforeName
	return true
}

func (t *tag) scanAttributes(b []byte) bool {
	i, step, attrs := t.pos, t.step, t.attrs
	// The attribute that is being read.
	hash, nameStart, nameEnd, start := t.cur.hash, t.cur.name.start, t.cur.name.end, t.cur.value.start
	quoting, long := t.cur.quoting, t.cur.long
	slash := t.selfClosing // the last byte is one
scan:
	for {
		var end int32 // of the value
		switch step {
		case beforeName:
			for ; i < len(b); i++ {
				if isSpace(b[i]) {
					slash = false
				} else if b[i] == '/' {
					slash = true
				} else {
					break
				}
			}
			if i == len(b) {
				break scan
			}
			if b[i] == '>' {
				t.pos, t.attrs, t.selfClosing = i+1, attrs, slash
				return true
			}
			slash = false
			nameStart, hash, quoting, long = int32(i), addToHash(0, lower(b[i])), valueless, false // whatever the byte is
			i++
			step = attrName
			fallthrough
		case attrName:
			for _, c := range b[i:] {
				if c = attrNameByte[c]; c == 0 {
					break
				}
				hash = addToHash(hash, c)
				i++
			}
			if i == len(b) {
				break scan
			}
			nameEnd, start = int32(i), int32(i)
			if i+1 < len(b) && b[i] == '=' && b[i+1] == '"' { // the most common by far
				i += 2
				quoting, step, start = doubleQuoted, quotedValue, int32(i)
				continue
			}
			step = afterName
			fallthrough
		case afterName:
			if i = skipSpace(b, i); i == len(b) {
				break scan
			}
			if b[i] != '=' {
				end, step = start, beforeName
				break
			}
			i++
			step = beforeValue
			fallthrough
		case beforeValue:
			if i = skipSpace(b, i); i == len(b) {
				break scan
			}
			switch b[i] {
			case '"':
				quoting = doubleQuoted
			case '\'':
				quoting = singleQuoted
			default: // ">" too, which leaves it empty
				quoting, step, start = unquoted, unquotedValue, int32(i)
				continue
			}
			i++
			step, start = quotedValue, int32(i)
			fallthrough
		case quotedValue:
			quote := byte('"')
			if quoting == singleQuoted {
				quote = '\''
			}
			n := bytes.IndexByte(b[i:], quote)
			if n < 0 {
				i = len(b)
				break scan
			}
			end = int32(i + n)
			i += n + 1
		case unquotedValue:
			for i < len(b) && b[i] != '>' && !isSpace(b[i]) {
				i++
			}
			if i == len(b) {
				break scan
			}
			end = int32(i)
		}
		step = beforeName
		if !t.skip {
			if len(attrs) == cap(attrs) {
				attrs = slices.Grow(attrs, 1)
			}
			attrs = attrs[:len(attrs)+1]
			a := &attrs[len(attrs)-1] // field by field: copying what was just stored in parts is slow
			a.hash = hash
			a.name.start, a.name.end = nameStart, nameEnd
			a.value.start, a.value.end = start, end
			a.quoting, a.long = quoting, long
		}
	}
	t.pos, t.step, t.attrs, t.selfClosing = i, step, attrs, slash
	t.cur = attribute{hash, span{nameStart, nameEnd}, span{start, int32(i)}, quoting, long}
	return false
}

// value returns the raw value of the first attribute of that lower-case name
// in b, which begins at the tag's "<".
func (t *tag) value(b []byte, name string) (raw []byte, ok bool) {
	for _, a := range t.attrs {
		if int(a.value.end) > len(b) {
			break
		}
		if equalFold(a.name.of(b), name) {
			return a.value.of(b), true
		}
	}
	return nil, false
}

// tagNameByte and attrNameByte have the bytes of names in lower case, and 0
// for those that end a name.
var tagNameByte, attrNameByte = func() (tag, attr [256]byte) {
	for i := range tag {
		c := byte(i)
		switch {
		case isSpace(c) || c == '/' || c == '>':
		case c == 0:
			tag[i], attr[i] = 0xff, 0xff
		default:
			tag[i], attr[i] = lower(c), lower(c)
		}
	}
	attr['='] = 0
	return tag, attr
}()

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return spaces[c] }

var spaces = [256]bool{'\t': true, '\n': true, '\f': true, '\r': true, ' ': true}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// equalFold compares raw, its ASCII letters lowered, with a lower-case name.
func equalFold(raw []byte, name string) bool {
	if len(raw) != len(name) {
		return false
	}
	for i, c := range raw {
		if lower(c) != name[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

func appendLower(dst, name []byte) []byte {
	for _, c := range name {
		dst = append(dst, lower(c))
	}
	return dst
}
