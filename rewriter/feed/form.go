package feed

import mediatype "absolink/internal/media"

// A form is how an element holds a document.
type form uint8

const (
	plain    form = iota // it holds none
	escaped              // as text
	elements             // as XHTML
	inBase64             // as text in base64, which stays
	quoted               // as a string of JSON
)

// formOf returns how an element holds a document that is about to be opened. An element
// of XHTML is itself a part of the document.
func (f *run) formOf(el element) form {
	inEntry := f.tracker.top().role == entryRole
	switch local := el.local; {
	case el.voc == rss && inEntry && (local == "description" || local == "fullitem"),
		el.voc == content && local == "encoded",
		el.voc == itunes && inEntry && local == "summary",
		el.voc == media && el.typ == "html" && (local == "title" || local == "description" || local == "text"):
		return escaped
	case el.voc == rss && inEntry && local == "body":
		return f.bodyForm()
	case el.voc == atom:
		return atomForm(el)
	case el.voc == oldAtom:
		return oldAtomForm(el)
	case el.voc == xhtml && f.inEntry > 0:
		return elements
	}
	return plain
}

// bodyForm returns how the body of an RSS item, which is about to be opened, holds a
// document: as elements, if there are any in it.
func (f *run) bodyForm() form {
	first := f.scan.peek()
	if isEmptyElement(f.scan.bytes(first.start, first.end)) {
		return plain
	}
	found := ending
	f.ahead(func(*tracker) bool {
		tok := f.scan.peek()
		if tok.start > first.start && (tok.kind == startTag || tok.kind == endTag) {
			found = tok.kind
		}
		return found != ending
	})
	f.scan.peek()
	if found == startTag {
		return elements
	}
	return escaped
}

// atomForm is formOf for Atom 1.0 (RFC 4287 §3.1, §4.1.3).
func atomForm(el element) form {
	switch el.local {
	case "content":
		switch kind, _ := mediatype.ContentType(el.typ); kind {
		case mediatype.HTML:
			return escaped
		case mediatype.XHTML:
			return elements
		}
	case "title", "summary", "rights", "subtitle":
	default:
		return plain
	}
	switch el.typ {
	case "html":
		return escaped
	case "xhtml":
		return elements
	}
	return plain
}

// oldAtomForm is formOf for Atom 0.3.
func oldAtomForm(el element) form {
	switch el.local {
	case "title", "summary", "content", "copyright", "tagline", "info":
	default:
		return plain
	}
	if kind, _ := mediatype.ContentType(el.typ); !mediatype.IsHTMLType(kind) && el.typ != "html" && el.typ != "xhtml" {
		return plain
	}
	switch el.mode {
	case "escaped":
		return escaped
	case "base64":
		return inBase64
	case "", "xml":
		if el.typ == "html" {
			return escaped // as in Atom 1.0
		}
		return elements
	}
	return plain
}
