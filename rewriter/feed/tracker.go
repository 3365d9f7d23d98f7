package feed

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"absolink/internal/passage"
	"absolink/resolver"
	"absolink/rewriter"
)

const (
	maxDepth    = 256 // deeper elements are only counted
	maxName     = 256 // a longer name is cut
	maxBindings = 128 // further ones do not count
)

// A role is what an element means for bases.
type role uint8

const (
	noRole role = iota
	root
	feedRole // an Atom feed or RSS channel
	entryRole
	linkRole // an RSS link, whose text is a URL
)

// An element is one that is open, or about to be.
type element struct {
	name     string // as it is written
	voc      vocabulary
	local    string // the local part of name
	role     role
	base     rewriter.Base // the xml:base in scope
	hasBase  bool          // base is its own
	bindings int           // how many there are around it

	typ, mode string // attributes
	about     string // rdf:about
	href, rel string // of an Atom link
	triedBase bool   // it has an xml:base, whether or not that gives a base
	offset    int64  // of its tag
	linkAt    int64  // of rdf:about or href in the feed
}

// A tracker follows tokens. It knows which elements are open, what their names mean, and
// the bases that the feed has given so far. A copy made by fork follows other tokens
// without changing the original.
type tracker struct {
	bases     *rewriter.Rewriter // parses base URLs
	outer     *resolver.Base     // the feed's own URL
	stack     []element          // the open elements, the outermost first
	deeper    int                // how many elements are open inside the last of stack
	toldDepth bool               // Warn was told of errDepth
	bindings  []binding
	plain     vocabulary // of names in no namespace

	feed, entry, about rewriter.Base // the feed's link; the link and rdf:about of the open entry
	link               []byte        // the text of the open link
	longLink           bool          // it is too long for a URL

	warn func(offset int64, err error)
}

// fork returns a copy that warns of nothing.
func (t *tracker) fork() *tracker {
	c := *t
	c.stack = t.stack[:len(t.stack):len(t.stack)]
	c.bindings = t.bindings[:len(t.bindings):len(t.bindings)]
	c.link = nil
	c.warn = func(int64, error) {}
	return &c
}

// depth returns how many elements are open.
func (t *tracker) depth() int { return len(t.stack) + t.deeper }

// top returns the innermost open element; the zero element where none is open.
func (t *tracker) top() element {
	if len(t.stack) == 0 {
		return element{}
	}
	return t.stack[len(t.stack)-1]
}

// read returns the element that a start tag at an offset in the feed opens. Its prefixes
// are bound until leave or close.
func (t *tracker) read(tag []byte, offset int64) element {
	el := element{name: cutName(tagName(tag)), base: t.top().base, bindings: len(t.bindings), offset: offset}
	attributes(tag, func(a attribute) {
		if prefix, ok := xmlnsPrefix(a.name); ok && len(prefix) <= maxName {
			t.bind(string(prefix), a.value)
		}
	})
	el.voc, el.local = t.resolve(el.name)
	if el.voc == noNamespace {
		if len(t.stack) == 0 {
			t.plain = plainVocabulary(el.local)
		}
		el.voc = t.plain
	}
	t.roleOf(&el)
	attributes(tag, func(a attribute) { t.attribute(&el, a) })
	return el
}

// plainVocabulary returns what names in no namespace mean in a feed whose first element
// has this name.
func plainVocabulary(first string) vocabulary {
	switch first {
	case "feed", "entry":
		return atom
	case "urlset", "sitemapindex":
		return sitemap
	}
	return rss
}

// bind binds a prefix to a namespace, unless that changes nothing.
func (t *tracker) bind(prefix string, namespace []byte) {
	if len(t.bindings) == maxBindings {
		return
	}
	voc := vocabularyOf(string(appendDecoded(nil, namespace[:min(len(namespace), rewriter.MaxBase)])))
	if voc != t.vocabulary(prefix) {
		t.bindings = append(t.bindings, binding{prefix, voc})
	}
}

func cutName(name []byte) string { return string(name[:min(len(name), maxName)]) }

// xmlnsPrefix returns the prefix that an attribute binds, if it binds one.
func xmlnsPrefix(name []byte) (prefix []byte, ok bool) {
	if string(name) == "xmlns" {
		return nil, true
	}
	return bytes.CutPrefix(name, []byte("xmlns:"))
}

// attribute sets what an attribute says of its element, if it matters.
func (t *tracker) attribute(el *element, a attribute) {
	name := string(a.name[:min(len(a.name), maxName)])
	value := func() string {
		raw := a.value[:min(len(a.value), maxTag/8)] // what is longer than this is not a base URL
		return strings.Trim(string(appendDecoded(nil, raw)), " \t\r\n")
	}
	prefix, local, _ := strings.Cut(name, ":")
	isLink := (el.voc == atom || el.voc == oldAtom) && el.local == "link"
	switch {
	case name == "type" || name == "mode":
		if len(a.value) > maxName {
			return
		}
		if name == "type" {
			el.typ = strings.ToLower(value())
		} else {
			el.mode = strings.ToLower(value())
		}
	case local == "base" && !el.triedBase && t.vocabulary(prefix) == xmlNames:
		el.triedBase = true
		t.setBase(el, value(), el.offset+int64(a.offset))
	case local == "about" && el.voc == rss && el.about == "" && t.vocabulary(prefix) == rdf:
		el.about, el.linkAt = value(), el.offset+int64(a.offset)
	case name == "href" && isLink && el.href == "":
		el.href, el.linkAt = value(), el.offset+int64(a.offset)
	case name == "rel" && isLink && el.rel == "":
		el.rel = value()
	}
}

var errDepth = errors.New("its element is more than 256 elements deep")

// setBase sets the base of an element that has an xml:base (XML Base §4.2).
func (t *tracker) setBase(el *element, ref string, offset int64) {
	if len(t.stack) == maxDepth {
		if !t.toldDepth {
			t.toldDepth = true
			t.warn(offset, &baseError{"xml:base", errDepth})
		}
		return
	}
	b := t.join("xml:base", el.base, ref, offset)
	if b == nil {
		return
	}
	el.base = rewriter.Base{URL: b, Source: rewriter.EntityBase, Name: "xml:base", Offset: offset}
	el.hasBase = true
}

// A baseError says which xml:base or link of a feed gives no base, and why.
type baseError struct {
	what string
	err  error
}

func (e *baseError) Error() string {
	return e.what + " gives no base URL and does not count: " + e.err.Error()
}

func (e *baseError) Unwrap() error { return e.err }

// join returns the base URL that ref gives on the xml:base in scope, or on the feed's own
// URL where there is none; nil where ref gives no base. name and offset are for Warn.
// Every base that comes from a feed is made here.
func (t *tracker) join(name string, scope rewriter.Base, ref string, offset int64) *resolver.Base {
	b, err := t.bases.ParseBaseOn(cmp.Or(scope.URL, t.outer), ref)
	switch {
	case errors.Is(err, rewriter.ErrCredentials):
		t.warn(offset, fmt.Errorf("%s: %w", name, err))
	case err == nil && b.IsOpaque():
		err = &resolver.Error{Profile: t.bases.Profile, Base: b.String(), Err: resolver.ErrOpaqueBase}
		fallthrough
	case err != nil:
		t.warn(offset, &baseError{name, err})
		return nil
	}
	return b
}

// roleOf sets the role of an element that is about to be opened.
func (t *tracker) roleOf(el *element) {
	if t.deeper > 0 {
		return
	}
	parent := t.top()
	in := parent.role
	isAtom := el.voc == atom || el.voc == oldAtom
	switch {
	case len(t.stack) == 0 && (el.voc == rss && el.local == "rss" || el.voc == rdf && el.local == "RDF"):
		el.role = root
	case isAtom && el.local == "feed" && len(t.stack) == 0, el.voc == rss && el.local == "channel" && in == root:
		el.role = feedRole
	case isAtom && el.local == "entry" && (in == feedRole || len(t.stack) == 0), el.voc == rss && el.local == "item" && (in == feedRole || in == root):
		el.role = entryRole
	case el.voc == rss && el.local == "link" && (in == feedRole || in == entryRole):
		el.role = linkRole
	}
}

// open makes an element the innermost one, until close. If it is an Atom link, or has
// rdf:about, that counts from here on.
func (t *tracker) open(el element) {
	if len(t.stack) == maxDepth {
		t.bindings = t.bindings[:el.bindings]
		t.deeper++
		return
	}
	parent := t.top()
	t.stack = append(t.stack, el)
	held := &t.stack[len(t.stack)-1] // without what is used only here
	held.about, held.href, held.rel = "", "", ""
	switch {
	case el.role == entryRole:
		t.entry, t.about = rewriter.Base{}, rewriter.Base{}
		t.setLink(&t.about, "rdf:about", el, el.about, el.linkAt)
	case el.role == feedRole:
		t.setLink(&t.feed, "rdf:about", el, el.about, el.linkAt)
	case el.role == linkRole:
		t.link, t.longLink = t.link[:0], false
	case (el.voc == atom || el.voc == oldAtom) && el.local == "link" && isAlternate(el.rel):
		t.setParentLink(parent, el, el.href, el.linkAt)
	}
}

// isAlternate reports whether a link with this rel leads to the page that its parent
// describes (RFC 4287 §4.2.7.2).
func isAlternate(rel string) bool {
	rel = strings.ToLower(rel)
	return rel == "" || rel == "alternate" || rel == "http://www.iana.org/assignments/relation/alternate"
}

// setParentLink sets the link of the entry or feed that el stands in, unless an earlier one
// counts.
func (t *tracker) setParentLink(parent, el element, ref string, offset int64) {
	switch {
	case parent.role == entryRole && t.entry.URL == nil:
		t.setLink(&t.entry, "entry link", el, ref, offset)
	case parent.role == feedRole && (t.feed.URL == nil || t.feed.Name == "rdf:about"):
		t.setLink(&t.feed, "feed link", el, ref, offset)
	}
}

// setLink sets a link to ref, unless ref is empty or gives no base.
func (t *tracker) setLink(link *rewriter.Base, name string, el element, ref string, offset int64) {
	if ref == "" {
		return
	}
	b := t.join(name, el.base, ref, offset)
	if b == nil {
		return
	}
	*link = rewriter.Base{URL: b, Source: rewriter.EntityBase, Name: name, Offset: offset}
}

// characters adds decoded text of the innermost element, if that is a link.
func (t *tracker) characters(decoded []byte) {
	switch {
	case t.deeper > 0 || t.top().role != linkRole:
	case len(t.link)+len(decoded) > rewriter.MaxBase+passage.Size:
		t.longLink = true
	default:
		t.link = append(t.link, decoded...)
	}
}

// match returns which of the open elements an end tag closes; -1 is none.
func (t *tracker) match(tag []byte) int {
	if t.deeper > 0 {
		return t.depth() - 1
	}
	name := tagName(tag)
	name = name[:min(len(name), maxName)]
	for i := len(t.stack) - 1; i >= 0; i-- {
		if t.stack[i].name == string(name) {
			return i
		}
	}
	return -1
}

// close closes the open elements from depth on.
func (t *tracker) close(depth int) {
	if t.deeper > 0 {
		t.deeper = max(depth-len(t.stack), 0)
	}
	for len(t.stack) > depth {
		el := t.top()
		t.stack = t.stack[:len(t.stack)-1]
		t.bindings = t.bindings[:el.bindings]
		if el.role == linkRole {
			ref := strings.Trim(string(t.link), " \t\r\n")
			if t.longLink {
				t.warn(el.offset, &baseError{"link", rewriter.ErrLongBase})
				continue
			}
			t.setParentLink(t.top(), el, ref, el.offset)
		}
	}
}

// leave undoes what read did for an element that is not opened.
func (t *tracker) leave(el element) { t.bindings = t.bindings[:el.bindings] }
