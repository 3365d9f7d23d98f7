package markup

import (
	"bytes"
	"slices"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
)

// A scanner finds the tags of a document (HTML Standard §13.2.5), and the text, the
// comments and the DOCTYPE that its caller wants. It reads the input through a window
// that moves on as the input arrives. Every call of next gets the window as it now is.
// The bytes from pos on, and the bytes of an unfinished token, must be in the window again
// at the next call. All earlier bytes may be gone.
//
// Which tokenizer state follows a start tag depends on the tree construction. The
// caller does that, and sets the state with enter and cdata.
type scanner struct {
	state scanState
	pos   int // in the window: the bytes before pos have been read
	tag   Tag
	chars *charset.Charset         // of the input; nil is UTF-8
	text  struct{ start, end int } // in the window, of a textToken

	rawName   string // the name of the end tag that ends the raw text
	cdata     bool   // CDATA sections are recognized here
	wantText  bool   // textTokens are wanted
	wantBlank bool   // so are those before markup that are white space alone

	wantMarkup  Comments                 // the comments that are markupTokens
	wantHead    bool                     // commentTokens are wanted
	wantDoctype bool                     // a doctypeToken is wanted
	comment     struct{ start, end int } // in the window: the text of the comment, or the DOCTYPE
}

type scanState uint8

const (
	inData         scanState = iota
	inTag                    // scanner.tag is being read
	inCommentStart           // after "<!--"
	inComment
	inMarkupComment // a comment whose text is markup
	inHeadComment   // any other comment, if commentTokens are wanted
	inDoctype       // a DOCTYPE, where a doctypeToken is wanted
	inBogus         // any other markup that ends at the next ">", such as <!x> or </ x>
	inCDATA
	inRawText // RAWTEXT or RCDATA, up to the end tag rawName
	inScript
	inScriptEscaped
	inScriptDouble
	inPlaintext
)

type token uint8

const (
	noToken       token = iota // more input is needed
	startTagToken              // in scanner.tag
	endTagToken                // in scanner.tag
	textToken                  // part of a text that is not raw text, in scanner.text
	cdataToken                 // part of the text of a CDATA section, in scanner.text
	markupToken                // a comment whose text is markup, in scanner.comment
	commentToken               // any other comment, in scanner.comment
	doctypeToken               // in scanner.comment
)

// next returns the next token in the window b. final says that no input follows the
// window. noToken then means that the document has ended.
func (s *scanner) next(b []byte, final bool) token {
	for {
		tok, done := noToken, true
		switch s.state {
		case inData:
			if tok, done = s.data(b, final); s.state != inTag {
				break
			}
			tok, done = noToken, true
			fallthrough
		case inTag:
			if s.tag.Scan(b[s.tag.Start:]) {
				s.state, s.pos = inData, s.tag.Start+s.tag.Pos
				if s.tag.IsEnd {
					return endTagToken
				}
				return startTagToken
			}
		case inCommentStart:
			done = s.commentStart(b, final)
		case inComment:
			done = s.skipPast(b, isCommentEnd, len("--!"))
		case inMarkupComment:
			if done = s.skipPast(b, isCommentEnd, len("--!")); !done {
				s.endHeld(b)
				tok = markupToken
			}
		case inHeadComment:
			if done = s.skipPast(b, isCommentEnd, len("--!")); !done {
				s.endHeld(b)
				tok = commentToken
			} else if s.pos-s.comment.start > maxSaved {
				s.state = inComment
			}
		case inDoctype:
			if done = s.skipPast(b, func([]byte) bool { return true }, 0); !done {
				s.comment.end, s.wantDoctype = s.pos, false
				tok = doctypeToken
			} else if s.pos-s.comment.start > maxDoctype {
				s.state = inBogus
			}
		case inBogus:
			done = s.skipPast(b, func([]byte) bool { return true }, 0)
		case inCDATA:
			start := s.pos
			if done = s.skipCDATA(b, final); s.wantText {
				s.text.start, s.text.end = start, s.pos
				tok = cdataToken
			}
			if !done {
				s.text.end -= len("]]>")
			}
			if tok != noToken && s.text.start >= s.text.end {
				tok = noToken
			}
		case inRawText, inScript:
			done = s.rawText(b, final)
		case inScriptEscaped, inScriptDouble:
			done = s.scriptEscaped(b, final)
		case inPlaintext:
			s.pos = len(b)
		}
		if tok != noToken {
			return tok
		}
		if done {
			if final {
				s.pos = len(b)
			}
			return noToken
		}
	}
}

// enter says that the element of the start tag just returned has content that
// is not markup.
func (s *scanner) enter(name string) {
	s.rawName = name
	switch name {
	case "script":
		s.state = inScript
	case "plaintext":
		s.state = inPlaintext
	default:
		s.state = inRawText
	}
}

// data skips text up to the next markup, or returns that text if it is wanted. done
// reports that the rest of the window has no whole beginning of markup.
func (s *scanner) data(b []byte, final bool) (tok token, done bool) {
	i := s.pos
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
		case ascii.IsLetter(c) && !s.wantText: // the most common by far
			s.state, s.pos = inTag, i
			s.tag.Begin(i, 1)
			return noToken, false
		case ascii.IsLetter(c):
			return s.markup(b, i, inTag, 1)
		case c == '/':
			if i+2 == len(b) {
				return s.skipText(b, i, final)
			}
			switch {
			case ascii.IsLetter(b[i+2]) && !s.wantText:
				s.state, s.pos = inTag, i
				s.tag.Begin(i, 2)
				return noToken, false
			case ascii.IsLetter(b[i+2]):
				return s.markup(b, i, inTag, 2)
			}
			return s.markup(b, i, inBogus, 2)
		case c == '!':
			if rest := b[i+2:]; !final && (ascii.IsPrefix(rest, "--") || s.cdata && ascii.IsPrefix(rest, "[CDATA[")) {
				return s.skipText(b, i, false)
			}
			switch rest := b[i+2:]; {
			case bytes.HasPrefix(rest, []byte("--")):
				return s.markup(b, i, inCommentStart, len("<!--"))
			case s.cdata && bytes.HasPrefix(rest, []byte("[CDATA[")):
				return s.markup(b, i, inCDATA, len("<![CDATA["))
			case s.wantDoctype && ascii.HasPrefixFold(rest, "doctype"):
				s.comment.start = i
				return s.markup(b, i, inDoctype, len("<!doctype"))
			case s.wantDoctype && !final && len(rest) < len("doctype"):
				return s.skipText(b, i, false)
			}
			return s.markup(b, i, inBogus, 2)
		case c == '?':
			return s.markup(b, i, inBogus, 2)
		}
		i++ // "<" is text
	}
}

// markup enters the state in which the markup at b[i] is read. The first n bytes of
// the markup, such as "<!--", say what it is. If the text before it is wanted, markup
// returns that text and leaves the markup to the next call.
func (s *scanner) markup(b []byte, i int, state scanState, n int) (tok token, done bool) {
	if s.wantText && i > s.pos && (s.wantBlank || ascii.SkipSpace(b[:i], s.pos) < i) {
		s.text.start, s.text.end = s.pos, i
		s.pos = i
		return textToken, false
	}
	s.state = state
	if state == inTag {
		s.pos = i
		s.tag.Begin(i, n)
	} else {
		s.pos = i + n
	}
	return noToken, false
}

// skipText skips text up to b[i], where the text in the window ends, or returns that
// text if it is wanted. A character reference that the window may cut off is left to
// the next window.
func (s *scanner) skipText(b []byte, i int, final bool) (tok token, done bool) {
	if final {
		i = len(b)
	}
	text := b[s.pos:i]
	if !s.wantText || len(text) == 0 {
		s.pos = i
		return noToken, true
	}
	if amp := bytes.LastIndexByte(text, '&'); amp >= 0 && !final && len(text)-amp < charref.MaxReference && isReferencePrefix(text[amp:]) {
		if i = s.pos + amp; i == s.pos {
			return noToken, true
		}
	}
	s.text.start, s.text.end = s.pos, i
	s.pos = i
	return textToken, false
}

func isReferencePrefix(b []byte) bool {
	return !slices.ContainsFunc(b[1:], func(c byte) bool { return !ascii.IsAlnum(c) && c != '#' })
}

// commentStart reads what follows "<!--". There, and only there, ">" and "->" end the
// comment.
func (s *scanner) commentStart(b []byte, final bool) (done bool) {
	rest := b[s.pos:]
	switch {
	case s.wantMarkup != NoComments && ascii.HasPrefixFold(rest, "[if"):
		s.state, s.comment.start = inMarkupComment, s.pos
		return false
	case s.wantMarkup != NoComments && !final && len(rest) < len("[if") && ascii.EqualFold(rest, "[if"[:len(rest)]):
		return true
	case len(rest) > 0 && rest[0] == '>':
		s.state, s.pos = inData, s.pos+1
		return false
	case ascii.IsPrefix(rest, "->") && !final:
		return true
	case bytes.HasPrefix(rest, []byte("->")):
		s.state, s.pos = inData, s.pos+2
		return false
	}
	s.state, s.comment.start = inComment, s.pos
	switch {
	case s.wantMarkup == AllComments:
		s.state = inMarkupComment
	case s.wantHead:
		s.state = inHeadComment
	}
	return false
}

// endHeld sets where the text ends of the comment that has just been skipped.
func (s *scanner) endHeld(b []byte) {
	s.comment.end = s.pos - len("-->")
	if b[s.pos-2] == '!' {
		s.comment.end--
	}
}

func isCommentEnd(b []byte) bool {
	return bytes.HasSuffix(b, []byte("--")) || bytes.HasSuffix(b, []byte("--!"))
}

// skipCDATA skips past "]]>". The search knows the encoding, because in some encodings
// a byte that looks like a bracket may be part of a character.
func (s *scanner) skipCDATA(b []byte, final bool) (done bool) {
	i, found := s.chars.Search(b[s.pos:], "]]>", final)
	s.pos += i
	if found {
		s.state, s.pos = inData, s.pos+len("]]>")
	}
	return !found
}

// skipPast skips past the first ">" that ends the markup. isEnd decides that from the
// last few bytes before the ">": needs says how many. So many bytes are left to the next
// window.
func (s *scanner) skipPast(b []byte, isEnd func([]byte) bool, needs int) (done bool) {
	for i := s.pos; ; {
		n := bytes.IndexByte(b[i:], '>')
		if n < 0 {
			s.pos = max(s.pos, len(b)-needs)
			return true
		}
		i += n
		if isEnd(b[s.pos:i]) {
			s.state, s.pos = inData, i+1
			return false
		}
		i++
	}
}

// rawText skips raw text up to the end tag rawName. In script data it also stops after
// the "<!" of "<!--".
func (s *scanner) rawText(b []byte, final bool) (done bool) {
	for {
		n := bytes.IndexByte(b[s.pos:], '<')
		if n < 0 {
			s.pos = len(b)
			return true
		}
		s.pos += n
		if rest := b[s.pos:]; s.state == inScript {
			if ascii.IsPrefix(rest, "<!--") && !final {
				return true
			}
			if bytes.HasPrefix(rest, []byte("<!--")) {
				s.state = inScriptEscaped
				s.pos += len("<!") // the same dashes may be part of "-->"
				return false
			}
		}
		switch matchTag(b[s.pos:], "</", s.rawName, final) {
		case matches:
			s.state = inData
			return false
		case maybe:
			return true
		}
		s.pos++
	}
}

// scriptEscaped skips script data after "<!--" up to one of these: "-->"; the end tag
// that ends the script; a <script> or </script> after which the next </script> means
// something else.
func (s *scanner) scriptEscaped(b []byte, final bool) (done bool) {
	for i := s.pos; i < len(b); i++ {
		switch b[i] {
		case '>':
			if bytes.HasSuffix(b[s.pos:i], []byte("--")) {
				s.state, s.pos = inScript, i+1
				return false
			}
		case '<':
			end := matchTag(b[i:], "</", "script", final)
			start := no
			if s.state == inScriptEscaped {
				start = matchTag(b[i:], "<", "script", final)
			}
			switch {
			case end == matches && s.state == inScriptEscaped:
				s.state, s.pos = inData, i
				return false
			case end == matches:
				s.state, s.pos = inScriptEscaped, i+len("</script")
				return false
			case start == matches:
				s.state, s.pos = inScriptDouble, i+len("<script")
				return false
			case end == maybe || start == maybe:
				s.pos = i
				return true
			}
		}
	}
	s.pos = max(s.pos, len(b)-len("--"))
	return true
}

type match uint8

const (
	no match = iota
	maybe
	matches
)

// matchTag reports whether rest begins with open, with name in any case, and with a
// byte that ends the name of a tag. The answer is maybe if rest is too short to tell.
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

// shift says that the first n bytes of the window are gone.
func (s *scanner) shift(n int) {
	s.pos -= n
	s.tag.Start -= n
	s.comment.start -= n
}
