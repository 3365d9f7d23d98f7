package rewriter

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/mark"
	"absolink/rewriter/internal/syntax"
)

// A decision answers which base there is (RFC 1808 §3), and whether that can still
// change. Of the document it holds only the href of a late BASE. It writes nothing.
//
// There are four layers. The first that gives a base counts:
//
//	BASE                decideEmbedded; a relative one is resolved against the caller's or the saver's
//	the caller's        start
//	a saver's comment   adopt
//	canonical           adopt, in decideOuter
//
// Invariants: while decided is false, base is the outer base as far as it is known, and
// a place that needs a base waits. Once decided is true, nothing changes any more: a
// saver's comment that follows BASE does not count.
type decision struct {
	profile    resolver.Profile
	outer      Base  // the first of the layers after BASE
	outerErr   error // why no reference can be resolved on outer: the BASE of the document around is dangling
	overridden Base  // the layer that would count without the first
	canonical  Base  // becomes the outer base if there is no other
	refused    error // what is wrong with the outer base of the caller
	late       lateBase

	decided    bool
	used       Base           // what was decided, as callers see it
	isFragment bool           // the href of the BASE is a fragment: the URL of the document
	base       *resolver.Base // its bytes from the document are marked (package mark)
	baseErr    error          // why no relative reference can be resolved, if it is not for want of a base
	baseClass  uint8          // of base's bytes up to its query
	fullClass  uint8          // of base's bytes up to its fragment
	baseHeld   bool           // base's bytes up to its query are written as they are in every form
}

// A lateBase is the first BASE with an href in a body that a frameset may replace.
type lateBase struct {
	found  bool
	href   []byte
	offset int64 // of its tag in the input
}

// setOuter sets the outer base of the caller, which may be nil.
func (d *decision) setOuter(outer *resolver.Base, p resolver.Profile) {
	d.profile = p
	if d.outer.URL = outer; outer != nil {
		d.outer.Source = OuterBase
	}
	d.setBase(outer)
}

func (d *decision) setBase(b *resolver.Base) {
	if b != nil && b == d.base {
		return
	}
	d.base = b
	if b.IsOpaque() {
		d.baseClass, d.fullClass, d.baseHeld = ascii.Control, ascii.Control, false // any class that is not plain
		return
	}
	url, _, _ := strings.Cut(b.String(), "#")
	inherited, query, _ := strings.Cut(url, "?")
	d.baseClass, d.baseHeld = ascii.ClassOf(inherited)&^ascii.Tag, syntax.IsHeldByAll(inherited)
	d.fullClass = d.baseClass | ascii.ClassOf(query)&^ascii.Tag
}

// isUsable reports whether relative references can be resolved on the base.
func (d *decision) isUsable() bool { return d.base != nil && d.baseErr == nil }

// usesBase reports whether relative references in a place are resolved on the base, and not
// on another outer base.
func (d *decision) usesBase(p *place) bool { return !p.early || d.base == d.outer.URL }

// adopt takes the URL that the document says is its own for the outer base, if the
// caller has given none.
func (d *decision) adopt(own Base) {
	switch {
	case d.decided, d.overridden.URL != nil:
	case d.outer.URL != nil:
		d.overridden = own
	default:
		d.outer = own
		d.setBase(own.URL)
	}
}

// inherit goes on with the decision of the document around a fragment.
func (d *decision) inherit(around *decision) {
	d.outer, d.outerErr, d.baseErr, d.decided = around.outer, around.outerErr, around.baseErr, true
}

// decideOuter decides for the outer base.
func (d *decision) decideOuter() {
	if d.decided {
		return
	}
	if d.canonical.URL != nil {
		d.adopt(d.canonical)
	}
	d.decide(d.outer, d.outer.URL)
}

// decideEmbedded decides by the href of a BASE element at offset in the input, whose
// text cs has read. The error says what is wrong with the href; then the outer base
// counts, or no relative reference has an absolute form.
func (d *decision) decideEmbedded(href []byte, offset int64, cs *charset.Charset) error {
	dangling := syntax.IsDangling(href)
	marked := cs.EncodeQuery(mark.AppendUnspaced(nil, syntax.TrimURL(href)), d.outer.URL.String())
	ref := mark.AppendUnmarked(nil, marked)
	d.isFragment = bytes.HasPrefix(ref, []byte("#"))
	b, err := embeddedBase(ref, d.outer.URL, d.profile)
	switch {
	case err == nil && dangling:
		err = ErrDangling
	case err == nil && (d.profile.IsAbsolute(ref) || d.outer.URL != nil && d.outer.URL.IsAbsolute(ref)):
		d.baseErr = nil // it was the outer document's
	}
	if d.leadsElsewhere(err) {
		d.baseErr = err
	}
	used := Base{b, EmbeddedBase, "BASE", offset}
	switch {
	case b != nil && len(marked) > len(ref):
		url := string(marked)
		if d.outer.URL != nil {
			url, _ = d.outer.URL.Resolve(url)
		}
		base, _ := resolver.ParseBase(url, d.profile)
		d.decide(used, base)
	case err == nil || d.baseErr == err:
		d.decide(used, b)
	default:
		d.decideOuter()
	}
	return err
}

// leadsElsewhere reports whether relative references lead nowhere or to another host,
// because of what is wrong with a BASE: they must not be resolved on the outer base. A
// browser, the WHATWG profile, reads them on the outer base if the BASE is invalid. For
// other readers, a BASE that is invalid in an RFC profile is still the base.
func (d *decision) leadsElsewhere(err error) bool {
	return errors.Is(err, resolver.ErrOpaqueBase) || errors.Is(err, ErrDangling) ||
		errors.Is(err, resolver.ErrInvalid) && d.profile != resolver.WHATWG
}

// decide sets the base, once: used as callers see it, base as references are resolved
// on it.
func (d *decision) decide(used Base, base *resolver.Base) {
	d.decided = true
	d.setBase(base)
	if used.URL == nil && d.baseErr == nil {
		used = Base{}
	}
	if used != d.outer {
		d.overridden = d.outer
	}
	d.used = used
}

// embeddedBase returns the base URL that a BASE element gives whose href is ref, on
// the outer base. The error says why it gives none. The outer base then stays in force,
// as it does for data: and javascript: (HTML Standard §2.4.1 and §4.2.3), unless
// leadsElsewhere reports the error. Where the error is resolver.ErrOpaqueBase, for about:blank or mailto:x,
// the result is a base all the same, on which no relative reference has an absolute
// form. A user and a password stay: the document tells them to everybody as it is.
func embeddedBase(ref []byte, outer *resolver.Base, p resolver.Profile) (*resolver.Base, error) {
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
