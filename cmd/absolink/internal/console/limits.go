package console

import (
	"errors"
	"strings"

	"absolink/rewriter"
)

// LimitName returns the name of the limit that err says was met, as options are called: such
// as "hold" and "max-tag". It returns "" if err says something else.
func LimitName(err error) string {
	limit, ok := errors.AsType[*rewriter.LimitError](err)
	if !ok {
		return ""
	}
	return OptionName(limit.Field)
}

// OptionName returns the name of the option for a field, such as "max-tag" for MaxTag.
func OptionName(field string) string {
	var b strings.Builder
	for i, c := range field {
		if i > 0 && 'A' <= c && c <= 'Z' {
			b.WriteByte('-')
		}
		b.WriteRune(c)
	}
	return strings.ToLower(b.String())
}
