// Package markup reads HTML as a stream of tokens, each with its context: the
// namespace of the element that a tag makes, whether its content is raw text, and
// whether it stands in the HEAD (HTML Standard §13.2.5 and §13.2.6). It keeps no bytes
// of the document: they stand in its caller's window.
package markup

import (
	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/charset"
)

// A Context follows a document from token to token. Its caller asks for the next token
// with Next, which gets the window as it now is. By other methods the caller says that
// the window has moved (Shift, Elide), that a comment is not wanted (DropComment), that
// a noscript element has ended (LeaveNoscript), and that it wants the next tag (WantTag).
type Context struct {
	options  Options
	scan     scanner
	head     head
	headDone bool            // tags and text mean nothing to head, at least in the noscript that is open
	builder  *treeBuilder    // of the document or of the noscript element
	builders *[2]treeBuilder // both of them
	noscript noscript
	wantTag  bool // the next tag is a token, whatever it is
	unopened bool // a LongTag has been returned, whose StartTag comes next

	// What is known of the last token.
	element *Element
	ns      Namespace
	counts  bool // the start tag may give the base, or name the URL of the document
	raw     bool // the element has raw text, which ends at the next end tag
	wanted  bool // WantTag was called for the start tag
	changed bool // the token may have changed head
	textEnd int  // where in the window the text of a HeadText begins to count
}

// Options say how a document is read.
type Options struct {
	Charset       *charset.Charset // of the bytes from 0x80 on; nil is UTF-8
	LongTag       int64            // a start tag of more bytes is a LongTag before it is a StartTag
	Nested        bool             // the document is a value in another document, or a part of one
	Fragment      bool             // the document is a fragment of a body: no BASE in it counts
	Noscript      bool             // the document is the content of a noscript element
	WholeDocument bool             // a BASE counts wherever it stands
	Comments      Comments         // the comments that are MarkupComments
	HeadComments  bool             // HeadComments are wanted
	Wanted        *Wanted          // the attributes that Tag lists; nil is all
}

// Comments says which comments have markup as their text.
type Comments uint8

const (
	NoComments          Comments = iota
	ConditionalComments          // comments that begin with "[if"
	AllComments                  // every comment
)

// Reset begins a document. Of the last document it keeps only the memory.
func (c *Context) Reset(o Options) {
	if c.builders == nil {
		c.builders = new([2]treeBuilder)
	}
	*c = Context{options: o, builders: c.builders, builder: &c.builders[0], scan: scanner{tag: Tag{Attrs: c.scan.tag.Attrs[:0], lister: c.scan.tag.lister}}}
	c.scan.tag.reset(&o)
	c.builder.reset() // enter resets the other one
	c.scan.chars = o.Charset
	c.scan.wantDoctype, c.scan.wantMarkup = true, o.Comments
	c.scan.wantText, c.scan.wantHead = !o.Fragment, o.HeadComments && !o.Fragment
	c.head.whole = o.WholeDocument
	if o.Nested {
		c.builder.document.mode = noQuirks // as in srcdoc
	}
	if o.Fragment {
		c.head = head{ended: true, frameset: framesetIgnored}
	}
	if o.Noscript {
		c.noscript, c.headDone = noscript{open: true, whole: true}, true
	}
}

// Trim releases the memory that a tag with very many long values took. It may be called
// between two documents.
func (c *Context) Trim() {
	if t := &c.scan.tag; cap(t.Attrs) > 1<<14 {
		t.Attrs = nil
	}
}

// Skip goes past the first n bytes of the document, which are a byte order mark.
func (c *Context) Skip(n int) { c.scan.pos = n }

// A Token is a kind of token, or None.
type Token uint8

const (
	None          Token = iota // more input is needed, or the document has ended
	LongTag                    // a start tag of more than Options.LongTag bytes, which only Tag knows yet
	StartTag                   // a start tag, in Tag, that has listed attributes, is wanted or of a style in SVG, or changes what follows
	EndTag                     // an end tag, in Tag, that ends raw text, is wanted, or changed the HEAD
	HeadText                   // text that changed the HEAD, from TextEnd on
	MarkupComment              // a comment whose text is markup, in Comment
	HeadComment                // any other comment before the body, in Comment
	NoscriptEnd                // the end of the content of noscript: the caller calls LeaveNoscript
)

// Next returns the next token in the window b. final says that no input follows the
// window. None then means that the document has ended.
func (c *Context) Next(b []byte, final bool) Token {
	if c.unopened {
		c.unopened = false
		c.open(b)
		return StartTag
	}
	if c.noscript.open {
		b, final = c.noscript.window(b, final)
	}
	for {
		if c.skim(b) {
			return StartTag
		}
		switch tok := c.scan.next(b, final); tok {
		case startTagToken:
			if c.scan.tag.Size() > c.options.LongTag {
				c.unopened = true
				return LongTag
			}
			if c.open(b); c.matters() {
				return StartTag
			}
		case endTagToken:
			if c.close(b) {
				return EndTag
			}
		case textToken, cdataToken:
			if c.text(b, tok) {
				return HeadText
			}
		case markupToken:
			return MarkupComment
		case commentToken:
			if c.IsInHead() {
				return HeadComment
			}
		case doctypeToken:
			if comment := c.scan.comment; !c.head.ended {
				d := &c.builder.document
				d.raw = append(d.raw, b[comment.start:comment.end]...)
			}
		case noToken:
			if c.noscript.found {
				return NoscriptEnd
			}
			return None
		}
	}
}

// open follows the start tag that has been read.
func (c *Context) open(b []byte) {
	t := &c.scan.tag
	b = b[t.Start:]
	el := elementOf(t.Hash, t.Name.Of(b))
	ns, ignored := NsHTML, false
	noted := el.start <= startPlain && c.builder.tryNote(t, 0)
	if !noted {
		ns, ignored = c.builder.startTag(el, t, b)
	}
	c.element, c.ns, c.raw, c.counts, c.changed = el, ns, false, false, false
	c.wanted, c.wantTag = c.wantTag, false
	if !c.headDone {
		before := c.head
		c.counts = c.head.startTag(el, ns, t, b)
		if !before.isQuiet() || c.head != before || c.IsBase() {
			c.headChanged()
		}
	}
	if el.kind&rawText != 0 && ns == NsHTML && !ignored {
		c.enter(el)
	}
	if !noted {
		c.followsTag()
	}
}

// matters reports whether the start tag that was followed is a token for the caller.
// The start tag of noscript is one: the next call of Next then finds the part of the window
// that is the content of noscript.
func (c *Context) matters() bool {
	return len(c.scan.tag.Attrs) > 0 || c.changed || c.raw || c.wanted || c.ns == NsSVG && c.element.Atom == atom.Style || c.noscript.open
}

// enter follows a start tag into content that is raw text, or noscript.
func (c *Context) enter(el *Element) {
	switch {
	case el.Atom != atom.Noscript:
		c.scan.enter(el.Name)
		c.raw = true
	case !c.noscript.open:
		c.noscript = noscript{open: true, searched: c.scan.pos}
		c.headDone, c.scan.wantText = true, false
		c.builders[1].reset()
		c.builders[1].document = c.builder.document
		c.builder = &c.builders[1]
	}
}

// close follows the end tag that has been read, and reports whether it is a token for
// the caller.
func (c *Context) close(b []byte) bool {
	t := &c.scan.tag
	told := c.raw || c.wantTag
	c.raw, c.changed, c.wantTag = false, false, false
	quiet := c.headDone || c.head.isQuiet() && t.Hash != hashTemplate
	if quiet && c.builder.tryNote(t, isEnd) {
		return told
	}
	b = b[t.Start:]
	el := elementOf(t.Hash, t.Name.Of(b))
	ns := c.builder.endTag(el, t, b)
	if !quiet {
		c.head.endTag(el, ns)
		c.headChanged()
		told = true
	}
	c.followsTag()
	return told
}

// followsTag tells the scanner how to read the content after a tag.
func (c *Context) followsTag() {
	c.scan.cdata = c.builder.current() != NsHTML
	c.wantText()
}

// text follows text that is not raw text, and reports whether it changed the HEAD.
func (c *Context) text(b []byte, tok token) bool {
	text := c.scan.text
	b = b[text.start:text.end]
	c.builder.text(b)
	at := -1
	switch {
	case c.headDone:
	case tok == cdataToken:
		at = c.head.characterData(b)
	default:
		at = c.head.text(b)
	}
	if at >= 0 {
		c.textEnd = text.start + at
		c.headChanged()
	}
	c.wantText()
	return at >= 0
}

// wantText tells the scanner whether text matters: text may end the HEAD, or open
// formatting elements again, which white space does, too.
func (c *Context) wantText() {
	c.scan.wantBlank = c.builder.pending()
	c.scan.wantText = c.scan.wantBlank || !c.headDone && !c.head.isQuiet()
}

// headChanged takes note that head may have changed.
func (c *Context) headChanged() {
	c.changed = true
	c.scan.wantDoctype = false
	if c.head.ended {
		c.scan.wantHead = false
	}
	c.headDone = c.head.done()
	c.wantText()
	if c.head.frameset == framesetOpen {
		c.builder.enterFrameset()
	}
}

// LeaveNoscript goes on with the document at the end tag of noscript. Whatever the
// content has left open ends there.
func (c *Context) LeaveNoscript() {
	c.scan.state, c.scan.pos = inData, c.noscript.searched
	c.builder = &c.builders[0]
	c.noscript, c.raw, c.wantTag = noscript{}, false, false
	c.headDone = c.head.done()
	c.followsTag()
}

// Pos returns up to where the window has been followed.
func (c *Context) Pos() int { return c.scan.pos }

// Tag returns the tag that is being read, or was read last.
func (c *Context) Tag() *Tag { return &c.scan.tag }

// Element returns the element that the last start tag makes, and its namespace. A tag
// that browsers ignore counts as an element of HTML.
func (c *Context) Element() (*Element, Namespace) { return c.element, c.ns }

// HasRawText reports whether the element of the last start tag has raw text, which
// begins at Pos.
func (c *Context) HasRawText() bool { return c.raw }

// InHead reports whether the last start tag stands in the HEAD, and not in a
// template or noscript.
func (c *Context) InHead() bool { return c.counts && !c.head.ended }

// IsBase reports whether the last start tag is a BASE that counts, provided that it
// has an href.
func (c *Context) IsBase() bool { return c.counts && c.element.Atom == atom.Base }

// HeadChanged reports whether the last token may have changed what IsSettled and
// MayReplaceBody report.
func (c *Context) HeadChanged() bool { return c.changed }

// IsSettled reports whether no BASE that follows can count.
func (c *Context) IsSettled() bool { return c.head.settled() }

// MayReplaceBody reports whether the body has begun and a frameset may still replace
// it. A BASE in a body that is replaced does not count.
func (c *Context) MayReplaceBody() bool { return c.head.ended && c.head.frameset == framesetOK }

// TextEnd returns where in the window the part of a HeadText begins that changed the
// HEAD. The text before that part made no difference.
func (c *Context) TextEnd() int { return c.textEnd }

// InNoscript reports whether the content of a noscript element is being read.
func (c *Context) InNoscript() bool { return c.noscript.open }

// Foresee returns what Element will return for the start tag that is being read in the
// window b. The name of the tag must have been read. Attributes may yet change the
// answer.
func (c *Context) Foresee(b []byte) (*Element, Namespace) {
	t := &c.scan.tag
	el := elementOf(t.Hash, t.Name.Of(b[t.Start:]))
	return el, c.builder.namespaceOf(el)
}

// WillSettle reports whether no BASE can count after the start tag that is being read
// in the window b. It goes by the name of the tag and the attributes so far.
func (c *Context) WillSettle(b []byte) bool {
	if c.noscript.open {
		return false
	}
	el, ns := c.Foresee(b)
	head := c.head
	head.startTag(el, ns, &c.scan.tag, b[c.scan.tag.Start:])
	return head.settled()
}

// WantTag says that the next tag is a token, whatever it is.
func (c *Context) WantTag() { c.wantTag = true }

// Comment returns where in the window the text of a comment begins and ends.
func (c *Context) Comment() (start, end int) { return c.scan.comment.start, c.scan.comment.end }

// IsInHead reports whether the comment that was read is one of those that HeadComment is
// about.
func (c *Context) IsInHead() bool {
	return c.scan.wantHead && c.head.template == 0 && !c.noscript.open
}

// OpenComment returns where in the window the text of the MarkupComment begins that is
// being read.
func (c *Context) OpenComment() (start int, ok bool) {
	return c.scan.comment.start, c.scan.state == inMarkupComment
}

// DropComment says that the comment that is being read shall not be a MarkupComment. It
// may still be a HeadComment.
func (c *Context) DropComment() {
	s := &c.scan
	if s.state = inComment; s.wantHead && s.pos-s.comment.start <= maxSaved {
		s.state = inHeadComment
	}
}

// InTag reports whether a tag is being read.
func (c *Context) InTag() bool { return c.scan.state == inTag }

// Unfinished returns where in a window of n bytes the unfinished markup begins that may
// have places, or n if there is none.
func (c *Context) Unfinished(n int) int {
	switch s := &c.scan; {
	case s.state == inTag:
		return s.tag.Start
	case s.state == inMarkupComment:
		return s.comment.start
	case s.state == inCommentStart && s.wantMarkup != NoComments, s.state == inData: // markup may begin at s.pos
		return s.pos
	}
	return n
}

// Needed returns how many bytes at the start of the window are not needed any more.
func (c *Context) Needed() int {
	n := c.scan.pos
	switch c.scan.state { // a token that is read as a whole stays whole in the window
	case inCommentStart:
		n -= len("<!--")
	case inHeadComment, inMarkupComment:
		n = min(n, c.scan.comment.start-len("<!--"))
	case inDoctype:
		n = min(n, c.scan.comment.start)
	}
	return max(n, 0)
}

// Shift says that the first n bytes of the window have been removed.
func (c *Context) Shift(n int) {
	c.scan.shift(n)
	c.noscript.searched -= n
}

// Elide says that n bytes of the tag that is being read have been removed from the
// window: the last n bytes before Tag.Pos.
func (c *Context) Elide(n int) {
	t := &c.scan.tag
	t.Pos -= n
	t.elided += int64(n)
	c.noscript.searched -= n
}
