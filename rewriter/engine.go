package rewriter

import (
	"bytes"
	"io"

	"absolink/resolver"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/syntax"
	"absolink/rewriter/internal/waiting"
)

// An engine is one run over one document. It reads the input into a window, finds the
// places in it, holds both until the base can no longer change, and then splices.
type engine struct {
	rw      *Rewriter
	visitor func(*Place) error
	result  Result

	window
	output
	decision
	embedding
	context markup.Context
	held    waiting.Queue[place] // for the base, the end of a sheet, or output to be taken; nothing waits anywhere else
	writing valueRun
	tag     tagRun
	text    textRun
	sheet   sheet
	link    markup.LinkText
	scratch

	root *engine // of the outermost document

	// While root.paused, output has to be taken before more is written: nothing is
	// read, no token after the current one is followed, nothing is kept beyond the value
	// that is being written and the first place held, and places are held.
	paused bool

	markSkipped bool // the byte order mark, if any, has been followed
	ended       bool // what the end of the input means has been followed
	done        bool // and all is written
}

// An embedding says where a document stands: in a container, in a value of another
// document, or in a tree.
type embedding struct {
	at func(int64) int64 // Source.At
	of *Document         // Source.Document

	// In a value of another document.
	parent  *engine
	depth   int
	origin  offset          // of the value, in parent
	origins charref.Origins // of the value

	inTree  bool // the document is a tree, and the window an element or a text of it (node.go)
	inSheet bool // all of the document stands in a style element in SVG
}

// A scratch is memory whose content matters to one place only.
type scratch struct {
	ref, front, url, whole, part, shown []byte
	value                               charref.Value
	refs                                []syntax.Reference
}

func (s *scratch) kept() scratch {
	return scratch{
		ref: reuse(s.ref, 1<<20), front: reuse(s.front, 1<<20),
		url: reuse(s.url, 1<<20), whole: reuse(s.whole, 1<<20), part: reuse(s.part, 1<<20), shown: reuse(s.shown, 1<<20),
		value: s.value.Kept(), refs: reuse(s.refs, 1<<14),
	}
}

func newEngine(rw *Rewriter) *engine {
	e := &engine{rw: rw, tag: tagRun{seen: make([]uint64, rw.set.count), number: 1}}
	e.reset()
	return e
}

// startDocument begins a document, which goes to dst, on an outer base.
func (e *engine) startDocument(dst io.Writer, outer *resolver.Base, o markup.Options) {
	e.dst, e.visitor = dst, e.rw.Visit
	e.decision.start(outer, e.rw.Profile)
	e.context.Reset(o)
}

// reset makes the engine ready for a document. It keeps the memory of the last document,
// except where that was exceptional.
func (e *engine) reset() {
	if e.memory != nil {
		e.buf = e.memory
	}
	e.context.Trim()
	e.held.Reset(1 << 14)
	*e = engine{
		rw: e.rw,
		window: window{
			buf: reuse(e.buf, 1<<20),
			in:  charset.Source{EncodingOf: charset.EncodingOf{Start: e.in.Start[:0]}},
		},
		output:  output{out: reuse(e.out, 1<<20)},
		scratch: e.scratch.kept(),
		writing: valueRun{decoded: e.writing.decoded.Kept(), refs: reuse(e.writing.refs, 1<<14)},
		sheet:   sheet{gaps: reuse(e.sheet.gaps, 1<<14), pieces: reuse(e.sheet.pieces, 1<<14), places: reuse(e.sheet.places, 1<<14)},
		link:    e.link.Kept(),
		held:    e.held,
		tag:     tagRun{seen: e.tag.seen, number: e.tag.number + 1}, // the last tag may have been cut off
		context: e.context,
	}
	e.root, e.source = e, &e.window
	e.chars = charset.Charset{Of: &e.in.EncodingOf, Mark: e.rw.Profile != resolver.WHATWG}
	e.tag.unmeasured = min(longValue, e.maxTag())
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
		Charset: &e.chars, LongTag: int64(e.tag.unmeasured), WholeDocument: e.rw.WholeDocument,
		Comments: e.rw.set.comments, HeadComments: !e.rw.IgnoreSaved,
	}
}

// reuse returns the memory of a slice, or nil where that is more than limit elements.
func reuse[T any](s []T, limit int) []T {
	if cap(s) > limit {
		return nil
	}
	return s[:0]
}

// open says what the input is, and returns its reader without a Source around it.
func (e *engine) open(src io.Reader) io.Reader {
	src, of := unwrap(src)
	e.in.Open(src, of.Charset)
	e.in.Sheet = of.Sheet
	e.at, e.of = of.At, of.Document
	return src
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

// step reads once, unless the last step paused, and writes what it can. It reports
// whether it did: there is nothing to do after the end and after an error.
func (e *engine) step() bool {
	if e.err != nil || e.done {
		return false
	}
	if !e.paused {
		if e.isHalfFull() {
			e.dropPassed()
		}
		e.fill()
	}
	e.paused = false
	e.advance()
	if e.broken != nil && !e.paused {
		e.fail(&Error{"read", e.inputOffset(e.end()), e.broken})
	}
	return true
}

// advance follows the input that has come, and writes what it can before a
// read that may block. Where it pauses, it goes on when it is called again.
func (e *engine) advance() {
	if !e.markSkipped && !e.skipMark() {
		return
	}
	e.writeValue()
	e.drain()
	switch {
	case e.ended:
	case e.in.Sheet:
		e.sheetFile()
	default:
		e.tokens()
	}
	if e.eof && !e.ended && e.err == nil && !e.root.paused {
		e.endOfInput()
	}
	if !e.root.paused {
		e.keepSettled()
		e.done = e.ended
	}
	e.flush()
}

// endOfInput follows the end of the input.
func (e *engine) endOfInput() {
	e.ended = true
	if e.context.InNoscript() {
		e.leaveNoscript()
	}
	e.endText(len(e.buf))
	e.cutSheet()
	e.settleLate()
}

// skipMark skips the byte order mark. It reports whether enough of the document is there
// to know whether there is one. A document in another document has none.
func (e *engine) skipMark() bool {
	const mark = "\ufeff"
	if n := len(e.buf); n < len(mark) && !e.eof && string(e.buf) == mark[:n] {
		return false
	}
	if e.parent == nil && bytes.HasPrefix(e.buf, []byte(mark)) {
		e.context.Skip(len(mark))
	}
	e.markSkipped = true
	if e.refused != nil {
		e.warn(0, e.refused)
	}
	if e.in.Sheet {
		e.beginSheetFile()
	}
	return true
}

// tokens follows the tokens in the window.
func (e *engine) tokens() {
	c := &e.context
	for e.err == nil && !e.root.paused {
		switch tok := c.Next(e.buf[:e.ready()], e.eof); tok {
		case markup.StartTag:
			e.startTag()
		case markup.LongTag:
			e.longTag()
		case markup.EndTag:
			e.endTag()
		case markup.HeadText:
			e.checkHold(c.TextEnd())
			e.headChanged()
		case markup.MarkupComment:
			e.markupComment()
		case markup.HeadComment:
			e.headComment()
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

// limits gives up what is too long and not yet whole. final says that nothing follows
// the window.
func (e *engine) limits(final bool) {
	e.boundTag(final)
	e.limitText(e.context.Pos())
	e.limitSheet(e.context.Pos())
	e.limitComment()
}

// results returns what the run has done so far.
func (e *engine) results() Result {
	r := e.result
	if e.decided {
		r.Base, r.Overridden = e.used, e.overridden
	}
	return r
}

// warn tells Warn of what stands at o, which is still in the window.
func (e *engine) warn(o offset, err error) { e.warnOf(e.inputOffset(o), err) }

// warnOf tells Warn of what stands at offset in the input.
func (e *engine) warnOf(offset int64, err error) {
	e.result.Warnings++
	if e.rw.Warn != nil {
		e.rw.Warn(offset, err)
	}
}
