package mail

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"absolink/internal/media"
	"absolink/internal/passage"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// A walk is one pass over an input: one that rewrites it, or one that only looks for
// the names of parts.
type walk struct {
	options *Rewriter
	bases   *rewriter.Rewriter // parses base URLs
	html    *rewriter.Rewriter // rewrites documents; nil if the walk only looks for names
	names   *names

	in  input
	out passage.Output

	maxHeader, maxDepth int
	maxRaw              int                  // how many encoded bytes of an HTML part may be held
	errHeld             *rewriter.LimitError // where there are more

	message, part int64 // the offsets of the message and the part that are being read
	changes       int   // HTML parts that have changed
	cutAt         int64 // the offset at which the input ended inside a multipart
	toldHold      bool  // Warn was told of a name that came too late
	top           int64 // the offset of the message that is being read and is in no other
	last          int64 // the offset of the last entity whose header was read
	template      template
	result        rewriter.Result
	err           error
}

func (w *walk) warn(offset int64, err error) {
	if w.html == nil {
		return
	}
	w.result.Warnings++
	container.Warn(w.html, offset, err)
}

// failed reports whether the walk has to stop.
func (w *walk) failed() bool { return w.err != nil || w.in.Err() != nil || w.out.Err() != nil }

// messages reads one message, or all messages of an mbox file, and returns the error
// that ended the walk.
func (w *walk) messages(outer *resolver.Base) error {
	in := &w.in
	in.atLine, in.afterBlank = true, true
	line, whole := in.line(in.buf)
	for ; !whole; line, whole = in.line(in.buf) {
		if !in.fill() && in.Err() != nil {
			break
		}
	}
	in.mbox = isFrom(line)
	var top scope
	if outer != nil {
		top.base = rewriter.Base{URL: outer, Source: rewriter.OuterBase}
	}
	for !w.failed() {
		top.message, w.top = in.off, in.off
		w.entity(top, "text/plain")
		if in.found.level == atEOF {
			break
		}
		in.pass(in.found.lead)
	}
	if in.Err() != nil {
		in.pass(len(in.buf)) // a line that was cut short
	}
	w.out.Flush()
	return cmp.Or(in.Err(), w.out.Err(), w.err)
}

// What Warn is told of entities that stay as they are, or have no end.
var (
	errSigned   = errors.New("a change would break its signature; it stays as it is")
	errSealed   = errors.New("it is encrypted, or signed as a whole; it stays as it is")
	errBoundary = errors.New("multipart without a boundary; it stays as it is")
	errOpen     = errors.New("the multipart has no closing boundary")
	errEncoded  = errors.New("a message in a transfer encoding, which RFC 2046 §5.2.1 forbids; it stays as it is")
)

// messageHTTP holds a request or response of HTTP, with its start line (RFC 9112 §10.1).
const messageHTTP = "message/http"

// messageTypes are the types of RFC 1808 §3.2, message/*, that hold a whole message: a header
// and a body. The others hold a part of one, the header of one, or a report.
var messageTypes = []string{"message/rfc822", "message/global", "message/news", messageHTTP}

// errMaxDepth is for an entity that is nested deeper than MaxDepth.
func errMaxDepth(limit int) error {
	return &rewriter.LimitError{Field: "MaxDepth", Limit: int64(limit), Text: "entities are nested deeper than may be followed (MaxDepth); this one stays as it is"}
}

// entity reads an entity up to its end, which in.found then describes. byDefault is its
// media type if its header gives none.
func (w *walk) entity(outer scope, byDefault string) {
	in := &w.in
	h, ok := w.readHeader(outer.http)
	if !ok {
		w.warn(h.offset, errMaxHeader(w.maxHeader))
		if in.afterBlank = false; !w.leaves(outer) { // its own first line does not begin another message
			in.passBody()
		}
		return
	}
	w.last = h.offset
	if in.Err() != nil { // its header may go on
		return
	}
	before := w.changes
	w.content(&h, outer, byDefault)
	if w.changes > before {
		w.warnOfChange(&h)
	}
}

// content reads the body of an entity.
func (w *walk) content(h *header, outer scope, byDefault string) {
	in := &w.in
	mediaType, params := h.contentType(byDefault)
	kind, _, _ := strings.Cut(mediaType, "/")
	outer.attached = outer.attached || h.isAttachment()
	switch {
	case mediaType == "multipart/signed":
		w.warn(h.offset, fmt.Errorf("%s: %w", mediaType, errSigned))
	case mediaType == "multipart/encrypted", mediaType == "application/pkcs7-mime", mediaType == "application/x-pkcs7-mime":
		w.warn(h.offset, fmt.Errorf("%s: %w", mediaType, errSealed))
	case kind == "multipart", slices.Contains(messageTypes, mediaType):
		inner, encoding := w.enter(h, outer), h.encoding()
		h.fields = nil // otherwise one header would be held for each level of nesting
		switch {
		case inner.depth > w.maxDepth:
			w.warn(h.offset, errMaxDepth(w.maxDepth))
		case kind == "multipart":
			inner.http = false
			w.multipart(h, inner, params["boundary"], mediaType == "multipart/digest")
			return
		case !slices.Contains([]string{"7bit", "8bit", "binary"}, encoding):
			w.warn(h.offset, errEncoded)
		default:
			inner.message, inner.http = in.off, mediaType == messageHTTP
			w.entity(inner, "text/plain")
			return
		}
	case w.leaves(outer):
		return
	default:
		if w.html == nil || h.offset >= w.names.horizon {
			w.name(h, outer)
		}
		if w.html != nil && media.IsHTMLType(mediaType) && (w.options.Attachments || !outer.attached) {
			w.document(h, outer, params["charset"])
		}
	}
	in.passBody()
}

// leaves ends the search for names if there cannot be any: the input is one message
// without parts. It reports whether the search has ended.
func (w *walk) leaves(outer scope) bool {
	if w.html == nil && outer.depth == 0 && !w.in.mbox {
		w.err = errStop
	}
	return w.err == errStop
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
	in.passBody() // up to the first part
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
		if in.found.level != atEOF || w.cutAt != in.off { // only the innermost multipart warns that the input has ended
			w.warn(h.offset, errOpen)
			w.cutAt = in.off
		}
		return
	}
	in.pass(in.found.lead + in.found.line)
	in.passBody() // after the last part
}

// warnOfChange warns of the header fields of an entity that a change in it has made
// wrong, once for each name.
func (w *walk) warnOfChange(h *header) {
	for _, name := range brokenFields {
		for _, f := range h.broken {
			if f.name == name {
				w.warn(f.offset, fmt.Errorf("%s no longer fits: what it speaks of has changed", name))
			}
		}
	}
}

// document rewrites an HTML part, if its transfer encoding is known and it is not signed.
func (w *walk) document(h *header, outer scope, charset string) {
	c, splicer := codingOf(h.encoding())
	if c == nil {
		w.warn(h.offset, fmt.Errorf("HTML in the unknown transfer encoding %.40q; it stays as it is", h.encoding()))
		return
	}
	if name, coding := h.httpCoding(); outer.http && coding != "" {
		w.warn(h.offset, fmt.Errorf("HTML in the %s %.40q; it stays as it is", name, coding))
		return
	}
	inner, location := w.enter(h, outer), w.location(h, outer.base.URL)
	at := w.in.off
	q := newQueue(&w.in, c, w.maxRaw)
	start, err := q.start()
	if err != nil { // whether it is signed is not known
		w.out.Stop()
		return
	}
	if isSigned(start) {
		w.warn(h.offset, errInline)
		for !q.isSpliced() {
			w.out.Put(q.next())
		}
		return
	}
	doc := &rewriter.Document{Name: location, Offset: at, Outer: inner.base, Overridden: inner.overridden}
	container.Begin(w.html, doc)
	w.message, w.part = outer.message, h.offset
	s := splicer(splice{walk: w, queue: q, eol: h.eol})
	src := rewriter.Source{Reader: w.watch(io.MultiReader(bytes.NewReader(start), q)), Charset: charset, At: q.at, Document: doc}
	result, err := w.html.Splice(s, src, inner.base.URL)
	if w.err = err; errors.Is(err, w.names.err) { // Visit met a reference to what may be a part
		w.err = w.names.err
	}
	if !w.failed() {
		q.pass(w, s.finish())
		if w.options.trace != nil {
			w.options.trace(h.encoding(), doc.Offset, w.in.off)
		}
		if q.changed {
			w.changes++
		}
	}
	if w.failed() {
		w.out.Stop()
	}
	w.warnOfComments(h)
	w.result.Add(result)
	container.Done(w.html, doc, result)
}
