package resolver

import (
	"bytes"
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
// The states are methods. Each is given what is left of the input, begins where the
// Standard's pointer stands, and ends in a call of the next.
type urlParser struct {
	base *Base // nil if there is none
	dst  []byte

	start int // where the URL begins in dst
	spans     // where its components end, counted from start; params is where path is
	floor int // what segments of the path cannot be removed, in dst

	special, file, opaque bool
	port                  int // the scheme's default port; 0 if there is none
}

// parse appends the URL for an input to dst. If it fails, dst has anything.
func (p *urlParser) parse(in []byte) error {
	begin := len(p.dst)
	in, err := p.clean(in)
	if err != nil {
		return err
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

// schemeState is the end of the scheme state, after the colon.
func (p *urlParser) schemeState(scheme, in []byte) error {
	for _, c := range scheme {
		p.dst = append(p.dst, lower(c))
	}
	p.scheme = len(scheme)
	p.netLoc = p.scheme
	p.setScheme(p.dst[p.start:])
	switch {
	case p.file:
		return p.fileState(in)
	case p.special && p.base != nil && p.base.url[:p.base.scheme] == string(p.dst[p.start:]):
		// special relative or authority state
		if bytes.HasPrefix(in, []byte("//")) {
			return p.ignoreSlashesState(in)
		}
		return p.relativeState(in)
	case p.special: // special authority slashes state
		return p.ignoreSlashesState(in)
	case bytes.HasPrefix(in, []byte("//")): // path or authority state
		return p.authorityState(in[2:])
	case bytes.HasPrefix(in, []byte("/")):
		return p.pathState(in[1:])
	}
	return p.opaquePathState(in)
}

// setScheme sets what the scheme says of the rest. The scheme has its colon.
func (p *urlParser) setScheme(scheme []byte) {
	p.port, p.special = specialScheme(scheme)
	p.file = p.special && p.port == 0
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

// noSchemeState is the no scheme state.
func (p *urlParser) noSchemeState(in []byte) error {
	b := p.base
	switch {
	case b == nil:
		return errNoScheme
	case b.opaque:
		if len(in) == 0 || in[0] != '#' {
			return errOpaquePath
		}
		p.inherit(b.url[:b.query])
		return p.queryState(in)
	}
	p.special, p.file, p.port = b.special, b.file, b.port
	if p.file {
		p.inherit(b.url[:b.scheme])
		return p.fileState(in)
	}
	return p.relativeState(in)
}

// inherit makes the beginning of the base, or a prefix of its dir, the URL so far.
func (p *urlParser) inherit(prefix string) {
	p.scheme, p.netLoc, p.floor = p.base.scheme, p.base.netLoc, p.start+p.base.floor
	p.dst = append(p.dst[:p.start], prefix...)
}

// startsWithSlash reports whether a segment ends here: at a slash or, in a special
// URL, a backslash.
func (p *urlParser) startsWithSlash(in []byte) bool {
	return len(in) > 0 && (in[0] == '/' || in[0] == '\\' && p.special)
}

// relativeState is the relative state.
func (p *urlParser) relativeState(in []byte) error {
	b := p.base
	if p.startsWithSlash(in) { // relative slash state
		if p.startsWithSlash(in[1:]) {
			p.inherit(b.url[:b.scheme])
			if p.special {
				return p.ignoreSlashesState(in)
			}
			return p.authorityState(in[2:])
		}
		p.inherit(b.url[:b.netLoc])
		return p.pathState(in[1:])
	}
	if p.inheritPath(in) {
		return p.queryState(in)
	}
	p.inherit(b.dir)
	return p.segments(in)
}

// inheritPath inherits the path of the base, and its query too, if the input has no
// path: the relative state and the file state.
func (p *urlParser) inheritPath(in []byte) bool {
	switch {
	case len(in) == 0 || in[0] == '#':
		p.inherit(p.base.url[:p.base.query])
	case in[0] == '?':
		p.inherit(p.base.url[:p.base.path])
	default:
		return false
	}
	return true
}

// ignoreSlashesState is the special authority ignore slashes state.
func (p *urlParser) ignoreSlashesState(in []byte) error {
	for p.startsWithSlash(in) {
		in = in[1:]
	}
	return p.authorityState(in)
}

// authorityState is the authority state.
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
	}
	if err := p.hostState(authority); err != nil {
		return err
	}
	p.netLoc = len(p.dst) - p.start
	return p.pathStartState(in)
}

// credentials appends the user and the password. The first colon separates them, and
// an "@" belongs to them, except the last.
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
	if p.dst, err = appendHost(p.dst, in[:end], !p.special); err != nil || end == len(in) {
		return err
	}
	return p.portState(in[end+1:])
}

// portState is the port state.
func (p *urlParser) portState(in []byte) error {
	port := 0
	for _, c := range in {
		if !isDigit(c) {
			return errPort
		}
		port = min(port*10+int(c-'0'), 1<<16)
	}
	if port == 1<<16 {
		return errPortRange
	}
	if len(in) > 0 && (port != p.port || p.port == 0) {
		p.dst = append(p.dst, ':')
		p.dst = appendDecimal(p.dst, port)
	}
	return nil
}

// pathStartState is the path start state.
func (p *urlParser) pathStartState(in []byte) error {
	if p.startsWithSlash(in) {
		return p.pathState(in[1:])
	}
	if p.special {
		return p.pathState(in)
	}
	return p.queryState(in)
}

// pathState is the path state for a URL that has no segment yet.
func (p *urlParser) pathState(in []byte) error {
	p.dst = append(p.dst, '/')
	p.floor = len(p.dst)
	return p.segments(in)
}

// segmentEnd returns the set of what ends a segment and the authority.
func (p *urlParser) segmentEnd() urlSet {
	if p.special {
		return endsSpecial
	}
	return endsSegment
}

// segments is the path state. dst ends in a slash, where the next segment begins.
func (p *urlParser) segments(in []byte) error {
	ends := p.segmentEnd()
	for {
		n := indexSet(in, 0, ends)
		segment := in[:n]
		in = in[n:]
		slash := p.startsWithSlash(in)
		switch dots(segment) {
		case 0:
			p.segment(segment)
			if slash {
				p.dst = append(p.dst, '/')
			}
		case 2: // shorten the path
			if len(p.dst) > p.floor {
				p.dst = p.dst[:p.floor+bytes.LastIndexByte(p.dst[p.floor:len(p.dst)-1], '/')+1]
			}
		}
		if !slash {
			break
		}
		in = in[1:]
		if p.file {
			p.keepDrive()
		}
	}
	p.endPath()
	return p.queryState(in)
}

// segment appends a segment. In a file URL, a drive letter that is the first segment
// gets a colon.
func (p *urlParser) segment(in []byte) {
	first := p.file && p.atRoot()
	p.dst = appendEncoded(p.dst, in, encodePath)
	if first && isDrive(in) {
		p.dst[len(p.dst)-1] = ':'
	}
}

// atRoot reports whether the path has no segment.
func (p *urlParser) atRoot() bool { return len(p.dst) == p.start+p.netLoc+1 }

// keepDrive raises the floor over a drive letter, the first and only segment.
func (p *urlParser) keepDrive() {
	root := p.start + p.netLoc + 1
	if p.floor == root && len(p.dst) == root+len("C:/") && isDrive(p.dst[root:root+2]) {
		p.floor = len(p.dst)
	}
}

// endPath puts "/." before a path that would otherwise be taken for an authority: step 3
// of the URL serializer.
func (p *urlParser) endPath() {
	path := p.start + p.netLoc
	if p.netLoc == p.scheme && bytes.HasPrefix(p.dst[path:], []byte("//")) {
		p.dst = append(p.dst, 0, 0)
		copy(p.dst[path+2:], p.dst[path:])
		copy(p.dst[path:], "/.")
	}
}

// dots returns how many dots a segment is: 1 or 2 for a dot segment, where each may be
// %2e. For any other segment it returns 0.
func dots(segment []byte) int {
	n := 0
	for len(segment) > 0 {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case isEncodedDot(segment):
			segment = segment[3:]
		default:
			return 0
		}
		if n++; n > 2 {
			return 0
		}
	}
	return n
}

// isEncodedDot reports whether s begins with a percent-encoded dot.
func isEncodedDot(s []byte) bool {
	return len(s) >= 3 && s[0] == '%' && s[1] == '2' && s[2]|0x20 == 'e'
}

// isDrive reports whether s is a Windows drive letter.
func isDrive(s []byte) bool {
	return len(s) == 2 && isAlpha(s[0]) && (s[1] == ':' || s[1] == '|')
}

// startsWithDrive reports whether s starts with a Windows drive letter.
func startsWithDrive(s []byte) bool {
	return len(s) >= 2 && isDrive(s[:2]) && indexSet(s[2:min(3, len(s))], 0, endsSpecial) == 0
}

// opaquePathState is the opaque path state.
func (p *urlParser) opaquePathState(in []byte) error {
	p.opaque = true
	end := indexSet(in, 0, endsPath)
	path := in[:end]
	spaced := end > 0 && end < len(in) && path[end-1] == ' '
	if spaced {
		path = path[:end-1]
	}
	p.dst = appendEncoded(p.dst, path, encodeC0)
	if spaced {
		p.dst = append(p.dst, "%20"...)
	}
	return p.queryState(in[end:])
}

// queryState is the query state and the fragment state, for what follows the path.
func (p *urlParser) queryState(in []byte) error {
	p.path = len(p.dst) - p.start
	p.params = p.path
	if len(in) > 0 && in[0] == '?' {
		set := encodeQuery
		if p.special {
			set = encodeSpecialQuery
		}
		end := bytes.IndexByte(in, '#')
		if end < 0 {
			end = len(in)
		}
		p.dst = append(p.dst, '?')
		p.dst = appendEncoded(p.dst, in[1:end], set)
		in = in[end:]
	}
	p.query = len(p.dst) - p.start
	if len(in) > 0 {
		p.dst = append(p.dst, '#')
		p.dst = appendEncoded(p.dst, in[1:], encodeFragment)
	}
	return nil
}

// fileState is the file state.
func (p *urlParser) fileState(in []byte) error {
	b := p.base
	if b != nil && !b.file {
		b = nil
	}
	switch {
	case p.startsWithSlash(in):
		return p.fileSlashState(in[1:], b)
	case b == nil:
		p.emptyHost()
		return p.pathState(in)
	case p.inheritPath(in):
		return p.queryState(in)
	case startsWithDrive(in):
		p.inherit(b.url[:b.netLoc])
		return p.pathState(in)
	}
	p.inherit(b.dir)
	return p.segments(in)
}

// emptyHost appends the empty host.
func (p *urlParser) emptyHost() {
	p.dst = append(p.dst, "//"...)
	p.netLoc = len(p.dst) - p.start
}

// fileSlashState is the file slash state. b is the base if that is a file URL.
func (p *urlParser) fileSlashState(in []byte, b *Base) error {
	switch {
	case p.startsWithSlash(in):
		return p.fileHostState(in[1:])
	case b == nil:
		p.emptyHost()
		return p.pathState(in)
	case startsWithDrive(in):
		p.inherit(b.url[:b.netLoc])
		return p.pathState(in)
	}
	p.inherit(b.dir[:b.floor]) // with the base's drive letter, if any
	return p.segments(in)
}

// fileHostState is the file host state.
func (p *urlParser) fileHostState(in []byte) (err error) {
	end := indexSet(in, 0, endsSpecial)
	host := in[:end]
	if len(host) == 0 || isDrive(host) {
		p.emptyHost()
		if len(host) > 0 {
			return p.pathState(in)
		}
		return p.pathStartState(in)
	}
	p.dst = append(p.dst, "//"...)
	at := len(p.dst)
	if p.dst, err = appendHost(p.dst, host, false); err != nil {
		return err
	}
	if string(p.dst[at:]) == "localhost" {
		p.dst = p.dst[:at]
	}
	p.netLoc = len(p.dst) - p.start
	return p.pathStartState(in[end:])
}
