package rewriter

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/net/html"

	"absolink/resolver"
	"absolink/rewriter/internal/mark"
)

// A decision is which base there is (RFC 1808 §3). Until decided, base is the outer
// base, and places that need one wait; after it nothing changes any more.
type decision struct {
	layer     Base  // the outer base
	over      Base  // a retrieval URL in the document that layer overrides
	canonical Base  // what Rewriter.Canonical found
	refused   error // what is wrong with the outer base of the caller
	late      lateBase

	decided   bool
	base      *resolver.Base // its bytes from the document are marked (package mark)
	baseErr   error          // why no relative reference can be resolved on base, if not for want of one
	baseClass uint8          // of base's bytes up to its query
}

// headChanged follows what a tag or text means to the HEAD: it decides for the
// outer base where the HEAD has ended without a BASE.
func (e *engine) headChanged() {
	switch {
	case e.context.IsSettled():
		e.decideOuter()
	case e.late.found && !e.context.MayReplaceBody():
		e.decideLate()
	}
}

// A lateBase is the first BASE with an href in a body that a frameset may
// replace.
type lateBase struct {
	found  bool
	href   []byte
	offset int64 // of its tag in the input
}

// baseFound decides by the href of the BASE whose start tag was followed, as soon as
// that is certain to count.
func (e *engine) baseFound(href []byte) {
	switch {
	case !e.context.MayReplaceBody():
		e.embed(href, e.inputOffset(e.tagOffset()))
	case !e.late.found:
		e.late = lateBase{true, bytes.Clone(href), e.inputOffset(e.tagOffset())}
	}
}

// decideLate decides by the BASE in the body, which counts now, or for the outer
// base where there is none.
func (e *engine) decideLate() {
	if e.late.found && !e.decided {
		e.embed(e.late.href, e.late.offset)
	}
	e.decideOuter()
}

// readBase decides the base by the BASE element whose tag is raw, if it has an
// href.
func (e *engine) readBase(raw []byte) {
	raw = e.chars.Text(nil, raw)
	z := html.NewTokenizer(bytes.NewReader(raw))
	z.Next()
	z.TagName()
	for more := true; more; {
		var key, value []byte
		if key, value, more = z.TagAttr(); string(key) == "href" {
			e.baseFound(value)
			return
		}
	}
}

// embed decides by the href of a BASE element at offset in the input. Where that is
// dangling, no relative reference has an absolute form.
func (e *engine) embed(value []byte, offset int64) {
	dangling := isDangling(value)
	marked := e.chars.EncodeQuery(trimURL(value), e.layer.URL.String())
	ref := mark.AppendUnmarked(nil, marked)
	b, err := embed(ref, e.layer.URL, e.rw.Profile)
	switch {
	case err == nil && dangling:
		err = ErrDangling
	case err == nil && e.rw.isAbsoluteOn(e.layer.URL, ref):
		e.baseErr = nil // that of the document around
	}
	if err != nil {
		e.warnOf(offset, err)
	}
	if errors.Is(err, resolver.ErrOpaqueBase) || errors.Is(err, ErrDangling) {
		e.baseErr = err
	}
	layer := Base{b, EmbeddedBase, "BASE", offset}
	switch {
	case b != nil && len(marked) > len(ref):
		layer.URL, _ = resolver.ParseBaseOn(e.layer.URL, string(marked), e.rw.Profile)
		e.decide(layer)
		e.result.Base.URL = b
	case err == nil || e.baseErr == err:
		e.decide(layer)
	default:
		e.decideOuter()
	}
}

// decide sets the base, once, and splices what was held for it.
func (e *engine) decide(l Base) {
	if e.decided {
		return
	}
	e.decided = true
	e.base, e.baseClass = l.URL, baseClass(l.URL)
	if l.URL == nil && e.baseErr == nil {
		l = Base{}
	}
	e.result.Base, e.result.Overridden = l, e.over
	if l.Source == EmbeddedBase {
		e.result.Overridden = e.layer
	}
	e.drain()
}

// checkHold decides for the outer base where what is held is too much by the
// time that the window has been read up to pos.
func (e *engine) checkHold(pos int) {
	if e.decided || e.held.waiting() == 0 || e.parent != nil { // which is in memory as a whole
		return
	}
	limit := e.rw.Hold
	if limit == 0 {
		limit = defaultHold
	}
	first := e.held.firstWaiting()
	held := e.off + int64(pos) - first
	if e.in.Wide != nil {
		held = 2 * (e.rawOffset(e.off+int64(pos)) - e.rawOffset(first))
	}
	if held+int64(e.held.waiting())*placeSize > int64(limit) {
		e.warn(first, errHold(limit))
		e.decideLate()
	}
}

// embed returns the base URL that a BASE element gives whose href is ref, on
// the outer base. The error says why it gives none, and the outer base then
// stays in force, as it does for data: and javascript: (HTML Standard §2.4.1
// and §4.2.3); but one that is resolver.ErrOpaqueBase is a base all the same,
// about:blank or mailto:x, and of use to no relative reference. A user and a
// password stay: the document tells them to everybody as it is.
func embed(ref []byte, outer *resolver.Base, p resolver.Profile) (*resolver.Base, error) {
	if len(ref) == 0 {
		return outer, nil
	}
	b, err := parseBaseOn(outer, string(ref), p)
	switch {
	case errors.Is(err, ErrLongBase), errors.Is(err, ErrScriptBase):
		return nil, fmt.Errorf("BASE: %w", err)
	case err == nil && b.IsOpaque():
		err = &resolver.Error{Profile: p, Base: b.String(), Err: resolver.ErrOpaqueBase}
	}
	return b, err
}
