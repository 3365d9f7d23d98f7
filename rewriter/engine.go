package rewriter

import (
	"bytes"
	"errors"
	"io"

	"golang.org/x/net/html"

	"absolink/resolver"
)

// An engine is one run over one document: it fills buf with input and finds
// the places in it, holds both until the base can no longer change, then
// splices.
type engine struct {
	rw     *Rewriter
	outer  *resolver.Base
	result Result

	// The input, from the first byte on that may still be needed.
	buf    []byte
	off    int64 // of buf[0] in the input
	passed int   // buf[:passed] is in out
	held   []place

	// The output, on its way to dst.
	dst     io.Writer
	out     []byte
	written int64
	err     error // from dst

	decided bool
	base    *resolver.Base
	baseErr error // why no relative reference can be resolved, if not for want of a base
	rawBase bool  // the base has bytes in the document's own encoding

	head    head
	foreign foreign
	rawText bool // the next token is the content of a raw text element

	tag  startTag
	name []byte // of the tag, in lower case
	seen []int  // by attrRules.index: the last tag that had the attribute
	tags int

	ref, url, attr []byte // scratch
}

// A place is a value in buf that a rule picked.
type place struct {
	start, end int64 // in the input
	quoting    quoting
	rule       *Rule
	local      bool // a fragment alone stays
	element    string
}

// minWrite is how much output is gathered before it is written, unless a read
// comes first.
const minWrite = 32 << 10

func newEngine(rw *Rewriter) *engine {
	return &engine{rw: rw, seen: make([]int, len(rw.set.attrs))}
}

// reset makes the engine ready for a document; of the last one it keeps
// nothing but the memory, and of that not what an exceptional one took.
func (e *engine) reset(dst io.Writer, outer *resolver.Base) {
	clear(e.held)
	*e = engine{
		rw: e.rw, outer: outer, base: outer, dst: dst,
		buf: keep(e.buf), out: keep(e.out), held: e.held[:0],
		tag:  startTag{attrs: e.tag.attrs[:0]},
		name: keep(e.name), seen: e.seen, tags: e.tags,
		ref: keep(e.ref), url: keep(e.url), attr: keep(e.attr),
		foreign: foreign{stack: e.foreign.stack[:0]},
	}
}

// maxKeep is the size of a buffer that is kept from one document to the next.
const maxKeep = 1 << 20

func keep(b []byte) []byte {
	if cap(b) > maxKeep {
		return nil
	}
	return b[:0]
}

// run reads src to its end.
func (e *engine) run(src io.Reader) error {
	z := html.NewTokenizer(&flushingReader{e, src})
	for e.err == nil {
		tt := z.Next()
		if tt == html.ErrorToken && z.Err() != io.EOF {
			e.flush()
			e.fail(&Error{"read", e.off + int64(len(e.buf)+len(z.Raw())), z.Err()})
			return e.err
		}
		raw := z.Raw()
		start := len(e.buf)
		e.buf = append(e.buf, raw...)
		if tt == html.ErrorToken { // a tag that the end of the input cuts off is in raw
			break
		}
		e.token(tt, start)
		e.checkHold()
		e.release()
	}
	e.decide(e.outer, OuterBase)
	e.release()
	e.flush()
	return e.err
}

// token follows the token that begins at buf[start].
func (e *engine) token(tt html.TokenType, start int) {
	switch raw := e.buf[start:]; tt {
	case html.TextToken:
		if !e.rawText && !e.head.ended {
			e.head.text(raw)
		}
		e.rawText = false
	case html.StartTagToken, html.SelfClosingTagToken:
		e.tag.scan(raw)
		e.startTag(e.off + int64(start))
	case html.EndTagToken:
		e.rawText = false
		e.setName(raw[len("</"):])
		e.foreign.endTag(e.name, kinds[string(e.name)])
		if !e.head.ended {
			e.head.endTag(e.name)
		}
	}
	if e.head.ended {
		e.decide(e.outer, OuterBase)
	}
}

// setName takes the tag name that rest begins with.
func (e *engine) setName(rest []byte) {
	n := 0
	for n < len(rest) && !isSpace(rest[n]) && rest[n] != '/' && rest[n] != '>' {
		n++
	}
	e.name = appendLower(e.name[:0], rest[:n])
}

// startTag finds the places in e.tag, which stands at offset.
func (e *engine) startTag(offset int64) {
	e.setName(e.tag.raw[len("<"):])
	k := kinds[string(e.name)]
	ns := e.foreign.startTag(e.name, k, &e.tag)
	e.rawText = k&rawText != 0
	countsAsBase := false
	if !e.head.ended {
		countsAsBase = e.head.startTag(e.name, k) && isBase(e.name)
		if e.head.ended {
			e.decide(e.outer, OuterBase)
		}
	}
	if countsAsBase && !e.decided {
		e.readBase(offset)
	}
	if ns == nsHTML && string(e.name) == "image" {
		e.name = append(e.name[:0], "img"...) // as the tree construction does
	}
	e.tags++
	for i := range e.tag.attrs {
		e.attribute(&e.tag.attrs[i], offset, ns)
	}
}

// readBase decides the base by the BASE element in e.tag, if it has an href.
func (e *engine) readBase(offset int64) {
	raw, ok := e.tag.value("href")
	if !ok {
		return
	}
	_, ref := appendURL(nil, raw)
	b, err := embed(ref, e.outer, e.rw.Profile)
	e.result.BaseOffset = offset
	switch {
	case err == nil:
		e.decide(b, EmbeddedBase)
		return
	case errors.Is(err, resolver.ErrOpaqueBase):
		e.baseErr = err
		e.decide(nil, EmbeddedBase)
	default:
		e.decide(e.outer, OuterBase)
	}
	e.warn(offset, err)
}

// attribute holds or splices the place that an attribute of e.tag is, if any.
// Of two attributes of a name the first counts.
func (e *engine) attribute(a *attribute, offset int64, ns namespace) {
	name := a.name.of(e.tag.raw)
	if len(name) > e.rw.set.longest {
		return
	}
	e.attr = appendLower(e.attr[:0], name)
	rules := e.rw.set.attrs[string(e.attr)]
	if rules == nil || e.seen[rules.index] == e.tags {
		return
	}
	e.seen[rules.index] = e.tags
	rule := rules.forElement(e.name)
	if rule == nil {
		return
	}
	p := place{
		start:   offset + int64(a.value.start),
		end:     offset + int64(a.value.end),
		quoting: a.quoting,
		rule:    rule,
		local:   ns == nsSVG || rule.Local == LocalStay || rule.Local == LocalExpect && e.tag.expects(),
	}
	if e.rw.Visit != nil {
		p.element = string(e.name)
	}
	if !e.decided || len(e.held) > 0 {
		e.held = append(e.held, p)
		return
	}
	e.splice(&p)
}

// expects reports whether the rel of a link has the token "expect".
func (t *startTag) expects() bool {
	raw, _ := t.value("rel")
	for _, token := range bytes.FieldsFunc(appendDecoded(nil, raw), func(r rune) bool { return r < 0x80 && isSpace(byte(r)) }) {
		if equalFold(token, "expect") {
			return true
		}
	}
	return false
}

// decide sets the base, once.
func (e *engine) decide(b *resolver.Base, source BaseSource) {
	if e.decided {
		return
	}
	e.decided, e.base = true, b
	if b == nil {
		source = NoBase
	}
	e.rawBase = source == EmbeddedBase && !isASCII(b.String())
	e.result.Base, e.result.Source = b, source
}

// checkHold decides for the outer base once too much is held.
func (e *engine) checkHold() {
	if e.decided || len(e.held) == 0 {
		return
	}
	hold := e.rw.Hold
	if hold == 0 {
		hold = defaultHold
	}
	end := e.off + int64(len(e.buf))
	if end-e.held[0].start > int64(hold) {
		e.decide(e.outer, OuterBase)
		e.warn(end, ErrHold)
	}
}

// release splices the held places once the base is decided, and passes on all
// that no held place keeps back.
func (e *engine) release() {
	if !e.decided && len(e.held) > 0 {
		e.pass(e.held[0].start)
		return
	}
	for i := range e.held {
		e.splice(&e.held[i])
	}
	e.held = e.held[:0]
	e.pass(e.off + int64(len(e.buf)))
	e.off += int64(len(e.buf))
	e.buf, e.passed = e.buf[:0], 0
}

// splice passes the input up to a place on, and then its new value if it gets
// one.
func (e *engine) splice(p *place) {
	if e.err != nil {
		return
	}
	raw := e.buf[p.start-e.off : p.end-e.off]
	ref, url, what, err := e.resolve(p, raw)
	if e.rw.Visit != nil {
		url, what = e.visit(p, raw, ref, url, what, err)
	}
	switch what {
	case rewritten:
		e.result.Rewritten++
		e.pass(p.start)
		e.out = appendEscaped(e.out, url, p.quoting, !e.rawBase && isASCII(raw))
		e.passed = int(p.end - e.off)
	case absolute:
		e.result.Absolute++
	case left:
		e.result.Left++
	case unresolvable:
		e.result.Unresolvable++
	}
}

// An outcome is what becomes of a place.
type outcome uint8

const (
	rewritten outcome = iota
	absolute
	left
	unresolvable
)

// resolve finds out what becomes of a place. url is set where that is
// rewritten; both slices are good until the next call.
func (e *engine) resolve(p *place, raw []byte) (ref, url []byte, what outcome, err error) {
	base, baseErr := e.base, e.baseErr
	if p.rule.Outer {
		base, baseErr = e.outer, nil
	}
	if len(raw) > 0 && raw[0] > ' ' && base.IsAbsolute(raw) {
		return raw, nil, absolute, nil // no character reference can change that
	}
	e.ref, ref = appendURL(e.ref[:0], raw)
	switch {
	case len(ref) == 0 && p.rule.Empty == EmptyNothing:
		return ref, nil, left, nil
	case len(ref) == 0 && p.rule.Empty == EmptyDocument:
		base, baseErr = e.outer, nil
	case len(ref) > 0 && ref[0] == '#' && (p.local || e.rw.KeepFragments):
		return ref, nil, left, nil
	case base.IsAbsolute(ref):
		return ref, nil, absolute, nil
	}
	if baseErr != nil {
		return ref, nil, unresolvable, baseErr
	}
	if base == nil {
		return ref, nil, left, nil
	}
	e.url, err = base.AppendResolve(e.url[:0], ref)
	if err != nil {
		return ref, nil, unresolvable, err
	}
	return ref, e.url, rewritten, nil
}

// visit lets the caller see a place and change what becomes of it.
func (e *engine) visit(p *place, raw, ref, url []byte, what outcome, err error) ([]byte, outcome) {
	if what == absolute {
		e.ref, ref = appendURL(e.ref[:0], raw)
		url = ref
	}
	v := Place{
		Offset:  p.start,
		Element: p.element,
		Attr:    p.rule.Attr,
		Raw:     string(raw),
		Ref:     string(ref),
		URL:     string(url),
		Err:     err,
	}
	if err := e.rw.Visit(&v); err != nil {
		e.fail(&Error{"visit", p.start, err})
		return nil, left
	}
	switch {
	case v.URL == string(url):
		return url, what
	case v.URL == "", v.URL == string(ref):
		return nil, left
	}
	e.url = append(e.url[:0], v.URL...)
	return e.url, rewritten
}

func isASCII[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func (e *engine) warn(offset int64, err error) {
	e.result.Warnings++
	if e.rw.Warn != nil {
		e.rw.Warn(offset, err)
	}
}

// pass moves the input up to an offset to the output.
func (e *engine) pass(offset int64) {
	end := int(offset - e.off)
	e.out = append(e.out, e.buf[e.passed:end]...)
	e.passed = end
	if len(e.out) >= minWrite {
		e.flush()
	}
}

// flush writes the output that is gathered.
func (e *engine) flush() {
	if e.err != nil || len(e.out) == 0 {
		return
	}
	n, err := e.dst.Write(e.out)
	if err == nil && n < len(e.out) {
		err = io.ErrShortWrite
	}
	e.written += int64(n)
	if err != nil {
		e.fail(&Error{"write", e.written, err})
	}
	e.out = e.out[:0]
}

// fail ends the run. The first error counts.
func (e *engine) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// A flushingReader writes what output there is before it reads, for a read may
// block.
type flushingReader struct {
	e   *engine
	src io.Reader
}

func (r *flushingReader) Read(p []byte) (int, error) {
	r.e.flush()
	if r.e.err != nil {
		return 0, r.e.err
	}
	return r.src.Read(p)
}
