package resolver

// A Reference is a reference split into the six components of RFC 1808 §2.1:
//
//	<scheme>://<net_loc>/<path>;<params>?<query>#<fragment>
//
// The components have no delimiters, except that a path keeps its first slash,
// which makes it an absolute path (§2.4.6). A component may be empty though its
// delimiter is there, as in "g?". The Reference remembers the delimiter, so that
// String returns exactly what was split.
//
// The fields of a Reference that is made by hand, or changed, may be such that String joins
// what Split would cut elsewhere: the NetLoc a and the Path b become //ab. Then r is not
// equal to Split(r.String()), and only then.
type Reference struct {
	Scheme, NetLoc, Path, Params, Query, Fragment string

	// Which empty components have their delimiter.
	emptyNetLoc, emptyParams, emptyQuery, emptyFragment bool
}

// Split splits a reference as RFC 1808 §2.4 says. It cannot fail: every string is a
// reference, and Split(s).String() == s. It does not allocate.
func Split(ref string) Reference {
	return components(ref, split1808(ref))
}

// components cuts a reference at its spans.
func components(ref string, s spans) (r Reference) {
	if s.scheme > 0 {
		r.Scheme = ref[:s.scheme-1]
	}
	r.NetLoc, r.emptyNetLoc = component(ref[s.scheme:s.netLoc], 2)
	r.Path = ref[s.netLoc:s.path]
	r.Params, r.emptyParams = component(ref[s.path:s.params], 1)
	r.Query, r.emptyQuery = component(ref[s.params:s.query], 1)
	r.Fragment, r.emptyFragment = component(ref[s.query:], 1)
	return r
}

// component cuts a delimiter of n bytes off a span, and reports whether the span is
// the delimiter alone.
func component(span string, n int) (value string, empty bool) {
	if span == "" {
		return "", false
	}
	return span[n:], len(span) == n
}

// String recombines the components (RFC 1808 §4, step 7), and checks none of them. It
// allocates the result.
func (r Reference) String() string {
	s := make([]byte, 0, len(r.Scheme)+len(r.NetLoc)+len(r.Path)+len(r.Params)+len(r.Query)+len(r.Fragment)+6)
	if r.Scheme != "" {
		s = append(append(s, r.Scheme...), ':')
	}
	s = appendComponent(s, "//", r.NetLoc, r.emptyNetLoc)
	s = append(s, r.Path...)
	s = appendComponent(s, ";", r.Params, r.emptyParams)
	s = appendComponent(s, "?", r.Query, r.emptyQuery)
	s = appendComponent(s, "#", r.Fragment, r.emptyFragment)
	return string(s)
}

func appendComponent(dst []byte, delim, value string, empty bool) []byte {
	if value == "" && !empty {
		return dst
	}
	return append(append(dst, delim...), value...)
}

func (r Reference) hasNetLoc() bool { return r.NetLoc != "" || r.emptyNetLoc }

// spans holds where each component of a reference ends, in bytes. A component
// includes its delimiter: "scheme:", "//net_loc", path, ";params", "?query". The
// rest is "#fragment".
type spans struct{ scheme, netLoc, path, params, query int }

// split1808 does in one pass what RFC 1808 §2.4 does in six. The fragment follows the
// first "#", so no other component holds a "#".
func split1808[T string | []byte](s T) (e spans) {
	e.scheme, e.netLoc, e.path = splitPath1808(s, skipTo(s, 0, inScheme))
	e.params = skipTo(s, e.path, inParams)
	e.query = skipTo(s, e.params, inQuery)
	return e
}

// splitPath1808 is split1808 up to the path. What follows the path is needed only if the
// path is empty. read is how many bytes at the start a scheme may hold: without a colon
// after them, they are the beginning of the path.
func splitPath1808[T string | []byte](s T, read int) (scheme, netLoc, path int) {
	if read > 0 && read < len(s) && s[read] == ':' {
		read++
		scheme = read
	}
	netLoc = scheme
	if hasNetLoc(s, scheme) {
		netLoc = skipTo(s, scheme+2, inNetLoc)
		read = netLoc
	}
	return scheme, netLoc, skipTo(s, read, inPath)
}

// scheme1808 returns the length of the scheme with its colon, or 0 if there is none.
func scheme1808[T string | []byte](s T) int {
	if i := skipTo(s, 0, inScheme); i > 0 && i < len(s) && s[i] == ':' {
		return i + 1
	}
	return 0
}

// split3986 splits as RFC 3986 §3 says: there are no params, a scheme begins with a
// letter, and an authority ends also at "?".
func split3986[T string | []byte](s T) (e spans) {
	e.scheme = scheme3986(s)
	e.netLoc = e.scheme
	if hasNetLoc(s, e.scheme) {
		e.netLoc = skipTo(s, e.scheme+2, inAuthority)
	}
	e.path = skipTo(s, e.netLoc, inParams)
	e.params = e.path
	e.query = skipTo(s, e.path, inQuery)
	return e
}

// scheme3986 is scheme1808 for RFC 3986 §3.1.
func scheme3986[T string | []byte](s T) int {
	if len(s) > 0 && isAlpha(s[0]) {
		return scheme1808(s)
	}
	return 0
}

// hasNetLoc reports whether a net_loc begins at i.
func hasNetLoc[T string | []byte](s T, i int) bool {
	return len(s) >= i+2 && s[i] == '/' && s[i+1] == '/'
}

// The components, as bits of class.
const (
	inScheme = 1 << iota // §2.4.2
	inNetLoc
	inAuthority // RFC 3986 §3.2
	inPath
	inParams
	inQuery
)

// class says of each byte which components may hold it.
var class = func() (class [256]uint8) {
	for i := range class {
		class[i] = inNetLoc | inAuthority | inPath | inParams | inQuery
		if c := byte(i); isAlpha(c) || isDigit(c) || c == '+' || c == '.' || c == '-' {
			class[i] |= inScheme
		}
	}
	class['#'] = 0
	class['/'] &^= inNetLoc | inAuthority
	class['?'] &^= inAuthority | inPath | inParams
	class[';'] &^= inPath
	return class
}()

// skipTo returns the index of the first byte from i on that the component
// cannot hold, or len(s).
func skipTo[T string | []byte](s T, i int, component uint8) int {
	for i < len(s) && class[s[i]]&component != 0 {
		i++
	}
	return i
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
