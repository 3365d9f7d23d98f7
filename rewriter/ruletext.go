package rewriter

import (
	"fmt"
	"strings"
)

// String returns the rule as ParseRule reads it. Its conditions and keys follow in
// parentheses, which ParseRule does not read.
func (r Rule) String() string {
	s := r.Element + "[" + r.Attr + "]"
	if r.Drop {
		s = "-" + s
	} else {
		s += "=" + r.Syntax.String()
	}
	if r.When != "" {
		s += " (" + r.When + ")"
	}
	if r.Keys != "" {
		s += " (" + strings.Join(strings.Fields(r.Keys), "= ") + "=)"
	}
	if r.SVG {
		s += " (svg)"
	}
	return s
}

// ParseRule reads a rule. "img[data-zoom]=url" is the rule for an attribute of an element.
// "*[data-zoom]=srcset" or "[data-zoom]=srcset" is the rule for an attribute of every
// element. "-a[ping]" says that an attribute is not a place. "-link[rel=icon]" is about the
// href of elements that have icon among the values of rel, and "-link[imagesrcset][rel=preload]"
// about another attribute of such elements. After "=" stands the name of
// a Syntax; without it the syntax is url. A name that no document can have is an error.
func ParseRule(s string) (Rule, error) {
	var r Rule
	switch {
	case groups[s] != nil:
		return r, fmt.Errorf("rule %q: it is a group of rules, and one rule is such as img[data-zoom]=url", s)
	case !strings.Contains(s, "["):
		return r, fmt.Errorf("rule %q: it is neither a group (%s) nor a rule such as img[data-zoom]=url", s, groupNames)
	}
	rest, drop := strings.CutPrefix(s, "-")
	element, rest, _ := strings.Cut(rest, "[")
	attr, rest, closed := strings.Cut(rest, "]")
	when, hasRel := cutRel(&attr, &rest)
	if element == "*" {
		element = ""
	}
	r = Rule{Element: strings.ToLower(element), Attr: strings.ToLower(attr), When: when, Drop: drop}
	if !closed || attr == "" && !r.hasText() {
		return r, fmt.Errorf("rule %q: no attribute in brackets, as in img[data-zoom]=url", s)
	}
	if err := r.checkNames(); err != nil {
		return r, fmt.Errorf("rule %q: %w", s, err)
	}
	syntax, ok := strings.CutPrefix(rest, "=")
	switch {
	case hasRel && (attr == "" || when == "rel=" || strings.ContainsAny(when, whiteSpace+`"'`)):
		return r, fmt.Errorf("rule %q: rel= takes one value and is about an attribute, as in link[rel=icon] or link[imagesrcset][rel=preload]", s)
	case rest == "" && attr == "" && !drop:
		return r, fmt.Errorf("rule %q: no syntax after the brackets, as in style[]=css", s)
	case rest == "":
		return r, nil
	case !ok || drop:
		return r, fmt.Errorf("rule %q: %q is left over after the bracket", s, rest)
	}
	if err := r.Syntax.UnmarshalText([]byte(syntax)); err != nil {
		return r, fmt.Errorf("rule %q: %w", s, err)
	}
	if attr == "" && !r.fitsText() {
		return r, fmt.Errorf("rule %q: the text of %s cannot have the syntax %s", s, r.Element, r.Syntax)
	}
	return r, nil
}

// unquoted returns a value without quotes around it, which CSS allows there.
func unquoted(value string) string {
	for _, quote := range []string{`"`, `'`} {
		if inner, ok := strings.CutPrefix(value, quote); ok && strings.HasSuffix(inner, quote) {
			return strings.TrimSuffix(inner, quote)
		}
	}
	return value
}

// cutRel takes a condition on rel out of a rule: it stands in place of the attribute, which is
// then href, or in brackets of its own after that.
func cutRel(attr, rest *string) (when string, ok bool) {
	if name, value, ok := strings.Cut(*attr, "="); ok && strings.EqualFold(name, "rel") {
		*attr = "href"
		return "rel=" + unquoted(value), true
	}
	if in, ok := strings.CutPrefix(*rest, "["); ok {
		condition, after, closed := strings.Cut(in, "]")
		if name, value, ok := strings.Cut(condition, "="); ok && closed && strings.EqualFold(name, "rel") {
			*rest = after
			return "rel=" + unquoted(value), true
		}
	}
	return "", false
}
