package rewriter

import (
	"bytes"
	"errors"

	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/syntax"
)

// outcomes say what becomes of a reference: of what it stands for, in a place, on the base
// that is decided. They know no window, write nothing and tell nobody.
type outcomes struct {
	decision
	set    *settings        // KeepFragments, Keep, RemoveBase, Canonical
	cs     *charset.Charset // of the document
	around *outcomes        // of the document whose base is the outer base here; nil for the outermost

	url, whole, part []byte // scratch
}

func (o *outcomes) kept() outcomes {
	return outcomes{url: reuse(o.url, 1<<20), whole: reuse(o.whole, 1<<20), part: reuse(o.part, 1<<20)}
}

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
func (o *outcomes) target(p *place, ref []byte) target {
	isEmpty := len(ref) == 0 && (ref == nil || o.profile != resolver.WHATWG) // see syntax.TrimURL
	switch {
	case isEmpty && p.rule.Empty == EmptyNothing && !p.form.IsCSS(): // in CSS, only "" is empty
		return isLocal
	case isEmpty && p.rule.Empty == EmptyDocument:
		return toOuter
	case len(ref) > 0 && ref[0] == '#' && (p.local || o.keepsFragments(p) && !p.rule.Outer):
		return isLocal
	case o.profile.IsAbsolute(ref):
		return toNothing
	case p.rule.Local.exempts(ref):
		return isLocal
	case p.rule.Outer, p.early:
		return toOuter
	}
	return toBase
}

// exempts reports whether a decoded value stays as it is.
func (l Local) exempts(value []byte) bool {
	return l == LocalCURIE && syntax.IsCURIE(value) || l == LocalTemplate && syntax.IsTemplate(value)
}

// keepsFragments reports whether a reference that is a fragment alone stays in a place. It
// cannot stay where its base goes.
func (o *outcomes) keepsFragments(p *place) bool {
	return o.set.KeepFragments && (p.early || !(o.set.RemoveBase && !o.decided || o.losesBase()))
}

// losesBase reports whether the base is embedded, here or around, and goes. What is left of
// the href of a BASE that goes is a fragment, and does not count.
func (o *outcomes) losesBase() bool {
	return o.set.RemoveBase && (o.used.Source == EmbeddedBase && !o.isFragment || o.around != nil && o.around.losesBase())
}

// anyBase is a base for references that are absolute on every base.
var anyBase, _ = resolver.ParseBase("http://any/", resolver.WHATWG)

// invalid returns why an absolute reference is not a URL, or nil. Only the URL Standard
// has such references. The base has no influence: it may be unknown where a reference is
// only counted, and known where a caller sees the reference.
func (o *outcomes) invalid(ref []byte) error {
	if o.profile.Accepts(ref) || o.profile != resolver.WHATWG {
		return nil
	}
	url, err := anyBase.AppendResolve(o.url[:0], ref)
	o.url = url
	if refused := (*resolver.Error)(nil); errors.As(err, &refused) {
		refused.Base = ""
	}
	return err
}

// resolve finds out what becomes of a reference. url is set if the outcome is rewritten or
// absolute, and good until the next call.
func (o *outcomes) resolve(p *place, ref []byte) (url []byte, what outcome, err error) {
	if p.form == syntax.FormPattern {
		return o.resolvePattern(ref)
	}
	base := o.base
	switch o.target(p, ref) {
	case isLocal:
		return nil, left, nil
	case toNothing:
		if err := o.invalid(ref); err != nil {
			return nil, unresolvable, err
		}
		return ref, absolute, nil
	case toOuter:
		if base = o.outer.URL; o.outerErr != nil {
			return nil, unresolvable, o.outerErr
		}
	case toBase:
		if o.baseErr != nil && (o.profile != resolver.WHATWG || !base.IsOpaque()) { // on which fragments have an absolute form
			return nil, unresolvable, o.baseErr
		}
	}
	if base == nil {
		return nil, left, ErrNoBase
	}
	if base.IsOpaque() && o.profile == resolver.RFC3986 {
		return nil, unresolvable, &resolver.Error{Profile: o.profile, Base: base.String(), Ref: string(ref), Err: resolver.ErrOpaqueBase}
	}
	if !p.form.HasUTF8Query() {
		ref = o.cs.EncodeQuery(ref, base.String())
	}
	o.url, err = base.AppendResolve(o.url[:0], ref)
	if err != nil {
		return nil, unresolvable, err
	}
	return o.url, rewritten, nil
}

// An outcome is what becomes of a place.
type outcome uint8

const (
	rewritten outcome = iota
	absolute
	left
	unresolvable
)

// resolvePattern finds out what becomes of a URL pattern, a string that is matched with
// URLs. A pattern becomes absolute if the URL Pattern Standard gives it one certain
// meaning on the base. Other patterns stay.
func (o *outcomes) resolvePattern(pattern []byte) (url []byte, what outcome, err error) {
	if _, rest, _ := bytes.Cut(pattern, []byte(":")); bytes.HasPrefix(rest, []byte("//")) && syntax.IsAbsoluteURL(pattern) {
		return pattern, absolute, nil
	}
	isPath, fromRoot := syntax.PathPattern(pattern)
	switch {
	case !isPath:
		return nil, left, nil
	case o.base == nil && o.baseErr != nil:
		return nil, unresolvable, o.baseErr
	case o.base == nil:
		return nil, left, ErrNoBase
	}
	origin, directory, ok := syntax.PatternBase(o.base.String())
	if !ok || !fromRoot && directory == "" {
		return nil, left, nil
	}
	o.url = append(o.url[:0], origin...)
	if !fromRoot {
		o.url = syntax.AppendPattern(o.url, directory)
	}
	o.url = append(o.url, pattern...)
	return o.url, rewritten, nil
}

// mayHold reports whether there may be a reference in a raw value. Any part of a
// reference may be written as a character reference.
func mayHold(s *syntax.Syntax, raw []byte, n charref.Notation) bool {
	switch {
	case s.MayHold == nil:
		return true
	case n.IsText():
		return s.MayHold(raw, syntax.Options{Text: true})
	}
	return s.MayHold(raw, syntax.Options{}) || bytes.IndexByte(raw, '&') >= 0
}

// resolveFront returns what takes the place of the front of a reference whose absolute form
// is url. For any other outcome it returns the front itself. A letter stands for the rest,
// so that the front is resolved as the part of a reference that it is. In an authority,
// the letter would be part of a host, and what the front has of that stays.
func (o *outcomes) resolveFront(p *place, r *rawRef, url []byte, what outcome) []byte {
	const rest = "x"
	o.part = append(append(o.part[:0], r.front...), rest...)
	probe := syntax.TrimURL(o.part)
	front := probe[:len(probe)-len(rest)]
	switch {
	case what != rewritten:
		return front
	case p.form == syntax.FormPattern:
		return url[:len(url)-len(r.value)+len(r.front)]
	}
	o.url, o.whole = o.whole, o.url // url stays
	resolved, _, err := o.resolve(p, probe)
	if err == nil && bytes.HasSuffix(resolved, []byte(rest)) {
		return resolved[:len(resolved)-len(rest)]
	}
	scheme := url[:bytes.IndexByte(url, ':')]
	if n := bytes.IndexByte(front, ':'); n >= 0 && ascii.EqualFold(front[:n], string(scheme)) { // "http:x", on another scheme
		front = front[n+1:]
	}
	o.url = append(append(o.url[:0], scheme...), "://"...)
	return append(o.url, bytes.TrimLeft(front, `/\`)...)
}

// hasPath reports whether a reference is resolved like any path: it inherits at most the
// part of the base that baseClass is about, and not the query. In the WHATWG profile,
// "http:" may inherit the query; in the RFC1808 profile, "//" does.
func (o *outcomes) hasPath(ref []byte) bool {
	switch {
	case ref[0] == '#' || ref[0] == '?' || ref[0] == ';':
		return false
	case o.profile == resolver.WHATWG:
		return !resolver.RFC3986.IsAbsolute(ref) // it has no scheme
	}
	return !bytes.HasPrefix(ref, []byte("//")) || len(ref) > len("//") && ref[len("//")] != '#'
}

// outcomeOf finds out what becomes of a reference. ref is the reference trimmed, and front is
// what takes the place of its front. url is nil unless the reference is rewritten or absolute.
// err says why it is not. hasRoom says that the place has room for a new value.
func (o *outcomes) outcomeOf(p *place, r *rawRef, hasRoom bool) (ref, front, url []byte, what outcome, err error) {
	ref, dangling := r.value, false
	shifts := r.keeps && bytes.HasPrefix(bytes.TrimPrefix(r.value, r.front), []byte("\x1b")) && len(syntax.TrimURL(bytes.Clone(r.front))) == 0
	if p.form != syntax.FormPattern {
		dangling = syntax.IsDangling(r.value) || r.newline && bytes.IndexByte(r.value, '<') >= 0
		ref = syntax.TrimURL(r.value)
	}
	url, what, err = o.resolve(p, ref)
	switch {
	case what != absolute && o.isKept(ref):
		url, what, err = nil, left, ErrKept
	case what != rewritten:
	case dangling:
		url, what, err = nil, unresolvable, ErrDangling
	case p.form == syntax.FormSpecifier && syntax.EndsInSlash(url) != syntax.EndsInSlash(r.value):
		url, what, err = nil, unresolvable, errSpecifier
	case shifts:
		url, what, err = nil, unresolvable, errShift
	case !hasRoom:
		url, what, err = nil, unresolvable, ErrStructure
	}
	front = url
	if r.keeps {
		front = o.resolveFront(p, r, url, what)
		if what == rewritten && o.parts(p, r, front) {
			url, what, err = nil, unresolvable, ErrStructure
			front = o.resolveFront(p, r, url, what)
		}
	}
	return ref, front, url, what, err
}

// parts reports whether a value that is one reference would be read as image candidates with
// a new front: white space in the front, which told that it is one, is percent-encoded.
func (o *outcomes) parts(p *place, r *rawRef, front []byte) bool {
	if p.form != syntax.FormLazy || r.start > p.start || r.start+docOffset(len(r.raw)) < p.end {
		return false
	}
	o.part = append(p.form.AppendFront(o.part[:0], front, false), r.rest...)
	refs := syntax.Lazy.Find(nil, o.part, syntax.Options{})
	return len(refs) != 1 || len(refs[0].Of(o.part)) < len(o.part)
}

// asRead returns what a reader makes of an absolute URL: its query is in the encoding of the
// document, unless the form says that it is UTF-8.
func (o *outcomes) asRead(p *place, url []byte) []byte {
	if p.form.HasUTF8Query() || p.form == syntax.FormPattern || len(url) == 0 {
		return url
	}
	return o.cs.EncodeQuery(url, "")
}

// isPlainAbsolute reports whether a raw reference is absolute by its beginning, whatever
// character references follow. Its rule is ordinary.
func (o *outcomes) isPlainAbsolute(raw []byte) bool {
	if len(raw) == 0 || raw[0] <= ' ' || raw[0] == '/' || raw[0] == '#' || !o.profile.Accepts(raw) {
		return false
	}
	if o.profile != resolver.WHATWG || bytes.HasPrefix(raw, []byte("https://")) || bytes.HasPrefix(raw, []byte("http://")) {
		return true
	}
	rest := raw[bytes.IndexByte(raw, ':')+1:]
	return !bytes.HasPrefix(rest, []byte("&")) && !bytes.HasPrefix(rest, []byte("/&")) // "&sol;" may begin a host
}

// isKept reports whether a pattern of Keep fits a reference, which is trimmed.
func (o *outcomes) isKept(ref []byte) bool {
	if len(o.set.keep) == 0 {
		return false
	}
	if ascii.ClassOf(ref)&ascii.NonASCII != 0 {
		o.part = o.cs.AppendShown(o.part[:0], ref)
		ref = o.part
	}
	return o.set.keeps(ref)
}

// A rawRef is a reference as it is read from the document.
//
// The front of a reference is what comes before its first quote, backquote, "<" or ">".
// Only the front is replaced: the rest stays as it is written, so that whatever these bytes
// end for some reader still ends there. The rest may have segments ".." that lead back into
// the front; whoever follows the link resolves them.
type rawRef struct {
	start, end docOffset        // in the document; once keeps is set, end is the end of the front
	raw        []byte           // the whole reference as it stands in the document
	text       []byte           // what raw stands for in the notation; once keeps is set, the front of that
	cs         *charset.Charset // reads the bytes of text from 0x80 on, if they are not UTF-8
	value      []byte           // what raw stands for
	front      []byte           // of value, if keeps
	rest       []byte           // of text, after the front, if keeps
	keeps      bool             // there is more than a front, and the rest stays
	whole      docOffset        // where the reference ends; 0 if Visit cannot replace what stays

	newline bool // raw has a newline that is not in value
}
