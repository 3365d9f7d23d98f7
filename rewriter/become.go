package rewriter

import (
	"bytes"
	"cmp"
	"strings"
	"unicode/utf8"

	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/mark"
	"absolink/rewriter/internal/syntax"
)

// frontOf returns the length of the front of a reference, given its text in the form. raw,
// at start in the document, is the text as it stands there. In some encodings a byte of a
// character beyond ASCII may look like a quote. If there is such a byte, the front ends
// before the first character beyond ASCII. So it does in ISO-2022-JP if it is not the whole
// reference: how the rest of a query is encoded depends on the front. So it does where
// nothing names the encoding, in the WHATWG profile, which encodes characters: each reader
// makes a guess, and finds the same characters as before. In a query of CSS, which the
// standard has in UTF-8 and Chromium in the encoding of a style sheet, so does each reader.
// Those may be replaced by Visit.
func (e *engine) frontOf(start docOffset, raw, text []byte, f syntax.Form) (n int, mayGo bool) {
	n = f.Front(text)
	of := e.root.chars.Of
	if f.IsCSS() && e.profile == resolver.WHATWG && of != nil && e.parent == nil {
		if end := queryPrefix(text[:n]); end < n && (!of.IsNamed() || of.HasOwnQueries()) {
			if !of.IsNamed() {
				end = charset.PrefixLen(text[:end])
			}
			return f.Before(text, end), n == len(text)
		}
	}
	bits := ascii.ClassOf(text[:n])
	switch {
	case of == nil, bits&(ascii.NonASCII|ascii.Control) == 0:
	case e.profile == resolver.WHATWG && !of.IsNamed():
		return f.Before(text, charset.PrefixLen(text[:n])), n == len(text)
	case bits&ascii.NonASCII == 0, !of.HidesASCII():
	case n < len(text) && of.HasState(), ascii.ClassOf(e.input(start, raw))&ascii.Structure != 0:
		n = f.Before(text, ascii.PrefixLen(text[:n]))
	}
	return n, false
}

// queryPrefix returns up to where a text in a form of CSS surely has no character beyond ASCII
// in its query.
func queryPrefix(text []byte) int {
	n := bytes.IndexByte(text, '?')
	if n < 0 {
		return len(text)
	}
	for n < len(text) && text[n] < utf8.RuneSelf && text[n] != '\\' {
		n++
	}
	return n
}

// become finds out what becomes of a reference in a place, shows it to the caller, and
// counts it. Where the reference is rewritten, url is what takes the place of its front,
// or of all of it. Where the reference is absolute, url is set too. url is good until the
// next call.
func (e *engine) become(p *place, r *rawRef) (url []byte, what outcome) {
	ref, front, url, what, err := e.outcomeOf(p, r, e.hasRoom(p))
	if err == ErrStructure {
		e.warn(r.start, err)
	}
	if what == rewritten {
		e.warnOfTag(r, ref, url)
	}
	if err != nil && err != ErrKept && e.hooks.Unresolvable != nil {
		e.tell(p, e.show(p, r, ref, nil, err), func(v *Place) error { e.hooks.Unresolvable(v); return nil })
	}
	if e.lone.place != nil {
		*e.lone.place = e.show(p, r, ref, e.asRead(p, url), err)
	}
	if e.hooks.Visit != nil {
		v := e.show(p, r, ref, e.asRead(p, url), err)
		front, what = e.visit(p, v, r, front, what)
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
	return front, what
}

// warnOfTag warns of a reference that becomes url if it has a merge tag that is not put in any
// more as it was meant to be: the tag was the beginning of the URL, or is percent-encoded now.
// There is one warning for each kind in a document.
func (e *engine) warnOfTag(r *rawRef, ref, url []byte) {
	if ascii.ClassOf(ref)&ascii.Tag == 0 {
		return
	}
	tag, kind := mergeTag(ref)
	if kind < 0 || e.root.toldTags&(1<<kind) != 0 || !bytes.HasPrefix(ref, tag) && bytes.Contains(url, tag) {
		return
	}
	e.root.toldTags |= 1 << kind
	e.warn(r.start, &TagError{string(e.appendShown(nil, ref)), keeping(ref, tag, kind)})
}

// show makes a Place for the caller. Its strings take one allocation, unless marks change
// their lengths.
func (e *engine) show(p *place, r *rawRef, ref, url []byte, err error) Place {
	raw := e.input(r.start, r.raw)
	var shown strings.Builder
	shown.Grow(len(raw) + len(ref) + len(url))
	shown.Write(raw)
	e.addShown(&shown, ref)
	urlStart := shown.Len()
	e.addShown(&shown, url)
	s, refStart := shown.String(), len(raw)
	if e.lone.place != nil {
		v := *e.lone.place
		v.Ref, v.URL, v.Err = s[refStart:urlStart], s[urlStart:], err
		return v
	}
	v := Place{
		Offset:   e.inputOffset(r.start),
		Element:  p.element,
		Attr:     p.rule.Attr,
		Rule:     &p.rule.Rule,
		Document: e.root.of,
		Raw:      s[:refStart],
		Ref:      s[refStart:urlStart],
		URL:      s[urlStart:],
		Err:      err,
	}
	if p.tag != nil {
		v.Rel, v.Text = p.tag.rel, p.tag.text
	}
	return v
}

// tell calls f with a copy of shown, whose attributes f may read, and returns the copy.
func (e *engine) tell(p *place, shown Place, f func(*Place) error) (Place, error) {
	v := struct {
		Place
		current shownAttrs
	}{shown, shownAttrs{&e.tags, p.tag}}
	if p.tag != nil {
		v.Place.shownAttrs = &v.current
	}
	err := f(&v.Place)
	v.current = shownAttrs{}
	return v.Place, err
}

// addShown adds a reference as the caller sees it.
func (e *engine) addShown(b *strings.Builder, ref []byte) {
	if ascii.ClassOf(ref)&ascii.NonASCII == 0 {
		b.Write(ref)
		return
	}
	e.shown = e.appendShown(e.shown[:0], ref)
	b.Write(e.shown)
}

// appendShown appends a reference as the caller sees it. In a document in another one, what
// is not UTF-8 is from the base, which is in the encoding of the outermost document.
func (e *engine) appendShown(dst, ref []byte) []byte {
	cs := &e.chars
	if e.parent != nil && !utf8.Valid(mark.AppendUnmarked(nil, ref)) {
		cs = &e.root.chars
	}
	return cs.AppendShown(dst, ref)
}

// visit lets the caller see a place and change what becomes of it. front is what becomes of
// the front of the reference otherwise.
func (e *engine) visit(p *place, shown Place, r *rawRef, front []byte, what outcome) ([]byte, outcome) {
	v, err := e.tell(p, shown, e.hooks.Visit)
	if err != nil {
		e.fail(&Error{"visit", shown.Offset, err})
		return nil, left
	}
	switch {
	case v.URL == shown.URL:
		return front, what
	case v.URL == "", v.URL == shown.Ref:
		return nil, left
	}
	url, ok := v.URL, e.hasRoom(p)
	if r.keeps && ok {
		front := e.appendShown(nil, e.asRead(p, front))
		rest, known := strings.CutPrefix(cmp.Or(shown.URL, shown.Ref), string(front))
		switch before, keeps := strings.CutSuffix(url, rest); {
		case known && keeps && shown.Err != errShift: // behind another front, what stays is read differently
			url, ok = before, !e.parts(p, r, []byte(before))
		case r.whole > 0:
			r.end, r.keeps = r.whole, false
		default:
			ok = false
		}
	}
	if !ok {
		e.warn(r.start, ErrStructure)
		return nil, left
	}
	e.part = mark.AppendOutside(e.part[:0], url)
	e.url = mark.AppendUnspaced(e.url[:0], e.part)
	return e.url, rewritten
}

// writesPlain reports whether references whose bytes stand for themselves can be resolved
// straight into the output: nobody wants to see or to keep them.
func (e *engine) writesPlain() bool {
	return e.hooks.Visit == nil && len(e.set.Keep) == 0 && e.isUsable() && e.writes() && e.in.Wide == nil
}
