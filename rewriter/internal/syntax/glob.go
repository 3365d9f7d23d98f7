package syntax

import "bytes"

// A Glob is a pattern of references: what stands between its stars, one part more than there
// are stars.
type Glob [][]byte

// ParseGlob reads a pattern. In it, "*" stands for any run of bytes, which may be empty, `\*` for
// a star and `\\` for a backslash, and every other byte for itself. ok is false where a backslash
// stands before anything else.
func ParseGlob(pattern string) (g Glob, ok bool) {
	g = Glob{nil}
	part := &g[0]
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '*':
			g = append(g, nil)
			part = &g[len(g)-1]
			continue
		case '\\':
			if i++; i == len(pattern) || pattern[i] != '*' && pattern[i] != '\\' {
				return nil, false
			}
		}
		*part = append(*part, pattern[i])
	}
	return g, true
}

// Match reports whether the pattern fits all of a reference. Each part between two stars is
// looked for once, from where the last one ended: time is linear in the reference.
func (g Glob) Match(ref []byte) bool {
	first, rest := g[0], g[1:]
	if len(rest) == 0 {
		return bytes.Equal(ref, first)
	}
	ref, ok := bytes.CutPrefix(ref, first)
	if !ok {
		return false
	}
	for _, part := range rest[:len(rest)-1] {
		i := bytes.Index(ref, part)
		if i < 0 {
			return false
		}
		ref = ref[i+len(part):]
	}
	return bytes.HasSuffix(ref, rest[len(rest)-1])
}
