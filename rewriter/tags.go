package rewriter

import (
	"slices"

	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/syntax"
)

// tags answer what is asked of the tag in the window: its attributes, its text, and which
// rule fits it. They know no base, and change nothing except what is known of the tag.
type tags struct {
	set     *settings // its rules and Profile
	maxTag  int       // MaxTag, or its default
	window  *window
	context markup.Context
	tag     tagRun
	link    markup.LinkText
	inTree  bool // the document is a tree, and the window an element or a text of it (node.go)

	attrValue []byte // scratch, of attr

	read struct { // the last tag that shownValue has read
		start, end docOffset
		values     map[string]string
	}
}

// pick returns the first of the rules that fits the tag's element, or nil. The tag is
// known up to end.
func (g *tags) pick(rules *attrRules, hash uint64, name []byte, ns markup.Namespace, end int) *rule {
	if of := rules.byElement.Get(hash, name); of != nil {
		for _, r := range *of {
			if !r.conditional || g.fits(r, ns, end) {
				if r.every {
					break
				}
				return r.unlessDrop()
			}
		}
	}
	for _, r := range rules.every {
		if !r.conditional || g.fits(r, ns, end) {
			return r.unlessDrop()
		}
	}
	return nil
}

// fits reports whether the conditions of a rule hold for the tag, which is known up to
// end.
func (g *tags) fits(r *rule, ns markup.Namespace, end int) bool {
	if r.SVG && ns != markup.NsSVG {
		return false
	}
	if r.when.attr == "" {
		return true
	}
	value, has := g.attr(r.when.attr, end)
	return r.when.holds(value, has, end == g.context.Tag().Pos)
}

// attr returns the value of the first attribute of a name in the tag, which is known up
// to end. The value is good until the next call.
func (g *tags) attr(name string, end int) (value []byte, ok bool) {
	t := g.context.Tag()
	raw, ok := t.Value(g.window.buf[t.Start:t.Start+end], name)
	if g.inTree {
		return raw, ok
	}
	g.attrValue = charref.AppendDecoded(g.attrValue[:0], raw, nil)
	return g.attrValue, ok
}

// shownTo returns what the caller is shown of the tag, which is known up to end. The places of
// a tag share it, unless one has the text of the link. waits says that places wait: what they are
// shown is needed later.
func (g *tags) shownTo(end int, text string, waits bool) *shownTag {
	last := &g.tag.shown
	if last.tag != g.tag.number || last.end != end {
		t := g.context.Tag()
		rel, _ := t.Value(g.window.buf[t.Start:t.Start+end], "rel")
		s := last.value
		if s == nil || waits {
			s = new(shownTag)
		}
		*s = shownTag{rel: g.text(rel), start: g.window.offsetOf(t.Start), end: g.window.offsetOf(t.Start + end)}
		isLong := func(a markup.Attribute) bool { return a.Long && int(a.Value.Start) < end }
		if slices.ContainsFunc(t.Attrs, isLong) { // the window may not have all of it
			s.end = s.start
		}
		last.tag, last.end, last.value = g.tag.number, end, s
	}
	if text != "" {
		s := *last.value
		s.text = text
		return &s
	}
	return last.value
}

// shownValues returns the attributes of a tag whose place is shown. It reads the tag anew, once
// for all its places: only the attributes that rules name are listed otherwise.
func (g *tags) shownValues(s *shownTag) map[string]string {
	r := &g.read
	if s.start == s.end {
		return nil
	}
	if !g.inTree && r.values != nil && r.start == s.start && r.end == s.end {
		return r.values
	}
	r.start, r.end, r.values = s.start, s.end, map[string]string{}
	b, t := g.window.raw(s.start, s.end), g.context.Tag()
	if !g.inTree {
		t = new(markup.Tag)
		t.Begin(0, len("<"))
		t.Scan(b)
	}
	for i := range t.Attrs {
		a := &t.Attrs[i]
		name := string(ascii.AppendLower(nil, a.Name.Of(b)))
		if _, has := r.values[name]; !has {
			r.values[name] = g.text(a.Value.Of(b))
		}
	}
	return r.values
}

// text returns the text that the raw value of an attribute stands for.
func (g *tags) text(raw []byte) string {
	if g.inTree {
		return string(raw)
	}
	chars := charset.Charset{Of: g.window.chars.Of}
	return string(charref.AppendDecoded(nil, raw, &chars))
}

// expects reports whether the rel of the tag, a link, has the token "expect". Where the
// tag is not known as a whole, it reports whether rel may have it.
func (g *tags) expects(end int) bool {
	rel, ok := g.attr("rel", end)
	if !ok {
		return end < g.context.Tag().Pos
	}
	return ascii.HasToken(rel, "expect")
}

// linkText returns the text of the link that the tag in the window, which is known up to
// end, makes of a place with a rule: of an a the text after the tag, of an area its alt.
func (g *tags) linkText(rule *rule, hash uint64, end int) string {
	t := g.context.Tag()
	if hash != hashA && hash != hashArea || rule.Attr != "href" && rule.Attr != "xlink:href" || end < t.Pos || g.inTree {
		return ""
	}
	l := &g.link
	if l.Chars.Of != g.window.chars.Of {
		l.Chars = charset.Charset{Of: g.window.chars.Of}
	}
	b := g.window.buf[t.Start:]
	if hash == hashArea {
		alt, _ := t.Value(b, "alt")
		return string(l.Alt(alt))
	}
	b = b[t.Pos:]
	n := min(len(b), textAhead)
	return string(l.Of(b[:n], n < textAhead))
}

func (g *tags) nextTag() {
	g.tag.looked = 0
	g.tag.number++
	g.tag.long.next()
}

// mayStream reports whether the value of an attribute need not be held: nobody
// reads it, or its beginning shows that it is an absolute URL. The attributes of a
// BASE are always held.
func (g *tags) mayStream(a *markup.Attribute) bool {
	t := g.context.Tag()
	b := g.window.buf[t.Start:]
	name := a.Name.Of(b)
	if el, _ := g.context.Foresee(g.window.buf); el.Atom == atom.Base {
		return false
	}
	isPlace := false
	if rules := g.set.rules.named(a.Hash, name); rules != nil {
		_, ns := g.context.Foresee(g.window.buf)
		for rule := range rules.mayFit(t.RuleName(b, ns)) {
			switch {
			case rule.Drop:
			case rule.Syntax != SyntaxURL:
				return false
			default:
				isPlace = true
			}
		}
	}
	if isPlace {
		raw := a.Value.Of(b)
		_, value := charref.AppendValue(nil, raw[:min(len(raw), enoughToTell)], nil)
		return g.set.Profile.IsAbsolute(syntax.TrimURL(value))
	}
	return !g.set.rules.facts[string(ascii.AppendLower(nil, name))]
}

// tagOffset returns where the tag in the window begins.
func (g *tags) tagOffset() docOffset {
	t := g.context.Tag()
	if g.window.in.Wide != nil { // Wide.At accounts for what was cut out
		return g.window.offsetOf(t.Start)
	}
	return g.window.offsetOf(t.Start) - docOffset(t.Elided())
}

// valuePlace returns the place that is the value of an attribute of the tag.
func (g *tags) valuePlace(a *markup.Attribute, r *rule) place {
	start := g.context.Tag().Start
	p := place{
		start: g.window.offsetOf(start + int(a.Value.Start)), end: g.window.offsetOf(start + int(a.Value.End)),
		rule: r, notation: a.Notation,
	}
	if g.inTree {
		p.notation = charref.Plain
	}
	return p
}

// A tagRun is what is known of the tag whose places are looked for.
type tagRun struct {
	number uint64   // of the tag, from 1 on
	looked int      // how many attributes have been looked at for places
	shown  struct { // the last result of shownTo
		tag   uint64
		end   int
		value *shownTag
	}
	long longTag
}

// textAhead is how many bytes after the start tag of a link are looked at for its text.
// With Hooks.Text, so much of the window is not yet followed.
const textAhead = 8 << 10

var hashA, hashArea = markup.HashName("a"), markup.HashName("area")
