package syntax

import (
	"strings"

	"absolink/rewriter/internal/ascii"
)

// PathPattern reports whether a pattern certainly is that of a path, perhaps
// with a query and a fragment, and whether it begins at the root. Without a
// scheme, that is what a pattern is that begins with neither "?" nor "#". But the
// answer is no where it begins with other syntax of patterns, where a colon
// begins no name, which would end a scheme, and where braces do not pair.
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

// PatternBase returns the scheme and host of a base URL as a pattern has them,
// and the path up to its last slash; that is empty where it is not certain what
// it is. Not ok is a base that is not of the web, or whose host is no plain name
// or number.
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
	for i := range len(port) {
		if !ascii.IsDigit(port[i]) {
			return false
		}
	}
	return name != "" && hasPort == (port != "")
}

// AppendPattern appends a path so that a pattern matches it and no other
// ("escape a pattern string").
func AppendPattern(dst []byte, path string) []byte {
	for i := range len(path) {
		if strings.IndexByte(`+*?:{}()\`, path[i]) >= 0 {
			dst = append(dst, '\\')
		}
		dst = append(dst, path[i])
	}
	return dst
}
