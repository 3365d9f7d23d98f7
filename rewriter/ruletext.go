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
// element. "-a[ping]" says that an attribute is not a place. After "=" stands the name of
// a Syntax; without it the syntax is url. A name that no document can have is an error.
func ParseRule(s string) (Rule, error) {
	var r Rule
	rest, drop := strings.CutPrefix(s, "-")
	element, rest, ok := strings.Cut(rest, "[")
	attr, rest, closed := strings.Cut(rest, "]")
	if element == "*" {
		element = ""
	}
	r = Rule{Element: strings.ToLower(element), Attr: strings.ToLower(attr), Drop: drop}
	if !ok || !closed || attr == "" && !r.hasText() {
		return r, fmt.Errorf("rule %q: no attribute in brackets, as in img[data-zoom]=url", s)
	}
	if err := r.checkNames(); err != nil {
		return r, fmt.Errorf("rule %q: %w", s, err)
	}
	syntax, ok := strings.CutPrefix(rest, "=")
	switch {
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
