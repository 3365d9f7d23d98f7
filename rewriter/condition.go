package rewriter

import (
	"bytes"
	"fmt"
	"strings"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/markup"
)

// A condition is the parsed form of Rule.When.
type condition struct {
	attr   string // the attribute that it is about; "" if there is no condition
	absent bool   // the element must not have the attribute
	value  string // otherwise the value of the attribute, in lower case
	trims  bool   // white space around the value does not count (HTML Standard, "prepare the script element")
	token  bool   // the value is one of those that the attribute lists, as rel does
}

// parseCondition reads Rule.When.
func parseCondition(when string) (condition, error) {
	if when == "" {
		return condition{}, nil
	}
	attr, absent := strings.CutPrefix(when, "!")
	attr, value, hasValue := strings.Cut(attr, "=")
	switch {
	case absent == hasValue:
		return condition{}, fmt.Errorf("rewriter: Rule with the condition %q: it has the form name=value or !name", when)
	case attr == "" || !markup.IsAttrName(attr) || attr != strings.ToLower(attr):
		return condition{}, fmt.Errorf("rewriter: Rule with the condition %q: no attribute can be called %q", when, attr)
	}
	return condition{attr: attr, absent: absent, value: string(ascii.AppendLower(nil, []byte(value))), trims: attr == "type", token: attr == "rel"}, nil
}

// holds reports whether an element fulfils the condition, given the attribute that the
// condition is about. whole says that all attributes of the element are known.
func (c *condition) holds(value []byte, has, whole bool) bool {
	if c.absent {
		return !has && whole
	}
	if c.trims {
		value = bytes.Trim(value, " \t\n\f\r")
	}
	if c.token {
		return has && ascii.HasToken(value, c.value) && !(c.value == "alternate" && ascii.HasToken(value, "stylesheet"))
	}
	return has && ascii.EqualFold(value, c.value)
}
