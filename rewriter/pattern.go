package rewriter

import (
	"bytes"

	"absolink/rewriter/internal/syntax"
)

// resolvePattern finds out what becomes of a URL pattern, a string that is matched with
// URLs. A pattern becomes absolute if the URL Pattern Standard gives it one certain
// meaning on the base. Other patterns stay.
func (e *engine) resolvePattern(pattern []byte) (url []byte, what outcome, err error) {
	if _, rest, _ := bytes.Cut(pattern, []byte(":")); bytes.HasPrefix(rest, []byte("//")) && syntax.IsAbsoluteURL(pattern) {
		return pattern, absolute, nil
	}
	isPath, fromRoot := syntax.PathPattern(pattern)
	switch {
	case !isPath:
		return nil, left, nil
	case e.base == nil && e.baseErr != nil:
		return nil, unresolvable, e.baseErr
	case e.base == nil:
		return nil, left, ErrNoBase
	}
	origin, directory, ok := syntax.PatternBase(e.base.String())
	if !ok || !fromRoot && directory == "" {
		return nil, left, nil
	}
	e.url = append(e.url[:0], origin...)
	if !fromRoot {
		e.url = syntax.AppendPattern(e.url, directory)
	}
	e.url = append(e.url, pattern...)
	return e.url, rewritten, nil
}
