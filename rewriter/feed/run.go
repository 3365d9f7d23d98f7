package feed

import (
	"errors"

	"absolink/rewriter"
	"absolink/rewriter/container"
)

// A run is one pass over a feed.
type run struct {
	options *Rewriter
	html    *rewriter.Rewriter
	hold    int64                // Hold of the Rewriter
	maxHeld int                  // of a document: bytes of the feed, and of memory for its pieces
	errHeld *rewriter.LimitError // where there are more
	scan    scanner
	tracker *tracker
	urls    *rewriter.Rewriter // of the URLs of the feed itself
	self    rewriter.Document  // the feed, as the places of these URLs name it
	source  rewriter.Source    // of the feed
	charset string

	// The links that reading ahead has found.
	feed, entry, about rewriter.Base
	inEntry            int // the depth of the open entry; 0 is none

	begun    bool // an element has begun
	warnings warnings
	result   rewriter.Result
}

// Warnings tell Warn what is wrong with a feed.
type warnings struct {
	html      *rewriter.Rewriter // whose Warn is told
	count     int
	malformed bool // Warn was told of the malformed stretch that goes on here
}

func (w *warnings) add(offset int64, err error) {
	w.count++
	container.Warn(w.html, offset, err)
}

// addMalformed warns where malformed markup begins. Everything up to the next tag that
// opens or closes an element is one stretch, and has one warning.
func (w *warnings) addMalformed(offset int64, err error) {
	if !w.malformed {
		w.malformed = true
		w.add(offset, err)
	}
}

// rewrite reads the feed to its end, or to a failure.
func (f *run) rewrite() {
	if !f.readEncoding() {
		f.copy()
		return
	}
	if f.scan.beginsJSON() {
		f.rewriteJSON()
		return
	}
	for !f.scan.failed() {
		switch t := f.scan.peek(); t.kind {
		case ending:
			if f.scan.input.Err() == nil && (f.tracker.depth() > 0 || f.scan.in != inContent) {
				f.warnings.add(f.scan.pos, errEnd)
			}
			f.scan.pass(f.scan.pos)
			return
		case startTag:
			f.begun = true
			f.start(t)
		default:
			if !f.begun {
				f.stylesheet(t)
			}
			f.take(f.tracker, t)
		}
	}
}

func (f *run) copy() {
	for f.scan.has(1) && !f.scan.failed() {
		f.scan.pos = f.scan.limit()
	}
	f.scan.pass(f.scan.limit())
}

// start goes on at a start tag, and rewrites its element if that has HTML in it.
func (f *run) start(t token) {
	f.warnings.malformed = false
	el := f.tracker.read(f.scan.bytes(t.start, t.end), t.start)
	form := f.formOf(el)
	if form == elements && el.voc == xhtml {
		f.tracker.leave(el)
		f.documents(elements, f.tracker.depth(), true)
		return
	}
	tag := f.scan.bytes(t.start, t.end) // which formOf may have moved
	rules := f.tracker.rulesOf(el)
	if rules != nil {
		f.attributePlaces(rules, el, tag, t.start)
	}
	f.scan.take()
	empty := isEmptyElement(tag)
	f.tracker.open(el)
	if empty {
		f.tracker.close(f.tracker.depth() - 1)
		return
	}
	switch {
	case f.options.IgnoreLinks:
	case el.role == feedRole:
		f.feed = f.ahead((*tracker).knowsFeed).feed
	case el.role == entryRole:
		f.inEntry = f.tracker.depth()
		found := f.ahead(func(t *tracker) bool { return t.depth() < f.inEntry })
		f.entry, f.about = found.entry, found.about
	}
	switch rule := rules[""]; {
	case form == inBase64:
		f.warnings.add(t.start, errBase64)
	case form != plain:
		f.documents(form, f.tracker.depth(), false)
	case rule != nil:
		f.textPlace(el, rule)
	}
}

// take goes past a token, and tells a tracker of it.
func (f *run) take(t *tracker, tok token) {
	b, in := f.scan.bytes(tok.start, tok.end), f.scan.in
	f.scan.take()
	var bad error
	if tok.kind != text && tok.kind != cdataText {
		t.endCharacters()
	}
	switch tok.kind {
	case text, cdataText:
		t.characters(b, tok.kind == text)
	case markup:
		if in == inDoctype {
			t.dtd.read(b)
		}
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
		f.warnings.addMalformed(tok.start, bad)
	case tok.kind == startTag || tok.kind == endTag:
		f.warnings.malformed = false
	}
	if t.depth() < f.inEntry {
		f.inEntry = 0
	}
}

// ahead reads ahead until enough is known, and returns a tracker that knows it. Where
// Hold ends that, Warn is told.
func (f *run) ahead(enough func(*tracker) bool) *tracker {
	t := f.tracker.fork()
	f.lookAhead(func(until int64) error {
		for !enough(t) && !f.scan.failed() {
			tok := f.scan.peek()
			switch {
			case tok.kind == ending:
				return f.scan.input.Err()
			case tok.end > until:
				return errHold(f.hold)
			}
			f.take(t, tok)
		}
		return nil
	})
	return t
}

// lookAhead calls read, which reads up to an offset, and goes back to where read began. If
// read returns the error of the input, the run ends, since what is written may depend on what
// is missing. Warn is told of any other error.
func (f *run) lookAhead(read func(until int64) error) {
	start := f.scan.pos
	f.scan.pass(start)
	f.scan.held = inWindow
	switch err := read(start + f.hold); {
	case err == nil:
	case errors.Is(err, f.scan.input.Err()):
		f.scan.fail(errRead)
	default:
		f.warnings.add(start, err)
	}
	f.scan.held = notHeld
	f.scan.rewind(start)
}

// knowsFeed reports whether the feed's link is known for good: nothing that follows can
// take its place.
func (t *tracker) knowsFeed() bool {
	in := t.top().role
	return in == entryRole || in == noRole && len(t.stack) == 0 || in == root || t.feed.URL != nil && t.feed.Name != "rdf:about"
}

// outerBases returns the outer base of a document, which is the first that exists, and the
// base that it would have without that. base is the xml:base in scope.
func (f *run) outerBases(base rewriter.Base) (outer, overridden rewriter.Base) {
	feed := f.feed
	if !exists(feed) {
		feed = f.tracker.feed
	}
	candidates := []rewriter.Base{base}
	if f.inEntry > 0 && !f.options.IgnoreLinks {
		candidates = append(candidates, f.entry, f.about)
	}
	if !f.options.IgnoreLinks || feed.Name == "feed_url" { // of a JSON Feed, which has no other URL
		candidates = append(candidates, feed)
	}
	for _, b := range append(candidates, f.result.Base) {
		switch {
		case outer.URL == nil && exists(b):
			if outer = b; b.URL == nil {
				return rewriter.Base{}, overridden
			}
		case b.URL != nil:
			return outer, b
		}
	}
	return outer, overridden
}

// documents rewrites the documents up to the end of the element at depth. once says that
// there is one document, which is an element itself.
func (f *run) documents(form form, depth int, once bool) {
	for !f.scan.failed() {
		f.scan.skipSpace()
		t := f.scan.peek()
		if f.ends(t, depth) {
			return
		}
		base := f.tracker.top().base
		switch t.kind {
		case markup:
			f.scan.take()
			continue
		case startTag:
			if form == escaped {
				f.warnings.add(t.start, errChild)
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

// skip goes past what is left of the element at depth.
func (f *run) skip(depth int) {
	for !f.scan.failed() {
		t := f.scan.peek()
		if f.ends(t, depth) {
			return
		}
		f.take(f.tracker, t)
	}
}

// ends reports whether a token ends the element at depth.
func (f *run) ends(t token, depth int) bool {
	if t.kind != endTag {
		return t.kind == ending
	}
	i := f.tracker.match(f.scan.bytes(t.start, t.end))
	return i >= 0 && i < depth
}

// document rewrites one document, and reports whether all of it could be. base is the
// xml:base in scope.
func (f *run) document(form form, depth int, base rewriter.Base) (whole bool) {
	at := f.scan.pos
	if form != quoted && f.scan.peek().kind == cdataOpen {
		at = f.scan.peek().end
	}
	f.scan.pass(f.scan.pos)
	f.scan.held = inTrail
	d, doc := f.newDocument(form, depth), &rewriter.Document{Offset: at}
	doc.Outer, doc.Overridden = f.outerBases(base)
	container.Begin(f.html, doc)
	src := rewriter.Source{Reader: d, Charset: f.charset, Decoded: f.source.Decoded, At: d.at, Document: doc}
	result, err := f.html.Splice(d, src, doc.Outer.URL)
	if err != nil && f.scan.failure == nil {
		f.scan.fail(err)
	}
	f.scan.held = notHeld
	result.Rewritten -= d.stayed
	result.Left += d.stayed
	container.Done(f.html, doc, result)
	f.result.Add(result)
	return !d.tooLong
}
