package rewriter

import (
	"bytes"
	"fmt"

	"golang.org/x/net/html"

	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/syntax"
)

// headChanged follows what a tag or text means to the HEAD: it decides for the
// outer base where the HEAD has ended without a BASE.
func (e *engine) headChanged() {
	switch {
	case e.context.IsSettled():
		e.settleOuter()
	case e.late.found && !e.context.MayReplaceBody():
		e.settleLate()
	}
}

// readBase decides the base by the BASE element whose tag is in the window, if it has an
// href, as soon as that BASE is certain to count. The href alone is given to the Tokenizer,
// whose memory a tag with many attributes would take.
func (e *engine) readBase() {
	t := e.context.Tag()
	b := e.buf[t.Start:][:t.Pos]
	href := t.Attr(b, "href")
	if href == nil {
		return
	}
	end := href.Value.End
	if href.Notation == charref.DoubleQuoted || href.Notation == charref.SingleQuoted {
		end++
	}
	tag := fmt.Appendf(nil, "<base %s>", e.chars.Text(nil, b[href.Name.Start:end]))
	z := html.NewTokenizer(bytes.NewReader(tag))
	z.Next()
	z.TagName()
	_, value, _ := z.TagAttr()
	offset := e.inputOffset(e.tagOffset())
	switch {
	case !e.context.MayReplaceBody():
		e.settleEmbedded(value, offset)
	case !e.late.found:
		e.late = lateBase{true, bytes.Clone(value), offset}
	}
}

// settleEmbedded decides by the href of a BASE element at offset in the input.
func (e *engine) settleEmbedded(href []byte, offset int64) {
	err := errKeptBase
	if len(e.set.Keep) > 0 && e.isKept(syntax.TrimURL(bytes.Clone(href))) {
		e.baseErr = err
		e.decide(Base{nil, EmbeddedBase, "BASE", offset}, nil)
	} else {
		err = e.decideEmbedded(href, offset, &e.chars)
	}
	if err != nil {
		e.warnOf(offset, err)
	}
	e.drain()
}

// settleLate decides by the BASE in the body, which counts now, or for the outer
// base where there is none.
func (e *engine) settleLate() {
	if e.late.found && !e.decided {
		e.settleEmbedded(e.late.href, e.late.offset)
	}
	e.settleOuter()
}

// settleOuter decides for the outer base, if nothing is decided yet.
func (e *engine) settleOuter() {
	if !e.decided {
		e.decideOuter()
		e.drain()
	}
}

// drain splices the places that are due.
func (e *engine) drain() {
	for e.held.IsDue(e.decided) && e.err == nil && !e.root.paused {
		p := e.held.Pop()
		e.splice(&p)
	}
}
