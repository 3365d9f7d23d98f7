package resolver

import (
	"bytes"
	"fmt"
	"strings"
)

// A Base is a base URL, parsed once for any number of references. It never
// changes, and may be used from any number of goroutines.
//
// A nil *Base means that no base URL is known, the fourth case of RFC 1808 §3.
// Every reference then comes back unchanged (§3.4, and §4 step 1).
type Base struct {
	profile Profile
	url     string
	spans   // of url

	// dir is what a relative path is appended to: the URL up to the last slash of
	// its path, without dot segments. dir[floor:] is complete segments, each with
	// its slash. floor is 0 where the path does not begin with a slash; only the
	// RFC 3986 profile has such bases, and the WHATWG profile where opaque is set.
	dir   string
	floor int

	// In the WHATWG profile: what the URL Standard says of the URL and its scheme.
	special, file, opaque bool
	port                  int // the default port
}

// ParseBase parses a base URL. The error is an [*Error]. An unknown profile is a
// panic.
//
// In the RFC1808 profile, a base URL is a generic-RL (§2.1), and its scheme is
// used with relative URLs (§2.3). ParseBase refuses two forms that the grammar of
// §2.2 allows:
//
//   - a "?" or ";" in the net_loc, outside a user and a password, which may hold them
//     (RFC 1738 §3.1). Only a slash ends a net_loc (§2.4.3), so what was meant as a query
//     would become part of the net_loc. A "?" in a user is refused as well: other readers
//     find the host before it.
//   - neither "//" nor "/" after the scheme, as in x:a/b. It is the form of
//     mailto:, data: and about:, where no result would mean what was meant.
//
// In the RFC3986 profile, a base URL is any URL with a scheme (§5.1).
//
// In both RFC profiles, a base URL has no control characters. If its scheme is
// http, https, ftp, gopher, nntp, prospero or wais, it has a net_loc (RFC 3986: an
// authority).
//
// In the WHATWG profile, a base URL is any UTF-8 string that parses. A base with an
// opaque path, such as mailto:x, resolves only absolute references and fragments.
func ParseBase(url string, p Profile) (*Base, error) {
	b := &Base{profile: p, url: url}
	var err error
	switch p {
	case RFC1808:
		b.spans = split1808(url)
		err = b.check1808()
	case RFC3986:
		b.spans = split3986(url)
		err = b.check()
	case WHATWG:
		err = b.parseWHATWG()
	default:
		panic("resolver: ParseBase: " + p.String())
	}
	if err != nil {
		return nil, &Error{Profile: p, Base: url, Err: err}
	}
	if p != WHATWG {
		b.setDir()
	}
	return b, nil
}

// check refuses a base URL that neither RFC profile can use.
func (b *Base) check() error {
	if b.scheme == 0 {
		return fmt.Errorf("%w: it has no scheme", ErrNotAbsolute)
	}
	for i := range len(b.url) {
		if c := b.url[i]; c < 0x20 || c == 0x7f {
			return fmt.Errorf("%w: control character 0x%02x at byte %d", ErrInvalid, c, i)
		}
	}
	switch scheme := b.schemeName(); scheme {
	case "http", "https", "ftp", "gopher", "nntp", "prospero", "wais":
		if b.netLoc <= b.scheme+2 {
			return fmt.Errorf("%w: no %s, which %s needs (RFC 1738 §3.1)", ErrInvalid, b.netLocName(), scheme)
		}
	}
	return nil
}

// check1808 refuses a base URL that the RFC1808 profile cannot use.
func (b *Base) check1808() error {
	if err := b.check(); err != nil {
		return err
	}
	switch scheme := b.schemeName(); scheme {
	case "mailto", "news", "telnet":
		return fmt.Errorf("%w: scheme %s is never used with relative URLs (RFC 1808 §2.3)", ErrOpaqueBase, scheme)
	}
	if !b.hasNetLoc() {
		if strings.HasPrefix(b.url[b.scheme:], "/") {
			return nil
		}
		return fmt.Errorf("%w: neither // nor / follows the scheme (RFC 1808 §2.1)", ErrOpaqueBase)
	}
	netLoc := b.url[b.scheme+2 : b.netLoc]
	if user, host := cutLogin(netLoc); strings.Contains(user, "?") || strings.ContainsAny(host, "?;") {
		there := "one there"
		if host == netLoc { // a password would no longer be redacted
			end := b.scheme + 2 + strings.IndexAny(host, "?;")
			there = quote(b.url[:end] + "/" + b.url[end:])
		}
		return fmt.Errorf("%w: no slash ends the net_loc %s before its ? or ;, stricter than RFC 1808 §2.2; write %s", ErrInvalid, quote(Redact("//" + netLoc)[len("//"):]), there)
	}
	return nil
}

// cutLogin returns the user and the host, with its port, of a net_loc,
// <user>:<password>@<host>:<port> of RFC 1738 §3.1. User and password hold neither ":"
// nor "@", so the first of each separates.
func cutLogin(netLoc string) (user, host string) {
	login, host, found := strings.Cut(netLoc, "@")
	if !found {
		return "", netLoc
	}
	user, _, _ = strings.Cut(login, ":")
	return user, host
}

// netLocName returns the name that the profile's standard has for a net_loc.
func (b *Base) netLocName() string {
	if b.profile == RFC1808 {
		return "net_loc"
	}
	return "authority"
}

func (b *Base) schemeName() string {
	return strings.ToLower(b.url[:b.scheme-1])
}

func (b *Base) hasNetLoc() bool { return b.netLoc > b.scheme }

// setDir sets dir and floor.
func (b *Base) setDir() {
	path := b.url[b.netLoc:b.path]
	dir := path[:strings.LastIndexByte(path, '/')+1]
	switch {
	case strings.HasPrefix(dir, "/"):
		b.floor = b.netLoc + 1
		s := appendPath([]byte(b.url[:b.floor]), []byte(dir[1:]), b.floor, b.profile == RFC1808)
		b.dir = string(s)
	case b.hasNetLoc():
		b.floor = b.netLoc + 1
		b.dir = b.url[:b.netLoc] + "/"
	default:
		b.dir = b.url[:b.netLoc] + dir
	}
}

// String returns the base URL: in the RFC profiles as it was given to ParseBase, in
// the WHATWG profile serialized. For a nil Base it returns "".
func (b *Base) String() string {
	if b == nil {
		return ""
	}
	return b.url
}

// Profile returns the profile of the base URL; for a nil Base, RFC1808.
func (b *Base) Profile() Profile {
	if b == nil {
		return RFC1808
	}
	return b.profile
}

// IsOpaque reports whether the path of the base URL is not a hierarchy, as in
// mailto:x. RFC 3986 and the URL Standard accept such a base, but relative
// references on it lead nowhere. In the RFC1808 profile the result is always false,
// because ParseBase refuses such a URL with [ErrOpaqueBase].
func (b *Base) IsOpaque() bool {
	switch b.Profile() {
	case RFC3986:
		return b.floor == 0
	case WHATWG:
		return b.opaque
	}
	return false
}

// IsAbsolute reports whether ref is absolute: whether its result depends on
// nothing in the base URL. In the RFC profiles, a reference with a scheme is
// absolute. In the WHATWG profile it may still be relative: "http:x" is relative to
// a base with the scheme http. IsAbsolute does not allocate.
func (b *Base) IsAbsolute(ref []byte) bool {
	switch b.Profile() {
	case RFC3986:
		return scheme3986(ref) > 0
	case WHATWG:
		return b.isAbsoluteWHATWG(ref)
	}
	return scheme1808(ref) > 0
}

// Resolve returns the absolute form of ref: RFC 1808 §4, RFC 3986 §5.2 or the URL
// Standard, by the profile. If ref has no absolute form, the error is an [*Error]
// and the string is empty.
func (b *Base) Resolve(ref string) (string, error) {
	longest := len(b.String()) + len("/") + len(ref) // in the RFC profiles
	buf := make([]byte, len(ref), len(ref)+longest)
	copy(buf, ref)
	s, err := b.AppendResolve(buf[len(ref):], buf)
	return string(s), err
}

// AppendResolve appends the absolute form of ref to dst and returns the extended
// slice. If ref has no absolute form, it returns dst as it was and an [*Error]. dst
// and ref must not overlap.
//
// It allocates only to let dst grow, for an error, and in the WHATWG profile for a host
// that is not ASCII. It takes time that is linear in the length of ref and base. A ref
// of the WHATWG profile that is not UTF-8 is refused with [ErrInvalid].
func (b *Base) AppendResolve(dst, ref []byte) ([]byte, error) {
	if b == nil {
		return append(dst, ref...), nil
	}
	start := len(dst)
	var err error
	switch b.profile {
	case RFC1808:
		dst, err = b.append1808(dst, ref)
	case RFC3986:
		dst, err = b.append3986(dst, ref)
	case WHATWG:
		dst, err = b.appendWHATWG(dst, ref)
	}
	if err != nil {
		return dst[:start], &Error{Profile: b.profile, Base: b.url, Ref: string(ref), Err: err, hasRef: true}
	}
	return dst, nil
}

// errPath returns the error for a result whose path would be read as a net_loc. It
// occurs only with a base that has no net_loc, such as file:/a.
func (b *Base) errPath() error {
	return fmt.Errorf("%w: its path would begin with // and be taken for its %s", ErrInvalid, b.netLocName())
}

// Join resolves ref, a base URL that may itself be relative, and parses the
// result as a base URL of the same profile. On a nil Base it is
// ParseBase(ref, RFC1808).
func (b *Base) Join(ref string) (*Base, error) {
	url, err := b.Resolve(ref)
	if err != nil {
		return nil, err
	}
	return ParseBase(url, b.Profile())
}

// appendPath appends a relative path to dst and removes its dot segments.
// dst[floor:] is complete segments, each with its slash. A ".." with no segment left
// to remove is kept if excess is set (RFC 1808 §4 step 6, c and d), otherwise
// dropped (RFC 3986 §5.2.4). Every byte is appended once and removed at most once.
func appendPath(dst, path []byte, floor int, excess bool) []byte {
	for len(path) > 0 {
		n := dotSegment(path)
		switch {
		case n == 0:
			n = nextDot(path)
			dst = append(dst, path[:n]...)
		case n == 1 || path[1] == '/': // "." and "./"
		default: // ".." and "../"
			if i := lastSegment(dst, floor); i >= 0 {
				dst = dst[:i]
			} else if excess {
				dst = append(dst, path[:n]...)
			}
		}
		path = path[n:]
	}
	return dst
}

// nextDot returns the index in path, from 1 on, of the next segment that begins with a dot, or
// len(path).
func nextDot(path []byte) int {
	for i := 1; i < len(path); i++ {
		n := bytes.IndexByte(path[i:], '.')
		if n < 0 {
			break
		}
		if i += n; path[i-1] == '/' {
			return i
		}
	}
	return len(path)
}

// dotSegment returns the length of the segment "." or ".." that the path begins
// with, its slash included; 0 if the path begins with another segment.
func dotSegment(path []byte) int {
	n := 0
	for n < len(path) && path[n] == '.' {
		n++
	}
	switch {
	case n == 0 || n > 2:
		return 0
	case n == len(path):
		return n
	case path[n] == '/':
		return n + 1
	}
	return 0
}

// lastSegment returns where the last segment of dst begins. It returns -1 if there
// is none, or if it is "..".
func lastSegment(dst []byte, floor int) int {
	i := len(dst) - len("/")
	if i < floor {
		return -1
	}
	for i > floor && dst[i-1] != '/' {
		i--
	}
	if string(dst[i:]) == "../" {
		return -1
	}
	return i
}
