package rewriter

import (
	"bytes"
	"io"

	"absolink/resolver"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/syntax"
)

// An engine is one run over one document: it fills buf with input and finds
// the places in it, holds both until the base can no longer change, then
// splices.
type engine struct {
	rw      *Rewriter
	layer   Base // the outer base
	over    Base // a retrieval URL in the document that layer overrides
	visitor func(*Place) error
	at      func(int64) int64 // Source.At
	of      *Document         // Source.Document
	result  Result

	in    charset.Source
	chars charset.Charset // of in

	// The input, from the first byte on that may still be needed. It is the
	// window of scan. What elide took out of a long tag is no longer in it.
	buf    []byte
	memory []byte // for buf, while that is a part of the caller's document
	off    int64  // of buf[0] in the input
	passed int    // buf[:passed] is in out
	begun  bool
	eof    bool
	ended  bool  // what the end of the input means has been followed
	done   bool  // and all is written
	empty  int   // reads of nothing, one after another
	broken error // of reading, after what is in the window
	held   queue

	// The output, on its way to dst.
	dst     io.Writer
	splicer Splicer // in place of dst
	out     []byte
	written int64
	err     error // of reading, writing or Visit

	writing valueRun

	root *engine // that of the outermost document

	// While root.paused, output has to be taken before more is written: nothing is
	// read, no token after the current one is followed, nothing is passed on beyond
	// the value that is being written and the first place held, and places are held.
	paused bool

	refused   error // what is wrong with the outer base
	late      lateBase
	canonical Base // what Rewriter.Canonical found
	decided   bool
	base      *resolver.Base // its bytes from the document are marked (escape.go)
	baseErr   error          // why no relative reference can be resolved on base, if not for want of one
	baseClass uint8          // of base's bytes up to its query

	context markup.Context

	// The tag in scan.
	tags   uint64   // its number
	seen   []uint64 // by attrRules.index: the last tag that had the attribute
	looked int      // attributes that have been looked at for places
	rel    struct { // what relOf returned last
		tag   uint64
		end   int
		value string
	}

	// What long.go knows of it.
	unmeasured int // up to this size it is not long
	measured   int // attributes that have been looked at for their length
	longBytes  int // of long values, in the window

	// The text of an element that is being read, if a rule picked it.
	textRule  *rule
	textStart int64 // in the input
	textName  string
	sheet     sheet
	inSheet   bool // all of the document stands in a style element in SVG

	inTree bool // the document is a tree, and buf an element or a text of it (node.go)

	// Where the document is a value in another.
	parent  *engine
	depth   int
	origin  int64           // of the value in parent's input
	origins charref.Origins // of the value

	// Scratch.
	ref, url, text []byte
	shown          []byte
	value          charref.Value
	refs           []syntax.Reference
}

func newEngine(rw *Rewriter) *engine {
	e := &engine{rw: rw, seen: make([]uint64, rw.set.count), tags: 1}
	e.reset()
	return e
}

// begins says where a document goes, and what it is on.
func (e *engine) begins(dst io.Writer, outer *resolver.Base, o markup.Options) {
	e.dst, e.base, e.baseClass, e.visitor = dst, outer, baseClass(outer), e.rw.Visit
	if e.layer.URL = outer; outer != nil {
		e.layer.Source = OuterBase
	}
	e.context.Reset(o)
}

// reset makes the engine ready for a document. Of the last one it keeps
// nothing but the memory, and of that not what an exceptional one took.
func (e *engine) reset() {
	if e.memory != nil {
		e.buf = e.memory
	}
	*e = engine{
		rw:  e.rw,
		buf: keep(e.buf, 1<<20), out: keep(e.out, 1<<20), ref: keep(e.ref, 1<<20), url: keep(e.url, 1<<20),
		text: keep(e.text, 1<<20), shown: keep(e.shown, 1<<20), refs: keep(e.refs, 1<<14),
		value: e.value.Kept(), writing: valueRun{decoded: e.writing.decoded.Kept(), refs: keep(e.writing.refs, 1<<14)},
		sheet: sheet{gaps: keep(e.sheet.gaps, 1<<14), pieces: keep(e.sheet.pieces, 1<<14), places: keep(e.sheet.places, 1<<14)},
		held:  queue{places: keep(e.held.places, 1<<14)}, seen: e.seen, tags: e.tags + 1, // a tag may have been cut off
		context: e.context,
		in:      charset.Source{EncodingOf: charset.EncodingOf{Start: e.in.Start[:0]}},
	}
	e.root = e
	e.chars = charset.Charset{Of: &e.in.EncodingOf, Mark: e.rw.Profile != resolver.WHATWG}
	e.unmeasured = min(longValue, e.maxTag())
	if e.buf == nil {
		e.buf = make([]byte, 0, windowSize)
	}
	if e.out == nil {
		e.out = make([]byte, 0, windowSize+windowSize/2)
	}
}

// options say how a document that stands alone is read.
func (e *engine) options() markup.Options {
	return markup.Options{
		Charset: &e.chars, LongTag: int64(e.unmeasured), WholeDocument: e.rw.WholeDocument,
		Conditional: e.rw.set.comment != nil, HeadComments: !e.rw.IgnoreSaved, EveryTag: e.rw.trace != nil,
	}
}

// keep returns a slice's memory if it is no more than limit elements.
func keep[T any](s []T, limit int) []T {
	if cap(s) > limit {
		return nil
	}
	return s[:0]
}

// run reads src to its end.
func (e *engine) run(src io.Reader) error {
	src = e.open(src)
	if r, ok := src.(*bytes.Reader); ok {
		r.WriteTo(inPlace{e})
	}
	for e.step() {
	}
	return e.err
}

// step writes what it can, reading once before that where all that has been read
// is followed. It reports whether it did: there is nothing more to do after the end
// and after an error.
func (e *engine) step() bool {
	if e.err != nil || e.done {
		return false
	}
	if !e.paused {
		e.fill()
	}
	e.paused = false
	e.advance()
	if e.broken != nil && !e.paused {
		e.fail(&Error{"read", e.inputOffset(e.off + int64(len(e.buf))), e.broken})
	}
	return true
}

// advance follows the input that has come, and writes what it can before a
// read that may block. Where it pauses, it goes on when it is called again.
func (e *engine) advance() {
	if !e.begun && !e.begin() {
		return
	}
	e.writeValue()
	e.drain()
	if !e.ended {
		e.tokens()
	}
	if e.eof && !e.ended && !e.root.paused {
		e.end()
	}
	if !e.root.paused {
		e.release()
		e.done = e.ended
	}
	e.flush()
}

// end follows the end of the input.
func (e *engine) end() {
	e.ended = true
	if e.context.InNoscript() {
		e.leaveNoscript()
	}
	e.endText(len(e.buf))
	e.cutSheet()
	e.decideLate()
}

// begin goes past a byte order mark, when enough of the document is there to
// know one. A document in another has none.
func (e *engine) begin() bool {
	const mark = "\ufeff"
	if n := len(e.buf); n < len(mark) && !e.eof && string(e.buf) == mark[:n] {
		return false
	}
	if e.parent == nil && bytes.HasPrefix(e.buf, []byte(mark)) {
		e.context.Skip(len(mark))
	}
	e.begun = true
	if e.refused != nil {
		e.warn(0, e.refused)
	}
	return true
}

// tokens follows the tokens in the window.
func (e *engine) tokens() {
	c := &e.context
	for e.err == nil && !e.root.paused {
		switch tok := c.Next(e.buf, e.eof); tok {
		case markup.StartTag:
			e.startTag()
		case markup.LongTag:
			e.longTag()
		case markup.EndTag:
			e.endTag()
		case markup.HeadText:
			e.checkHold(c.TextEnd())
			e.headChanged()
		case markup.ConditionalComment:
			e.conditional()
		case markup.HeadComment:
			start, end := c.Comment()
			e.savedFrom(e.buf[start:end], e.inputOffset(e.off+int64(start-len("<!--"))))
		case markup.NoscriptEnd:
			e.limits(true)
			e.leaveNoscript()
		case markup.None:
			e.limits(e.eof)
			e.checkHold(c.Pos())
			return
		}
	}
}

// limits gives up what is not whole and too long. final says that nothing follows it.
func (e *engine) limits(final bool) {
	e.boundTag(final)
	e.limitText(e.context.Pos())
	e.limitSheet(e.context.Pos())
	e.limitConditional()
}

// warn tells Warn of what stands at offset in this document, which is still in the
// window.
func (e *engine) warn(offset int64, err error) { e.warnOf(e.inputOffset(offset), err) }

// warnOf tells Warn of what stands at offset in the input.
func (e *engine) warnOf(offset int64, err error) {
	e.result.Warnings++
	if e.rw.Warn != nil {
		e.rw.Warn(offset, err)
	}
}
