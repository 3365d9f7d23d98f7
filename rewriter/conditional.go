package rewriter

import "bytes"

// commentName stands for comments among the names of elements.
const commentName = "#comment"

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
	n.inComment = e.inComment
}

// guard keeps out[from:], which was written in a value quoted as q, from ending the
// comment that the document stands in, as "-->" and "--!>" do, also together with
// what stays before and after it. One hyphen of these is then an escape.
func (e *engine) guard(from int, q quoting, s Syntax) {
	if !e.inComment || bytes.IndexByte(e.out[from:], '-') < 0 {
		return
	}
	hyphen := "&#45;"
	switch {
	case q != unescaped && q != characters && q != cdata:
	case s.isJSON():
		hyphen = `\u002d`
	default:
		hyphen = `\2d `
	}
	text := bytes.Clone(e.out[from:])
	e.out = e.out[:from]
	for i, c := range text {
		if c == '-' && mayEndComment(text, i) {
			e.out = append(e.out, hyphen...)
		} else {
			e.out = append(e.out, c)
		}
	}
}

// mayEndComment reports whether the hyphen at i may be the last of those that end a
// comment: where text begins or ends, anything may stand beside it.
func mayEndComment(text []byte, i int) bool {
	if i == len(text)-1 {
		return true
	}
	after := bytes.TrimPrefix(text[i+1:], []byte("!"))
	return (i == 0 || text[i-1] == '-') && (len(after) == 0 || after[0] == '>')
}
