package syntax

import (
	"bytes"
	"strings"
)

// MatchGlob reports whether a pattern fits all of a reference. In the pattern, "*" stands for
// any run of bytes, which may be empty, and every other byte for itself. Each part between two
// stars is looked for once, from where the last one ended: time is linear in the reference.
func MatchGlob(pattern string, ref []byte) bool {
	part, rest, more := strings.Cut(pattern, "*")
	if !more {
		return string(ref) == pattern
	}
	if len(ref) < len(part) || string(ref[:len(part)]) != part {
		return false
	}
	for ref = ref[len(part):]; ; {
		part, rest, more = strings.Cut(rest, "*")
		if !more { // the last part ends the reference
			return len(ref) >= len(part) && string(ref[len(ref)-len(part):]) == part
		}
		i := bytes.Index(ref, []byte(part))
		if i < 0 {
			return false
		}
		ref = ref[i+len(part):]
	}
}
