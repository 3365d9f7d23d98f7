package syntax

import (
	"strings"

	"absolink/rewriter/internal/ascii"
)

// PathPattern reports whether a URL pattern is certainly a pattern of a path, perhaps
// with a query and a fragment, and whether the path begins at the root. Every pattern
// without a scheme that does not begin with "?" or "#" is a pattern of a path.
//
// The answer is no if that is uncertain: the pattern begins with other syntax of
// patterns; a colon does not begin a name, and so may end a scheme; braces do not pair.
func PathPattern(pattern []byte) (isPath, fromRoot bool) {
	if len(pattern) == 0 || !ascii.IsAlnum(pattern[0]) && strings.IndexByte("/.:*-_~%", pattern[0]) < 0 {
		return false, false
	}
	braces, parentheses := 0, 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			if i++; i < len(pattern) && pattern[i] == ':' {
				return false, false
			}
		case ':':
			if i+1 == len(pattern) || !startsPatternName(pattern[i+1]) {
				return false, false
			}
		case '(':
			parentheses++
		case ')':
			parentheses--
		case '{':
			braces++
		case '}':
			braces--
		default:
			continue
		}
		if braces < 0 || braces > 0 && parentheses != 0 {
			return false, false
		}
	}
	return braces == 0, pattern[0] == '/'
}

func startsPatternName(c byte) bool { return ascii.IsLetter(c) || c == '_' || c == '$' }

// PatternBase returns the scheme and host of a base URL as a pattern has them, and the
// path of the base up to its last slash. directory is "" if it is uncertain
// how a pattern has that path. ok is false if the scheme is not http or https, or the host is not a
// plain name or number.
func PatternBase(base string) (origin, directory string, ok bool) {
	base, _, _ = strings.Cut(base, "#")
	base, _, _ = strings.Cut(base, "?")
	scheme, rest, _ := strings.Cut(base, "://")
	host, path := rest, ""
	if n := strings.IndexByte(rest, '/'); n >= 0 {
		host, path = rest[:n], rest[n:]
	}
	if s := strings.ToLower(scheme); s != "http" && s != "https" || !isPlainHost(host) {
		return "", "", false
	}
	origin = base[:len(scheme)+len("://")+len(host)]
	switch {
	case path == "":
		return origin, "/", true
	case strings.ContainsAny(path, ";\\") || ascii.ClassOf(path)&(ascii.NonASCII|ascii.Control|ascii.Space) != 0:
		return origin, "", true
	}
	return origin, path[:strings.LastIndexByte(path, '/')+1], true
}

// isPlainHost reports whether a host is letters, digits, hyphens and dots, and
// perhaps a port.
func isPlainHost(host string) bool {
	name, port, hasPort := strings.Cut(host, ":")
	for i := range len(name) {
		if !ascii.IsAlnum(name[i]) && name[i] != '-' && name[i] != '.' {
			return false
		}
	}
	return name != "" && hasPort == (port != "") && strings.Trim(port, "0123456789") == ""
}

// AppendPattern appends a path as a pattern that matches this path only ("escape a
// pattern string").
func AppendPattern(dst []byte, path string) []byte {
	for i := range len(path) {
		if strings.IndexByte(`+*?:{}()\`, path[i]) >= 0 {
			dst = append(dst, '\\')
		}
		dst = append(dst, path[i])
	}
	return dst
}
