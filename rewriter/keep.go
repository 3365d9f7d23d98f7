package rewriter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/syntax"
)

// ErrKept is the Err of a Place whose reference stays because a pattern of Keep fits it.
// Unresolvable is not told of such a place.
var ErrKept = errors.New("it stays, because a keep pattern fits it")

// errKeptBase is why relative references stay where a pattern of Keep fits the BASE: its URL is
// not known yet.
var errKeptBase = errors.New("a keep pattern fits the URL of BASE, which is not known; links that need it stay")

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
		return errors.New("is empty; * fits every reference")
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

// Keeps reports whether a pattern of Keep fits a reference, which is as Place.Ref has it. It
// is for references that stand outside of documents, such as in the header of a response.
func (rw *Rewriter) Keeps(ref string) bool {
	frozen, err := rw.freeze()
	return err == nil && frozen.keeps([]byte(ref))
}

func (rw *Rewriter) keeps(ref []byte) bool {
	return slices.ContainsFunc(rw.keep, func(g syntax.Glob) bool { return g.Match(ref) })
}

// isKept reports whether a pattern of Keep fits a reference, which is trimmed.
func (o *outcomes) isKept(ref []byte) bool {
	if len(o.rw.keep) == 0 {
		return false
	}
	if ascii.ClassOf(ref)&ascii.NonASCII != 0 {
		o.part = o.cs.AppendShown(o.part[:0], ref)
		ref = o.part
	}
	return o.rw.keeps(ref)
}
