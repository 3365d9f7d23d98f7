package rewriter

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"absolink/rewriter/internal/markup"
	"absolink/rewriter/internal/syntax"
)

// A ruleSet has the rules of a Rewriter by attribute name.
type ruleSet struct {
	attrs    []*attrRules    // by the index of the attribute in wanted
	text     *attrRules      // for the text of elements
	comment  *rule           // for the comments that are places
	comments markup.Comments // the comments that are places
	facts    map[string]bool // the attributes that decide which rules fit, or what they do
	wanted   *markup.Wanted  // the attributes that have rules, are facts, or are read otherwise
}

// attrRules are the rules for one attribute name. The rule that goes before the others
// comes first.
type attrRules struct {
	row       *syntax.Syntax // the syntax of the value on every element, if its MayHold can exclude references; otherwise nil
	every     []*rule
	byElement *markup.NameTable[[]*rule]
}

func newRuleSet(rules []Rule) *ruleSet {
	byAttr := make(map[string][]*rule)
	s := &ruleSet{facts: map[string]bool{"rel": true}}
	for _, name := range markup.TreeAttrs {
		s.facts[name] = true
	}
	for i := range rules {
		r := newRule(rules[i])
		byAttr[r.attr()] = append(byAttr[r.attr()], r)
		if r.when.attr != "" {
			s.facts[r.when.attr] = true
		}
	}
	var names []string
	for name, rules := range byAttr {
		a := &attrRules{row: commonSyntax(rules), byElement: markup.NewNameTable[[]*rule](len(rules))}
		if name == textAttr {
			s.text = a
		} else {
			names, s.attrs = append(names, name), append(s.attrs, a)
		}
		for element, rules := range byElement(rules) {
			slices.Reverse(rules)
			if element == "" {
				a.every = rules
			} else {
				*a.byElement.At(element) = rules
			}
		}
	}
	s.wanted = markup.NewWanted(slices.Concat(names, slices.Collect(maps.Keys(s.facts)), otherAttrs))
	if s.comment = s.textRule(anyCommentName); s.comment != nil {
		s.comments = markup.AllComments
	} else if s.comment = s.textRule(commentName); s.comment != nil {
		s.comments = markup.ConditionalComments
	}
	return s
}

// byElement returns the rules for an attribute by the element that they name, in their order; ""
// is every element. A rule that drops the places of every element stands among the rules of each
// element that was named before, too: where it fits, the rules for every element decide.
func byElement(rules []*rule) map[string][]*rule {
	of := map[string][]*rule{}
	for _, r := range rules {
		if r.every && r.Drop {
			for named := range of {
				if named != "" {
					of[named] = append(of[named], r)
				}
			}
		}
		if r.every {
			of[""] = append(of[""], r)
		} else {
			of[r.Element] = append(of[r.Element], r)
		}
	}
	return of
}

// otherAttrs are attributes that are read besides those that have rules and facts: by
// canonicalTag, linkText, RemoveBase, and isEarly.
var otherAttrs = []string{"property", "content", "alt", "href", "loading"}

// of returns the rules for an attribute in a tag, nil if it has none or does not count.
func (s *ruleSet) of(a *markup.Attribute) *attrRules {
	if uint(a.Index) >= uint(len(s.attrs)) {
		return nil
	}
	return s.attrs[a.Index]
}

// named returns the rules for the attributes with a name, nil if there are none.
func (s *ruleSet) named(hash uint64, name []byte) *attrRules {
	if i := s.wanted.Get(hash, name); i != nil && int(*i) < len(s.attrs) {
		return s.attrs[*i]
	}
	return nil
}

// textRule returns the rule for the text of an element without attributes, or nil.
func (s *ruleSet) textRule(name string) *rule {
	if s.text == nil {
		return nil
	}
	for r := range s.text.mayFit(markup.HashName(name), []byte(name)) {
		if !r.conditional {
			return r.unlessDrop()
		}
	}
	return nil
}

// A rule is a Rule in the form in which it is asked.
type rule struct {
	Rule
	row         *syntax.Syntax
	when        condition
	every       bool // the rule names no element
	conditional bool // the rule may not fit every element with its name
	ordinary    bool // isOrdinary
	plain       bool // the value is a reference without special meaning: an absolute URL needs only counting
}

// newRule makes a Rule ready that check has passed.
func newRule(r Rule) *rule {
	when, _ := parseCondition(r.When)
	return &rule{
		Rule: r, row: r.Syntax.row(), when: when,
		every:       r.Element == "" || r.Element == "*",
		conditional: r.When != "" || r.SVG,
		ordinary:    r.isOrdinary(),
		plain:       r.Syntax == SyntaxURL && r.isOrdinary(),
	}
}

// isOrdinary reports whether the references in the rule's places, unless they are empty or
// begin with "#", are resolved against the base like any other.
func (r *Rule) isOrdinary() bool { return !r.Outer && r.Local < LocalCURIE }

func (r *Rule) attr() string {
	if r.Attr == "" {
		return textAttr
	}
	return r.Attr
}

// check reports why a rule fits nothing.
func (r *Rule) check() error {
	if int(r.Syntax) >= len(syntaxes) || r.Empty > EmptyDocument || r.Local > LocalTemplate {
		return fmt.Errorf("rewriter: Rule with an unknown Syntax, Empty or Local: %d, %d, %d", r.Syntax, r.Empty, r.Local)
	}
	for _, name := range []string{r.Attr, r.Element} {
		if name != strings.ToLower(name) {
			return fmt.Errorf("rewriter: Rule with a name that is not in lower case: %s", name)
		}
	}
	names := *r
	if names.Element == "*" {
		names.Element = ""
	}
	if err := names.checkNames(); err != nil {
		return fmt.Errorf("rewriter: Rule with a wrong name: %w", err)
	}
	if r.Attr == "" && !r.Drop && !r.fitsText() {
		return fmt.Errorf("rewriter: Rule for the text of an element that has none of that kind: %s", r)
	}
	if r.Keys != "" && !r.Syntax.row().Keys {
		return fmt.Errorf("rewriter: Rule with Keys for a value without pairs: %s", r.Keys)
	}
	_, err := parseCondition(r.When)
	return err
}

// hasText reports whether the text of the rule's element can be a place.
func (r *Rule) hasText() bool {
	return r.Element != "" && slices.ContainsFunc(syntaxes, func(s *syntax.Syntax) bool { return s.TextOf == r.textOf() })
}

// textOf returns the name that Syntax.TextOf has for the rule's element.
func (r *Rule) textOf() string {
	if r.Element == anyCommentName {
		return commentName
	}
	return r.Element
}

// fitsText reports whether the text of the rule's element can be in the rule's syntax.
func (r *Rule) fitsText() bool {
	of := r.textOf()
	return of != "" && r.Syntax.row().TextOf == of && (of != commentName || r.When == "" && !r.SVG)
}

// commonSyntax returns the syntax of all rules that make places, if they have the same
// syntax and its MayHold can exclude references. Otherwise it returns nil.
func commonSyntax(rules []*rule) (common *syntax.Syntax) {
	for _, r := range rules {
		switch {
		case r.Drop:
		case r.row.MayHold == nil, common != nil && common != r.row:
			return nil
		default:
			common = r.row
		}
	}
	return common
}

// mayFit returns the rules that may fit an element, up to the first that certainly does.
func (a *attrRules) mayFit(hash uint64, name []byte) iter.Seq[*rule] {
	return func(yield func(*rule) bool) {
		if of := a.byElement.Get(hash, name); of != nil {
			for _, r := range *of {
				if !yield(r) || !r.conditional && !r.every {
					return
				}
				if !r.conditional {
					break
				}
			}
		}
		for _, r := range a.every {
			if !yield(r) || !r.conditional {
				return
			}
		}
	}
}

// unlessDrop returns r, or nil if r says that there is no place.
func (r *rule) unlessDrop() *rule {
	if r.Drop {
		return nil
	}
	return r
}

var (
	hashBase  = markup.HashName("base")
	hashHref  = markup.HashName("href")
	hashStyle = markup.HashName("style")

	// cut is the rule for the href of a BASE that names no URL afterwards.
	cut = newRule(Rule{Element: "base", Attr: "href", Outer: true})
)

// checkNames refuses names that fit nothing: patterns, and names with a byte that ends a
// name in a tag (HTML Standard §13.2.5.8 and §13.2.5.33).
func (r *Rule) checkNames() error {
	switch {
	case strings.Contains(r.Element+r.Attr, "*"):
		return errors.New("a name is not a pattern; * alone before the bracket is every element")
	case r.Element != "" && r.textOf() != commentName && !markup.IsTagName(r.Element):
		return fmt.Errorf("no element can be called %q", r.Element)
	case !markup.IsAttrName(r.Attr):
		return fmt.Errorf("no attribute can be called %q", r.Attr)
	}
	return nil
}
