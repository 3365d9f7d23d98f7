package rewriter

import (
	"bytes"
	"errors"
	"io"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"absolink/resolver"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/mark"
	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/syntax"
)

// An engine is one run over one document: it fills buf with input and finds
// the places in it, holds both until the base can no longer change, then
// splices.
type engine struct {
	rw      *Rewriter
	layer   Base // the outer base
	over    Base // a retrieval URL in the document that layer overrides
	visitor func(*Place) error
	at      func(int64) int64 // Source.At
	of      *Document         // Source.Document
	result  Result

	in    charset.Source
	chars charset.Charset // of in

	// The input, from the first byte on that may still be needed. It is the
	// window of scan. What elide took out of a long tag is no longer in it.
	buf    []byte
	memory []byte // for buf, while that is a part of the caller's document
	off    int64  // of buf[0] in the input
	passed int    // buf[:passed] is in out
	begun  bool
	eof    bool
	ended  bool  // what the end of the input means has been followed
	done   bool  // and all is written
	empty  int   // reads of nothing, one after another
	broken error // of reading, after what is in the window
	held   queue

	// The output, on its way to dst.
	dst     io.Writer
	splicer Splicer // in place of dst
	out     []byte
	written int64
	err     error // of reading, writing or Visit

	writing valueRun

	root *engine // that of the outermost document

	// While root.paused, output has to be taken before more is written: nothing is
	// read, no token after the current one is followed, nothing is passed on beyond
	// the value that is being written and the first place held, and places are held.
	paused bool

	refused   error // what is wrong with the outer base
	late      lateBase
	canonical Base // what Rewriter.Canonical found
	decided   bool
	base      *resolver.Base // its bytes from the document are marked (escape.go)
	baseErr   error          // why no relative reference can be resolved on base, if not for want of one
	baseClass uint8          // of base's bytes up to its query

	context markup.Context

	// The tag in scan.
	tags   uint64   // its number
	seen   []uint64 // by attrRules.index: the last tag that had the attribute
	looked int      // attributes that have been looked at for places
	rel    struct { // what relOf returned last
		tag   uint64
		end   int
		value string
	}

	// What long.go knows of it.
	unmeasured int // up to this size it is not long
	measured   int // attributes that have been looked at for their length
	longBytes  int // of long values, in the window

	// The text of an element that is being read, if a rule picked it.
	textRule  *rule
	textStart int64 // in the input
	textName  string
	sheet     sheet
	inSheet   bool // all of the document stands in a style element in SVG

	inTree bool // the document is a tree, and buf an element or a text of it (node.go)

	// Where the document is a value in another.
	parent  *engine
	depth   int
	origin  int64           // of the value in parent's input
	origins charref.Origins // of the value

	// Scratch.
	ref, url, text []byte
	shown          []byte
	value          charref.Value
	refs           []syntax.Reference
}

// outputSize is how much output is gathered before it is written.
var outputSize = 64 << 10

// windowSize is how much input is read at once, and how much is held but for
// what a tag or an undecided base needs.
var windowSize = 64 << 10

// directWrite is from how many bytes on what passes is written from the window,
// without a copy.
const directWrite = 16 << 10

func newEngine(rw *Rewriter) *engine {
	e := &engine{rw: rw, seen: make([]uint64, rw.set.count), tags: 1}
	e.reset()
	return e
}

// begins says where a document goes, and what it is on.
func (e *engine) begins(dst io.Writer, outer *resolver.Base, o markup.Options) {
	e.dst, e.base, e.baseClass, e.visitor = dst, outer, baseClass(outer), e.rw.Visit
	if e.layer.URL = outer; outer != nil {
		e.layer.Source = OuterBase
	}
	e.context.Reset(o)
}

// reset makes the engine ready for a document. Of the last one it keeps
// nothing but the memory, and of that not what an exceptional one took.
func (e *engine) reset() {
	if e.memory != nil {
		e.buf = e.memory
	}
	*e = engine{
		rw:  e.rw,
		buf: keep(e.buf, 1<<20), out: keep(e.out, 1<<20), ref: keep(e.ref, 1<<20), url: keep(e.url, 1<<20),
		text: keep(e.text, 1<<20), shown: keep(e.shown, 1<<20), refs: keep(e.refs, 1<<14),
		value: e.value.Kept(), writing: valueRun{decoded: e.writing.decoded.Kept(), refs: keep(e.writing.refs, 1<<14)},
		sheet: sheet{gaps: keep(e.sheet.gaps, 1<<14), pieces: keep(e.sheet.pieces, 1<<14), places: keep(e.sheet.places, 1<<14)},
		held:  queue{places: keep(e.held.places, 1<<14)}, seen: e.seen, tags: e.tags + 1, // a tag may have been cut off
		context: e.context,
		in:      charset.Source{EncodingOf: charset.EncodingOf{Start: e.in.Start[:0]}},
	}
	e.root = e
	e.chars = charset.Charset{Of: &e.in.EncodingOf, Mark: e.rw.Profile != resolver.WHATWG}
	e.unmeasured = min(longValue, e.maxTag())
	if e.buf == nil {
		e.buf = make([]byte, 0, windowSize)
	}
	if e.out == nil {
		e.out = make([]byte, 0, windowSize+windowSize/2)
	}
}

// options say how a document that stands alone is read.
func (e *engine) options() markup.Options {
	return markup.Options{
		Charset: &e.chars, LongTag: int64(e.unmeasured), WholeDocument: e.rw.WholeDocument,
		Conditional: e.rw.set.comment != nil, HeadComments: !e.rw.IgnoreSaved, EveryTag: e.rw.trace != nil,
	}
}

// keep returns a slice's memory if it is no more than limit elements.
func keep[T any](s []T, limit int) []T {
	if cap(s) > limit {
		return nil
	}
	return s[:0]
}

// run reads src to its end.
func (e *engine) run(src io.Reader) error {
	src = e.open(src)
	if r, ok := src.(*bytes.Reader); ok {
		r.WriteTo(inPlace{e})
	}
	for e.step() {
	}
	return e.err
}

// open says what the input is, and returns that without a Source around it.
func (e *engine) open(src io.Reader) io.Reader {
	src, of := unwrap(src)
	e.in.Open(src, of.Charset)
	e.at, e.of = of.At, of.Document
	return src
}

// step writes what it can, reading once before that where all that has been read
// is followed. It reports whether it did: there is nothing more to do after the end
// and after an error.
func (e *engine) step() bool {
	if e.err != nil || e.done {
		return false
	}
	if !e.paused {
		e.fill()
	}
	e.paused = false
	e.advance()
	if e.broken != nil && !e.paused {
		e.fail(&Error{"read", e.inputOffset(e.off + int64(len(e.buf))), e.broken})
	}
	return true
}

// fill reads once into the window.
func (e *engine) fill() {
	room := e.space()
	e.in.Off = e.off
	n, err := e.in.Read(room)
	e.buf = e.buf[:len(e.buf)+n]
	if e.empty++; n > 0 {
		e.empty = 0
	} else if err == nil && e.empty == 100 {
		err = io.ErrNoProgress
	}
	if e.eof = err == io.EOF; !e.eof {
		e.broken = err
	}
}

// inPlace takes a whole document, as the WriteTo of a reader in memory gives
// it. The window moves over it, as long as nothing is taken out of the window.
type inPlace struct{ e *engine }

func (w inPlace) Write(document []byte) (int, error) {
	e := w.e
	if e.in.Take(document) {
		return len(document), nil
	}
	e.memory, e.buf = e.buf, document[:0]
	for end := 0; e.err == nil && !e.eof; {
		n := min(windowSize, len(document)-end)
		if e.memory == nil {
			n = copy(e.space(), document[end:])
		} else if drop := e.drop(); drop > 0 {
			e.buf = e.buf[drop:]
		}
		e.buf = e.buf[:len(e.buf)+n]
		end += n
		e.eof = end == len(document)
		e.advance()
	}
	return len(document), nil
}

// holds makes a document that is in memory all of the input.
func (e *engine) holds(document []byte) {
	e.memory, e.buf, e.eof = e.buf, document, true
}

// advance follows the input that has come, and writes what it can before a
// read that may block. Where it pauses, it goes on when it is called again.
func (e *engine) advance() {
	if !e.begun && !e.begin() {
		return
	}
	e.writeValue()
	e.drain()
	if !e.ended {
		e.tokens()
	}
	if e.eof && !e.ended && !e.root.paused {
		e.end()
	}
	if !e.root.paused {
		e.release()
		e.done = e.ended
	}
	e.flush()
}

// end follows the end of the input.
func (e *engine) end() {
	e.ended = true
	if e.context.InNoscript() {
		e.leaveNoscript()
	}
	e.endText(len(e.buf))
	e.cutSheet()
	e.decideLate()
}

// begin goes past a byte order mark, when enough of the document is there to
// know one. A document in another has none.
func (e *engine) begin() bool {
	const mark = "\ufeff"
	if n := len(e.buf); n < len(mark) && !e.eof && string(e.buf) == mark[:n] {
		return false
	}
	if e.parent == nil && bytes.HasPrefix(e.buf, []byte(mark)) {
		e.context.Skip(len(mark))
	}
	e.begun = true
	if e.refused != nil {
		e.warn(0, e.refused)
	}
	return true
}

// space returns room for input at the end of the window. Moving the window and
// making it larger cost no more than reading what fills it.
func (e *engine) space() []byte {
	if len(e.buf) > cap(e.buf)/2 {
		if n := e.drop(); n > 0 {
			e.buf = e.buf[:copy(e.buf, e.buf[n:])]
		}
		if len(e.buf) > cap(e.buf)*3/4 {
			e.buf = append(make([]byte, 0, 2*cap(e.buf)), e.buf...)
		}
	}
	return e.buf[len(e.buf):cap(e.buf)]
}

// drop lets go of the first bytes of the window, which are not needed any more,
// and returns how many.
func (e *engine) drop() int {
	n := max(min(e.passed, e.context.Needed()), 0)
	if e.in.Wide != nil && n > 0 {
		e.in.Wide.Drop(0, n)
	}
	e.off += int64(n)
	e.passed -= n
	e.context.Shift(n)
	return n
}

// tokens follows the tokens in the window.
func (e *engine) tokens() {
	c := &e.context
	for e.err == nil && !e.root.paused {
		switch tok := c.Next(e.buf, e.eof); tok {
		case markup.StartTag:
			e.startTag()
		case markup.LongTag:
			e.longTag()
		case markup.EndTag:
			e.endTag()
		case markup.HeadText:
			e.checkHold(c.TextEnd())
			e.headChanged()
		case markup.ConditionalComment:
			e.conditional()
		case markup.HeadComment:
			start, end := c.Comment()
			e.savedFrom(e.buf[start:end], e.inputOffset(e.off+int64(start-len("<!--"))))
		case markup.NoscriptEnd:
			e.limits(true)
			e.leaveNoscript()
		case markup.None:
			e.limits(e.eof)
			e.checkHold(c.Pos())
			return
		}
	}
}

// limits gives up what is not whole and too long. final says that nothing follows it.
func (e *engine) limits(final bool) {
	e.boundTag(final)
	e.limitText(e.context.Pos())
	e.limitSheet(e.context.Pos())
	e.limitConditional()
}

// startTag finds the places of the start tag that was followed.
func (e *engine) startTag() {
	c := &e.context
	t := c.Tag()
	el, ns := c.Element()
	if e.sheet.rule != nil {
		e.sheetTag()
	}
	if c.HeadChanged() {
		e.checkHold(c.Pos())
		if e.rw.Canonical && c.InHead() && !t.IsSkipped() {
			e.canonicalTag(el)
		}
		e.headChanged()
		if c.IsBase() && !e.decided && !t.IsSkipped() {
			e.readBase(e.buf[t.Start:][:t.Pos])
		}
	}
	if c.HasRawText() {
		e.beginText(el)
	}
	if e.rw.trace != nil {
		e.rw.trace(e.tagOffset(), t, e.buf[t.Start:], ns)
	}
	if len(t.Attrs) > 0 {
		e.attributes(t.Pos, ns)
	}
	if ns == markup.NsSVG && el.Atom == atom.Style {
		e.beginSheet()
	}
	e.nextTag()
}

func (e *engine) nextTag() {
	e.looked, e.measured, e.longBytes = 0, 0, 0
	e.tags++
}

// beginText looks for a rule for the text of an element that begins here.
func (e *engine) beginText(el *markup.Element) {
	t := e.context.Tag()
	rules := e.rw.set.text
	if rules == nil || t.IsSkipped() {
		return
	}
	e.textRule = e.pick(rules, t.Hash, []byte(el.Name), markup.NsHTML, t.Pos)
	e.textStart, e.textName = e.off+int64(e.context.Pos()), el.Name
}

// endText ends the text of an element at end in the window.
func (e *engine) endText(end int) {
	if e.textRule == nil || e.limitText(end) {
		return
	}
	p := place{start: e.textStart, end: e.off + int64(end), rule: e.textRule, element: e.textName, notation: charref.RawText}
	e.textRule = nil
	e.place(&p)
}

// limitText gives the text of an element up, that has been read up to end in
// the window, if it is longer than MaxTag, and reports that.
func (e *engine) limitText(end int) bool {
	if e.textRule == nil || e.off+int64(end)-e.textStart <= int64(e.maxTag()) {
		return false
	}
	e.textRule = nil
	e.warn(e.textStart, errMaxTag(e.maxTag()))
	return true
}

// leaveNoscript goes on with the document after the content of noscript, whatever
// that ended in.
func (e *engine) leaveNoscript() {
	_, inNoscript := e.context.Depth()
	e.context.LeaveNoscript()
	e.textRule = nil
	e.nextTag()
	if e.sheet.rule != nil && inNoscript {
		e.checkHold(e.context.Pos())
		e.dropSheet()
	}
}

// endTag follows what an end tag ends.
func (e *engine) endTag() {
	c := &e.context
	if e.textRule != nil { // rarely true
		e.endText(c.Tag().Start)
	}
	if e.sheet.rule != nil {
		e.sheetTag()
	}
	if c.HeadChanged() {
		e.checkHold(c.Pos())
		e.headChanged()
	}
}

// headChanged follows what a tag or text means to the HEAD: it decides for the
// outer base where the HEAD has ended without a BASE.
func (e *engine) headChanged() {
	switch {
	case e.context.IsSettled():
		e.decideOuter()
	case e.late.found && !e.context.MayReplaceBody():
		e.decideLate()
	}
}

// A lateBase is the first BASE with an href in a body that a frameset may
// replace.
type lateBase struct {
	found  bool
	href   []byte
	offset int64 // of its tag in the input
}

// baseFound decides by the href of the BASE whose tag is in e.scan, as soon as
// that is certain to count.
func (e *engine) baseFound(href []byte) {
	switch {
	case !e.context.MayReplaceBody():
		e.embed(href, e.inputOffset(e.tagOffset()))
	case !e.late.found:
		e.late = lateBase{true, bytes.Clone(href), e.inputOffset(e.tagOffset())}
	}
}

// decideLate decides by the BASE in the body, which counts now, or for the outer
// base where there is none.
func (e *engine) decideLate() {
	if e.late.found && !e.decided {
		e.embed(e.late.href, e.late.offset)
	}
	e.decideOuter()
}

// readBase decides the base by the BASE element whose tag is raw, if it has an
// href.
func (e *engine) readBase(raw []byte) {
	raw = e.chars.Text(nil, raw)
	z := html.NewTokenizer(bytes.NewReader(raw))
	z.Next()
	z.TagName()
	for more := true; more; {
		var key, value []byte
		if key, value, more = z.TagAttr(); string(key) == "href" {
			e.baseFound(value)
			return
		}
	}
}

// embed decides by the href of a BASE element at offset in the input. Where that is
// dangling, no relative reference has an absolute form.
func (e *engine) embed(value []byte, offset int64) {
	dangling := isDangling(value)
	marked := e.chars.EncodeQuery(trimURL(value), e.layer.URL.String())
	ref := mark.AppendUnmarked(nil, marked)
	b, err := embed(ref, e.layer.URL, e.rw.Profile)
	switch {
	case err == nil && dangling:
		err = ErrDangling
	case err == nil && e.rw.isAbsoluteOn(e.layer.URL, ref):
		e.baseErr = nil // that of the document around
	}
	if err != nil {
		e.warnOf(offset, err)
	}
	if errors.Is(err, resolver.ErrOpaqueBase) || errors.Is(err, ErrDangling) {
		e.baseErr = err
	}
	layer := Base{b, EmbeddedBase, "BASE", offset}
	switch {
	case b != nil && len(marked) > len(ref):
		layer.URL, _ = resolver.ParseBaseOn(e.layer.URL, string(marked), e.rw.Profile)
		e.decide(layer)
		e.result.Base.URL = b
	case err == nil || e.baseErr == err:
		e.decide(layer)
	default:
		e.decideOuter()
	}
}

// tagOffset returns where the tag in the window begins in the input.
func (e *engine) tagOffset() int64 {
	t := e.context.Tag()
	if e.in.Wide != nil { // which follows what is taken out
		return e.off + int64(t.Start)
	}
	return e.off + int64(t.Start) - t.Elided()
}

// decide sets the base, once, and splices what was held for it.
func (e *engine) decide(l Base) {
	if e.decided {
		return
	}
	e.decided = true
	e.base, e.baseClass = l.URL, baseClass(l.URL)
	if l.URL == nil && e.baseErr == nil {
		l = Base{}
	}
	e.result.Base, e.result.Overridden = l, e.over
	if l.Source == EmbeddedBase {
		e.result.Overridden = e.layer
	}
	e.drain()
}

// checkHold decides for the outer base where what is held is too much by the
// time that the window has been read up to pos.
func (e *engine) checkHold(pos int) {
	if e.decided || e.held.waiting() == 0 || e.parent != nil { // which is in memory as a whole
		return
	}
	limit := e.rw.Hold
	if limit == 0 {
		limit = defaultHold
	}
	first := e.held.firstWaiting()
	held := e.off + int64(pos) - first
	if e.in.Wide != nil {
		held = 2 * (e.rawOffset(e.off+int64(pos)) - e.rawOffset(first))
	}
	if held+int64(e.held.waiting())*placeSize > int64(limit) {
		e.warn(first, errHold(limit))
		e.decideLate()
	}
}

// warn tells Warn of what stands at offset in this document, which is still in the
// window.
func (e *engine) warn(offset int64, err error) { e.warnOf(e.inputOffset(offset), err) }

// warnOf tells Warn of what stands at offset in the input.
func (e *engine) warnOf(offset int64, err error) {
	e.result.Warnings++
	if e.rw.Warn != nil {
		e.rw.Warn(offset, err)
	}
}

// writes reports whether anybody wants the output.
func (e *engine) writes() bool { return e.dst != nil || e.splicer != nil }

// inputOffset returns where what stands at offset in this document stands in
// the outermost; -1 where that is a tree.
func (e *engine) inputOffset(offset int64) int64 {
	switch {
	case e.inTree:
		return -1
	case e.parent == nil:
		if offset = e.rawOffset(offset); e.at != nil {
			offset = e.at(offset)
		}
		return offset
	}
	return e.parent.inputOffset(e.origin + int64(e.origins.Raw(int(offset))))
}

// rawOffset returns where what stands at offset in this document, which is in
// no other, stands in the input.
func (e *engine) rawOffset(offset int64) int64 {
	if e.in.Wide != nil {
		return e.in.Wide.At(int(offset - e.off))
	}
	return offset
}

// input returns what raw, which stands at offset in this document, is in the
// outermost.
func (e *engine) input(offset int64, raw []byte) []byte {
	switch {
	case e.in.Wide != nil:
		start := int(offset - e.off)
		if bytes := e.in.Wide.Bytes(start, start+len(raw)); bytes != nil {
			return bytes
		}
		return raw
	case e.parent == nil:
		return raw
	}
	from, to := int64(e.origins.Raw(int(offset))), int64(e.origins.Raw(int(offset)+len(raw)))
	start := e.origin + from - e.parent.off
	return e.parent.input(e.origin+from, e.parent.buf[start:start+to-from])
}

// release passes on all that no held place and no unfinished tag keeps back.
func (e *engine) release() {
	end := len(e.buf)
	switch {
	case e.err != nil:
		return
	case e.held.len() > 0:
		end = int(e.held.first().start - e.off)
	case e.textRule != nil:
		end = int(e.textStart - e.off)
	case !e.eof:
		end = e.context.Unfinished(end)
	}
	if e.sheet.rule != nil {
		end = min(end, int(e.sheet.start-e.off))
	}
	if end > e.passed {
		e.pass(end)
	}
	if e.ended && e.in.Wide != nil {
		e.passTail(e.in.Wide.Tail())
	}
}

// passTail passes on what follows the last character of the input.
func (e *engine) passTail(tail []byte) {
	e.out = append(e.out, tail...)
	if e.splicer != nil && len(tail) > 0 {
		e.spliced(e.splicer.Keep(e.rawOffset(e.off+int64(len(e.buf))) + int64(len(tail))))
	}
}

// pass moves the window up to end to the output.
func (e *engine) pass(end int) {
	b := e.buf[e.passed:end]
	if e.splicer != nil && len(b) > 0 {
		e.spliced(e.splicer.Keep(e.rawOffset(e.off + int64(end))))
	}
	if e.in.Wide != nil {
		b = e.in.Wide.Bytes(e.passed, end)
	}
	e.passed = end
	if e.dst == nil {
		return
	}
	if len(e.out) >= outputSize || len(e.out)+len(b) > cap(e.out) {
		e.flush()
	}
	if len(b) > directWrite {
		e.flush()
		e.write(b)
		return
	}
	e.out = append(e.out, b...)
}

// flush writes the output that is gathered.
func (e *engine) flush() {
	if len(e.out) > 0 && e.dst != nil {
		e.write(e.out)
	}
	e.out = e.out[:0]
}

// write writes to dst, unless that has failed before.
func (e *engine) write(b []byte) {
	if e.dst == nil {
		return
	}
	n, err := e.dst.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	e.written += int64(n)
	if err != nil {
		e.dst = nil
		e.fail(&Error{"write", e.written, err})
	}
}

// spliced follows a call of the splicer.
func (e *engine) spliced(err error) {
	if err != nil {
		e.splicer = nil
		e.fail(&Error{"write", e.rawOffset(e.off + int64(e.passed)), err})
	}
}

// fail ends the run. The first error counts.
func (e *engine) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}
