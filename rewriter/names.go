package rewriter

import "golang.org/x/net/html/atom"

// A kind says what the HTML Standard's parsing section makes of an element
// name. One name may be several things.
type kind uint16

const (
	void       kind = 1 << iota // no end tag, no content
	special                     // "special" (§13.2.4.2): stops the search of "any other end tag"
	scope                       // ends the "has an element in scope" search
	tableScope                  // ends the "has an element in table scope" search
	tablePart                   // its end tag asks for table scope
	rawText                     // content is raw text, RCDATA, script data or PLAINTEXT
	inHead                      // may stand in the HEAD without ending it
	breakout                    // leaves foreign content
	svgHTML                     // HTML integration point in SVG
	mathText                    // MathML text integration point
	endsAtP                     // its end tag breaks out of foreign content
	foreignAny                  // svg and math: begin foreign content
	noFrameset                  // after its start tag a frameset no longer counts
)

// An element is what is known of a tag's name.
type element struct {
	atom atom.Atom // 0 where the engine has no use for it
	kind kind
	name string // in lower case; "" where the engine does not know it
}

// elements has every name that the engine treats differently from an unknown
// one.
var elements = func() *nameTable[element] {
	kinds := make(map[string]kind)
	var names []string
	for _, set := range []struct {
		kind  kind
		names []string
	}{
		{void, []string{
			"area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "image", "input",
			"keygen", "link", "meta", "param", "source", "track", "wbr",
		}},
		{special, []string{
			"address", "applet", "area", "article", "aside", "base", "basefont", "bgsound", "blockquote", "body",
			"br", "button", "caption", "center", "col", "colgroup", "dd", "details", "dir", "div", "dl", "dt",
			"embed", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3",
			"h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "iframe", "img", "input", "keygen", "li",
			"link", "listing", "main", "marquee", "menu", "meta", "nav", "noembed", "noframes", "noscript",
			"object", "ol", "p", "param", "plaintext", "pre", "script", "search", "section", "select", "source",
			"style", "summary", "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "title",
			"tr", "track", "ul", "wbr", "xmp",
		}},
		{scope, []string{
			"applet", "caption", "html", "table", "td", "th", "marquee", "object", "select", "template",
		}},
		{tableScope, []string{"html", "table", "template"}},
		{tablePart, []string{"caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"}},
		{rawText, []string{
			"title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "script", "plaintext",
		}},
		{inHead, []string{
			"html", "head", "base", "basefont", "bgsound", "link", "meta", "title", "style", "noframes", "script",
			"template", "noscript",
		}},
		{breakout, []string{
			"b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1",
			"h2", "h3", "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol",
			"p", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul",
			"var",
		}},
		{svgHTML, []string{"foreignobject", "desc", "title"}},
		{mathText, []string{"mi", "mo", "mn", "ms", "mtext"}},
		{endsAtP, []string{"br", "p"}},
		{foreignAny, []string{"svg", "math"}},
		{noFrameset, []string{
			"applet", "area", "body", "br", "button", "dd", "dt", "embed", "hr", "iframe", "image", "img", "input",
			"keygen", "li", "listing", "marquee", "object", "pre", "select", "table", "template", "textarea", "wbr",
			"xmp",
		}},
		// The rest are told apart by others, or common in svg, where an end tag
		// of an element outside must not be taken for one of theirs.
		{0, []string{
			"a", "annotation-xml", "circle", "clippath", "defs", "ellipse", "filter", "font", "g", "line",
			"lineargradient", "malignmark", "marker", "mask", "mglyph", "path", "pattern", "polygon", "polyline",
			"radialgradient", "rect", "stop", "switch", "symbol", "text", "textpath", "tspan", "use", "view",
		}},
	} {
		for _, name := range set.names {
			if _, ok := kinds[name]; !ok {
				names = append(names, name)
			}
			kinds[name] |= set.kind
		}
	}
	t := newNameTable[element](len(names))
	for _, name := range names {
		*t.at(name) = element{atom.Lookup([]byte(name)), kinds[name], name}
	}
	return t
}()

// unknown is what is known of other names.
var unknown element

// elementOf returns what is known of a name as it stands in a tag.
func elementOf(hash uint64, name []byte) *element {
	if el := elements.get(hash, name); el != nil {
		return el
	}
	return &unknown
}

// A nameID stands for a name where names are counted. No two names that the
// engine knows have the same.
type nameID uint16

const nameIDs = 1 << 11

func idOf(hash uint64) nameID { return nameID(hash * idMix >> (64 - 11)) }

// lowerName returns a tag's name in lower case.
func lowerName(hash uint64, name []byte) string {
	if el := elements.get(hash, name); el != nil {
		return el.name
	}
	return string(appendLower(nil, name))
}

// A nameTable maps names, of any case, to values.
type nameTable[V any] struct {
	slots  []nameSlot[V]
	shift  uint8
	filter [4]uint64 // a bit for each name, by its hash
}

type nameSlot[V any] struct {
	hash  uint64
	name  string // in lower case; "" is a free slot
	value V
}

// newNameTable returns a table for up to n names.
func newNameTable[V any](n int) *nameTable[V] {
	t := &nameTable[V]{shift: 61}
	for 1<<(64-t.shift) < 3*n {
		t.shift--
	}
	t.slots = make([]nameSlot[V], 1<<(64-t.shift))
	return t
}

// mayHave reports false for most names that have no value.
func (t *nameTable[V]) mayHave(hash uint64) bool {
	bit := hash * hashMix >> (64 - 8)
	return t.filter[bit>>6]>>(bit&63)&1 != 0
}

// get returns the value of a name, nil if it has none.
func (t *nameTable[V]) get(hash uint64, name []byte) *V {
	for i := hash * hashMix >> t.shift; ; i++ {
		s := &t.slots[i&uint64(len(t.slots)-1)]
		if s.hash == hash && len(s.name) == len(name) && (len(name) <= exactHash || equalFold(name, s.name)) {
			return &s.value
		}
		if s.name == "" {
			return nil
		}
	}
}

// at returns the value of a lower-case name to set, and gives it a slot if it
// has none.
func (t *nameTable[V]) at(name string) *V {
	hash := hashName(name)
	i := hash * hashMix >> t.shift
	for {
		s := &t.slots[i&uint64(len(t.slots)-1)]
		if s.name == "" {
			s.hash, s.name = hash, name
			bit := hash * hashMix >> (64 - 8)
			t.filter[bit>>6] |= 1 << (bit & 63)
		}
		if s.name == name {
			return &s.value
		}
		i++
	}
}

// hashMix spreads a hash over its high bits.
const hashMix = 0x9e3779b97f4a7c15

// idMix does so without two names that the engine knows meeting in a nameID.
const idMix = 0x1b943cfc46f57327

// hashName is the hash that the scanner makes of a name as it reads it.
func hashName(name string) uint64 {
	h := uint64(0)
	for i := range len(name) {
		h = addToHash(h, lower(name[i]))
	}
	return h
}

// addToHash adds the next byte of a name, in lower case.
func addToHash(h uint64, c byte) uint64 { return h<<8 ^ h>>56 ^ uint64(c) }

// exactHash is the length up to which names of the same length and hash are
// the same: the hash is the name.
const exactHash = 8
