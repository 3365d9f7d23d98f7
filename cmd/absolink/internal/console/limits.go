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
	var b strings.Builder
	for i, c := range limit.Field {
		if i > 0 && 'A' <= c && c <= 'Z' {
			b.WriteByte('-')
		}
		b.WriteRune(c)
	}
	return strings.ToLower(b.String())
}
