package rewriter

import (
	"bytes"
	"strings"

	"absolink/resolver"
)

// A place is a value in the window that a rule picked.
type place struct {
	start, end int64 // in the input
	rule       *Rule
	element    string // for the caller, if that wants to see it
	quoting    quoting
	local      bool // a fragment alone stays
}

// attributes finds the places among the attributes that have been read and not
// been looked at, up to end in the tag. The tag makes an element of the
// namespace ns.
func (e *engine) attributes(end int, ns namespace) {
	t := &e.scan.tag
	b := e.buf[t.start:]
	hash, name := t.hash, t.name.of(b)
	if hash == hashImage && ns == nsHTML {
		hash, name = hashImg, img // as the tree construction has it
	}
	set := e.rw.set
	attrs := t.attrs
	for i := e.looked; i < len(attrs); i++ {
		a := &attrs[i]
		if int(a.value.end) > end {
			e.looked = i
			return
		}
		if !set.attrs.mayHave(a.hash) {
			continue
		}
		rules := set.attrs.get(a.hash, a.name.of(b))
		if rules == nil || e.seen[rules.index] == e.tags { // of two attributes of a name the first counts
			continue
		}
		e.seen[rules.index] = e.tags
		rule := rules.forElement(hash, name)
		if rule == nil {
			continue
		}
		if a.long {
			e.result.Absolute++
			continue
		}
		p := place{
			start:   e.off + int64(t.start) + int64(a.value.start),
			end:     e.off + int64(t.start) + int64(a.value.end),
			rule:    rule,
			quoting: a.quoting,
			local:   ns == nsSVG || rule.Local == LocalStay || rule.Local == LocalExpect && mayBeFragment(a.value.of(b)) && e.expects(end),
		}
		if e.rw.Visit != nil || e.rw.Unresolvable != nil {
			p.element = lowerName(hash, name)
		}
		if !e.decided && (len(e.held) > 0 || e.needsBase(&p)) {
			e.held = append(e.held, p)
		} else {
			e.splice(&p)
		}
	}
	e.looked = len(attrs)
}

var (
	img       = []byte("img")
	hashImg   = hashName("img")
	hashImage = hashName("image")
)

// mayBeFragment reports whether the reference in a value may begin with "#".
func mayBeFragment(raw []byte) bool {
	return len(raw) > 0 && (raw[0] <= ' ' || raw[0] == '#' || raw[0] == '&')
}

// expects reports whether the rel of the tag, a link, has the token "expect",
// or may have, where not all of the tag is before end.
func (e *engine) expects(end int) bool {
	t := &e.scan.tag
	raw, ok := t.value(e.buf[t.start:t.start+end], "rel")
	if !ok {
		return end < t.pos
	}
	e.url = appendDecoded(e.url[:0], raw, false)
	for rest := e.url; len(rest) > 0; {
		i := skipSpace(rest, 0)
		n := i
		for n < len(rest) && !isSpace(rest[n]) {
			n++
		}
		if equalFold(rest[i:n], "expect") {
			return true
		}
		rest = rest[n:]
	}
	return false
}

// A target is what a reference is resolved against.
type target uint8

const (
	toBase    target = iota
	toOuter          // whatever the document embeds
	toNothing        // it is absolute
	isLocal          // it names what is in the document, or nothing
)

// read returns the reference in the raw value of a place; it is good until the
// next call.
func (e *engine) read(p *place, raw []byte) (ref []byte, to target) {
	e.ref, ref = appendURL(e.ref[:0], raw, e.rw.marks())
	switch {
	case len(ref) == 0 && p.rule.Empty == EmptyNothing:
		return ref, isLocal
	case len(ref) == 0 && p.rule.Empty == EmptyDocument:
		return ref, toOuter
	case len(ref) > 0 && ref[0] == '#' && (p.local || e.rw.KeepFragments && !p.rule.Outer):
		return ref, isLocal
	case p.rule.Outer && e.outer.IsAbsolute(ref), e.base.IsAbsolute(ref):
		return ref, toNothing
	case p.rule.Outer:
		return ref, toOuter
	}
	return ref, toBase
}

// needsBase reports whether what becomes of a place depends on the base that is
// still to be found.
func (e *engine) needsBase(p *place) bool {
	ref, to := e.read(p, e.buf[p.start-e.off:p.end-e.off])
	return to == toBase || to == toNothing && !e.rw.isAbsolute(ref)
}

// isAbsolute reports whether a reference is absolute whatever the base.
func (rw *Rewriter) isAbsolute(ref []byte) bool {
	var b *resolver.Base
	if !b.IsAbsolute(ref) {
		return false
	}
	scheme, rest, _ := bytes.Cut(ref, []byte(":"))
	if rw.Profile != resolver.WHATWG || bytes.HasPrefix(rest, []byte("//")) {
		return true
	}
	for _, special := range []string{"http", "https", "ftp", "ws", "wss", "file"} {
		if equalFold(scheme, special) {
			return false
		}
	}
	return true
}

// marks reports whether the document's bytes are marked for the resolver. The
// URL Standard's has them percent-encoded.
func (rw *Rewriter) marks() bool { return rw.Profile != resolver.WHATWG }

// An outcome is what becomes of a place.
type outcome uint8

const (
	rewritten outcome = iota
	absolute
	left
	unresolvable
)

// splice passes the input up to a place on, and then its new value if it gets
// one.
func (e *engine) splice(p *place) {
	if e.err != nil {
		return
	}
	raw := e.buf[p.start-e.off : p.end-e.off]
	if e.splicePlain(p, raw) {
		return
	}
	ref, url, what, err := e.resolve(p, raw)
	if err != nil && e.rw.Unresolvable != nil {
		v := e.show(p, raw, ref, nil, err)
		e.rw.Unresolvable(&v)
	}
	if e.rw.Visit != nil {
		v := e.show(p, raw, ref, url, err)
		url, what = e.visit(v, url, what)
	}
	switch what {
	case rewritten:
		e.result.Rewritten++
		e.pass(int(p.start - e.off))
		if e.dst != nil {
			e.out = appendEscaped(e.out, url, p.quoting)
		}
		e.passed = int(p.end - e.off)
	case absolute:
		e.result.Absolute++
	case left:
		e.result.Left++
	case unresolvable:
		e.result.Unresolvable++
	}
}

// splicePlain does what splice does for most places at less cost: those where
// no byte that is read or written is more than itself. It reports whether this
// is one.
func (e *engine) splicePlain(p *place, raw []byte) bool {
	if len(raw) == 0 || p.rule.Outer || e.rw.Visit != nil || e.rw.Profile == resolver.WHATWG {
		return false
	}
	if raw[0] > ' ' && e.base.IsAbsolute(raw) { // no character reference changes that
		e.result.Absolute++
		return true
	}
	bits := classOf(raw) | e.baseClass
	if p.quoting == doubleQuoted || p.quoting == singleQuoted {
		bits &^= equals
	}
	switch {
	case bits != 0 || e.base == nil || e.dst == nil:
		return false
	case raw[0] == '#' || raw[0] == '?' || raw[0] == ';': // the base's query counts
		return false
	}
	e.pass(int(p.start - e.off))
	out, err := e.base.AppendResolve(e.out, raw)
	if err != nil {
		return false
	}
	e.result.Rewritten++
	e.out = out
	e.passed = int(p.end - e.off)
	return true
}

// baseClass returns the class of what a reference with a path inherits.
func baseClass(b *resolver.Base) uint8 {
	if b.IsOpaque() {
		return reference // whatever is not plain
	}
	url, _, _ := strings.Cut(b.String(), "?")
	return classOf(url)
}

// resolve finds out what becomes of a place. url is set where that is
// rewritten; both slices are good until the next call.
func (e *engine) resolve(p *place, raw []byte) (ref, url []byte, what outcome, err error) {
	ref, to := e.read(p, raw)
	base := e.base
	switch to {
	case isLocal:
		return ref, nil, left, nil
	case toNothing:
		return ref, ref, absolute, nil
	case toOuter:
		base = e.outer
	case toBase:
		if e.baseErr != nil && (base == nil || e.rw.Profile != resolver.WHATWG) {
			return ref, nil, unresolvable, e.baseErr
		}
	}
	if base == nil {
		return ref, nil, left, ErrNoBase
	}
	if base.IsOpaque() && e.rw.Profile == resolver.RFC3986 {
		return ref, nil, unresolvable, &resolver.Error{Profile: e.rw.Profile, Base: base.String(), Ref: string(ref), Err: resolver.ErrOpaqueBase}
	}
	e.url, err = base.AppendResolve(e.url[:0], ref)
	if err != nil {
		return ref, nil, unresolvable, err
	}
	return ref, e.url, rewritten, nil
}

// show makes a Place for the caller.
func (e *engine) show(p *place, raw, ref, url []byte, err error) Place {
	return Place{
		Offset:  p.start,
		Element: p.element,
		Attr:    p.rule.Attr,
		Raw:     string(raw),
		Ref:     string(appendUnmarked(nil, ref)),
		URL:     string(appendUnmarked(nil, url)),
		Err:     err,
	}
}

// visit lets the caller see a place and change what becomes of it.
func (e *engine) visit(p Place, url []byte, what outcome) ([]byte, outcome) {
	shown := p
	if err := e.rw.Visit(&p); err != nil {
		e.fail(&Error{"visit", shown.Offset, err})
		return nil, left
	}
	switch {
	case p.URL == shown.URL:
		return url, what
	case p.URL == "", p.URL == shown.Ref:
		return nil, left
	}
	e.url = append(e.url[:0], p.URL...)
	return e.url, rewritten
}
