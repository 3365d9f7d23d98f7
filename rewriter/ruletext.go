package rewriter

import (
	"fmt"
	"strings"
)

var syntaxNames = [...]string{"url", "srcset", "image", "imageset", "list", "commas", "semicolons", "refresh", "css", "document", "importmap", "speculation"}

// String returns the name of the syntax as ParseRule reads it.
func (s Syntax) String() string { return syntaxNames[s] }

// MarshalText returns what String does.
func (s Syntax) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name of a syntax.
func (s *Syntax) UnmarshalText(name []byte) error {
	for i, n := range syntaxNames {
		if string(name) == n {
			*s = Syntax(i)
			return nil
		}
	}
	return fmt.Errorf("unknown syntax %q: it is one of %s", name, strings.Join(syntaxNames[:], ", "))
}

// String returns the rule as ParseRule reads it, with its conditions and keys,
// which ParseRule does not read, in parentheses after it.
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

// ParseRule reads a rule: "img[data-zoom]=url" is an attribute of an element,
// "[data-zoom]=srcset" one of every element, "-a[ping]" one that is no place.
// What follows "=" is a Syntax, and url where it is left out.
func ParseRule(s string) (Rule, error) {
	var r Rule
	rest, drop := strings.CutPrefix(s, "-")
	element, rest, ok := strings.Cut(rest, "[")
	attr, rest, closed := strings.Cut(rest, "]")
	r = Rule{Element: strings.ToLower(element), Attr: strings.ToLower(attr), Drop: drop}
	if !ok || !closed || attr == "" && !r.hasText() {
		return r, fmt.Errorf("rule %q: no attribute in brackets, as in img[data-zoom]=url", s)
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
		return r, fmt.Errorf("rule %q: the text of %s is no %s", s, r.Element, r.Syntax)
	}
	return r, nil
}
