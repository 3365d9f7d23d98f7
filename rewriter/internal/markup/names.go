package markup

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/ascii"
)

// A kind is a set of the properties that an element name has in the parsing section of
// the HTML Standard.
type kind uint32

const (
	special     kind = 1 << iota // "special" (§13.2.4.2): stops the search of "any other end tag"
	scope                        // ends the "has an element in scope" search
	listScope                    // ends the search in list item scope as well
	buttonScope                  // ends the search in button scope as well
	tableScope                   // ends the search in table scope
	implied                      // its end tag may be implied
	inItem                       // the search for an open li, dd or dt goes past it, special or not
	isHeading                    // h1 to h6
	isCell                       // td and th
	isRow                        // tr
	isSection                    // tbody, tfoot and thead
	isCaption                    // caption
	isTable                      // table
	isColumn                     // col and colgroup, which are never opened: nothing in them matters
	isTemplate                   // template
	hasMarker                    // puts a marker into the list of active formatting elements
	rawText                      // content is raw text, RCDATA, script data or PLAINTEXT
	inHead                       // may stand in the HEAD without ending it
	breakout                     // leaves foreign content
	svgHTML                      // HTML integration point in SVG
	mathText                     // MathML text integration point
	endsAtP                      // its end tag breaks out of foreign content
	noFrameset                   // after its start tag a frameset no longer counts

	// The kinds of open elements that the insertion mode depends on.
	tableMode = isCell | isRow | isSection | isCaption | isTable
)

// A startRule says which of the rules "in body" a start tag follows (HTML Standard
// §13.2.6.4.7).
type startRule uint8

const (
	startOther      startRule = iota // "any other start tag"
	startVoid                        // closed at once
	startText                        // opened, without opening formatting elements again
	startBlock                       // closes a p
	startHeading                     // closes a p, and a heading just around the new one
	startItem                        // li
	startDefinition                  // dd and dt
	startForm
	startButton
	startAnchor
	startXmp
	startHr
	startInput
	startSelect
	startOption
	startOptgroup
	startRubyBase // rb and rtc
	startRubyText // rp and rt
	startTable
	startTablePart

	startPlain = startTablePart // up to here a tag is noted by its name alone
)

const (
	startFormatting startRule = startPlain + 1 + iota
	startNobr
	startColumn // col
	startTemplate
	startForeign // svg and math
	startNothing // opens nothing
)

// An endRule says which of the rules "in body" an end tag follows.
type endRule uint8

const (
	endOther endRule = iota // "any other end tag"
	endBlock                // closes the element if it is in scope
	endP
	endItem // li
	endHeading
	endForm
	endFormatting // the adoption agency
	endBr
	endTablePart
	endTemplate
)

// A counted is a name whose open elements are counted.
type counted uint8

const (
	notCounted counted = iota
	countP
	countButton
	countNobr
	countRuby
	countSelect
	countTemplate
	countsOpen // how many counters there are
)

// An Element is what is known of a tag's name.
type Element struct {
	Atom  atom.Atom // 0 if the name is not in elements, or x/net/html has no atom for it
	kind  kind
	start startRule
	end   endRule
	count counted
	Name  string // in lower case; "" if the name is not in elements
}

// elements has every name that is treated differently from an unknown name.
var elements = func() *NameTable[Element] {
	known := make(map[string]*Element)
	var names []string
	each := func(list string, set func(*Element)) {
		for name := range strings.FieldsSeq(list) {
			if known[name] == nil {
				known[name] = &Element{Atom: atom.Lookup([]byte(name)), Name: name}
				names = append(names, name)
			}
			set(known[name])
		}
	}
	for kind, list := range kinds {
		each(list, func(el *Element) { el.kind |= kind })
	}
	for rule, list := range startRules {
		each(list, func(el *Element) { el.start = rule })
	}
	for rule, list := range endRules {
		each(list, func(el *Element) { el.end = rule })
	}
	for count, name := range countedNames {
		each(name, func(el *Element) { el.count = count })
	}
	each(otherNames, func(*Element) {})
	slices.SortFunc(names, func(a, b string) int { // short names, which are frequent, come first and are found at once
		return cmp.Or(len(a)-len(b), strings.Compare(a, b))
	})
	t := NewNameTable[Element](len(names))
	for _, name := range names {
		*t.At(name) = *known[name]
	}
	return t
}()

var kinds = map[kind]string{
	special: `address applet area article aside base basefont bgsound blockquote body br button caption center col
		colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6
		head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes
		noscript object ol p param plaintext pre script search section select source style summary table tbody td
		template textarea tfoot th thead title tr track ul wbr xmp`,
	scope:       `applet caption html table td th marquee object select template`,
	listScope:   `ol ul`,
	buttonScope: `button`,
	tableScope:  `html table template`,
	implied:     `dd dt li optgroup option p rb rp rt rtc`,
	inItem:      `address div p`,
	isHeading:   `h1 h2 h3 h4 h5 h6`,
	isCell:      `td th`,
	isRow:       `tr`,
	isSection:   `tbody tfoot thead`,
	isCaption:   `caption`,
	isTable:     `table`,
	isColumn:    `col colgroup`,
	isTemplate:  `template`,
	hasMarker:   `applet caption marquee object td template th`,
	rawText:     `title textarea style xmp iframe noembed noframes noscript script plaintext`,
	inHead:      `html head base basefont bgsound link meta title style noframes script template noscript`,
	breakout: `b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu
		meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var`,
	svgHTML:  `foreignobject desc title`,
	mathText: `mi mo mn ms mtext`,
	endsAtP:  `br p`,
	noFrameset: `applet area body br button dd dt embed hr iframe image img input keygen li listing marquee object pre
		select table template textarea wbr xmp`,
}

var startRules = map[startRule]string{
	startNothing: `base basefont bgsound body frame frameset head html link meta param source track`,
	startVoid:    `area br embed image img keygen wbr`,
	startText:    `iframe noembed noframes noscript script style textarea title`,
	startBlock: `address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header
		hgroup listing main menu nav ol p plaintext pre search section summary ul`,
	startHeading:    `h1 h2 h3 h4 h5 h6`,
	startItem:       `li`,
	startDefinition: `dd dt`,
	startForm:       `form`,
	startButton:     `button`,
	startAnchor:     `a`,
	startFormatting: `b big code em font i s small strike strong tt u`,
	startNobr:       `nobr`,
	startXmp:        `xmp`,
	startHr:         `hr`,
	startInput:      `input`,
	startSelect:     `select`,
	startOption:     `option`,
	startOptgroup:   `optgroup`,
	startRubyBase:   `rb rtc`,
	startRubyText:   `rp rt`,
	startTable:      `table`,
	startTablePart:  `caption colgroup tbody td tfoot th thead tr`,
	startColumn:     `col`,
	startTemplate:   `template`,
	startForeign:    `math svg`,
}

var endRules = map[endRule]string{
	endBlock: `address applet article aside blockquote button center dd details dialog dir div dl dt fieldset figcaption
		figure footer header hgroup listing main marquee menu nav object ol pre search section select summary ul`,
	endP:          `p`,
	endItem:       `li`,
	endHeading:    `h1 h2 h3 h4 h5 h6`,
	endForm:       `form`,
	endFormatting: `a b big code em font i nobr s small strike strong tt u`,
	endBr:         `br`,
	endTablePart:  `caption col colgroup table tbody td tfoot th thead tr`,
	endTemplate:   `template`,
}

var countedNames = map[counted]string{
	countP: "p", countButton: "button", countNobr: "nobr", countRuby: "ruby", countSelect: "select", countTemplate: "template",
}

// otherNames have no rule of their own, but other code asks for their atoms.
const otherNames = `annotation-xml malignmark mglyph`

// unknown is the Element of every name that is not in elements.
var unknown Element

// elementOf returns the Element of a name as it stands in a tag.
func elementOf(hash uint64, name []byte) *Element {
	if el := elements.Get(hash, name); el != nil {
		return el
	}
	return &unknown
}

// LowerName returns a tag's name in lower case.
func LowerName(hash uint64, name []byte) string {
	if el := elements.Get(hash, name); el != nil {
		return el.Name
	}
	return string(ascii.AppendLower(nil, name))
}

// A NameTable maps names to values. The case of a name makes no difference.
type NameTable[V any] struct {
	Slots  []nameSlot[V]
	shift  uint8
	filter [4]uint64 // a bit for each name, by its hash
}

type nameSlot[V any] struct {
	hash  uint64
	Name  string // in lower case; "" is a free slot
	value V
}

// NewNameTable returns a table for up to n names.
func NewNameTable[V any](n int) *NameTable[V] {
	t := &NameTable[V]{shift: 61}
	for 1<<(64-t.shift) < 3*n {
		t.shift--
	}
	t.Slots = make([]nameSlot[V], 1<<(64-t.shift))
	return t
}

// MayHave reports whether a name with the hash may have a value. It is quick, and false
// for most names that have none.
func (t *NameTable[V]) MayHave(hash uint64) bool {
	bit := hash * hashMix >> (64 - 8)
	return t.filter[bit>>6]>>(bit&63)&1 != 0
}

// Get returns the value of a name, nil if it has none.
func (t *NameTable[V]) Get(hash uint64, name []byte) *V {
	for i := hash * hashMix >> t.shift; ; i++ {
		s := &t.Slots[i&uint64(len(t.Slots)-1)]
		if s.hash == hash && len(s.Name) == len(name) && (len(name) <= exactHash || ascii.EqualFold(name, s.Name)) {
			return &s.value
		}
		if s.Name == "" {
			return nil
		}
	}
}

// At returns where the value of a name is stored, for the caller to set. The name is in
// lower case.
func (t *NameTable[V]) At(name string) *V {
	hash := HashName(name)
	i := hash * hashMix >> t.shift
	for {
		s := &t.Slots[i&uint64(len(t.Slots)-1)]
		if s.Name == "" {
			s.hash, s.Name = hash, name
			bit := hash * hashMix >> (64 - 8)
			t.filter[bit>>6] |= 1 << (bit & 63)
		}
		if s.Name == name {
			return &s.value
		}
		i++
	}
}

// hashMix spreads a hash over its high bits.
const hashMix = 0x9e3779b97f4a7c15

// HashName returns the hash of a name, as the scanner computes it while it reads the
// name.
func HashName(name string) uint64 {
	h := uint64(0)
	for i := range len(name) {
		h = addToHash(h, ascii.Lower(name[i]))
	}
	return h
}

// addToHash adds the next byte of a name, in lower case.
func addToHash(h uint64, c byte) uint64 { return h<<8 ^ h>>56 ^ uint64(c) }

// exactHash is the length up to which two names of the same length and hash are the
// same name: so short a hash holds all bytes of the name.
const exactHash = 8

// IsAttrName reports whether an attribute can have the name (HTML Standard §13.2.5.33).
func IsAttrName(name string) bool {
	return !strings.ContainsAny(name, nameEnds) && strings.LastIndexByte(name, '=') <= 0
}

// IsTagName reports whether a tag can have the name, which is in lower case (HTML
// Standard §13.2.5.8).
func IsTagName(name string) bool {
	return name != "" && 'a' <= name[0] && name[0] <= 'z' && !strings.ContainsAny(name, nameEnds)
}

// nameEnds are the bytes that no name can hold, wherever they stand.
const nameEnds = " \t\n\f\r/>\x00"
