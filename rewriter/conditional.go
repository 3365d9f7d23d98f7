package rewriter

import (
	"bytes"
	"errors"
	"strings"
)

// commentName stands for comments among the names of elements.
const commentName = "#comment"

// errCommentEnd is what Warn is told of a conditional comment that would end
// within a URL.
var errCommentEnd = errors.New("the base URL would end the conditional comment; it stays as it is")

// conditional follows a comment that begins with "[if". What comes after "]>" in
// it was markup to Internet Explorer up to version 9.
func (e *engine) conditional() {
	start, end := e.scan.comment.start, e.scan.comment.end
	if end-start > e.maxTag() {
		e.warn(e.off+int64(start), ErrMaxTag)
		return
	}
	n := bytes.Index(e.buf[start:end], []byte("]>"))
	if n < 0 {
		return
	}
	e.place(&place{
		start: e.off + int64(start+n+len("]>")), end: e.off + int64(end),
		rule: e.rw.set.comment, element: commentName, quoting: comment,
	})
}

// limitConditional gives a comment up if what has been read of it is longer than
// MaxTag, and reports that.
func (e *engine) limitConditional() {
	if s := &e.scan; s.state == inConditional && s.pos-s.comment.start > e.maxTag() {
		s.state = inComment
		e.warn(e.off+int64(s.comment.start), ErrMaxTag)
	}
}

// continues makes n, which has been reset, read a fragment of the body of e's
// document: a BASE in it does not count.
func (n *engine) continues(e *engine) {
	n.layer, n.base, n.baseClass, n.decided = e.layer, e.base, e.baseClass, true
	n.head = head{ended: true, frameset: framesetIgnored}
	n.scan.wantText, n.scan.wantHead = false, false
}

// baseEndsComment reports whether a comment would end where a base is written in
// it: on that, nothing in it is shown to the caller.
func (e *engine) baseEndsComment(raw []byte) bool {
	if !strings.Contains(e.base.String()+e.layer.Base.String(), "--") {
		return false
	}
	silent := e.rw.Clone()
	silent.Visit, silent.Unresolvable, silent.Warn = nil, nil, nil
	silent.once.Do(func() { silent.set = e.rw.set })
	s := silent.engine()
	s.continues(e)
	s.parent, s.chars, s.depth, s.baseErr = e, e.chars, e.depth, e.baseErr
	s.buf = raw
	s.nest(&place{quoting: comment, end: int64(len(raw))}, &value{text: raw}, false)
	return s.editsEndComment(raw)
}

// editsEndComment reports whether a comment with the edits in it would end before
// it does.
func (e *engine) editsEndComment(raw []byte) bool {
	var written []byte
	last := 0
	for _, ed := range e.edits {
		written = append(append(written, raw[last:ed.start]...), e.text[ed.textStart:ed.textEnd]...)
		last = ed.end
	}
	written = append(written, raw[last:]...)
	return bytes.Contains(written, []byte("-->")) || bytes.Contains(written, []byte("--!>"))
}
