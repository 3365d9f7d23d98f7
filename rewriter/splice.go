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
	element    string // for the caller, if that wants to see it, as is rel
	rel        string
	quoting    quoting
	local      bool // a fragment alone stays
}

// attributes finds the places among the attributes that have been read and not
// been looked at, up to end in the tag. The tag makes an element of the
// namespace ns.
func (e *engine) attributes(end int, ns namespace) {
	t := &e.scan.tag
	b := e.buf[t.start:]
	hash, name := t.ruleName(b, ns)
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
		rule := rules.pick(hash, name, func(r *Rule) bool { return e.fits(r, ns, end) })
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
		if e.visitor != nil || e.rw.Unresolvable != nil {
			p.element = lowerName(hash, name)
			p.rel = e.rel(end)
		}
		e.place(&p)
	}
	e.looked = len(attrs)
}

// place holds a place or splices it.
func (e *engine) place(p *place) {
	if !e.decided && (len(e.held) > 0 || e.needsBase(p)) {
		e.held = append(e.held, *p)
	} else {
		e.splice(p)
	}
}

// ruleName returns the name that rules have for the element that the tag
// makes: that of image is img, as the tree construction has it.
func (t *tag) ruleName(b []byte, ns namespace) (hash uint64, name []byte) {
	if t.hash == hashImage && ns == nsHTML {
		return hashImg, img
	}
	return t.hash, t.name.of(b)
}

var (
	img       = []byte("img")
	hashImg   = hashName("img")
	hashImage = hashName("image")
)

// fits reports whether the conditions of a rule hold for the tag, of which what
// is before end is known.
func (e *engine) fits(r *Rule, ns namespace, end int) bool {
	if r.SVG && ns != nsSVG {
		return false
	}
	if r.When == "" {
		return true
	}
	t := &e.scan.tag
	b := e.buf[t.start : t.start+end]
	if name, ok := strings.CutPrefix(r.When, "!"); ok {
		_, has := t.value(b, name)
		return !has && end == t.pos
	}
	name, want, _ := strings.Cut(r.When, "=")
	raw, ok := t.value(b, name)
	if !ok {
		return false
	}
	e.url = appendDecoded(e.url[:0], raw, false)
	return equalFold(e.url, want)
}

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

// rel returns the rel of the tag.
func (e *engine) rel(end int) string {
	t := &e.scan.tag
	raw, _ := t.value(e.buf[t.start:t.start+end], "rel")
	if len(raw) == 0 {
		return ""
	}
	return string(appendDecoded(nil, raw, false))
}

// A target is what a reference is resolved against.
type target uint8

const (
	toBase    target = iota
	toOuter          // whatever the document embeds
	toNothing        // it is absolute
	isLocal          // it names what is in the document, or nothing
)

// target returns what a reference in a place is resolved against.
func (e *engine) target(p *place, ref []byte) target {
	switch {
	case len(ref) == 0 && p.rule.Empty == EmptyNothing:
		return isLocal
	case len(ref) == 0 && p.rule.Empty == EmptyDocument:
		return toOuter
	case len(ref) > 0 && ref[0] == '#' && (p.local || e.rw.KeepFragments && !p.rule.Outer):
		return isLocal
	case p.rule.Outer && e.rw.isAbsoluteOn(e.outer, ref), e.rw.isAbsoluteOn(e.base, ref):
		return toNothing
	case p.rule.Outer:
		return toOuter
	}
	return toBase
}

// needsBase reports whether what becomes of a place may depend on the base that
// is still to be found.
func (e *engine) needsBase(p *place) bool {
	raw := e.buf[p.start-e.off : p.end-e.off]
	if p.rule.Syntax != SyntaxURL {
		return p.rule.Syntax != SyntaxCSS || mayHoldReference(raw, p.quoting)
	}
	_, ref := appendURL(e.ref[:0], raw, e.rw.marks())
	to := e.target(p, ref)
	return to == toBase || to == toNothing && !e.rw.isAbsolute(ref)
}

// isAbsoluteOn reports whether a reference is absolute on a base, which may be
// none.
func (rw *Rewriter) isAbsoluteOn(b *resolver.Base, ref []byte) bool {
	if b == nil {
		return rw.isAbsolute(ref)
	}
	return b.IsAbsolute(ref)
}

// isAbsolute reports whether a reference is absolute whatever the base.
func (rw *Rewriter) isAbsolute(ref []byte) bool {
	var rfc1808 *resolver.Base
	switch {
	case !rfc1808.IsAbsolute(ref):
		return false
	case rw.Profile == resolver.RFC1808:
		return true
	case rw.Profile == resolver.RFC3986:
		return isLetter(ref[0]) // RFC 3986 §3.1
	}
	scheme, rest, _ := bytes.Cut(ref, []byte(":"))
	return isLetter(ref[0]) && (bytes.HasPrefix(rest, []byte("//")) || !isSpecial(scheme))
}

// isSpecial reports whether a scheme is one that may be left out in the URL
// Standard: "http:x" is relative to a base that has it.
func isSpecial(scheme []byte) bool {
	for _, special := range []string{"http", "https", "ftp", "ws", "wss", "file"} {
		if equalFold(scheme, special) {
			return true
		}
	}
	return false
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
	if p.rule.Syntax != SyntaxURL {
		e.spliceValue(p, raw)
		return
	}
	var ref []byte
	e.ref, ref = appendURL(e.ref[:0], raw, e.rw.marks())
	url, what := e.become(p, p.start, raw, ref)
	if what == rewritten {
		e.pass(int(p.start - e.off))
		e.replace(int(p.end-e.off), func(dst []byte) []byte { return appendEscaped(dst, url, p.quoting) })
	}
}

// replace takes what write appends in place of the window up to end.
func (e *engine) replace(end int, write func(dst []byte) []byte) {
	if e.writes() {
		e.out = write(e.out)
	}
	e.passed = end
}

// become finds out what becomes of a reference in a place, whose raw bytes
// stand at offset, shows it to the caller, and counts it. url is set where it
// is rewritten, and good until the next call.
func (e *engine) become(p *place, offset int64, raw, ref []byte) (url []byte, what outcome) {
	url, what, err := e.resolve(p, ref)
	if err != nil && e.rw.Unresolvable != nil {
		v := e.show(p, offset, raw, ref, nil, err)
		e.rw.Unresolvable(&v)
	}
	if e.visitor != nil {
		v := e.show(p, offset, raw, ref, url, err)
		url, what = e.visit(v, url, what)
	}
	switch what {
	case rewritten:
		e.result.Rewritten++
	case absolute:
		e.result.Absolute++
	case left:
		e.result.Left++
	case unresolvable:
		e.result.Unresolvable++
	}
	return url, what
}

// splicePlain does what splice does for most places at less cost: those where
// no byte that is read or written is more than itself. It reports whether this
// is one.
func (e *engine) splicePlain(p *place, raw []byte) bool {
	if len(raw) == 0 || p.rule.Syntax != SyntaxURL || p.rule.Outer || e.visitor != nil || e.rw.Profile == resolver.WHATWG {
		return false
	}
	if raw[0] > ' ' && e.rw.isAbsoluteOn(e.base, raw) { // no character reference changes that
		e.result.Absolute++
		return true
	}
	bits := classOf(raw) | e.baseClass
	if p.quoting == doubleQuoted || p.quoting == singleQuoted {
		bits &^= equals
	}
	switch {
	case bits != 0 || e.base == nil || !e.writes():
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
		return ampersand // whatever is not plain
	}
	url, _, _ := strings.Cut(b.String(), "?")
	return classOf(url)
}

// maxChecked is the length up to which a URL with a scheme is parsed to know
// that it is one.
const maxChecked = 4 << 10

// resolve finds out what becomes of a reference. url is set where that is
// rewritten or absolute, and good until the next call.
func (e *engine) resolve(p *place, ref []byte) (url []byte, what outcome, err error) {
	base := e.base
	switch e.target(p, ref) {
	case isLocal:
		return nil, left, nil
	case toNothing:
		if e.rw.Profile == resolver.WHATWG && base != nil && len(ref) <= maxChecked {
			if _, err := base.AppendResolve(e.url[:0], ref); err != nil {
				return nil, unresolvable, err
			}
		}
		return ref, absolute, nil
	case toOuter:
		base = e.outer
	case toBase:
		if e.baseErr != nil && (base == nil || e.rw.Profile != resolver.WHATWG) {
			return nil, unresolvable, e.baseErr
		}
	}
	if base == nil {
		return nil, left, ErrNoBase
	}
	if base.IsOpaque() && e.rw.Profile == resolver.RFC3986 {
		return nil, unresolvable, &resolver.Error{Profile: e.rw.Profile, Base: base.String(), Ref: string(ref), Err: resolver.ErrOpaqueBase}
	}
	e.url, err = base.AppendResolve(e.url[:0], ref)
	if err != nil {
		return nil, unresolvable, err
	}
	return e.url, rewritten, nil
}

// show makes a Place for the caller, whose strings take one allocation.
func (e *engine) show(p *place, offset int64, raw, ref, url []byte, err error) Place {
	raw = e.input(offset, raw)
	e.shown = append(e.shown[:0], raw...)
	refStart := len(e.shown)
	e.shown = appendUnmarked(e.shown, ref)
	urlStart := len(e.shown)
	e.shown = appendUnmarked(e.shown, url)
	s := string(e.shown)
	return Place{
		Offset:  e.inputOffset(offset),
		Element: p.element,
		Attr:    p.rule.Attr,
		Rule:    p.rule,
		Rel:     p.rel,
		Raw:     s[:refStart],
		Ref:     s[refStart:urlStart],
		URL:     s[urlStart:],
		Err:     err,
	}
}

// visit lets the caller see a place and change what becomes of it.
func (e *engine) visit(p Place, url []byte, what outcome) ([]byte, outcome) {
	shown := p
	if err := e.visitor(&p); err != nil {
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
