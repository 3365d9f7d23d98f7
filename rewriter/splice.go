package rewriter

import (
	"bytes"

	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/syntax"
)

// A place is a value in the window that a rule picked.
type place struct {
	start, end offset
	rule       *rule
	element    string // for the caller; set only if Visit or Unresolvable is, as is rel
	rel        string
	text       string // of the link
	notation   charref.Notation
	local      bool        // a fragment alone stays
	form       syntax.Form // of the one reference, where it is part of a value
	semicolon  bool        // a semicolon must end the character reference before the place
	holds      bool        // mayHold is known to be true
}

// attributes finds the places among the attributes that have been read and not yet
// looked at, up to end in the tag. ns is the namespace of the tag's element.
func (e *engine) attributes(end int, ns markup.Namespace) {
	set, attrs := e.rw.set, e.context.Tag().Attrs
	var p place
	for i := e.tag.looked; i < len(attrs); i++ {
		a := &attrs[i]
		if int(a.Value.End) > end {
			e.tag.looked = i
			return
		}
		if !set.attrs.MayHave(a.Hash) {
			continue
		}
		if e.placeIn(&p, i, end, ns) {
			e.place(&p)
		}
	}
	e.tag.looked = len(attrs)
}

// placeIn reports whether the attribute at i in the tag is a place that needs more than
// counting, and sets p to it. A reference that is surely absolute is only counted.
func (e *engine) placeIn(p *place, i, end int, ns markup.Namespace) bool {
	t := e.context.Tag()
	a, b := &t.Attrs[i], e.buf[t.Start:]
	if e.rw.RemoveBase && t.Hash == hashBase && a.Hash == hashHref && ns == markup.NsHTML {
		*p = e.valuePlace(a, cut)
		return t.IsFirst(i)
	}
	rules := e.rw.set.attrs.Get(a.Hash, a.Name.Of(b))
	if rules == nil || e.tag.seen[rules.index] == e.tag.number { // the first attribute of a name counts
		return false
	}
	e.tag.seen[rules.index] = e.tag.number
	raw := a.Value.Of(b)
	holds := rules.syntax != nil && !a.Long
	if holds && !mayHold(rules.syntax, raw, a.Quoting.Notation()) {
		return false
	}
	hash, name := t.RuleName(b, ns)
	rule := e.pick(rules, hash, name, ns, end)
	if rule == nil {
		return false
	}
	if a.Long || rule.plain && e.isPlainAbsolute(raw) {
		e.result.Absolute++
		return false
	}
	*p = e.valuePlace(a, rule)
	p.holds = holds
	p.local = ns == markup.NsSVG || rule.Local == LocalStay || rule.Local == LocalExpect && mayBeFragment(raw) && e.expects(end)
	if e.visitor != nil || e.rw.Unresolvable != nil {
		p.element, p.rel = markup.LowerName(hash, name), e.relOf(end)
		if e.rw.Text {
			p.text = e.linkText(rule, hash, end)
		}
	}
	return true
}

// valuePlace returns the place that is the value of an attribute of the tag.
func (e *engine) valuePlace(a *markup.Attribute, r *rule) place {
	start := e.context.Tag().Start
	p := place{
		start: e.offsetOf(start + int(a.Value.Start)), end: e.offsetOf(start + int(a.Value.End)),
		rule: r, notation: a.Quoting.Notation(),
	}
	if e.inTree {
		p.notation = charref.Plain
	}
	return p
}

// relOf returns the rel of the tag, whose attributes are known up to end. The places of
// a tag share it.
func (e *engine) relOf(end int) string {
	if e.tag.rel.tag != e.tag.number || e.tag.rel.end != end {
		rel, _ := e.attr("rel", end)
		e.tag.rel.tag, e.tag.rel.end, e.tag.rel.value = e.tag.number, end, string(rel)
	}
	return e.tag.rel.value
}

var (
	hashBase = markup.HashName("base")
	hashHref = markup.HashName("href")

	// cut is the rule for the href of a BASE that names no URL afterwards.
	cut = newRule(Rule{Element: "base", Attr: "href", Outer: true})
)

// pick returns the first of the rules that fits the tag's element, or nil. The tag is
// known up to end.
func (e *engine) pick(rules *attrRules, hash uint64, name []byte, ns markup.Namespace, end int) *rule {
	if of := rules.byElement.Get(hash, name); of != nil {
		for _, r := range *of {
			if !r.conditional || e.fits(r, ns, end) {
				return r.unlessDrop()
			}
		}
	}
	for _, r := range rules.every {
		if !r.conditional || e.fits(r, ns, end) {
			return r.unlessDrop()
		}
	}
	return nil
}

// fits reports whether the conditions of a rule hold for the tag, which is known up to
// end.
func (e *engine) fits(r *rule, ns markup.Namespace, end int) bool {
	if r.SVG && ns != markup.NsSVG {
		return false
	}
	if r.when.attr == "" {
		return true
	}
	value, has := e.attr(r.when.attr, end)
	return r.when.holds(value, has, end == e.context.Tag().Pos)
}

// attr returns the value of the first attribute of a name in the tag, which is known up
// to end. The value is good until the next call.
func (e *engine) attr(name string, end int) (value []byte, ok bool) {
	t := e.context.Tag()
	raw, ok := t.Value(e.buf[t.Start:t.Start+end], name)
	if e.inTree {
		return raw, ok
	}
	e.url = charref.AppendDecoded(e.url[:0], raw, nil)
	return e.url, ok
}

// mayBeFragment reports whether the reference in a value may begin with "#".
func mayBeFragment(raw []byte) bool {
	return len(raw) > 0 && (raw[0] <= ' ' || raw[0] == '#' || raw[0] == '&')
}

// expects reports whether the rel of the tag, a link, has the token "expect". Where the
// tag is not known as a whole, it reports whether rel may have it.
func (e *engine) expects(end int) bool {
	rel, ok := e.attr("rel", end)
	if !ok {
		return end < e.context.Tag().Pos
	}
	return ascii.HasToken(rel, "expect")
}

// splice keeps the document up to a place, and replaces the place if it gets a new
// value.
func (e *engine) splice(p *place) {
	if e.err != nil {
		return
	}
	raw := e.raw(p.start, p.end)
	if e.splicePlain(p, raw) {
		return
	}
	switch {
	case p.notation == charref.CharacterData || p.notation == charref.CDATA:
		e.spliceInSheet(p, raw)
		return
	case p.rule.Syntax != SyntaxURL:
		e.spliceValue(p, raw)
		return
	}
	r := reference{start: p.start, raw: raw, value: e.valueIn(p, raw)}
	end, text := p.end, r.value
	if n := e.frontOf(p.start, raw, text, syntax.FormPlain); n < len(text) {
		v := &e.value
		v.Decode(p.notation, raw, &e.chars)
		text = v.Text[:n]
		r.front, r.keeps, end = text, true, p.start+offset(v.Raw(n))
	}
	how := written{notation: p.notation, spaces: hasSpacesOf(e.raw(p.start, end), text)}
	if p.rule == cut {
		e.spliceCut(r, end, how)
	} else if url, what := e.become(p, r); what == rewritten {
		e.write(p.start, end, url, how)
	}
}

// spliceCut is splice for the href of a BASE that goes, whose front ends at end. What is
// left of the href is a fragment, which is the URL of the document, as if there were no
// BASE.
func (e *engine) spliceCut(r reference, end offset, how written) {
	if value := syntax.TrimURL(r.value); e.isUsable() && len(value) > 0 && value[0] != '#' {
		e.write(r.start, end, []byte("#"), how)
		e.result.Removed++
	}
}

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

// splicePlain does the same as splice at less cost, for most places: every byte that is
// read or written stands for itself. It reports whether p is such a place.
func (e *engine) splicePlain(p *place, raw []byte) bool {
	if len(raw) == 0 || !p.rule.plain || !e.writesPlain() {
		return false
	}
	if ascii.ClassOf(raw)|e.baseClass != 0 || !e.hasPath(raw) {
		return false
	}
	e.keep(p.start)
	out, err := e.base.AppendResolve(e.out, raw)
	if err != nil {
		return false
	}
	e.result.Rewritten++
	from := len(e.out)
	e.out = out
	e.replaced(from, p.end)
	return true
}

// writesPlain reports whether references whose bytes stand for themselves can be resolved
// straight into the output: nobody wants to see them.
func (e *engine) writesPlain() bool {
	return e.visitor == nil && e.isUsable() && e.writes() && e.in.Wide == nil
}

// hasPath reports whether a reference is resolved like any path: it inherits at most the
// part of the base that baseClass is about, and not the query. In the WHATWG profile,
// "http:" may inherit the query; in the RFC1808 profile, "//" does.
func (e *engine) hasPath(ref []byte) bool {
	switch {
	case ref[0] == '#' || ref[0] == '?' || ref[0] == ';':
		return false
	case e.profile == resolver.WHATWG:
		return !resolver.RFC3986.IsAbsolute(ref) // it has no scheme
	}
	return !bytes.HasPrefix(ref, []byte("//")) || len(ref) > len("//") && ref[len("//")] != '#'
}

// isPlainAbsolute reports whether a raw reference is absolute by its beginning, whatever
// character references follow, and nobody wants to see it. Its rule is ordinary.
func (e *engine) isPlainAbsolute(raw []byte) bool {
	colon := bytes.IndexByte(raw, ':')
	if colon < 0 || e.visitor != nil || raw[0] <= ' ' || !e.profile.Accepts(raw) {
		return false
	}
	rest := raw[colon+1:]
	return e.profile != resolver.WHATWG ||
		!bytes.HasPrefix(rest, []byte("&")) && !bytes.HasPrefix(rest, []byte("/&")) // "&sol;" may begin a host
}

// A written says how a part of the document is replaced.
type written struct {
	notation  charref.Notation
	form      syntax.Form // in the notation
	spaces    bool        // all white space that is read there stands there as it is
	escaped   bool        // there are escapes of the form
	semicolon bool        // a semicolon has to end what stands before the part
}

// hasSpacesOf reports whether all white space in a text stands for itself in the raw bytes
// that stand for the text.
func hasSpacesOf(raw, text []byte) bool { return ascii.CountSpace(raw) == ascii.CountSpace(text) }

// write writes a URL, or a part of one, in place of the document from start to end. No
// quote, backquote, "<" or ">" stands there, and none is written. White space is written as
// it is only where all white space that is read there stands there as it is. Where the
// document goes on with a ">", nothing is written that would make it end a comment or a
// CDATA section.
func (e *engine) write(start, end offset, url []byte, how written) {
	if !e.writes() {
		return
	}
	e.keep(start)
	from := len(e.out)
	switch {
	case how.semicolon:
		e.out = append(e.out, ';')
	case how.notation == charref.Valueless:
		e.out = append(e.out, '=')
	}
	n := how.notation
	if !how.spaces && (n == charref.DoubleQuoted || n == charref.SingleQuoted) {
		n = charref.Unquoted
	}
	if how.form != syntax.FormPlain {
		e.part = how.form.Append(e.part[:0], url, how.spaces && !how.escaped)
		url = e.part
	}
	e.out = charref.AppendPart(e.out, url, n)
	if e.closesMarkup(from, end) {
		e.escapeLast(n, how.form)
	}
	e.replaced(from, end)
}

// closesMarkup reports whether out[from:], in place of the document up to end, makes the ">"
// that follows end a comment or a CDATA section.
func (e *engine) closesMarkup(from int, end offset) bool {
	next := e.index(end)
	return next < len(e.buf) && e.buf[next] == '>' &&
		charref.ClosesMarkup(e.out[from:]) && !charref.ClosesMarkup(e.buf[:next])
}

// escapeLast writes the last byte of out, which stands for itself, as an escape.
func (e *engine) escapeLast(n charref.Notation, f syntax.Form) {
	switch n {
	case charref.Comment, charref.Plain:
	case charref.RawText, charref.CharacterData, charref.CDATA:
		e.out = f.EscapeLast(e.out)
	default:
		last := len(e.out) - 1
		e.out = charref.AppendCharacter(e.out[:last], e.out[last])
	}
}
