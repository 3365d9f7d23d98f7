package resolver

import (
	"errors"
	"strings"
)

// A urlWalk explains a resolution of the WHATWG profile. It goes through the states of
// the URL parser again, by the delimiters in the reference, and shows what the URL was
// after each: mostly the beginning of the result.
type urlWalk struct {
	base  *Base
	url   *Base  // the result; nil if the parser fails
	in    string // what is left of the reference
	slash string // what ends a segment: "/", in a special URL also "\"
	steps []Step
}

func (e *explanation) whatwg(ref string) {
	url, err := e.base.Resolve(ref)
	w := urlWalk{base: e.base}
	if err == nil {
		w.url, _ = ParseBase(url, WHATWG)
	}
	var p urlParser
	if in, notUTF8 := p.clean([]byte(ref)); notUTF8 == nil {
		if w.in = string(in); w.in != ref {
			w.add("4.4 basic URL parser", "white space and control characters at the ends go, tabs and newlines everywhere", w.in)
		}
		w.scheme()
	}
	if err != nil {
		w.add(failedState(err), err.(*Error).Err.Error(), "")
	}
	e.steps = w.steps
}

// failedState returns where the URL parser failed.
func failedState(err error) string {
	var failure *urlFailure
	if errors.As(err, &failure) {
		return failure.state
	}
	return "4.4 no scheme state"
}

func (w *urlWalk) add(name, text, value string) {
	w.steps = append(w.steps, Step{name, text, value})
}

// upTo adds a step after which the URL is the first bytes of the result.
func (w *urlWalk) upTo(end int, name, text string) { w.add(name, text, w.url.url[:end]) }

// slashes returns how many slashes, at most 2, the rest of the reference begins with.
func (w *urlWalk) slashes() int {
	first := w.in[:min(2, len(w.in))]
	return len(first) - len(strings.TrimLeft(first, w.slash))
}

func (w *urlWalk) skipSlash() { w.in = w.in[min(1, w.slashes()):] }

// scheme is the scheme state, the no scheme state, and those up to the next that reads
// something.
func (w *urlWalk) scheme() {
	b, scheme, n := w.base, w.base.url[:w.base.scheme], scheme3986(w.in)
	switch {
	case n > 0:
		scheme = strings.ToLower(w.in[:n])
		w.in = w.in[n:]
		w.add("4.4 scheme state", "the reference begins with a scheme", scheme)
	case !b.opaque:
		w.add("4.4 no scheme state", "the reference has no scheme: the base's is inherited", scheme)
	case w.url != nil:
		w.upTo(w.url.query, "4.4 no scheme state", "the reference is a fragment: everything before it is inherited")
		w.query()
		return
	default:
		return
	}
	same := scheme == b.url[:b.scheme]
	_, special := specialScheme([]byte(scheme))
	w.slash = "/"
	if special {
		w.slash = `/\`
	}
	doubleSlash := strings.HasPrefix(w.in, "//")
	switch {
	case scheme == "file:":
		w.file(same)
	case n == 0:
		w.relative()
	case special && same && doubleSlash:
		w.add("4.4 special relative or authority state", "the scheme is the base's, and // follows: the authority comes next", scheme)
		w.authority()
	case special && same:
		w.add("4.4 special relative or authority state", "the scheme is the base's, and // does not follow: the rest is relative", scheme)
		w.relative()
	case special:
		w.add("4.4 special authority slashes state", "the authority comes next, after any number of slashes", scheme)
		w.authority()
	case doubleSlash:
		w.add("4.4 path or authority state", "// follows: the authority comes next", scheme)
		w.authority()
	case w.slashes() > 0:
		w.in = w.in[1:]
		w.path()
	default:
		w.in = w.in[strings.IndexAny(w.in+"?", "?#"):]
		w.upTo(w.url.path, "4.4 opaque path state", "no slash follows: the path is opaque, not a hierarchy")
		w.query()
	}
}

// relative is the relative state and the relative slash state.
func (w *urlWalk) relative() {
	b := w.base
	switch w.slashes() {
	case 2:
		w.add("4.4 relative slash state", "two slashes: the authority comes next", b.url[:b.scheme])
		w.authority()
	case 1:
		w.in = w.in[1:]
		w.add("4.4 relative slash state", "one slash: the authority is inherited, if any", b.url[:b.netLoc])
		w.path()
	default:
		w.inherit("4.4 relative state")
	}
}

// inherit is the end of the relative state and of the file state.
func (w *urlWalk) inherit(name string) {
	switch {
	case w.in == "" || w.in[0] == '#':
		w.upTo(w.url.query, name, "the path is empty: the base's is inherited, and the query")
		w.query()
	case w.in[0] == '?':
		w.upTo(w.url.path, name, "the path is empty: the base's is inherited")
		w.query()
	default:
		w.add(name, "the path of the base is inherited, without its last segment", w.base.dir)
		w.path()
	}
}

// authority is the states from the authority state to the path start state.
func (w *urlWalk) authority() {
	if w.url == nil {
		return
	}
	u := w.url
	if w.in = w.in[w.slashes():]; u.special {
		w.in = strings.TrimLeft(w.in, w.slash)
	}
	end := strings.IndexAny(w.in+"/", w.slash+"?#")
	authority := w.in[:end]
	w.in = w.in[end:]
	start := u.scheme + len("//")
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
		if _, end := u.credentials(); end > start {
			start = end
		}
		w.upTo(start, "4.4 authority state", "what stands before the last @ is a user and a password")
	}
	w.host(start, authority)
	if u.special || w.slashes() > 0 {
		w.skipSlash()
		w.path()
		return
	}
	w.query()
}

// host is the host parser and the port state. The host of the result begins at start.
func (w *urlWalk) host(start int, authority string) {
	u := w.url
	host := u.url[start:u.netLoc]
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	end := start + len(host)
	switch {
	case host == "":
		w.upTo(end, "4.4 host state", "the host is empty")
	case host[0] == '[':
		w.upTo(end, "3.5 IPv6 parser", "the host is an IPv6 address")
	case !u.special:
		w.upTo(end, "3.5 opaque-host parser", "the host is opaque, because the scheme is not a special one")
	case endsInNumber([]byte(host)):
		w.upTo(end, "3.5 IPv4 parser", "the host ends in a number: it is an IPv4 address")
	default:
		w.upTo(end, "3.5 host parser", "the host is a domain")
	}
	switch colon := strings.LastIndexByte(authority, ':') > strings.LastIndexByte(authority, ']'); {
	case end < u.netLoc:
		w.upTo(u.netLoc, "4.4 port state", "a port follows")
	case colon:
		w.upTo(u.netLoc, "4.4 port state", "the port is empty or the default: it goes")
	}
}

// path is the path state, and what follows.
func (w *urlWalk) path() {
	end := strings.IndexAny(w.in+"?", "?#")
	path := w.in[:end]
	w.in = w.in[end:]
	text := "the path is the reference's"
	for segment := range strings.FieldsFuncSeq(path, func(r rune) bool { return strings.ContainsRune(w.slash, r) }) {
		if dots([]byte(segment)) > 0 {
			text = "segments are appended, and dot segments removed"
		}
	}
	u := w.url
	if path == "" {
		text = "the path is empty: it is a slash"
	}
	if !u.hasNetLoc() && strings.HasPrefix(u.url[u.scheme:], "/.//") {
		w.add("4.4 path state", text, u.url[:u.scheme]+u.url[u.scheme+len("/."):u.path])
		w.upTo(u.path, "4.5 URL serializer", "the path begins with //: /. goes before it, so that it is not taken for an authority")
	} else {
		w.upTo(u.path, "4.4 path state", text)
	}
	w.query()
}

// query is the query state and the fragment state.
func (w *urlWalk) query() {
	if strings.HasPrefix(w.in, "?") {
		w.upTo(w.url.query, "4.4 query state", "the query is the reference's")
	}
	if strings.Contains(w.in, "#") {
		w.upTo(len(w.url.url), "4.4 fragment state", "the fragment is the reference's")
	}
}

// file is the file state and the file slash state. same is set if the base is a file URL,
// too.
func (w *urlWalk) file(same bool) {
	b, slashes, drive := w.base, w.slashes(), startsWithDrive([]byte(w.in[min(1, w.slashes()):]))
	name := "4.4 file state"
	if slashes > 0 {
		name = "4.4 file slash state"
	}
	if slashes == 2 {
		w.in = w.in[2:]
		w.fileHost()
		return
	}
	if slashes == 0 && same && !drive {
		w.inherit(name)
		return
	}
	w.skipSlash()
	switch value := b.dir[:max(0, b.floor-len("/"))]; {
	case !same:
		w.add(name, "the host is empty", "file://")
	case drive || len(value) == b.netLoc:
		w.add(name, "the host is inherited", b.url[:b.netLoc])
	default:
		w.add(name, "the host is inherited, and the drive letter", value)
	}
	w.path()
}

// fileHost is the file host state.
func (w *urlWalk) fileHost() {
	if w.url == nil {
		return
	}
	end := strings.IndexAny(w.in+"/", `/\?#`)
	switch host := w.in[:end]; {
	case isDrive([]byte(host)):
		w.upTo(w.url.netLoc, "4.4 file host state", "what follows is a drive letter, not a host")
		w.path()
		return
	case host == "":
		w.upTo(w.url.netLoc, "4.4 file host state", "the host is empty")
	case w.url.netLoc == w.url.scheme+len("//"):
		w.upTo(w.url.netLoc, "4.4 file host state", "the host is localhost: it becomes empty")
	default:
		w.host(w.url.scheme+len("//"), host)
	}
	w.in = w.in[end:]
	w.skipSlash()
	w.path()
}
