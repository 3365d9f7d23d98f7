package rewriter

import (
	"io"
	"sync"

	"absolink/resolver"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/syntax"
	"absolink/rewriter/internal/waiting"
)

// An engine is one run over one document. It reads the input into a window, finds the
// places in it, holds both until the base can no longer change, and then splices.
type engine struct {
	set    *settings
	hooks  Hooks
	result Result

	window
	output
	outcomes
	embedding
	tags
	held    waiting.Queue[place] // for the base, or output to be taken; nothing waits anywhere else
	writing valueRun
	text    textRun
	scratch

	passedBy int // places that would be held if Visit wanted them

	root     *engine // of the outermost document
	toldTags uint8   // in root: the kinds of mergeTags that Warn was told of

	// While root.paused, output has to be taken before more is written: nothing is
	// read, no token after the current one is followed, nothing is kept beyond the value
	// that is being written and the first place held, and places are held.
	paused bool

	markSkipped bool // the byte order mark, if any, has been followed
	ended       bool // the engine has followed the end of the input
	done        bool // everything has been written
	stepping    bool // a step goes on, or has panicked in a function of the caller
}

// An embedding says where a document stands: in a container, in a value of another
// document, or in a tree. In place of a document there may be a reference.
type embedding struct {
	at func(int64) int64 // Source.At
	of *Document         // Source.Document

	// In a value of another document.
	parent  *engine
	depth   int
	origin  docOffset       // of the value, in parent
	origins charref.Origins // of the value

	beforeBase bool // the base is decided, by a BASE that stands behind

	lone loneReference
}

// A loneReference is a reference outside of documents. It is the whole input of its engine, and the
// Splicer of that.
type loneReference struct {
	place *Place // nil in a document
	ref   string // as it was given
	rule  rule   // it is not plain: nothing has been found out about the reference before
}

func (o *loneReference) Keep(int64) error { return nil }

func (o *loneReference) Replace(end int64, b []byte) error {
	o.place.URL = string(b) + o.ref[end:]
	return nil
}

// A scratch is memory whose content matters to one place only.
type scratch struct {
	ref, text, front, shown []byte
	value                   charref.Value
}

func (s *scratch) kept() scratch {
	return scratch{
		ref: reuse(s.ref, 1<<20), text: reuse(s.text, 1<<20), front: reuse(s.front, 1<<20), shown: reuse(s.shown, 1<<20),
		value: reuseValue(s.value),
	}
}

// reuseValue is reuse for what a Value holds.
func reuseValue(v charref.Value) charref.Value {
	return charref.Value{Text: reuse(v.Text, 1<<20), Origins: reuse(v.Origins, 1<<17)}
}

// use sets what the settings decide, in an engine that is ready for a document.
func (e *engine) use(s *settings) {
	e.set, e.outcomes.set, e.tags.set = s, s, s
	e.chars.Mark = s.Profile != resolver.WHATWG
	most := min(s.MaxTag, 1<<30) // spans are 32 bits
	e.maxTag, e.tag.long = most, longTag{unmeasured: min(longValue, most), maxTag: most}
}

// startDocument begins a document, which goes to dst, on an outer base.
func (e *engine) startDocument(dst io.Writer, outer *resolver.Base, o markup.Options) {
	e.dst = dst
	e.decision.setOuter(outer, e.set.Profile)
	e.context.Reset(o)
}

// reset makes the engine ready for a document. It keeps the memory of the last document,
// except where that was exceptional.
func (e *engine) reset() {
	if e.memory != nil {
		e.buf = e.memory
	}
	e.context.Trim()
	e.held.Reset(1 << 14)
	*e = engine{
		window: window{
			buf: reuse(e.buf, 1<<20),
			in:  charset.Source{EncodingOf: charset.EncodingOf{Start: e.in.Start[:0]}},
		},
		output:   output{out: reuse(e.out, 1<<20), formed: reuse(e.formed, 1<<20)},
		scratch:  e.scratch.kept(),
		outcomes: e.outcomes.kept(),
		writing:  valueRun{decoded: reuseValue(e.writing.decoded), refs: reuse(e.writing.refs, 1<<14)},
		held:     e.held,
		tags:     tags{context: e.context, tag: tagRun{number: 1}, link: e.link.Kept(), attrValue: reuse(e.attrValue, 1<<20)},
	}
	e.root, e.source, e.tags.window = e, &e.window, &e.window
	e.chars.Of, e.cs = &e.in.EncodingOf, &e.chars
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
		Charset: &e.chars, LongTag: int64(e.tag.long.unmeasured), WholeDocument: e.set.WholeDocument,
		Comments: e.set.rules.comments, HeadComments: !e.set.IgnoreSaved, Wanted: e.set.rules.wanted,
	}
}

// results returns what the run has done so far.
func (e *engine) results() Result {
	r := e.result
	if e.decided {
		r.Base, r.Overridden = e.used, e.overridden
	}
	return r
}

// warn tells Warn of what stands at o, which is still in the window.
func (e *engine) warn(o docOffset, err error) { e.warnOf(e.inputOffset(o), err) }

// warnOf tells Warn of what stands at offset in the input.
func (e *engine) warnOf(offset int64, err error) {
	e.result.Warnings++
	if e.hooks.Warn != nil {
		e.hooks.Warn(offset, err)
	}
}

// inputOffset converts o to an offset in the input of the outermost document. It returns
// -1 if that document is a tree.
func (e *engine) inputOffset(o docOffset) int64 {
	switch {
	case e.inTree:
		return -1
	case e.lone.place != nil:
		return e.lone.place.Offset
	case e.parent == nil:
		return e.atInput(e.rawOffset(o))
	}
	return e.parent.inputOffset(e.origin + docOffset(e.origins.Raw(int(o))))
}

// atInput converts an offset in the document to one in the input that the caller knows.
func (e *engine) atInput(offset int64) int64 {
	if e.at != nil {
		return e.at(offset)
	}
	return offset
}

// input returns the bytes of the outermost document's input for raw, which stands at o
// in this document.
func (e *engine) input(o docOffset, raw []byte) []byte {
	switch {
	case e.in.Wide != nil:
		start := e.index(o)
		if bytes := e.in.Wide.Bytes(start, start+len(raw)); bytes != nil {
			return bytes
		}
		return raw
	case e.parent == nil:
		return raw
	}
	start := e.origin + docOffset(e.origins.Raw(int(o)))
	end := e.origin + docOffset(e.origins.Raw(int(o)+len(raw)))
	return e.parent.input(start, e.parent.raw(start, end))
}

// A valueRun writes a value with any number of references, one reference after
// another: what is resolved is written at once, so that memory does not depend on how
// long the value becomes. Where the output pauses in the value, everything after it
// waits.
type valueRun struct {
	open bool
	p    place
	v    *charref.Value   // the text that the raw value stands for: &decoded, or &literal
	cs   *charset.Charset // reads the bytes from 0x80 on in the references
	refs []syntax.Reference
	next int // the first of refs that is not written

	plain bool // writePlain may write the references

	// A document in the value.
	child    *engine
	marks    *charset.Charset // reads the bytes from 0x80 on in what the child writes
	wroteTo  int              // v.Text[:wroteTo] has been written
	keptLast bool             // the last part of it was kept, not replaced

	decoded, literal charref.Value
}

// A textRun is the text of an element that is being read, if a rule picked it.
type textRun struct {
	rule  *rule // nil where no text is read
	start docOffset
	name  string
	inSVG bool // the text of a style element in SVG, which the next tag ends
	cutAt int  // of a style sheet: how much is held before its rules are looked at
}

// engine returns an engine for a run with these settings: a free one, or a new one.
func (s *settings) engine() *engine {
	e := engines.Get().(*engine)
	e.use(s)
	return e
}

// free makes e free to be used again, unless its run has panicked: it may still refer to
// the caller's memory.
func (e *engine) free() {
	if e.stepping {
		return
	}
	e.reset()
	engines.Put(e)
}

// engines has engines to be used again with their buffers, by any Rewriter. They are in the
// state in which reset leaves them.
var engines = sync.Pool{New: func() any {
	e := new(engine)
	e.reset()
	return e
}}

// begin begins the value in a place.
func (w *valueRun) begin(p *place) {
	w.open, w.p, w.v = true, *p, &w.decoded
	w.cs, w.marks = nil, nil
	w.next, w.wroteTo, w.keptLast = 0, 0, false
}

// stands sets the value to raw, which stands for itself.
func (w *valueRun) stands(raw []byte) {
	w.literal = charref.Value{Text: raw}
	w.v = &w.literal
}

// ready returns up to where in the window tokens are followed.
func (e *engine) ready() int {
	if !e.hooks.Text || e.eof {
		return len(e.buf)
	}
	return max(len(e.buf)-textAhead, e.context.Pos())
}
