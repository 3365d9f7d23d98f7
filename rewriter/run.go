package rewriter

import (
	"bytes"
	"io"

	"absolink/rewriter/internal/markup"
)

// openInput says what the input is, and returns its reader without a Source around it.
func (e *engine) openInput(src io.Reader) io.Reader {
	src, of := unwrap(src)
	e.src.Src = src
	e.setInput(&e.src, of)
	return src
}

// setInput says that src is the input, whatever the Reader of the Source is.
func (e *engine) setInput(src io.Reader, of Source) {
	e.in.Open(src, of.Charset)
	e.in.Sheet, e.in.InUTF8 = of.Sheet, of.Decoded
	e.at, e.of = of.At, of.Document
}

// run reads src to its end.
func (e *engine) run(src io.Reader) error {
	src = e.openInput(src)
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
	if e.stepping { // the last step has panicked, and the caller has recovered
		e.err = errPanicked
		return false
	}
	e.stepping = true
	if !e.paused {
		if e.isHalfFull() {
			e.dropPassed()
		}
		e.fill()
	}
	e.paused = false
	e.advance()
	if e.broken != nil && !e.paused {
		e.fail(&Error{"read", e.atInput(e.rawOffset(e.end()) + int64(e.in.Waiting())), e.broken})
	}
	e.stepping = false
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
	end := len(e.buf)
	if e.text.inSVG && e.context.InTag() { // the input ends in it, so it is not a tag
		end = e.context.Tag().Start
	}
	e.endText(end)
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

// tokens acts on the tokens in the window, one after another; the context passes over what needs no
// action. It returns when the window shows no further token, after an error, or at a pause.
func (e *engine) tokens() {
	c := &e.context
	for e.err == nil && !e.root.paused {
		switch c.Next(e.buf[:e.ready()], e.eof) {
		case markup.StartTag:
			e.startTag()
		case markup.LongTag:
			e.tagInText()
			e.followLong(nil)
		case markup.EndTag:
			e.tagInText()
			if c.HeadChanged() {
				e.checkHold(c.Pos())
				e.headChanged()
			}
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

// limits gives up what is too long and not yet whole. complete says that what is open gets no
// more input: the document ends here, or the NOSCRIPT around it does.
func (e *engine) limits(complete bool) {
	e.boundTag(complete)
	e.limitText(e.context.Pos())
	e.limitComment()
}

// An inPlace takes a whole document, as the WriteTo of a bytes.Reader gives it. The
// window moves over the document, as long as nothing is cut out of the window.
type inPlace struct{ e *engine }

func (w inPlace) Write(document []byte) (int, error) {
	e := w.e
	if e.in.Take(document) {
		return len(document), nil
	}
	e.memory, e.buf = e.buf, document[:0]
	for end := 0; e.err == nil && !e.eof; {
		n := min(windowSize, len(document)-end)
		if e.memory != nil || e.isHalfFull() {
			e.dropPassed()
		}
		if e.memory == nil {
			n = copy(e.space(), document[end:])
		}
		e.buf = e.buf[:len(e.buf)+n]
		end += n
		e.eof = end == len(document)
		e.advance()
	}
	return len(document), nil
}

// dropPassed takes out of the window what neither the output nor the context needs any
// more, nor a place that the caller has yet to be shown.
func (e *engine) dropPassed() {
	n := min(e.index(e.passed), e.context.Needed())
	if e.held.Len() > 0 && e.held.First().tag != nil {
		n = min(n, e.index(e.held.First().tag.start))
	}
	if e.writing.open && e.writing.p.tag != nil {
		n = min(n, e.index(e.writing.p.tag.start))
	}
	if n > 0 {
		e.drop(n)
		e.context.Shift(n)
	}
}
