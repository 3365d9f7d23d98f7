package markup

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
)

// A Scanner finds the tags of a document (HTML Standard §13.2.5). It reads
// the input through a window that moves on as the input arrives: every call of
// next gets the window as it now is, and what next has not yet done with must
// be there again in the next call. All else passes by in constant memory.
//
// What the tokenizer states are after a start tag depends on the tree
// construction: its caller knows, and says so with enter and cdata.
type Scanner struct {
	State scanState
	Pos   int // in the window: what stands before it is done with
	Tag   Tag
	Chars *charset.Charset         // of the input; nil is UTF-8
	Text  struct{ Start, End int } // in the window, of a textToken

	rawName  string // the end tag that ends raw text
	Cdata    bool   // CDATA sections are recognized here
	WantText bool   // textTokens are wanted

	WantConditional bool                     // commentTokens are wanted
	WantHead        bool                     // headCommentTokens are wanted
	WantDoctype     bool                     // a doctypeToken is wanted
	Comment         struct{ Start, End int } // in the window: what is in the comment, or the DOCTYPE
}

type scanState uint8

const (
	InData         scanState = iota
	InTag                    // tag is being read
	InCommentStart           // after "<!--"
	InComment
	InConditional // a comment that begins with "[if"
	InHeadComment // any other that is wanted
	InDoctype     // a DOCTYPE that is wanted
	InBogus       // a comment, DOCTYPE or anything else that ends at the next ">"
	inCDATA
	inRawText // RAWTEXT or RCDATA, up to the end tag rawName
	inScript
	inScriptEscaped
	inScriptDouble
	inPlaintext
)

type Token uint8

const (
	NoToken          Token = iota // more input is needed
	StartTagToken                 // in scanner.tag
	EndTagToken                   // in scanner.tag
	TextToken                     // part of a text that is not raw text, in scanner.text
	CdataToken                    // part of the text of a CDATA section, in scanner.text
	CommentToken                  // a comment that begins with "[if", in scanner.comment
	HeadCommentToken              // any other comment, in scanner.comment
	DoctypeToken                  // in scanner.comment
)

// Next returns the next token in the window b. final says that nothing follows
// the window; noToken is then the end.
func (s *Scanner) Next(b []byte, final bool) Token {
	for {
		tok, done := NoToken, true
		switch s.State {
		case InData:
			if tok, done = s.data(b, final); s.State != InTag {
				break
			}
			tok, done = NoToken, true
			fallthrough
		case InTag:
			if s.Tag.Scan(b[s.Tag.Start:]) {
				s.State, s.Pos = InData, s.Tag.Start+s.Tag.Pos
				if s.Tag.IsEnd {
					return EndTagToken
				}
				return StartTagToken
			}
		case InCommentStart:
			done = s.CommentStart(b, final)
		case InComment:
			done = s.SkipPast(b, IsCommentEnd, len("--!"))
		case InConditional:
			if done = s.SkipPast(b, IsCommentEnd, len("--!")); !done {
				s.endHeld(b)
				tok = CommentToken
			}
		case InHeadComment:
			if done = s.SkipPast(b, IsCommentEnd, len("--!")); !done {
				s.endHeld(b)
				tok = HeadCommentToken
			} else if s.Pos-s.Comment.Start > MaxSaved {
				s.State = InComment
			}
		case InDoctype:
			if done = s.SkipPast(b, func([]byte) bool { return true }, 0); !done {
				s.Comment.End, s.WantDoctype = s.Pos, false
				tok = DoctypeToken
			} else if s.Pos-s.Comment.Start > maxDoctype {
				s.State = InBogus
			}
		case InBogus:
			done = s.SkipPast(b, func([]byte) bool { return true }, 0)
		case inCDATA:
			start := s.Pos
			if done = s.skipCDATA(b, final); s.WantText {
				s.Text.Start, s.Text.End = start, s.Pos
				tok = CdataToken
			}
			if !done {
				s.Text.End -= len("]]>")
			}
			if tok != NoToken && s.Text.Start >= s.Text.End {
				tok = NoToken
			}
		case inRawText, inScript:
			done = s.rawText(b, final)
		case inScriptEscaped, inScriptDouble:
			done = s.scriptEscaped(b, final)
		case inPlaintext:
			s.Pos = len(b)
		}
		if tok != NoToken {
			return tok
		}
		if done {
			if final {
				s.Pos = len(b)
			}
			return NoToken
		}
	}
}

// Enter says that the element of the start tag just returned has content that
// is not markup.
func (s *Scanner) Enter(name string) {
	s.rawName = name
	switch name {
	case "script":
		s.State = inScript
	case "plaintext":
		s.State = inPlaintext
	default:
		s.State = inRawText
	}
}

// data skips text up to the next tag or comment. It reports that it is done
// with the window where it finds neither.
func (s *Scanner) data(b []byte, final bool) (tok Token, done bool) {
	i := s.Pos
	for {
		if i == len(b) || b[i] != '<' {
			n := bytes.IndexByte(b[i:], '<')
			if n < 0 {
				return s.skipText(b, len(b), final)
			}
			i += n
		}
		if i+1 == len(b) {
			return s.skipText(b, i, final)
		}
		switch c := b[i+1]; {
		case ascii.IsLetter(c) && !s.WantText: // the most common by far
			s.State, s.Pos = InTag, i
			s.Tag.Begin(i, 1)
			return NoToken, false
		case ascii.IsLetter(c):
			return s.markup(b, i, InTag, 1)
		case c == '/':
			if i+2 == len(b) {
				return s.skipText(b, i, final)
			}
			switch {
			case ascii.IsLetter(b[i+2]) && !s.WantText:
				s.State, s.Pos = InTag, i
				s.Tag.Begin(i, 2)
				return NoToken, false
			case ascii.IsLetter(b[i+2]):
				return s.markup(b, i, InTag, 2)
			}
			return s.markup(b, i, InBogus, 2)
		case c == '!':
			if rest := b[i+2:]; !final && (ascii.IsPrefix(rest, "--") || s.Cdata && ascii.IsPrefix(rest, "[CDATA[")) {
				return s.skipText(b, i, false)
			}
			switch rest := b[i+2:]; {
			case bytes.HasPrefix(rest, []byte("--")):
				return s.markup(b, i, InCommentStart, len("<!--"))
			case s.Cdata && bytes.HasPrefix(rest, []byte("[CDATA[")):
				return s.markup(b, i, inCDATA, len("<![CDATA["))
			case s.WantDoctype && ascii.HasPrefixFold(rest, "doctype"):
				s.Comment.Start = i
				return s.markup(b, i, InDoctype, len("<!doctype"))
			case s.WantDoctype && !final && len(rest) < len("doctype"):
				return s.skipText(b, i, false)
			}
			return s.markup(b, i, InBogus, 2)
		case c == '?':
			return s.markup(b, i, InBogus, 2)
		}
		i++ // "<" is text
	}
}

// markup enters the state that the markup at b[i] is read in; its first n
// bytes are "<" and what tells it from other markup. Text that is wanted comes
// first.
func (s *Scanner) markup(b []byte, i int, state scanState, n int) (tok Token, done bool) {
	if s.WantText && i > s.Pos {
		s.Text.Start, s.Text.End = s.Pos, i
		s.Pos = i
		return TextToken, false
	}
	s.State = state
	if state == InTag {
		s.Pos = i
		s.Tag.Begin(i, n)
	} else {
		s.Pos = i + n
	}
	return NoToken, false
}

// skipText skips text up to b[i]; the window holds no more of it. A character
// reference that the window may cut off is kept for the next.
func (s *Scanner) skipText(b []byte, i int, final bool) (tok Token, done bool) {
	if final {
		i = len(b)
	}
	text := b[s.Pos:i]
	if !s.WantText || len(text) == 0 {
		s.Pos = i
		return NoToken, true
	}
	if amp := bytes.LastIndexByte(text, '&'); amp >= 0 && !final && len(text)-amp < charref.MaxReference && isReferencePrefix(text[amp:]) {
		if i = s.Pos + amp; i == s.Pos {
			return NoToken, true
		}
	}
	s.Text.Start, s.Text.End = s.Pos, i
	s.Pos = i
	return TextToken, false
}

func isReferencePrefix(b []byte) bool {
	for _, c := range b[1:] {
		if !ascii.IsAlnum(c) && c != '#' {
			return false
		}
	}
	return true
}

// CommentStart is where ">" and "->" end a comment.
func (s *Scanner) CommentStart(b []byte, final bool) (done bool) {
	rest := b[s.Pos:]
	switch {
	case s.WantConditional && ascii.HasPrefixFold(rest, "[if"):
		s.State, s.Comment.Start = InConditional, s.Pos
		return false
	case s.WantConditional && !final && len(rest) < len("[if") && ascii.EqualFold(rest, "[if"[:len(rest)]):
		return true
	case len(rest) > 0 && rest[0] == '>':
		s.State, s.Pos = InData, s.Pos+1
		return false
	case ascii.IsPrefix(rest, "->") && !final:
		return true
	case bytes.HasPrefix(rest, []byte("->")):
		s.State, s.Pos = InData, s.Pos+2
		return false
	}
	s.State = InComment
	if s.WantHead {
		s.State, s.Comment.Start = InHeadComment, s.Pos
	}
	return false
}

// endHeld finds the end of the comment that has been skipped.
func (s *Scanner) endHeld(b []byte) {
	s.Comment.End = s.Pos - len("-->")
	if b[s.Pos-2] == '!' {
		s.Comment.End--
	}
}

func IsCommentEnd(b []byte) bool {
	return bytes.HasSuffix(b, []byte("--")) || bytes.HasSuffix(b, []byte("--!"))
}

// skipCDATA skips past "]]>". In some encodings a bracket may be part of a
// character.
func (s *Scanner) skipCDATA(b []byte, final bool) (done bool) {
	i, found := s.Chars.Search(b[s.Pos:], "]]>", final)
	s.Pos += i
	if found {
		s.State, s.Pos = InData, s.Pos+len("]]>")
	}
	return !found
}

// SkipPast skips past the first ">" that isEnd says ends it, seeing what stands
// before that. As many bytes as it needs to see are kept for the next window.
func (s *Scanner) SkipPast(b []byte, isEnd func([]byte) bool, needs int) (done bool) {
	for i := s.Pos; ; {
		n := bytes.IndexByte(b[i:], '>')
		if n < 0 {
			s.Pos = max(s.Pos, len(b)-needs)
			return true
		}
		i += n
		if isEnd(b[s.Pos:i]) {
			s.State, s.Pos = InData, i+1
			return false
		}
		i++
	}
}

// rawText skips raw text up to the end tag rawName, or script data up to that
// or "<!--".
func (s *Scanner) rawText(b []byte, final bool) (done bool) {
	for {
		n := bytes.IndexByte(b[s.Pos:], '<')
		if n < 0 {
			s.Pos = len(b)
			return true
		}
		s.Pos += n
		if rest := b[s.Pos:]; s.State == inScript {
			if ascii.IsPrefix(rest, "<!--") && !final {
				return true
			}
			if bytes.HasPrefix(rest, []byte("<!--")) {
				s.State = inScriptEscaped
				s.Pos += len("<!") // the dashes may be those of "-->"
				return false
			}
		}
		switch matchTag(b[s.Pos:], "</", s.rawName, final) {
		case matches:
			s.State = InData
			return false
		case maybe:
			return true
		}
		s.Pos++
	}
}

// scriptEscaped skips script data after "<!--" up to "-->", to the end tag, or
// to a start or end tag that changes the meaning of the next end tag.
func (s *Scanner) scriptEscaped(b []byte, final bool) (done bool) {
	for i := s.Pos; i < len(b); i++ {
		switch b[i] {
		case '>':
			if bytes.HasSuffix(b[s.Pos:i], []byte("--")) {
				s.State, s.Pos = inScript, i+1
				return false
			}
		case '<':
			end := matchTag(b[i:], "</", "script", final)
			start := no
			if s.State == inScriptEscaped {
				start = matchTag(b[i:], "<", "script", final)
			}
			switch {
			case end == matches && s.State == inScriptEscaped:
				s.State, s.Pos = InData, i
				return false
			case end == matches:
				s.State, s.Pos = inScriptEscaped, i+len("</script")
				return false
			case start == matches:
				s.State, s.Pos = inScriptDouble, i+len("<script")
				return false
			case end == maybe || start == maybe:
				s.Pos = i
				return true
			}
		}
	}
	s.Pos = max(s.Pos, len(b)-len("--"))
	return true
}

type match uint8

const (
	no match = iota
	maybe
	matches
)

// matchTag reports whether rest begins with open and name, in any case, and
// what ends a tag's name.
func matchTag(rest []byte, open, name string, final bool) match {
	if len(rest) > len(open) && ascii.Lower(rest[len(open)]) != name[0] {
		return no
	}
	n := len(open) + len(name)
	if len(rest) > n {
		if c := rest[n]; (ascii.IsSpace(c) || c == '/' || c == '>') && string(rest[:len(open)]) == open && ascii.EqualFold(rest[len(open):n], name) {
			return matches
		}
		return no
	}
	if final {
		return no
	}
	for k := range rest {
		if k < len(open) && rest[k] != open[k] || k >= len(open) && ascii.Lower(rest[k]) != name[k-len(open)] {
			return no
		}
	}
	return maybe
}

// Shift says that the first n bytes of the window are gone.
func (s *Scanner) Shift(n int) {
	s.Pos -= n
	s.Tag.Start -= n
	s.Comment.Start -= n
}
