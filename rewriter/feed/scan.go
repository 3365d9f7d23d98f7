package feed

import (
	"absolink/internal/passage"
	"bytes"
	"cmp"
)

// A kind of token. The bytes of all tokens together are the feed.
type kind uint8

const (
	ending     kind = iota // the end of the feed
	text                   // character data; references are not split
	stray                  // a "<" that begins no markup
	startTag               // or an empty-element tag
	endTag                 //
	cdataOpen              // "<![CDATA["
	cdataText              // a part of what is in it
	cdataClose             // "]]>"
	markup                 // a part of a comment, processing instruction or document type declaration
)

// A token is the feed from start to end.
type token struct {
	kind       kind
	start, end int64
	then       state // of the scanner after it
}

// A state says inside which constructs a scanner is, of those that may be of any length.
type state struct {
	in     construct
	quote  byte // that ends the open literal of a document type declaration; 0 is none
	subset bool // inside the internal subset of a document type declaration
}

// A construct is what a scanner can be inside of.
type construct uint8

const (
	inContent construct = iota
	inComment
	inInstruction
	inCDATA
	inDoctype
)

const (
	maxTag       = 1 << 20 // what is longer is not a tag
	maxReference = 64      // what is longer is not a reference
)

// A scanner reads a feed token by token through a window, and writes what is passed. All
// its positions are byte offsets in the feed.
type scanner struct {
	input  passage.Input
	output passage.Output

	failure error // why the run has failed, unless writing has

	buf    []byte        // the window
	off    int64         // of buf[0]
	behind passage.Trail // if passed is before off: the bytes between them
	passed int64         // everything before it has been written or replaced
	pos    int64         // of the next token
	held   holding       // what reading does with the bytes before pos
	hold   int           // how many bytes may be held for a link

	state
	tok token

	buffer []byte                 // to write new text in, used again and again
	trace  func(start, end int64) // is told what is replaced
}

// A holding says what becomes of the bytes before the next token when more is read.
type holding uint8

const (
	notHeld  holding = iota // they are passed
	inTrail                 // they leave the window, and wait behind it
	inWindow                // they stay in the window
)

// limit returns the end of what has been read.
func (s *scanner) limit() int64 { return s.off + int64(len(s.buf)) }

// bytes returns the bytes from start to end, which are in the window. They are valid until
// more is read.
func (s *scanner) bytes(start, end int64) []byte { return s.buf[start-s.off : end-s.off] }

// fail ends the run. Nothing more is written.
func (s *scanner) fail(err error) {
	s.failure = err
	s.output.Stop()
}

// failed reports whether the run has failed, so that nothing more is written.
func (s *scanner) failed() bool { return s.failure != nil || s.output.Err() != nil }

// more reads more into the window, and reports whether there was any.
func (s *scanner) more() bool {
	if s.input.Ended {
		return false
	}
	if s.held == notHeld {
		s.pass(s.pos)
	}
	s.output.Flush()
	s.makeRoom()
	var more bool
	s.buf, more = s.input.Append(s.buf, s.off)
	return more
}

// makeRoom makes room in a full window, which loses what is passed or may wait behind it,
// or grows. On average each byte is moved a bounded number of times.
func (s *scanner) makeRoom() {
	if len(s.buf) < cap(s.buf) {
		return
	}
	from := s.passed
	if s.held == inTrail {
		from = s.pos
	}
	if gone := int(from - s.off); gone > 0 && gone >= len(s.buf)/2 {
		s.leave(from)
		rest := s.buf[gone:]
		if cap(s.buf) > 4*passage.Size && len(rest) < cap(s.buf)/8 {
			s.buf = append(make([]byte, 0, max(passage.Size, 2*len(rest))), rest...)
		} else {
			s.buf = s.buf[:copy(s.buf, rest)]
		}
		return
	}
	size := max(passage.Size, 2*len(s.buf))
	if full := s.hold + s.hold/8 + maxTag; size > full {
		size = max(full, len(s.buf)+len(s.buf)/4) // seldom more than full
	}
	s.buf = append(make([]byte, 0, size), s.buf...)
}

// leave moves the beginning of the window to off. What has not been passed before that waits
// behind the window.
func (s *scanner) leave(off int64) {
	if s.passed >= s.off {
		s.behind.Reset(s.passed)
	}
	s.behind.Forget(s.passed)
	if s.passed < off {
		s.behind.Append(s.bytes(max(s.passed, s.off), off))
	}
	s.off = off
}

// pass writes the input up to end as it is.
func (s *scanner) pass(end int64) {
	for s.passed < end {
		b := s.part(s.passed, end)
		s.output.Put(b)
		s.passed += int64(len(b))
	}
}

// part returns the bytes from start on, or some of them, and none from end on. They are
// valid until the next call, or until more is read.
func (s *scanner) part(start, end int64) []byte {
	b := s.buf[max(0, start-s.off):]
	if start < s.off {
		b = s.behind.View(start, 1)
	}
	return b[:min(int64(len(b)), end-start)]
}

// copied returns a copy of the bytes from start to end, as far as they are known.
func (s *scanner) copied(start, end int64) (b []byte) {
	first := s.off
	if s.passed < s.off {
		first = s.behind.Start()
	}
	for start = max(start, first); start < end; {
		part := s.part(start, end)
		b, start = append(b, part...), start+int64(len(part))
	}
	return b
}

// at returns the byte that stands i bytes after pos, which is in the window.
func (s *scanner) at(i int) byte { return s.buf[s.pos-s.off+int64(i)] }

// window returns what has been read of the next token, up to the size of a window.
func (s *scanner) window() []byte {
	rest := s.buf[s.pos-s.off:]
	return rest[:min(len(rest), passage.Size)]
}

// take goes past the token that peek returned.
func (s *scanner) take() {
	s.pos, s.state = s.tok.end, s.tok.then
}

// rewind goes back to pos, where a token in content begins.
func (s *scanner) rewind(pos int64) {
	s.pos, s.state, s.tok = pos, state{}, token{}
}

// peek returns the next token.
func (s *scanner) peek() token {
	if s.tok.end <= s.pos || s.tok.start != s.pos {
		s.tok = s.token()
		s.tok.start = s.pos
	}
	return s.tok
}

// has reports whether the feed has n more bytes, and reads them.
func (s *scanner) has(n int) bool {
	for s.limit()-s.pos < int64(n) {
		if !s.more() {
			return false
		}
	}
	return true
}

func (s *scanner) token() token {
	if !s.has(1) {
		return token{kind: ending, end: s.pos, then: s.state}
	}
	switch s.in {
	case inComment:
		return s.until("-->", markup)
	case inInstruction:
		return s.until("?>", markup)
	case inCDATA:
		return s.cdataToken()
	case inDoctype:
		return s.doctypeToken()
	}
	if s.at(0) != '<' {
		return s.textToken()
	}
	if !s.has(2) {
		return s.strayBracket()
	}
	switch c := s.at(1); {
	case isNameStart(c):
		return s.tagToken(startTag)
	case c == '/' && s.has(3) && isNameStart(s.at(2)):
		return s.tagToken(endTag)
	case c == '?':
		return token{kind: markup, end: s.pos + 2, then: state{in: inInstruction}}
	case c != '!':
	case s.begins("<!--"):
		return token{kind: markup, end: s.pos + 4, then: state{in: inComment}}
	case s.begins("<![CDATA["):
		return token{kind: cdataOpen, end: s.pos + 9, then: state{in: inCDATA}}
	case s.begins("<!DOCTYPE"):
		return token{kind: markup, end: s.pos + 9, then: state{in: inDoctype}}
	}
	return s.strayBracket()
}

func (s *scanner) strayBracket() token { return token{kind: stray, end: s.pos + 1} }

// begins reports whether the feed goes on with what.
func (s *scanner) begins(what string) bool {
	for i := range len(what) {
		if !s.has(i+1) || s.at(i) != what[i] {
			return false
		}
	}
	return true
}

func isNameStart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80
}

// textToken goes up to the next bracket, or to the end of the window. A reference that the
// window may cut off is left to the next token.
func (s *scanner) textToken() token {
	for {
		rest := s.window()
		if i := bytes.IndexByte(rest, '<'); i >= 0 {
			return token{kind: text, end: s.pos + int64(i)}
		}
		n := len(rest)
		tail := rest[max(0, n-maxReference):]
		if i := bytes.LastIndexByte(tail, '&'); i >= 0 && bytes.IndexByte(tail[i:], ';') < 0 {
			n -= len(tail) - i
		}
		if n > 0 || !s.more() {
			return token{kind: text, end: s.pos + int64(cmp.Or(n, len(rest)))}
		}
	}
}

// until goes past what, which ends the construct that the scanner is in. Where the window
// does not have it, the token ends before what may be its beginning.
func (s *scanner) until(what string, k kind) token {
	after := state{}
	if s.subset {
		after = state{in: inDoctype, subset: true}
	}
	s.has(len(what)) // unless the feed ends before
	rest := s.window()
	if i := bytes.Index(rest, []byte(what)); i >= 0 {
		return token{kind: k, end: s.pos + int64(i+len(what)), then: after}
	}
	n := len(rest) - len(what) + 1
	if n <= 0 {
		n = len(rest)
	}
	return token{kind: k, end: s.pos + int64(n), then: s.state}
}

// cdataToken goes up to the end of a CDATA section, or past that end.
func (s *scanner) cdataToken() token {
	if s.begins("]]>") {
		return token{kind: cdataClose, end: s.pos + 3}
	}
	t := s.until("]]>", cdataText)
	if t.then.in == inContent {
		t.end, t.then = t.end-3, s.state
	}
	return t
}

// doctypeToken goes past the next byte that matters in a document type declaration. The
// entities that it declares are not read.
func (s *scanner) doctypeToken() token {
	if s.quote != 0 {
		t, found := s.upTo(string(s.quote))
		if found != 0 {
			t.then.quote = 0
		}
		return t
	}
	ends := `"'[>`
	if s.subset {
		switch {
		case s.begins("<!--"):
			return token{kind: markup, end: s.pos + 4, then: state{in: inComment, subset: true}}
		case s.begins("<?"):
			return token{kind: markup, end: s.pos + 2, then: state{in: inInstruction, subset: true}}
		case s.at(0) == '<':
			return token{kind: markup, end: s.pos + 1, then: s.state}
		}
		ends = `"']<`
	}
	t, found := s.upTo(ends)
	switch found {
	case '"', '\'':
		t.then.quote = found
	case '[', ']':
		t.then.subset = found == '['
	case '<':
		t.end-- // this one begins a token of its own
	case '>':
		t.then = state{}
	}
	return t
}

// upTo goes past the first of any of these bytes, which it returns. If the window has none,
// upTo goes to its end and returns 0.
func (s *scanner) upTo(any string) (t token, found byte) {
	rest := s.window()
	n := len(rest)
	if i := bytes.IndexAny(rest, any); i >= 0 {
		n, found = i+1, rest[i]
	}
	return token{kind: markup, end: s.pos + int64(n), then: s.state}, found
}

// tagToken goes past the ">" that ends a tag. With a "<" before that, even in a value, it
// is not a tag (XML 1.0 §3.1): so a missing quote cannot hide the tags that follow.
func (s *scanner) tagToken(k kind) token {
	var quote, last byte
	for i := 1; i < maxTag && s.has(i+1); i++ {
		c := s.at(i)
		switch {
		case c == '<':
			return s.strayBracket()
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return token{kind: k, end: s.pos + int64(i) + 1}
		case (c == '"' || c == '\'') && last == '=':
			quote = c
		}
		if !isSpace(c) {
			last = c
		}
	}
	return s.strayBracket()
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// skipSpace goes past white space in content.
func (s *scanner) skipSpace() {
	for s.in == inContent && s.has(1) && isSpace(s.at(0)) {
		s.pos++
	}
}
