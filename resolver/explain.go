package resolver

import "strings"

// A Step is one step of a resolution.
type Step struct {
	Name  string // as the standard numbers it: "1" to "7" of RFC 1808 §4
	Text  string // what it did
	Value string // the reference as it stood after it
}

// Explain returns the steps by which ref is resolved, the last with what
// [Base.Resolve] returns. In the RFC1808 profile they are those of §4; a step
// that is not reached is left out. In the other profiles they name the
// section. A reference without an absolute form ends with a step that says
// why, and an empty Value.
func (b *Base) Explain(ref string) []Step {
	e := explanation{base: b, ref: ref}
	switch {
	case b == nil:
		e.add("1", "no base URL is known: the reference is taken as absolute", ref)
	case b.profile == RFC1808:
		e.rfc1808()
	case b.profile == RFC3986:
		e.rfc3986()
	default:
		e.end("URL Standard §4.4", "the basic URL parser, with the base URL")
	}
	return e.steps
}

type explanation struct {
	base  *Base
	ref   string
	steps []Step
}

func (e *explanation) add(name, text, value string) {
	e.steps = append(e.steps, Step{name, text, value})
}

// end adds the last step, whose value is what Resolve returns.
func (e *explanation) end(name, text string) {
	url, err := e.base.Resolve(e.ref)
	if err != nil {
		text = err.(*Error).Err.Error()
	}
	e.add(name, text, url)
}

func (e *explanation) rfc1808() {
	e.add("1", "the base URL is known", e.base.url)
	base, r := Split(e.base.url), Split(e.ref)
	switch {
	case e.ref == "":
		e.end("2a", "the reference is empty: it is the entire base URL")
		return
	case r.IsAbsolute():
		e.end("2b", "the reference begins with a scheme: it is absolute")
		return
	}
	r.Scheme = base.Scheme
	e.add("2c", "the scheme is inherited", r.String())
	switch {
	case r.NetLoc != "":
		e.add("3", "the reference has a net_loc: skip to step 7", r.String())
	default:
		r.NetLoc, r.emptyNetLoc = base.NetLoc, base.emptyNetLoc || r.emptyNetLoc && base.NetLoc == ""
		e.add("3", "the net_loc is inherited", r.String())
		e.path1808(base, &r)
	}
	e.end("7", "the components are recombined")
}

// path1808 is steps 4 to 6.
func (e *explanation) path1808(base Reference, r *Reference) {
	switch {
	case strings.HasPrefix(r.Path, "/"):
		e.add("4", "the path is absolute: skip to step 7", r.String())
	case r.Path == "":
		e.inherit1808(base, r)
	default:
		r.Path = base.Path[:strings.LastIndexByte(base.Path, '/')+1] + r.Path
		e.add("6", "the path takes the place of the last segment of the base's path", r.String())
		for _, s := range steps6 {
			if path := s.do(r.Path); path != r.Path {
				r.Path = path
				e.add(s.name, s.text, r.String())
			}
		}
	}
}

func (e *explanation) inherit1808(base Reference, r *Reference) {
	r.Path = base.Path
	e.add("5", "the path is empty: the base's is inherited", r.String())
	if r.Params != "" {
		e.add("5a", "the reference has params: skip to step 7", r.String())
		return
	}
	r.Params, r.emptyParams = base.Params, base.emptyParams || r.emptyParams && base.Params == ""
	e.add("5a", "the params are inherited, if any", r.String())
	if r.Query != "" {
		e.add("5b", "the reference has a query: skip to step 7", r.String())
		return
	}
	r.Query, r.emptyQuery = base.Query, base.emptyQuery || r.emptyQuery && base.Query == ""
	e.add("5b", "the query is inherited, if any", r.String())
}

var steps6 = []struct {
	name, text string
	do         func(path string) string
}{
	{"6a", `every segment "." goes, with its slash`, step6a},
	{"6b", `a "." at the end goes`, step6b},
	{"6c", `every "<segment>/../" goes, from the left, until none is left`, step6c},
	{"6d", `a "<segment>/.." at the end goes`, step6d},
}

// cutRoot cuts the slash off that begins an absolute path, for it is no part
// of a segment.
func cutRoot(path string) (root string, segments []string) {
	if strings.HasPrefix(path, "/") {
		return "/", strings.Split(path[1:], "/")
	}
	return "", strings.Split(path, "/")
}

func step6a(path string) string {
	root, segments := cutRoot(path)
	last := len(segments) - 1
	kept := segments[:0]
	for i, s := range segments {
		if s != "." || i == last {
			kept = append(kept, s)
		}
	}
	return root + strings.Join(kept, "/")
}

func step6b(path string) string {
	if path == "." || strings.HasSuffix(path, "/.") {
		return path[:len(path)-1]
	}
	return path
}

func step6c(path string) string {
	root, segments := cutRoot(path)
	last := len(segments) - 1
	kept := segments[:0]
	for i, s := range segments {
		if n := len(kept); s == ".." && i < last && n > 0 && kept[n-1] != ".." {
			kept = kept[:n-1]
			continue
		}
		kept = append(kept, s)
	}
	return root + strings.Join(kept, "/")
}

func step6d(path string) string {
	root, segments := cutRoot(path)
	if n := len(segments); n >= 2 && segments[n-1] == ".." && segments[n-2] != ".." {
		return root + strings.Join(append(segments[:n-2], ""), "/")
	}
	return path
}

func (e *explanation) rfc3986() {
	r := split3986(e.ref)
	path := e.ref[r.netLoc:r.path]
	switch {
	case r.scheme > 0:
		e.end("5.2.2", "the reference has a scheme: it is absolute")
		return
	case r.netLoc > 0:
		e.add("5.2.2", "the reference has an authority of its own", e.ref)
	case path == "" && r.query > r.path:
		e.add("5.2.2", "the path is empty: authority and path are the base's", e.ref)
	case path == "":
		e.add("5.2.2", "the path is empty: authority, path and query are the base's", e.ref)
	case path[0] == '/':
		e.add("5.2.2", "the path is absolute: the authority is the base's", e.ref)
	default:
		e.add("5.2.3", "the path takes the place of the last segment of the base's path", mergePath(e.base, path))
	}
	if hasDotSegment(path) {
		e.end("5.2.4, 5.3", "dot segments are removed and the components recombined")
		return
	}
	e.end("5.3", "the components are recombined")
}

func mergePath(b *Base, path string) string {
	base := b.url[b.netLoc:b.path]
	if base == "" && b.hasNetLoc() {
		return "/" + path
	}
	return base[:strings.LastIndexByte(base, '/')+1] + path
}
