package rewriter

import (
	"slices"
	"strings"
)

// A Rule says that an attribute is a place: that its value is a URL. Where
// several rules fit an attribute, one that names the element comes before one
// for every element, and among those the last counts.
type Rule struct {
	Element string // in lower case; "" is every element
	Attr    string // in lower case, with its prefix: "xlink:href"

	Empty Empty // what the empty value means
	Local Local // what a value that is a fragment alone means
	Outer bool  // resolved against the outer base, as the href of BASE is
	Drop  bool  // not a place, whatever a rule before says
}

// An Empty is what the empty value of an attribute means.
type Empty uint8

const (
	// EmptyNothing is no reference: nothing is fetched, nothing is linked,
	// and the value stays empty.
	EmptyNothing Empty = iota
	// EmptyBase is the same-document reference: the base URL.
	EmptyBase
	// EmptyDocument is the document's own URL whatever the embedded base:
	// the outer base.
	EmptyDocument
)

// A Local is what a value that is a fragment alone, "#id", means. In SVG it is
// always the element of that id in the document, and is never touched.
type Local uint8

const (
	// LocalResolve is a reference like any other (RFC 1808 §5.1, "#s").
	LocalResolve Local = iota
	// LocalStay names an element of the document.
	LocalStay
	// LocalExpect does so where the element's rel has the token "expect".
	LocalExpect
)

// HTML returns the rules for the attributes that hold exactly one URL, in HTML,
// SVG and MathML as browsers read them. The slice is the caller's to change.
func HTML() []Rule {
	return slices.Concat(
		// href and src count on every element, custom ones too.
		[]Rule{
			{Attr: "href"},
			{Attr: "src"},
			{Attr: "itemid", Empty: EmptyBase},
			{Attr: "xlink:href", Local: LocalStay},
		},
		attr("href", Rule{Empty: EmptyBase}, "a", "area"),
		attr("href", Rule{Local: LocalExpect}, "link"),
		attr("href", Rule{Empty: EmptyBase, Outer: true}, "base"),
		attr("action", Rule{Empty: EmptyDocument}, "form"),
		attr("formaction", Rule{Empty: EmptyDocument}, "button", "input"),
		attr("cite", Rule{Empty: EmptyBase}, "blockquote", "del", "ins", "q"),
		attr("data", Rule{}, "object"),
		attr("poster", Rule{}, "video"),
		attr("environmentmap", Rule{}, "model"),
		// Obsolete, and still rendered.
		attr("background", Rule{}, "body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"),
		attr("longdesc", Rule{}, "frame", "iframe", "img"),
		attr("lowsrc", Rule{}, "img"),
		// References of SVG to what is most often in the document, and stays so
		// where a parser finds them outside of svg.
		attr("href", Rule{Local: LocalStay}, "feimage", "filter", "lineargradient", "mpath", "pattern",
			"radialgradient", "textpath", "use"),
		// What SMIL animates is always in the document.
		attr("href", Rule{Drop: true}, "animate", "animatemotion", "animatetransform", "discard", "set"),
		attr("xlink:href", Rule{Drop: true}, "animate", "animatemotion", "animatetransform", "discard", "set"),
	)
}

// attr returns a rule for one attribute of each element.
func attr(name string, r Rule, elements ...string) []Rule {
	r.Attr = name
	rules := make([]Rule, len(elements))
	for i, element := range elements {
		r.Element = element
		rules[i] = r
	}
	return rules
}

// A ruleSet is rules by attribute name.
type ruleSet struct {
	attrs *nameTable[attrRules]
	count int // attribute names
}

// attrRules are the rules for one attribute name.
type attrRules struct {
	index     int // of the name in the set
	every     *Rule
	byElement *nameTable[*Rule]
}

func newRuleSet(rules []Rule) *ruleSet {
	byAttr := make(map[string][]*Rule)
	for i := range rules {
		r := &rules[i]
		for _, name := range []string{r.Attr, r.Element} {
			if name != strings.ToLower(name) {
				panic("rewriter: Rule with a name that is not in lower case: " + name)
			}
		}
		byAttr[r.Attr] = append(byAttr[r.Attr], r)
	}
	s := &ruleSet{newNameTable[attrRules](len(byAttr)), len(byAttr)}
	index := 0
	for name, rules := range byAttr {
		a := s.attrs.at(name)
		*a = attrRules{index: index, byElement: newNameTable[*Rule](len(rules))}
		index++
		for _, r := range rules {
			if r.Element == "" {
				a.every = r
			} else {
				*a.byElement.at(r.Element) = r
			}
		}
	}
	return s
}

// forElement returns the rule for an element, or nil.
func (a *attrRules) forElement(hash uint64, name []byte) *Rule {
	rule := a.every
	if r := a.byElement.get(hash, name); r != nil {
		rule = *r
	}
	if rule == nil || rule.Drop {
		return nil
	}
	return rule
}
