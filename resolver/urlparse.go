package resolver

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// A urlFailure is a failure of the URL parser.
type urlFailure struct {
	state  string // where, as in Step.Name
	reason string
}

func (f *urlFailure) Error() string { return ErrInvalid.Error() + ": " + f.reason }

func (f *urlFailure) Unwrap() error { return ErrInvalid }

// A urlParser takes one input through the basic URL parser (URL Standard, §4.4) and the
// URL serializer (§4.5) at a time: its states append the components of the URL to dst in
// serialized form, one after the other.
//
// The states are methods, named after the Standard's states. Each is given the input from
// the Standard's pointer on, and ends in a call of the next. Where the Standard goes on
// by code points until a delimiter comes, a state looks for the delimiter first.
type urlParser struct {
	base *Base // nil if there is none
	dst  []byte

	start int // where the URL begins in dst
	spans     // where its components end, counted from start; without params
	floor int // as in Base, but counted in dst

	special, file, opaque bool
	port                  int // the scheme's default port; 0 if there is none

	steps *[]Step // of Explain; otherwise nil
}

// step tells Explain what a state did, which has set the URL so far.
func (p *urlParser) step(state, text string) {
	if p.steps != nil {
		p.record(state, text, p.dst[p.start:])
	}
}

func (p *urlParser) record(state, text string, value []byte) {
	*p.steps = append(*p.steps, Step{state, text, string(value)})
}

// parse appends the URL for an input to dst. If parse fails, the bytes that it has
// appended mean nothing.
func (p *urlParser) parse(in []byte) error {
	begin, written := len(p.dst), len(in)
	in, err := p.clean(in)
	if err != nil {
		return err
	}
	if p.steps != nil && len(in) < written {
		p.record("4.4 basic URL parser", "white space and control characters at the ends go, tabs and newlines everywhere", in)
	}
	p.start = len(p.dst)
	if n := scheme3986(in); n > 0 {
		err = p.schemeState(in[:n], in[n:])
	} else {
		err = p.noSchemeState(in)
	}
	if p.start > begin && err == nil {
		p.dst = append(p.dst[:begin], p.dst[p.start:]...)
	}
	return err
}

// clean takes steps 1 to 3 of the parser: no C0 controls and spaces at the ends, no
// tabs and newlines. If there are some within the input, its copy without them is put
// at the end of dst.
func (p *urlParser) clean(in []byte) ([]byte, error) {
	for len(in) > 0 && in[0] <= ' ' {
		in = in[1:]
	}
	for len(in) > 0 && in[len(in)-1] <= ' ' {
		in = in[:len(in)-1]
	}
	n := indexSet(in, 0, isIgnored|notASCII)
	if n == len(in) {
		return in, nil
	}
	if !utf8.Valid(in) {
		return nil, errNotUTF8
	}
	if n = indexSet(in, n, isIgnored); n == len(in) {
		return in, nil
	}
	at := len(p.dst)
	for n < len(in) {
		p.dst = append(p.dst, in[:n]...)
		in = in[n+1:]
		n = indexSet(in, 0, isIgnored)
	}
	p.dst = append(p.dst, in...)
	return p.dst[at:], nil
}

// schemeState is the scheme state from the colon on. The scheme has its colon.
func (p *urlParser) schemeState(scheme, in []byte) error {
	for _, c := range scheme {
		p.dst = append(p.dst, lower(c))
	}
	p.scheme = len(scheme)
	p.netLoc = p.scheme
	p.port, p.special = specialScheme(p.dst[p.start:])
	p.file = p.special && p.port == 0
	p.step("4.4 scheme state", "the reference begins with a scheme")
	switch {
	case p.file:
		return p.fileState(in)
	case p.special && p.base != nil && p.base.url[:p.base.scheme] == string(p.dst[p.start:]):
		const state = "4.4 special relative or authority state"
		if bytes.HasPrefix(in, []byte("//")) {
			p.step(state, "the scheme is the base's, and // follows: the authority comes next")
			return p.ignoreSlashesState(in)
		}
		p.step(state, "the scheme is the base's, and // does not follow: the rest is relative")
		return p.relativeState(in)
	case p.special:
		p.step("4.4 special authority slashes state", "the authority comes next, after any number of slashes")
		return p.ignoreSlashesState(in)
	case bytes.HasPrefix(in, []byte("//")):
		p.step("4.4 path or authority state", "// follows: the authority comes next")
		return p.authorityState(in[2:])
	case bytes.HasPrefix(in, []byte("/")):
		return p.pathState(in[1:])
	}
	return p.opaquePathState(in)
}

// specialScheme returns the default port of a special scheme, with its colon in lower
// case. The scheme file has none: 0.
func specialScheme(scheme []byte) (port int, special bool) {
	switch string(scheme) {
	case "http:", "ws:":
		return 80, true
	case "https:", "wss:":
		return 443, true
	case "ftp:":
		return 21, true
	case "file:":
		return 0, true
	}
	return 0, false
}

func (p *urlParser) noSchemeState(in []byte) error {
	const state = "4.4 no scheme state"
	b := p.base
	switch {
	case b == nil:
		return errNoScheme
	case b.opaque:
		if len(in) == 0 || in[0] != '#' {
			return errOpaquePath
		}
		p.inherit(b.url[:b.query])
		p.step(state, "the reference is a fragment: everything before it is inherited")
		return p.queryState(in)
	}
	p.special, p.file, p.port = b.special, b.file, b.port
	p.inherit(b.url[:b.scheme])
	p.step(state, "the reference has no scheme: the base's is inherited")
	if p.file {
		return p.fileState(in)
	}
	return p.relativeState(in)
}

// inherit makes a prefix of the base, or of its dir, the URL so far.
func (p *urlParser) inherit(prefix string) {
	p.scheme, p.netLoc, p.floor = p.base.scheme, p.base.netLoc, p.start+p.base.floor
	p.dst = append(p.dst[:p.start], prefix...)
}

// startsWithSlash reports whether a segment ends here: at a slash or, in a special
// URL, a backslash.
func (p *urlParser) startsWithSlash(in []byte) bool {
	return len(in) > 0 && (in[0] == '/' || in[0] == '\\' && p.special)
}

func (p *urlParser) relativeState(in []byte) error {
	b := p.base
	if p.startsWithSlash(in) {
		const state = "4.4 relative slash state"
		if p.startsWithSlash(in[1:]) {
			p.inherit(b.url[:b.scheme])
			p.step(state, "two slashes: the authority comes next")
			if p.special {
				return p.ignoreSlashesState(in)
			}
			return p.authorityState(in[2:])
		}
		p.inherit(b.url[:b.netLoc])
		p.step(state, "one slash: the authority is inherited, if any")
		return p.pathState(in[1:])
	}
	return p.inheritPath(in, "4.4 relative state")
}

// inheritPath is the end of the relative state and of the file state: it inherits the path
// of the base, and its query too, as far as the input has no own.
func (p *urlParser) inheritPath(in []byte, state string) error {
	b := p.base
	switch {
	case len(in) == 0 || in[0] == '#':
		p.inherit(b.url[:b.query])
		p.step(state, "the path is empty: the base's is inherited, and the query")
		return p.queryState(in)
	case in[0] == '?':
		p.inherit(b.url[:b.path])
		p.step(state, "the path is empty: the base's is inherited")
		return p.queryState(in)
	}
	p.inherit(b.dir)
	p.step(state, "the path of the base is inherited, without its last segment")
	return p.segments(in)
}

// ignoreSlashesState is the special authority ignore slashes state.
func (p *urlParser) ignoreSlashesState(in []byte) error {
	for p.startsWithSlash(in) {
		in = in[1:]
	}
	return p.authorityState(in)
}

// authorityState is the authority state. The last "@" ends the credentials.
func (p *urlParser) authorityState(in []byte) error {
	end := indexSet(in, 0, p.segmentEnd())
	authority, in := in[:end], in[end:]
	p.dst = append(p.dst, "//"...)
	if at := bytes.LastIndexByte(authority, '@'); at >= 0 {
		p.credentials(authority[:at])
		authority = authority[at+1:]
		if len(authority) == 0 {
			return errNoHost
		}
		p.step("4.4 authority state", "what stands before the last @ is a user and a password")
	}
	if err := p.hostState(authority); err != nil {
		return err
	}
	p.netLoc = len(p.dst) - p.start
	return p.pathStartState(in)
}

// credentials appends the user and the password. The first colon separates them. Any
// other, and any "@", is percent-encoded.
func (p *urlParser) credentials(in []byte) {
	user, password, _ := bytes.Cut(in, []byte(":"))
	if len(user) == 0 && len(password) == 0 {
		return
	}
	p.dst = appendEncoded(p.dst, user, encodeUserinfo)
	if len(password) > 0 {
		p.dst = append(p.dst, ':')
		p.dst = appendEncoded(p.dst, password, encodeUserinfo)
	}
	p.dst = append(p.dst, '@')
}

// hostState is the host state, for a host and what follows it in the authority.
func (p *urlParser) hostState(in []byte) (err error) {
	end, inBrackets := 0, false
	for end < len(in) && (in[end] != ':' || inBrackets) {
		if in[end] == '[' || in[end] == ']' {
			inBrackets = in[end] == '['
		}
		end++
	}
	if end == 0 && (p.special || len(in) > 0) {
		return errNoHost
	}
	if err = p.host(in[:end]); err != nil || end == len(in) {
		return err
	}
	return p.portState(in[end+1:])
}

// host appends a host, and tells Explain of what kind it is.
func (p *urlParser) host(in []byte) (err error) {
	at := len(p.dst)
	if p.dst, err = appendHost(p.dst, in, !p.special); err != nil || p.steps == nil {
		return err
	}
	switch host := p.dst[at:]; {
	case len(host) == 0:
		p.step("4.4 host state", "the host is empty")
	case host[0] == '[':
		p.step("3.5 IPv6 parser", "the host is an IPv6 address")
	case !p.special:
		p.step("3.5 opaque-host parser", "the host is opaque, because the scheme is not a special one")
	case endsInNumber(host):
		p.step("3.5 IPv4 parser", "the host ends in a number: it is an IPv4 address")
	default:
		p.step("3.5 host parser", "the host is a domain")
	}
	return nil
}

func (p *urlParser) portState(in []byte) error {
	port := 0
	for _, c := range in {
		if !isDigit(c) {
			return errPort
		}
		port = min(port*10+int(c-'0'), 1<<16) // more is out of range, too
	}
	if port == 1<<16 {
		return errPortRange
	}
	if len(in) > 0 && (port != p.port || p.port == 0) {
		p.dst = append(p.dst, ':')
		p.dst = strconv.AppendUint(p.dst, uint64(port), 10)
		p.step("4.4 port state", "a port follows")
	} else {
		p.step("4.4 port state", "the port is empty or the default: it goes")
	}
	return nil
}

// segmentEnd returns the set of what ends a segment and the authority.
func (p *urlParser) segmentEnd() urlSet {
	if p.special {
		return endsSpecial
	}
	return endsSegment
}
