package feed

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/encoding"

	"absolink/internal/passage"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/internal/syntax"
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

	typ, mode, rel string // attributes
	link           link   // rdf:about, or the href of an Atom link
	triedBase      bool   // it has an xml:base, whether or not that gives a base
	offset         int64  // of its tag
}

// A link is a URL that may give a base.
type link struct {
	ref    string
	err    error // why ref is not known
	offset int64 // in the feed
}

// A tracker follows tokens. It knows which elements are open, what their names mean, and
// the bases that the feed has given so far. A copy made by fork follows other tokens
// without changing the original.
type tracker struct {
	bases     *rewriter.Rewriter // parses base URLs
	outer     *resolver.Base     // the feed's own URL
	encoding  encoding.Encoding  // of the feed; nil is UTF-8
	stack     []element          // the open elements, the outermost first
	deeper    int                // how many elements are open inside the last of stack
	toldDepth bool               // Warn was told of errDepth
	bindings  []binding
	plain     vocabulary // of names in no namespace, by the first element

	dtd         dtd   // what the document type declaration says
	toldDefault bool  // Warn was told of errDefault
	told        int64 // the offset of what Warn was told of last

	feed, entry, about rewriter.Base // the feed's link; the link and rdf:about of the open entry
	text               []byte        // of the open link
	textRest           []byte        // the start of a character, at the end of what was read
	textErr            error         // why it is not known

	warn func(offset int64, err error)
}

// fork returns a copy that warns of nothing.
func (t *tracker) fork() *tracker {
	c := *t
	c.stack = t.stack[:len(t.stack):len(t.stack)]
	c.bindings = t.bindings[:len(t.bindings):len(t.bindings)]
	c.text, c.textRest = nil, nil
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
	prefix, local, ok := strings.Cut(el.name, ":")
	if !ok {
		prefix, local = "", el.name
	}
	el.voc, el.local = t.vocabulary(prefix), local
	if el.voc == noNamespace {
		if len(t.stack) == 0 {
			switch t.plain = rss; el.local {
			case "feed", "entry":
				t.plain = atom
			case "urlset", "sitemapindex":
				t.plain = sitemap
			}
		}
		el.voc = t.plain
	}
	t.roleOf(&el)
	attributes(tag, func(a attribute) { t.attribute(&el, a) })
	if t.dtd.hasBase && !el.triedBase {
		t.defaultBase(&el)
	}
	return el
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
	raw := a.value[:min(len(a.value), maxTag/8)] // what is longer than this is not a base URL
	value := func() string {
		b, _ := inUTF8(t.encoding, raw, true)
		return strings.Trim(string(appendDecoded(nil, b)), space)
	}
	url := func() link {
		l := link{ref: withoutControls(value()), offset: el.offset + int64(a.offset)}
		if hasEntity(raw) {
			l.err = errEntity
		}
		return l
	}
	prefix, local, _ := strings.Cut(name, ":")
	isLink := (el.voc == atom || el.voc == oldAtom) && el.local == "link"
	switch {
	case name == "type" && len(a.value) <= maxName:
		el.typ = strings.ToLower(value())
	case name == "mode" && len(a.value) <= maxName:
		el.mode = strings.ToLower(value())
	case local == "base" && !el.triedBase && t.vocabulary(prefix) == xmlNames:
		el.triedBase = true
		t.setBase(el, url())
	case local == "about" && el.voc == rss && el.link.ref == "" && t.vocabulary(prefix) == rdf:
		el.link = url()
	case name == "href" && isLink && el.link.ref == "":
		el.link = url()
	case name == "rel" && isLink && el.rel == "":
		el.rel = value()
	}
}

var (
	errDepth   = errors.New("its element is more than 256 elements deep")
	errEntity  = errors.New("it has an entity, and entities are not expanded")
	errDefault = errors.New("the document type declaration may give it, and is not read")
)

// setBase sets the base of an element that has an xml:base (XML Base §4.2).
func (t *tracker) setBase(el *element, l link) {
	if len(t.stack) == maxDepth {
		if !t.toldDepth {
			t.toldDepth = true
			t.warn(l.offset, &baseError{"xml:base", errDepth, false})
		}
		return
	}
	if b := t.join("xml:base", el.base, l); exists(b) {
		el.base, el.hasBase = b, true
	}
}

// defaultBase sets the base of an element that has no xml:base, if it may have one by
// default.
func (t *tracker) defaultBase(el *element) {
	if !t.toldDefault {
		t.toldDefault = true
		t.warn(el.offset, &baseError{"xml:base", errDefault, true})
	}
	el.base = rewriter.Base{Source: rewriter.EntityBase, Name: "xml:base", Offset: el.offset}
}

// A baseError says which xml:base or link of a feed gives no base, and why.
type baseError struct {
	what  string
	err   error
	stays bool // the links that need it stay; otherwise it does not count
}

func (e *baseError) Error() string {
	if e.stays {
		return e.what + " gives no base URL, and links that need it stay: " + e.err.Error()
	}
	return e.what + " gives no base URL and does not count: " + e.err.Error()
}

func (e *baseError) Unwrap() error { return e.err }

// exists reports whether there is a base, even if its URL is not known. A base that exists
// comes before those further out, so that links stay which depend on one without a URL.
func exists(b rewriter.Base) bool { return b.Source != rewriter.NoBase }

// join returns the base that a link gives on the xml:base in scope, or on the feed's own
// URL where there is none. What cannot be a base gives none; the base has no URL if the link
// has no absolute form, or is not known. Every base that comes from a feed is made here, and
// name is for Warn.
func (t *tracker) join(name string, scope rewriter.Base, l link) rewriter.Base {
	around := t.outer
	if exists(scope) {
		around = scope.URL
	}
	ref, b, err := []byte(withoutNUL(l.ref)), (*resolver.Base)(nil), l.err
	switch {
	case err != nil:
	case syntax.IsDangling(ref):
		err = rewriter.ErrDangling
	default:
		b, err = t.bases.ParseBaseOn(around, string(syntax.TrimURL(ref))) // the base that it is once it is written
	}
	if err == nil && b.IsOpaque() {
		err = &resolver.Error{Profile: t.bases.Profile(), Base: b.String(), Err: resolver.ErrOpaqueBase}
	}
	switch {
	case errors.Is(err, rewriter.ErrCredentials):
		t.tell(l.offset, fmt.Errorf("%s: %w", name, err))
	case errors.Is(err, resolver.ErrOpaqueBase), errors.Is(err, rewriter.ErrScriptBase), errors.Is(err, rewriter.ErrLongBase):
		t.tell(l.offset, &baseError{name, err, false})
		return rewriter.Base{}
	case err != nil:
		b = nil
		if around != nil || !exists(scope) && !errors.Is(err, resolver.ErrNotAbsolute) { // otherwise Warn was told of scope, or Unresolvable is of the link
			t.tell(l.offset, &baseError{name, err, true})
		}
	}
	return rewriter.Base{URL: b, Source: rewriter.EntityBase, Name: name, Offset: l.offset}
}

// tell warns, unless the tag at offset is read again.
func (t *tracker) tell(offset int64, err error) {
	if offset != t.told {
		t.told = offset
		t.warn(offset, err)
	}
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
	held.link, held.rel = link{}, ""
	switch {
	case el.role == entryRole:
		t.entry, t.about = rewriter.Base{}, rewriter.Base{}
		t.setLink(&t.about, "rdf:about", el, el.link)
	case el.role == feedRole:
		t.setLink(&t.feed, "rdf:about", el, el.link)
	case el.role == linkRole:
		t.text, t.textRest, t.textErr = t.text[:0], nil, nil
	case (el.voc == atom || el.voc == oldAtom) && el.local == "link" && slices.Contains(alternate, strings.ToLower(el.rel)):
		t.setParentLink(parent, el, el.link)
	}
}

// alternate has the rels of links that lead to the page that their parent describes (RFC 4287
// §4.2.7.2).
var alternate = []string{"", "alternate", "http://www.iana.org/assignments/relation/alternate"}

// setParentLink sets the link of the entry or feed that el stands in, unless an earlier one
// counts: the first that gives a base.
func (t *tracker) setParentLink(parent, el element, l link) {
	switch {
	case parent.role == entryRole && t.entry.URL == nil:
		t.setLink(&t.entry, "entry link", el, l)
	case parent.role == feedRole && (t.feed.URL == nil || t.feed.Name == "rdf:about"):
		t.setLink(&t.feed, "feed link", el, l)
	}
}

// setLink sets the base that the link of an element gives, unless the link is empty.
func (t *tracker) setLink(base *rewriter.Base, name string, el element, l link) {
	if l.ref == "" {
		return
	}
	if b := t.join(name, el.base, l); exists(b) {
		*base = b
	}
}

// endCharacters ends a run of text, whose last character may lack its end.
func (t *tracker) endCharacters() {
	if len(t.textRest) > 0 {
		b, _ := inUTF8(t.encoding, t.textRest, true)
		t.text, t.textRest = append(t.text, b...), nil
	}
}

// characters adds text of the innermost element, if that is a link. escaped says that
// references in it are to be decoded.
func (t *tracker) characters(b []byte, escaped bool) {
	if t.deeper > 0 || t.top().role != linkRole {
		return
	}
	if len(t.text)+len(b) > rewriter.MaxBase+passage.Size {
		t.textErr = rewriter.ErrLongBase
		return
	}
	if t.encoding != nil {
		b, t.textRest = inUTF8(t.encoding, append(t.textRest, b...), false)
	}
	if !escaped {
		t.text = append(t.text, b...)
		return
	}
	if hasEntity(b) {
		t.textErr = errEntity
	}
	t.text = appendDecoded(t.text, b)
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
			ref := withoutControls(string(t.text))
			t.setParentLink(t.top(), el, link{ref, t.textErr, el.offset})
		}
	}
}

// leave undoes what read did for an element that is not opened.
func (t *tracker) leave(el element) { t.bindings = t.bindings[:el.bindings] }
