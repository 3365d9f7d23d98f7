package resolver

import (
	"bytes"
	"fmt"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// A Base is a base URL, parsed once for any number of references. It is
// immutable.
//
// A nil *Base is the fourth case of RFC 1808 §3: no base URL is known, and
// every reference comes back unchanged (§3.4, and §4 step 1).
type Base struct {
	profile Profile
	url     string
	spans   // of url; unused in the WHATWG profile

	// dir is what a relative path is appended to in the RFC profiles: the
	// URL up to the last slash of its path, dot segments removed. From floor
	// on it holds complete segments, each with its slash. A rootless path
	// (RFC 3986 alone has such bases) has floor 0.
	dir   string
	floor int

	parsed *whatwg.Url // in the WHATWG profile
}

// ParseBase parses a base URL. The error is an [*Error].
//
// In the RFC1808 profile a base URL is a generic-RL (§2.1) of a scheme that
// is used with relative URLs (§2.3). Two kinds that the grammar of §2.2 has
// are refused all the same: one whose net_loc holds a "?" or ";" outside a
// password, for §2.4.3 ends a net_loc at a slash alone, and what was meant as
// a query would come back as part of another net_loc; and one without net_loc
// or leading slash, as x:a/b, for the form is that of mailto:, data: and
// about: as well, whose results would mean something else.
//
// In the RFC3986 profile it is any URL with a scheme (§5.1).
//
// In both RFC profiles it holds no control character, and a net_loc (in RFC
// 3986 an authority) where the scheme is http, https, ftp, gopher, nntp,
// prospero or wais.
//
// In the WHATWG profile it is any string that parses, of at most 8 KiB; one
// with an opaque path resolves only absolute references and fragments.
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

// check refuses what no RFC profile can use as a base URL.
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
	if strings.ContainsAny(cutPassword(netLoc), "?;") {
		return fmt.Errorf("%w: no slash ends the net_loc %s before its ? or ;, stricter than RFC 1808 §2.2; write one there", ErrInvalid, quote(Redact("//" + netLoc)[len("//"):]))
	}
	return nil
}

// cutPassword returns a net_loc, <user>:<password>@<host>:<port> of RFC 1738
// §3.1, without the password. Neither part of it can hold a ":" or "@", so the
// first of each counts.
func cutPassword(netLoc string) string {
	login, host, found := strings.Cut(netLoc, "@")
	if !found {
		return netLoc
	}
	user, _, _ := strings.Cut(login, ":")
	return user + "@" + host
}

// netLocName is what the profile's standard calls a net_loc.
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

// String returns the base URL: as it was given in the RFC profiles,
// serialized in the WHATWG profile. For a nil Base it is empty.
func (b *Base) String() string {
	if b == nil {
		return ""
	}
	return b.url
}

// Profile returns the profile that the base URL was parsed by.
func (b *Base) Profile() Profile {
	if b == nil {
		return RFC1808
	}
	return b.profile
}

// IsOpaque reports whether the path of the base URL is no hierarchy, as in
// mailto:x: a base that RFC 3986 and the URL Standard accept and that makes
// nothing useful of a relative reference. It is never so in the RFC1808
// profile, where ParseBase returns [ErrOpaqueBase].
func (b *Base) IsOpaque() bool {
	switch b.Profile() {
	case RFC3986:
		return b.floor == 0
	case WHATWG:
		return b.parsed.OpaquePath()
	}
	return false
}

// IsAbsolute reports whether ref is absolute beside this base: whether it
// needs nothing from it. In the RFC profiles that is so where it has a
// scheme. In the WHATWG profile "http:x" is relative to a base of the same
// special scheme. It does not allocate.
func (b *Base) IsAbsolute(ref []byte) bool {
	switch b.Profile() {
	case RFC3986:
		return scheme3986(ref) > 0
	case WHATWG:
		return b.isAbsoluteWHATWG(ref)
	}
	return scheme1808(ref) > 0
}

// Resolve returns the absolute form of ref. A reference that has none is
// reported as an [*Error]; the string returned with it is empty.
func (b *Base) Resolve(ref string) (string, error) {
	longest := len(b.String()) + len("/") + len(ref) // in the RFC profiles
	buf := make([]byte, len(ref), len(ref)+longest)
	copy(buf, ref)
	s, err := b.AppendResolve(buf[len(ref):], buf)
	return string(s), err
}

// AppendResolve appends the absolute form of ref to dst and returns the
// extended slice, or dst as it was and an [*Error]. The two must not overlap.
// In the RFC profiles it allocates nothing but what dst has to grow and the
// error, and its time is linear in the length of ref and base. The WHATWG
// profile allocates, and refuses a ref of more than 8 KiB with [ErrInvalid].
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

// errPath refuses what would be read as something else. Only bases without a
// net_loc, such as file:/a, can bring it about.
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

// ParseBaseOn resolves ref, a base URL that may itself be relative, on outer, as
// Join does. Where outer is nil it is ParseBase(ref, p).
func ParseBaseOn(outer *Base, ref string, p Profile) (*Base, error) {
	if outer == nil {
		return ParseBase(ref, p)
	}
	return outer.Join(ref)
}

// appendPath appends a relative path to dst and removes its dot segments. The
// bytes of dst from floor on are complete segments, each with its slash. A
// ".." that has nothing left to remove stays where excess is set (RFC 1808
// §4 step 6, c and d), and goes where it is not (RFC 3986 §5.2.4). Every byte
// is appended once and removed at most once.
func appendPath(dst, path []byte, floor int, excess bool) []byte {
	for len(path) > 0 {
		n := dotSegment(path)
		switch {
		case n == 0:
			n = segmentsWithoutDot(path)
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

// dotSegment returns the length of the segment "." or ".." that the path
// begins with, and of its slash; 0 if it begins with another.
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

// segmentsWithoutDot returns the length of the first segment and of those
// after it that do not begin with a dot, with their slashes.
func segmentsWithoutDot(path []byte) int {
	if i := bytes.Index(path, []byte("/.")); i >= 0 {
		return i + 1
	}
	return len(path)
}

// lastSegment returns where the last segment of dst begins, or -1 if there is
// none, or none but "..".
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
