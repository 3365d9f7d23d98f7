package rewriter

import (
	"bytes"
	"errors"

	"absolink/resolver"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/syntax"
)

// A target is what a reference is resolved against.
type target uint8

const (
	toBase    target = iota
	toOuter          // whatever the document embeds
	toNothing        // it is absolute on every base
	isLocal          // it means the same whatever the base is
)

// target returns what a reference in a place is resolved against. In the WHATWG profile,
// "http:x" is resolved even on an https base, where it is absolute: it may be relative
// where the rewritten page is.
func (e *engine) target(p *place, ref []byte) target {
	switch {
	case len(ref) == 0 && p.rule.Empty == EmptyNothing && !p.form.IsCSS(): // in which only "" is empty
		return isLocal
	case len(ref) == 0 && p.rule.Empty == EmptyDocument:
		return toOuter
	case len(ref) > 0 && ref[0] == '#' && (p.local || e.keepsFragments() && !p.rule.Outer):
		return isLocal
	case e.profile.IsAbsolute(ref):
		return toNothing
	case p.rule.Local.keeps(ref):
		return isLocal
	case p.rule.Outer, p.early:
		return toOuter
	}
	return toBase
}

// keeps reports whether a decoded value stays as it is.
func (l Local) keeps(value []byte) bool {
	return l == LocalCURIE && syntax.IsCURIE(value) || l == LocalTemplate && syntax.IsTemplate(value)
}

// keepsFragments reports whether references that are a fragment alone stay. They cannot
// stay where their base goes.
func (e *engine) keepsFragments() bool {
	return e.rw.KeepFragments && !(e.rw.RemoveBase && !e.decided || e.losesBase())
}

// losesBase reports whether the base is embedded, here or around, and goes.
func (e *engine) losesBase() bool {
	return e.rw.RemoveBase && (e.used.Source == EmbeddedBase || e.parent != nil && e.parent.losesBase())
}

// needsBase reports whether what becomes of a place may depend on the base that
// is still to be found.
func (e *engine) needsBase(p *place) bool {
	switch {
	case p.rule == cut:
		return true
	case p.early && e.outer.URL != nil && !e.wantsCanonical():
		return false
	}
	raw := e.raw(p.start, p.end)
	if p.rule.Syntax != SyntaxURL {
		return p.mayHold || mayHold(p.rule.row, raw, p.notation)
	}
	ref := syntax.TrimURL(e.valueIn(p, raw))
	to := e.target(p, ref)
	return to == toBase || to == toOuter && e.outer.URL == nil
}

// anyBase is a base for references that are absolute on every base.
var anyBase, _ = resolver.ParseBase("http://any/", resolver.WHATWG)

// invalid returns why an absolute reference is not a URL, or nil. Only the URL Standard
// has such references. The base has no influence: it may be unknown where a reference is
// only counted, and known where a caller sees the reference.
func (e *engine) invalid(ref []byte) error {
	if e.profile.Accepts(ref) || e.profile != resolver.WHATWG {
		return nil
	}
	url, err := anyBase.AppendResolve(e.url[:0], ref)
	e.url = url
	if refused := (*resolver.Error)(nil); errors.As(err, &refused) {
		refused.Base = ""
	}
	return err
}

// resolve finds out what becomes of a reference. url is set where that is
// rewritten or absolute, and good until the next call.
func (e *engine) resolve(p *place, ref []byte) (url []byte, what outcome, err error) {
	if p.form == syntax.FormPattern {
		return e.resolvePattern(ref)
	}
	base := e.base
	switch e.target(p, ref) {
	case isLocal:
		return nil, left, nil
	case toNothing:
		if err := e.invalid(ref); err != nil {
			return nil, unresolvable, err
		}
		return ref, absolute, nil
	case toOuter:
		if base = e.outer.URL; e.parent != nil && e.parent.baseErr == ErrDangling { // it is the outer base here
			return nil, unresolvable, ErrDangling
		}
	case toBase:
		if e.baseErr != nil && (e.profile != resolver.WHATWG || !base.IsOpaque()) { // on which fragments have an absolute form
			return nil, unresolvable, e.baseErr
		}
	}
	if base == nil {
		return nil, left, ErrNoBase
	}
	if base.IsOpaque() && e.profile == resolver.RFC3986 {
		return nil, unresolvable, &resolver.Error{Profile: e.profile, Base: base.String(), Ref: string(ref), Err: resolver.ErrOpaqueBase}
	}
	if !p.form.IsCSS() { // in which queries are UTF-8 (CSS Values 4 §4.5)
		ref = e.chars.EncodeQuery(ref, base.String())
	}
	e.url, err = base.AppendResolve(e.url[:0], ref)
	if err != nil {
		return nil, unresolvable, err
	}
	return e.url, rewritten, nil
}

// An outcome is what becomes of a place.
type outcome uint8

const (
	rewritten outcome = iota
	absolute
	left
	unresolvable
)

// valueIn returns what the raw value of a place stands for. It is good until the
// next call.
func (e *engine) valueIn(p *place, raw []byte) (value []byte) {
	if p.notation == charref.Plain {
		e.ref = e.chars.Text(e.ref[:0], raw)
		return e.ref
	}
	e.ref, value = charref.AppendValue(e.ref[:0], raw, &e.chars)
	return value
}

// resolvePattern finds out what becomes of a URL pattern, a string that is matched with
// URLs. A pattern becomes absolute if the URL Pattern Standard gives it one certain
// meaning on the base. Other patterns stay.
func (e *engine) resolvePattern(pattern []byte) (url []byte, what outcome, err error) {
	if _, rest, _ := bytes.Cut(pattern, []byte(":")); bytes.HasPrefix(rest, []byte("//")) && syntax.IsAbsoluteURL(pattern) {
		return pattern, absolute, nil
	}
	isPath, fromRoot := syntax.PathPattern(pattern)
	switch {
	case !isPath:
		return nil, left, nil
	case e.base == nil && e.baseErr != nil:
		return nil, unresolvable, e.baseErr
	case e.base == nil:
		return nil, left, ErrNoBase
	}
	origin, directory, ok := syntax.PatternBase(e.base.String())
	if !ok || !fromRoot && directory == "" {
		return nil, left, nil
	}
	e.url = append(e.url[:0], origin...)
	if !fromRoot {
		e.url = syntax.AppendPattern(e.url, directory)
	}
	e.url = append(e.url, pattern...)
	return e.url, rewritten, nil
}

// mayHold reports whether there may be a reference in a raw value. Any part of a
// reference may be written as a character reference.
func mayHold(s *syntax.Syntax, raw []byte, n charref.Notation) bool {
	switch {
	case s.MayHold == nil, n == charref.CharacterData, n == charref.CDATA:
		return true
	case n == charref.RawText:
		return s.MayHold(raw, syntax.Options{Text: true})
	}
	return s.MayHold(raw, syntax.Options{}) || bytes.IndexByte(raw, '&') >= 0
}
