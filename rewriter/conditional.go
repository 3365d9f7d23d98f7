package rewriter

import "absolink/rewriter/internal/charref"

// commentName stands for comments among the names of elements.
const commentName = "#comment"

// conditional follows a comment that begins with "[if". What comes after "]>" in
// it was markup to Internet Explorer up to version 9. No edit there ends the comment:
// a ">" is written only in quotes, as a character reference, and nothing that is
// written ends in dashes where the ">" of a tag follows (needsQuotes).
func (e *engine) conditional() {
	start, end := e.context.Comment()
	if end-start > e.maxTag() {
		e.warn(e.offsetOf(start), errMaxTag(e.maxTag()))
		return
	}
	n, found := e.chars.Search(e.buf[start:end], "]>", true)
	if !found {
		return
	}
	e.place(&place{
		start: e.offsetOf(start + n + len("]>")), end: e.offsetOf(end),
		rule: e.rw.set.comment, element: commentName, notation: charref.Comment,
	})
}

// limitConditional gives a conditional comment up, with a warning, if more than MaxTag
// of it has been read.
func (e *engine) limitConditional() {
	start, ok := e.context.OpenConditional()
	if ok && e.context.Pos()-start > e.maxTag() {
		e.context.DropComment()
		e.warn(e.offsetOf(start), errMaxTag(e.maxTag()))
	}
}
