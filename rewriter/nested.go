package rewriter

import (
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
)

// nest begins the document that is in the value. Its base is its own or this
// document's. same says that the value has this document's bytes from 0x80 on.
func (e *engine) nest(same bool) {
	if e.depth == maxDepth {
		return
	}
	w := &e.writing
	n := e.child(w.p.notation == charref.Comment, false)
	n.splicer = (*nested)(e)
	n.root, n.depth, n.origin, n.origins = e.root, e.depth+1, w.p.start, w.v.Origins
	if w.p.notation == charref.Comment {
		n.chars = e.chars
	}
	if same {
		w.marks = charset.Marking
	}
	n.holds(w.v.Text)
	w.child = n
}

// child returns an engine for a document in this one. A fragment of the body, or of
// noscript, goes on with this document's base, and a BASE in it does not count; for
// another document it is the outer base.
func (e *engine) child(fragment, noscript bool) *engine {
	n := e.set.engine()
	o := n.options()
	o.Nested, o.Fragment, o.Noscript = true, fragment, noscript
	base, baseErr, around := e.base, e.baseErr, &e.outcomes
	if !fragment && e.writing.p.early {
		base, baseErr, around = e.outer.URL, nil, e.around
	}
	n.startDocument(nil, base, o)
	n.parent, n.around, n.hooks, n.baseErr = e, around, e.hooks, baseErr
	if baseErr == ErrDangling {
		n.outerErr = baseErr
	}
	if n.chars.Of = nil; e.chars.Of.HasSurrogates() {
		n.chars.Of = e.chars.Of
	}
	if fragment {
		n.inherit(&e.decision)
		n.beforeBase = e.beforeBase
	}
	return n
}

// maxDepth is how many documents stand in one another at most. A document that is
// nested deeper stays as it is.
const maxDepth = 16

// writeNested goes on with the document in the value.
func (e *engine) writeNested() {
	w := &e.writing
	n := w.child
	n.advance()
	if n.err != nil {
		e.fail(n.err)
	}
	if n.done || n.err != nil {
		w.child = nil
		e.result.Add(n.result)
		n.free()
	}
}

// A nested is the Splicer for the document in a value: it writes into the value.
type nested engine

func (n *nested) Keep(end int64) error {
	n.writing.wroteTo, n.writing.keptLast = int(end), true
	return nil
}

func (n *nested) Replace(end int64, b []byte) error {
	e, w := (*engine)(n), &n.writing
	e.url = w.marks.Text(e.url[:0], b)
	raw, from, to := e.rawOf(&w.p), w.v.Raw(w.wroteTo), w.v.Raw(int(end))
	e.edit(from, to, e.url, writeStyle{
		spaces: hasSpacesOf(raw[from:to], w.v.Text[w.wroteTo:end]), semicolon: w.keptLast && w.v.IsUnended(raw, w.wroteTo),
	})
	w.wroteTo, w.keptLast = int(end), false
	return e.err
}
