package rewriter

import (
	"bytes"

	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/markup"
)

// markupComment follows a comment whose text is markup, or was markup to Internet
// Explorer up to version 9: the part after "]>" of a comment that begins with "[if". No
// edit there ends the comment: a ">" is written only in quotes, as a character reference,
// and nothing that is written ends in dashes where the ">" of a tag follows (output.put).
func (e *engine) markupComment() {
	if e.context.IsInHead() {
		e.headComment()
	}
	e.breakText(e.context.Pos())
	start, end := e.context.Comment()
	if end-start > e.maxTag {
		e.tooLong(e.offsetOf(start))
		return
	}
	if e.set.rules.comments == markup.ConditionalComments {
		n, found := e.chars.Search(e.buf[start:end], "]>", true)
		if !found {
			return
		}
		start += n + len("]>")
	}
	if bytes.IndexByte(e.buf[start:end], '<') < 0 {
		return
	}
	e.place(&place{
		start: e.offsetOf(start), end: e.offsetOf(end),
		rule: e.set.rules.comment, element: commentName, notation: charref.Comment,
	})
}

// limitComment gives up a comment whose text is markup, with a warning, if more than
// MaxTag of it has been read.
func (e *engine) limitComment() {
	start, ok := e.context.OpenComment()
	if ok && e.context.Pos()-start > e.maxTag {
		e.context.DropComment()
		e.tooLong(e.offsetOf(start))
	}
}
