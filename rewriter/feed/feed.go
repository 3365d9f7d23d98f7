// Package feed rewrites the HTML in feeds: RSS 0.9 to 2.0, RSS 1.0 (RDF), Atom
// 0.3 and 1.0. All else in a feed passes byte for byte.
//
// # Where HTML is
//
// In text, escaped or in CDATA sections or both:
//
//	RSS item     description, content:encoded, itunes:summary
//	Atom 1.0     title, summary, content, rights, subtitle with type="html";
//	             content with type="text/html"
//	Atom 0.3     title, summary, content, copyright, tagline, info with
//	             mode="escaped" and an HTML type
//	Media RSS    media:title, media:description, media:text with type="html"
//
// As elements:
//
//	Atom 1.0     the same with type="xhtml"; content with
//	             type="application/xhtml+xml"
//	Atom 0.3     the same with mode="xml" and an HTML type
//	RSS item     elements of XHTML, such as xhtml:body
//
// The title of an RSS item and the description of a channel are plain text.
// Elements are known by their namespaces, and by the usual prefixes where a feed
// does not declare them.
//
// # The base
//
// Each document is encapsulated in its entry (RFC 1808 §3.2). Its outer base is
// the first of these that there is; a BASE in it goes before it:
//
//	1  xml:base in scope     of the element itself, else of the nearest around it,
//	                         each resolved against the next (XML Base §4)
//	2  the entry's link      RSS link; Atom link with rel="alternate" or none;
//	                         the first of them
//	3  the item's rdf:about
//	4  the feed's link       as 2 and 3, of the channel or Atom feed
//	5  the feed's own URL    the outer base of Rewrite
//
// A relative xml:base or link is itself resolved against the xml:base around
// it, else against the feed's own URL. One that gives no base, such as mailto:,
// does not count, and Warn is told. The place of a link among the elements does
// not matter: an entry is held to its end, and the beginning of a feed until
// its link is found or an entry begins, up to Hold bytes.
//
// # What is written
//
// In text "&", "<", ">" and the like are written as XML references, in a CDATA
// section as they are; in attributes of elements as in HTML. A feed that was
// well-formed stays so. Entities of a document type declaration are never
// expanded. A URL with one in its middle, or with a comment, stays, and Warn is
// told. In XHTML, elements that have an xml:base of their own are documents of
// their own; comments are none, also with [rewriter.Comments].
//
// A feed in UTF-16, UTF-32 or ISO-2022-JP passes as it is, and Warn is told.
package feed

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"absolink/resolver"
	"absolink/rewriter"
)

// A Rewriter rewrites the HTML in feeds. The zero value is ready to use. Its
// fields must not change after the first use; Rewrite may be called from any
// number of goroutines.
type Rewriter struct {
	// HTML rewrites the documents. Offsets that its functions see are those of the
	// feed. Of its Hold a document has half for what it takes in the feed and in
	// memory, and a 64th for its HTML. nil is new(rewriter.Rewriter).
	HTML *rewriter.Rewriter

	// Begin and End are told of each HTML document before and after it is
	// rewritten, End also of one in which reading or writing failed; they may be nil.
	Begin, End func(*rewriter.Document)

	// Warn is told of what is wrong with the feed; it may be nil.
	Warn func(offset int64, err error)

	// Hold is how many bytes of an entry are read ahead for its link; 0 is 16 MiB.
	// A link after that does not count, and Warn is told.
	Hold int

	trace func(start, end int64) // of what is replaced
}

const (
	defaultHold   = 16 << 20 // of rewriter.Rewriter too
	defaultMaxTag = 1 << 20  // of that

	// heldPerByte is more than what a byte of a document takes while it is held: a
	// reference in the feed, and a piece.
	heldPerByte = 32
)

// errHold is of an entry, or the beginning of a feed, that is longer than Hold.
func errHold(limit int64) error {
	return &rewriter.LimitError{Field: "Hold", Limit: limit, Text: "more bytes follow than may be held to look for a link; one after that is no base"}
}

// errTooLong is of a document that takes more bytes than the Hold of HTML leaves
// room for.
func errTooLong(limit int) error {
	return &rewriter.LimitError{Field: "Hold", Limit: int64(limit), Text: "more of this document follows than may be held (Hold of the HTML); it stays as it is from here on"}
}

var (
	errWide    = errors.New("the feed is in an encoding that is not rewritten and stays as it is; convert it to UTF-8")
	errChild   = errors.New("an element stands in the text that is HTML; it and what follows it there stay as they are")
	errEndTag  = errors.New("the end tag closes no element that is open; it is taken for none")
	errBracket = errors.New("\"<\" begins no tag; it is taken for text, write &lt;")
	errEnd     = errors.New("the feed ends before its elements do")
	errRead    = errors.New("reading failed") // as documents have it
	errMiddle  = errors.New("an entity, comment or other markup is in the middle of a URL, which stays as it is")
)

// Rewrite copies src to dst with the documents in it rewritten. Where dst is nil
// nothing is written. outer is the URL of the feed itself, of the profile of
// r.HTML; it may be nil. The counts of the Result are the sums of the documents,
// its Layer is the outer base.
//
// An error that is a [*rewriter.Error] says that reading or writing failed, or
// Visit. What was written is then a prefix of the whole output. With any other error,
// of a negative limit or of an outer base of another profile, nothing was read.
func (r *Rewriter) Rewrite(dst io.Writer, src io.Reader, outer *resolver.Base) (rewriter.Result, error) {
	if err := r.Validate(); err != nil {
		return rewriter.Result{}, err
	}
	html := r.html()
	if outer != nil && outer.Profile() != html.Profile {
		return rewriter.Result{}, fmt.Errorf("feed: outer base of profile %v in a Rewriter of profile %v", outer.Profile(), html.Profile)
	}
	f := run{Rewriter: r, html: html.Clone(), hold: int64(cmp.Or(r.Hold, defaultHold)), htmlHold: cmp.Or(html.Hold, defaultHold)}
	held := f.htmlHold / 2
	f.html.Hold = max(1, held/heldPerByte)
	f.maxHeld = held + 4*cmp.Or(html.MaxTag, defaultMaxTag)
	if outer != nil {
		f.result.Base = rewriter.Base{URL: outer, Source: rewriter.OuterBase}
	}
	f.scan = scanner{src: src, dst: dst, hold: int(f.hold)}
	f.tracker = &tracker{bases: f.html, outer: outer, warn: f.warn}
	f.rewrite()
	f.scan.flush()
	switch {
	case f.scan.writeErr != nil:
		return f.result, f.scan.writeErr
	case f.err != nil && !errors.Is(f.err, errRead):
		return f.result, f.err
	}
	return f.result, f.scan.failure()
}

// html returns what rewrites the documents.
func (r *Rewriter) html() *rewriter.Rewriter {
	if r.HTML == nil {
		return new(rewriter.Rewriter)
	}
	return r.HTML
}

// Validate reports what is wrong with the fields: a negative limit, or what
// [rewriter.Rewriter.Validate] reports of HTML. Rewrite returns the same error.
func (r *Rewriter) Validate() error {
	if r.Hold < 0 {
		return fmt.Errorf("feed: Rewriter.Hold is %d; it takes 0, which is 16 MiB, or more", r.Hold)
	}
	if err := r.html().Validate(); err != nil {
		return fmt.Errorf("feed: HTML: %w", err)
	}
	return nil
}

// A run is overridden one feed.
type run struct {
	*Rewriter
	html     *rewriter.Rewriter
	hold     int64 // Hold of the Rewriter
	htmlHold int   // Hold of its HTML
	maxHeld  int   // of a document, in bytes of the feed and of memory for its pieces
	scan     scanner
	tracker  *tracker
	charset  string
	isUTF8   bool
	decoded  []byte

	// What was found by reading ahead.
	feed, entry, about rewriter.Base
	inEntry            int // its depth; 0 is none

	malformed bool // Warn has been told of what is malformed here
	result    rewriter.Result
	err       error
}

func (f *run) warn(offset int64, err error) {
	f.result.Warnings++
	if f.Warn != nil {
		f.Warn(offset, err)
	}
}

// warnMalformed tells Warn where markup begins that is malformed. All of it up to the
// next tag that opens or closes an element has one warning.
func (f *run) warnMalformed(offset int64, err error) {
	if !f.malformed {
		f.malformed = true
		f.warn(offset, err)
	}
}

func (f *run) failed() bool { return f.err != nil || f.scan.writeErr != nil }

// rewrite goes overridden the feed.
func (f *run) rewrite() {
	if !f.readEncoding() {
		f.copy()
		return
	}
	for !f.failed() {
		switch t := f.scan.peek(); t.kind {
		case ending:
			if f.scan.failure() == nil && (f.tracker.depth() > 0 || f.scan.in != inContent) {
				f.warn(f.scan.pos, errEnd)
			}
			f.scan.pass(f.scan.pos)
			return
		case startTag:
			f.start(t)
		default:
			f.take(f.tracker, t)
		}
	}
}

// copy passes the feed as it is.
func (f *run) copy() {
	for f.scan.has(1) && !f.failed() {
		f.scan.pos = f.scan.limit()
	}
	f.scan.pass(f.scan.limit())
}

// start goes on at a start tag: what is in its element may be HTML.
func (f *run) start(t token) {
	f.malformed = false
	tag := f.scan.bytes(t.start, t.end)
	el := f.tracker.read(tag, t.start)
	form := f.formOf(el)
	if form == elements && el.voc == xhtml {
		f.tracker.leave(el)
		f.documents(elements, f.tracker.depth(), true)
		return
	}
	f.scan.take()
	empty := isEmptyElement(tag)
	f.tracker.open(el)
	if empty {
		f.tracker.close(f.tracker.depth() - 1)
		return
	}
	switch {
	case el.role == feedRole:
		f.feed = f.ahead((*tracker).knowsFeed).feed
	case el.role == entryRole:
		f.inEntry = f.tracker.depth()
		found := f.ahead(func(t *tracker) bool { return t.depth() < f.inEntry })
		f.entry, f.about = found.entry, found.about
	}
	if form != plain {
		f.documents(form, f.tracker.depth(), false)
	}
}

// take takes a token for what it is to a tracker.
func (f *run) take(t *tracker, tok token) {
	b := f.scan.bytes(tok.start, tok.end)
	f.scan.take()
	var bad error
	switch tok.kind {
	case text:
		if t.top().role == linkRole {
			f.decoded = appendDecoded(f.decoded[:0], b)
			t.characters(f.decoded)
		}
	case cdataText:
		t.characters(b)
	case startTag:
		el := t.read(b, tok.start)
		t.open(el)
		if isEmptyElement(b) {
			t.close(t.depth() - 1)
		}
	case endTag:
		if i := t.match(b); i >= 0 {
			t.close(i)
		} else {
			bad = errEndTag
		}
	case stray:
		bad = errBracket
	}
	switch {
	case t != f.tracker:
		return
	case bad != nil:
		f.warnMalformed(tok.start, bad)
	case tok.kind == startTag || tok.kind == endTag:
		f.malformed = false
	}
	if t.depth() < f.inEntry {
		f.inEntry = 0
	}
}

// ahead reads ahead until enough is known, and returns what is.
func (f *run) ahead(enough func(*tracker) bool) *tracker {
	t := f.tracker.fork()
	start := f.scan.pos
	f.scan.pass(start)
	f.scan.held = true
	for !enough(t) && !f.failed() {
		tok := f.scan.peek()
		if tok.kind == ending {
			if f.scan.failure() != nil {
				f.err = errRead // what is written may depend on what is missing
			}
			break
		}
		if tok.end-start > f.hold {
			f.warn(start, errHold(f.hold))
			break
		}
		f.take(t, tok)
	}
	f.scan.held = false
	f.scan.rewind(start)
	return t
}

// knowsFeed reports whether nothing can follow that makes another link the
// feed's.
func (t *tracker) knowsFeed() bool {
	in := t.top().role
	return in == entryRole || in == noRole && len(t.stack) == 0 || in == root || t.feed.URL != nil && t.feed.Name != "rdf:about"
}

// layers returns the base URL of a document, and the one that it has without
// that. base is the xml:base in scope.
func (f *run) outerBases(base rewriter.Base) (outer, overridden rewriter.Base) {
	feed := f.feed
	if feed.URL == nil {
		feed = f.tracker.feed
	}
	candidates := []rewriter.Base{base}
	if f.inEntry > 0 {
		candidates = append(candidates, f.entry, f.about)
	}
	candidates = append(candidates, feed, f.result.Base)
	for _, c := range candidates {
		switch {
		case c.URL == nil:
		case outer.URL == nil:
			outer = c
		case overridden.URL == nil:
			overridden = c
		}
	}
	return outer, overridden
}

// documents rewrites the documents up to the end of an element: what is left at
// depth. once is for one that is an element.
func (f *run) documents(form form, depth int, once bool) {
	for !f.failed() {
		f.scan.skipSpace()
		t := f.scan.peek()
		base := f.tracker.top().base
		switch t.kind {
		case ending:
			return
		case markup:
			f.scan.take()
			continue
		case endTag:
			if i := f.tracker.match(f.scan.bytes(t.start, t.end)); i >= 0 && i < depth {
				return
			}
		case startTag:
			if form == escaped {
				f.warn(t.start, errChild)
				return
			}
			el := f.tracker.read(f.scan.bytes(t.start, t.end), t.start)
			f.tracker.leave(el)
			base = el.base
		}
		if !f.document(form, depth, base) {
			f.skip(depth)
			return
		}
		if once && f.tracker.depth() <= depth || form == escaped && f.scan.peek().kind == endTag {
			return
		}
	}
}

// skip passes what is left at depth.
func (f *run) skip(depth int) {
	for !f.failed() {
		t := f.scan.peek()
		if t.kind == ending {
			return
		}
		if t.kind == endTag {
			if i := f.tracker.match(f.scan.bytes(t.start, t.end)); i >= 0 && i < depth {
				return
			}
		}
		f.take(f.tracker, t)
	}
}

// document rewrites one document, and reports whether that is whole. base is the
// xml:base in scope.
func (f *run) document(form form, depth int, base rewriter.Base) (whole bool) {
	doc := &rewriter.Document{Offset: f.scan.pos}
	if t := f.scan.peek(); t.kind == cdataOpen {
		doc.Offset = t.end
	}
	doc.Outer, doc.Overridden = f.outerBases(base)
	if f.Begin != nil {
		f.Begin(doc)
	}
	f.scan.pass(f.scan.pos)
	f.scan.held = true
	d := &document{run: f, form: form, depth: depth, fresh: true, start: f.scan.pos}
	result, err := f.html.Splice(d, rewriter.Source{Reader: d, Charset: f.charset, At: d.at, Document: doc}, doc.Outer.URL)
	d.endPut()
	f.scan.held = false
	result.Rewritten -= d.stayed
	result.Left += d.stayed
	doc.Done(result)
	f.result.Add(result)
	if err != nil && f.err == nil {
		f.err = err
	}
	if f.End != nil {
		f.End(doc)
	}
	return !d.tooLong
}
