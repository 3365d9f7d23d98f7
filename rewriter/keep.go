package rewriter

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"absolink/rewriter/internal/syntax"
)

// ErrKept is the Err of a Place whose reference stays because a pattern of Keep fits it.
// Unresolvable is not told of such a place.
var ErrKept = errors.New("it stays, because a keep pattern matches it")

// errKeptBase is why relative references stay where a pattern of Keep fits the BASE: its URL is
// not known yet.
var errKeptBase = errors.New("a keep pattern matches the URL of BASE, which is not known; links that need it stay")

// Each reference is compared with each pattern, so that their number and length are bounded.
const (
	maxKeep        = 256
	maxKeepPattern = 1024
)

// parseKeep returns the patterns of Keep, or what is wrong with them: too many, or one that fits
// no reference.
func parseKeep(patterns []string) ([]syntax.Glob, error) {
	if len(patterns) > maxKeep {
		return nil, fmt.Errorf("rewriter: Keep: there are %d patterns, and there may be %d; one with * keeps many references", len(patterns), maxKeep)
	}
	globs := make([]syntax.Glob, len(patterns))
	for i, p := range patterns {
		if err := checkKept(p); err != nil {
			return nil, fmt.Errorf("rewriter: Keep: the pattern %.100q %w", p, err)
		}
		g, ok := syntax.ParseGlob(p)
		if !ok {
			return nil, fmt.Errorf(`rewriter: Keep: the pattern %#.100q has a backslash before neither * nor a backslash; \* stands for a star, and \\ for a backslash`, p)
		}
		globs[i] = g
	}
	return globs, nil
}

func checkKept(p string) error {
	switch {
	case p == "":
		return errors.New("is empty; * matches every reference")
	case len(p) > maxKeepPattern:
		return fmt.Errorf("has %d bytes, and may have %d", len(p), maxKeepPattern)
	case !utf8.ValidString(p):
		return errors.New("is not UTF-8")
	case strings.ContainsFunc(p, unicode.IsControl):
		return errors.New("has a control character, such as a newline")
	case strings.Trim(p, " ") != p:
		return errors.New("begins or ends with a space, as no reference does")
	}
	return nil
}
