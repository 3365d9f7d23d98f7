package mail

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
)

// A walk is one pass over an input.
type walk struct {
	hooks *Rewriter          // whose functions are told what is found
	bases *rewriter.Rewriter // says what is one
	html  *rewriter.Rewriter // nil is that names are looked for, and no more
	names *names

	in  input
	out output

	maxHeader, maxDepth int
	htmlHold            int // Hold of the Rewriter for HTML
	maxRaw              int // how much of the body of an HTML part may be held

	message, part int64 // where those begin that are being read
	changes       int   // HTML parts that have changed
	cutAt         int64 // where the input ended in a multipart
	toldHold      bool  // of a name that came too late
	last          int64 // where the last entity begins that was found
	result        rewriter.Result
	err           error
}

func (w *walk) warn(offset int64, err error) {
	if w.html == nil {
		return
	}
	w.result.Warnings++
	if w.hooks.Warn != nil {
		w.hooks.Warn(offset, err)
	}
}

// failed reports whether the walk has to end.
func (w *walk) failed() bool { return w.err != nil || w.in.err != nil || w.out.err != nil }

// messages reads the message, or those of an mbox file, and returns the error that
// ended it.
func (w *walk) messages(outer *resolver.Base) error {
	in := &w.in
	in.atLine, in.afterBlank = true, true
	for len(in.buf) < maxLine && in.fill() {
	}
	line, _ := in.line(in.buf)
	in.mbox = isFrom(line)
	top := scope{base: rewriter.Base{URL: outer, Source: rewriter.OuterBase}}
	if outer == nil {
		top.base.Source = rewriter.NoBase
	}
	for !w.failed() {
		top.message = in.off
		w.entity(top, "text/plain")
		if in.found.level == atEOF {
			break
		}
		in.pass(in.found.lead)
	}
	w.out.flush()
	switch {
	case w.in.err != nil:
		return w.in.err
	case w.out.err != nil:
		return w.out.err
	}
	return w.err
}

// What Warn is told of what is not rewritten.
var (
	errSigned   = errors.New("a change would break its signature; it stays as it is")
	errSealed   = errors.New("it is encrypted, or signed as a whole; it stays as it is")
	errBoundary = errors.New("multipart without a boundary; it stays as it is")
	errOpen     = errors.New("the multipart has no closing boundary")
	errEncoded  = errors.New("a message in a transfer encoding, which RFC 2046 §5.2.1 forbids; it stays as it is")
)

// errMaxDepth is of an entity that is nested deeper than MaxDepth.
func errMaxDepth(limit int) error {
	return &rewriter.LimitError{Field: "MaxDepth", Limit: int64(limit), Text: "entities are nested deeper than may be followed (MaxDepth); this one stays as it is"}
}

// entity reads an entity to its end, which is then in.found. byDefault is its type
// where it says none.
func (w *walk) entity(outer scope, byDefault string) {
	in := &w.in
	h, ok := w.readHeader()
	if !ok {
		w.warn(h.offset, errMaxHeader(w.maxHeader))
		if in.afterBlank = false; !w.leaves(outer) { // its own first line begins no other message
			in.passBody()
		}
		return
	}
	w.last = h.offset
	before := w.changes
	w.content(&h, outer, byDefault)
	if w.changes > before {
		w.warnOfChange(&h)
	}
}

// content reads the body of an entity.
func (w *walk) content(h *header, outer scope, byDefault string) {
	in := &w.in
	media, params := h.contentType(byDefault)
	kind, _, _ := strings.Cut(media, "/")
	switch {
	case media == "multipart/signed":
		w.warn(h.offset, fmt.Errorf("%s: %w", media, errSigned))
	case media == "multipart/encrypted", media == "application/pkcs7-mime", media == "application/x-pkcs7-mime":
		w.warn(h.offset, fmt.Errorf("%s: %w", media, errSealed))
	case kind == "multipart", media == "message/rfc822", media == "message/global":
		inner, encoding := w.enter(h, outer), h.encoding()
		h.fields = nil // headers are nested as deep as entities, and each may be MaxHeader long
		switch {
		case inner.depth > w.maxDepth:
			w.warn(h.offset, errMaxDepth(w.maxDepth))
		case kind == "multipart":
			w.multipart(h, inner, params["boundary"], media == "multipart/digest")
			return
		case !isIdentity(encoding):
			w.warn(h.offset, errEncoded)
		default:
			inner.message = in.off
			w.entity(inner, "text/plain")
			return
		}
	case w.leaves(outer):
		return
	default:
		if w.html == nil || h.offset >= w.names.horizon {
			w.name(h, outer)
		}
		if w.html != nil && isHTML(media) {
			w.document(h, outer, params["charset"])
		}
	}
	in.passBody()
}

// leaves ends the search for names where there can be none: the entity that is not
// in another has no parts.
func (w *walk) leaves(outer scope) bool {
	if w.html == nil && outer.depth == 0 && !w.in.mbox {
		w.err = errStop
	}
	return w.err == errStop
}

func isHTML(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }

func isIdentity(encoding string) bool {
	return encoding == "7bit" || encoding == "8bit" || encoding == "binary"
}

// multipart reads the parts of a multipart (RFC 2046 §5.1.1).
func (w *walk) multipart(h *header, inner scope, boundary string, digest bool) {
	in := &w.in
	if boundary == "" || len(boundary) > maxLine/2 || strings.ContainsAny(boundary, "\r\n") {
		w.warn(h.offset, errBoundary)
		in.passBody()
		return
	}
	level := len(in.bounds)
	in.bounds = append(in.bounds, "--"+strings.TrimRight(boundary, " \t"))
	in.passBody() // what comes before the first part
	byDefault := "text/plain"
	if digest {
		byDefault = "message/rfc822"
	}
	for !w.failed() && in.found.level == level && !in.found.close {
		in.pass(in.found.lead + in.found.line)
		w.entity(inner, byDefault)
	}
	closed := in.found.level == level
	in.bounds = in.bounds[:level]
	if w.failed() {
		return
	}
	if !closed {
		if in.found.level != atEOF || w.cutAt != in.off { // the innermost tells of the end of the input
			w.warn(h.offset, errOpen)
			w.cutAt = in.off
		}
		return
	}
	in.pass(in.found.lead + in.found.line)
	in.passBody() // what comes after the last part
}

// warnOfChange warns of what in the header of an entity fits no longer what is in
// it, once of each field.
func (w *walk) warnOfChange(h *header) {
	for _, name := range brokenFields {
		i := slices.IndexFunc(h.broken, func(f field) bool { return f.name == name })
		if i >= 0 {
			w.warn(h.broken[i].offset, fmt.Errorf("%s no longer fits: what it speaks of has changed", name))
		}
	}
}

// document rewrites an HTML part, or as much of it as can be read.
func (w *walk) document(h *header, outer scope, charset string) {
	c, splicer := codingOf(h.encoding())
	if c == nil {
		w.warn(h.offset, fmt.Errorf("HTML in the unknown transfer encoding %.40q; it stays as it is", h.encoding()))
		return
	}
	inner, location := w.enter(h, outer), w.location(h, outer.base.URL)
	q := &queue{in: &w.in, coding: c, off: w.in.off, limit: w.maxRaw}
	start, err := q.start()
	if err == nil && isSigned(start) {
		w.warn(h.offset, errInline)
		w.out.write(q.raw)
		return
	}
	doc := &rewriter.Document{Name: location, Offset: q.off, Outer: inner.base, Overridden: inner.overridden}
	if w.hooks.Begin != nil {
		w.hooks.Begin(doc)
	}
	w.message, w.part = outer.message, h.offset
	s := splicer(splice{walk: w, queue: q, eol: h.eol})
	src := rewriter.Source{Reader: io.MultiReader(start, q), Charset: charset, At: q.at, Document: doc}
	result, err := w.html.Splice(s, src, inner.base.URL)
	if w.err = err; !w.failed() {
		q.pass(w, s.finish())
		if w.hooks.trace != nil {
			w.hooks.trace(h.encoding(), doc.Offset, w.in.off)
		}
		if s.hasChanged() {
			w.changes++
		}
	}
	doc.Done(result)
	w.result.Add(result)
	if w.hooks.End != nil {
		w.hooks.End(doc)
	}
}
