package rewriter

import "absolink/rewriter/internal/charref"

// commentName stands for comments among the names of elements.
const commentName = "#comment"

// conditional follows a comment that begins with "[if". What comes after "]>" in
// it was markup to Internet Explorer up to version 9. No edit in that ends the
// comment: what is written holds ">" in quotes alone, as a character reference, and
// does not end in dashes where the ">" of a tag follows (needsQuotes).
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

// limitConditional gives a comment up if what has been read of it is longer than
// MaxTag, and reports that.
func (e *engine) limitConditional() {
	start, ok := e.context.OpenConditional()
	if ok && e.context.Pos()-start > e.maxTag() {
		e.context.DropComment()
		e.warn(e.offsetOf(start), errMaxTag(e.maxTag()))
	}
}
