package rewriter

import (
	"bytes"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/syntax"
)

// sheetPiece is how much of a style sheet is held, if that has the end of a rule.
var sheetPiece = 256 << 10

// beginSheetFile begins a document that is a style sheet. It embeds no base.
func (e *engine) beginSheetFile() {
	e.settleOuter()
	e.text.rule, e.text.name = e.set.rules.textRule("style"), "style"
	e.text.start, e.text.cutAt = e.offsetOf(e.context.Pos()), sheetPiece
}

// sheetFile follows what has come of a style sheet. The sheet is read in pieces, each up
// to the end of a rule, outside of blocks. The first rule of more than MaxTag bytes stays,
// and what follows it.
func (e *engine) sheetFile() {
	e.context.Skip(len(e.buf))
	for e.text.rule != nil && !e.root.paused && e.err == nil {
		start, most := e.index(e.text.start), e.maxTag
		held := len(e.buf) - start
		if held <= most && (e.eof || held < e.text.cutAt) {
			return
		}
		text := e.buf[start:][:min(held, most)]
		if !ascii.IsASCII(text) && !e.in.IsPlain() { // a part of a character may look like a bracket
			text = text[:bytes.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })]
		}
		n := syntax.CutCSS(text)
		switch rule := e.text.rule; {
		case n > 0:
			e.endText(start + n)
			e.text.rule, e.text.start, e.text.cutAt = rule, e.offsetOf(start+n), sheetPiece
		case held > most:
			e.warn(e.text.start, &LimitError{"MaxTag", int64(most), "a rule of the style sheet is longer than may be held; the sheet stays as it is from here on"})
			e.text.rule = nil
		default:
			e.text.cutAt = 2 * held
		}
	}
}
