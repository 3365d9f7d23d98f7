package rewriter

import (
	"bytes"

	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/mark"
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
		if e.placeIn(&p, a, end, ns) {
			e.place(&p)
		}
	}
	e.tag.looked = len(attrs)
}

// placeIn reports whether an attribute of the tag is a place that needs more than
// counting, and sets p to it. A reference that is surely absolute is only counted.
func (e *engine) placeIn(p *place, a *markup.Attribute, end int, ns markup.Namespace) bool {
	t := e.context.Tag()
	b := e.buf[t.Start:]
	if e.rw.RemoveBase && t.Hash == hashBase && a.Hash == hashHref && ns == markup.NsHTML && !e.inTree {
		*p = e.wholeAttribute(a)
		return true
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
	notation := a.Quoting.Notation()
	if e.inTree {
		notation = charref.Plain
	}
	if a.Long || rule.plain && e.isPlainAbsolute(raw) {
		e.result.Absolute++
		return false
	}
	*p = place{
		start:    e.offsetOf(t.Start + int(a.Value.Start)),
		end:      e.offsetOf(t.Start + int(a.Value.End)),
		rule:     rule,
		notation: notation,
		holds:    holds,
		local:    ns == markup.NsSVG || rule.Local == LocalStay || rule.Local == LocalExpect && mayBeFragment(raw) && e.expects(end),
	}
	if e.visitor != nil || e.rw.Unresolvable != nil {
		p.element, p.rel = markup.LowerName(hash, name), e.relOf(end)
		if e.rw.Text {
			p.text = e.linkText(rule, hash, end)
		}
	}
	return true
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

	// cut is the rule for the href of a BASE that is removed.
	cut = newRule(Rule{Element: "base", Attr: "href", Outer: true})
)

// wholeAttribute returns the part of the document that is removed with an attribute. The
// white space before the attribute goes too, if what follows does not need it. After
// dashes it stays: together with the ">" of the tag, the dashes would end a comment.
func (e *engine) wholeAttribute(a *markup.Attribute) place {
	t := e.context.Tag()
	start, end := int(a.Name.Start), int(a.Value.End)
	if a.Quoting == markup.DoubleQuoted || a.Quoting == markup.SingleQuoted {
		end++
	}
	if c := e.buf[t.Start+end]; c == '>' || ascii.IsSpace(c) {
		before := ascii.TrimSpaceRight(e.buf, t.Start, t.Start+start)
		if !charref.EndsInDashes(e.buf[t.Start:before]) {
			start = before - t.Start
		}
	}
	return place{start: e.offsetOf(t.Start + start), end: e.offsetOf(t.Start + end), rule: cut}
}

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

// An outcome is what becomes of a place.
type outcome uint8

const (
	rewritten outcome = iota
	absolute
	left
	unresolvable
)

// splice keeps the document up to a place, and replaces the place if it gets a new
// value.
func (e *engine) splice(p *place) {
	if e.err != nil {
		return
	}
	if p.rule == cut {
		e.spliceCut(p)
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
	url, what := e.become(p, p.start, raw, e.valueIn(p, raw))
	if what == rewritten {
		e.keep(p.start)
		from := len(e.out)
		if e.writes() {
			e.out = charref.AppendWhole(e.out, url, p.notation)
		}
		e.replaced(from, p.end)
	}
}

// spliceCut is splice for the href of a BASE that goes.
func (e *engine) spliceCut(p *place) {
	if !e.isUsable() {
		return
	}
	e.keep(p.start)
	separator := ""
	if e.buf[e.index(p.end)] == '=' { // it begins the next attribute's name, and would become a value
		separator = "/"
	}
	e.replace(separator, p.end)
	e.result.Removed++
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

// become finds out what becomes of a reference in a place, whose raw bytes begin at
// start and stand for value, shows it to the caller, and counts it. url is set where
// the reference is rewritten or absolute, and good until the next call.
func (e *engine) become(p *place, start offset, raw, value []byte) (url []byte, what outcome) {
	ref, dangling := value, false
	if p.form != syntax.FormPattern {
		dangling = syntax.IsDangling(value)
		ref = syntax.TrimURL(value)
	}
	url, what, err := e.resolve(p, ref)
	switch {
	case what != rewritten:
	case dangling:
		url, what, err = nil, unresolvable, ErrDangling
	case p.form == syntax.FormSpecifier && syntax.EndsInSlash(url) != syntax.EndsInSlash(value):
		url, what, err = nil, unresolvable, errSpecifier
	}
	if err != nil && e.rw.Unresolvable != nil {
		v := e.show(p, start, raw, ref, nil, err)
		e.rw.Unresolvable(&v)
	}
	if e.visitor != nil {
		v := e.show(p, start, raw, ref, url, err)
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

// splicePlain does the same as splice at less cost, for most places: every byte that is
// read or written stands for itself. It reports whether p is such a place.
func (e *engine) splicePlain(p *place, raw []byte) bool {
	if len(raw) == 0 || !p.rule.plain || !e.writesPlain() {
		return false
	}
	bits := ascii.ClassOf(raw) | e.baseClass
	if p.notation == charref.DoubleQuoted || p.notation == charref.SingleQuoted {
		bits &^= ascii.Equals
	}
	switch {
	case bits != 0 || !e.hasPath(raw):
		return false
	case raw[len(raw)-1] <= '-' && charref.EndsInDashes(raw): // it may need quotes
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

// show makes a Place for the caller. Its strings take one allocation.
func (e *engine) show(p *place, start offset, raw, ref, url []byte, err error) Place {
	raw = e.input(start, raw)
	e.shown = append(e.shown[:0], raw...)
	refStart := len(e.shown)
	e.shown = e.chars.AppendShown(e.shown, ref)
	urlStart := len(e.shown)
	e.shown = e.chars.AppendShown(e.shown, url)
	s := string(e.shown)
	return Place{
		Offset:   e.inputOffset(start),
		Element:  p.element,
		Attr:     p.rule.Attr,
		Rule:     &p.rule.Rule,
		Rel:      p.rel,
		Text:     p.text,
		Document: e.root.of,
		Raw:      s[:refStart],
		Ref:      s[refStart:urlStart],
		URL:      s[urlStart:],
		Err:      err,
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
	e.url = mark.AppendOutside(e.url[:0], p.URL)
	return e.url, rewritten
}
