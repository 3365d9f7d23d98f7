package resolver

import (
	"errors"
	"slices"
	"strings"
)

// A Step is one step of a resolution.
type Step struct {
	// Name is the step as the standard numbers it: "1" to "7" of RFC 1808 §4, "5.2.2"
	// to "5.3" of RFC 3986, or a section and state of the URL Standard, such as
	// "4.4 path state".
	Name string
	Text string // what the step did, in one line
	// Value is the reference after the step; for step 1 of RFC 1808, the base URL. In
	// the WHATWG profile it is the URL so far.
	Value string
}

// Explain returns the steps by which ref is resolved. The Value of the last step is
// what [Base.Resolve] returns. In the RFC1808 profile the steps follow §4, in the RFC3986
// profile §5.2.2 to §5.3. In the WHATWG profile they are the states of the URL parser, URL
// Standard §4.4, and the host parser, §3.5. Steps that are not reached, or that remove
// nothing, are left out. If ref has no absolute form, the last step says why, and its
// Value is "".
func (b *Base) Explain(ref string) []Step {
	e := explanation{base: b}
	switch {
	case b == nil:
		e.ref = Split(ref)
		e.add("1", "no base URL is known: the reference is taken as absolute")
	case b.profile == RFC1808:
		e.rfc1808(ref)
	case b.profile == RFC3986:
		e.rfc3986(ref)
	default:
		e.whatwg(ref)
	}
	return e.steps
}

// An explanation goes through the steps one by one, on the components of the
// reference. AppendResolve joins spans instead. Neither calls the other, and the
// tests compare their results.
type explanation struct {
	base  *Base
	ref   Reference // after the steps so far
	steps []Step
}

func (e *explanation) add(name, text string) {
	e.steps = append(e.steps, Step{name, text, e.ref.String()})
}

// end adds the last step.
func (e *explanation) end(name string) {
	if !e.ref.hasNetLoc() && strings.HasPrefix(e.ref.Path, "//") {
		e.steps = append(e.steps, Step{Name: name, Text: e.base.errPath().Error()})
		return
	}
	e.add(name, "the components are recombined")
}

func (e *explanation) rfc1808(ref string) {
	base := Split(e.base.url)
	e.ref = base
	e.add("1", "the base URL is known")
	if ref == "" {
		e.add("2a", "the reference is empty: it is the entire base URL")
		return
	}
	e.ref = Split(ref)
	if e.ref.Scheme != "" {
		e.add("2b", "the reference begins with a scheme: it is absolute")
		return
	}
	e.ref.Scheme = base.Scheme
	e.add("2c", "the scheme is inherited")
	if e.ref.NetLoc != "" {
		e.add("3", "the reference has a net_loc: skip to step 7")
	} else {
		e.ref.NetLoc, e.ref.emptyNetLoc = inherited(base.NetLoc, base.emptyNetLoc, e.ref.emptyNetLoc)
		e.add("3", "the net_loc is inherited")
		e.path1808(base)
	}
	e.end("7")
}

// inherited returns a component of the base URL and whether it is a delimiter alone.
// If the base has no such component, the delimiter of the reference stays, if any.
func inherited(base string, baseEmpty, ownEmpty bool) (value string, empty bool) {
	return base, baseEmpty || base == "" && ownEmpty
}

// path1808 takes steps 4 to 6.
func (e *explanation) path1808(base Reference) {
	switch {
	case strings.HasPrefix(e.ref.Path, "/"):
		e.add("4", "the path is absolute: skip to step 7")
	case e.ref.Path == "":
		e.inherit1808(base)
	default:
		e.merge("6", base)
		for _, s := range steps6 {
			if path := s.do(e.ref.Path); path != e.ref.Path {
				e.ref.Path = path
				e.add(s.name, s.text)
			}
		}
	}
}

// inherit1808 takes step 5. A base URL without a path has a net_loc, and neither
// params nor query.
func (e *explanation) inherit1808(base Reference) {
	r := &e.ref
	hasParams, hasQuery := r.Params != "" || r.emptyParams, r.Query != "" || r.emptyQuery
	r.Path = base.Path
	if base.Path == "" && (hasParams || hasQuery) {
		r.Path = "/"
		e.add("5", "the path is empty, and so is the base's: a slash ends the net_loc")
	} else {
		e.add("5", "the path is empty: the base's is inherited")
	}
	if r.Params != "" {
		e.add("5a", "the reference has params: skip to step 7")
		return
	}
	r.Params, r.emptyParams = inherited(base.Params, base.emptyParams, r.emptyParams)
	e.add("5a", "the params are inherited, if any")
	if r.Query != "" {
		e.add("5b", "the reference has a query: skip to step 7")
		return
	}
	r.Query, r.emptyQuery = inherited(base.Query, base.emptyQuery, r.emptyQuery)
	e.add("5b", "the query is inherited, if any")
}

// merge puts a relative path after the base's directory: the beginning of step 6 of
// RFC 1808 §4, and RFC 3986 §5.2.3.
func (e *explanation) merge(name string, base Reference) {
	if base.Path == "" && base.hasNetLoc() {
		e.ref.Path = "/" + e.ref.Path
		e.add(name, "the base has no path: a slash goes before the reference's")
		return
	}
	e.ref.Path = directory(base.Path) + e.ref.Path
	e.add(name, "the path takes the place of the last segment of the base's path")
}

// directory returns a path up to its last slash.
func directory(path string) string {
	return path[:strings.LastIndexByte(path, '/')+1]
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

// segments splits the path of step 6. The path begins with a slash, as the base's
// does. That slash belongs to no segment.
func segments(path string) []string {
	return strings.Split(path[1:], "/")
}

func joinSegments(s []string) string { return "/" + strings.Join(s, "/") }

func step6a(path string) string {
	all := segments(path)
	last := len(all) - 1
	kept := slices.DeleteFunc(all[:last], func(s string) bool { return s == "." })
	return joinSegments(append(kept, all[last]))
}

func step6b(path string) string {
	if strings.HasSuffix(path, "/.") {
		return path[:len(path)-1]
	}
	return path
}

func step6c(path string) string {
	all := segments(path)
	kept := all[:0]
	for i, s := range all {
		if n := len(kept); s == ".." && i < len(all)-1 && n > 0 && kept[n-1] != ".." {
			kept = kept[:n-1]
			continue
		}
		kept = append(kept, s)
	}
	return joinSegments(kept)
}

func step6d(path string) string {
	all := segments(path)
	if n := len(all); n >= 2 && all[n-1] == ".." && all[n-2] != ".." {
		return joinSegments(append(all[:n-2], ""))
	}
	return path
}

// whatwg has the steps from the parser itself.
func (e *explanation) whatwg(ref string) {
	p := urlParser{base: e.base, steps: &e.steps}
	err := p.parse([]byte(ref))
	if err == nil {
		return
	}
	state := "4.4 no scheme state"
	if failure := (*urlFailure)(nil); errors.As(err, &failure) {
		state = failure.state
	}
	e.steps = append(e.steps, Step{Name: state, Text: err.Error()})
}

func (e *explanation) rfc3986(ref string) {
	base := components(e.base.url, split3986(e.base.url))
	e.ref = components(ref, split3986(ref))
	if e.ref.Scheme != "" {
		e.add("5.2.2", "the reference has a scheme: it is absolute")
		return
	}
	e.ref.Scheme = base.Scheme
	e.add("5.2.2", "the scheme is inherited")
	if e.ref.hasNetLoc() {
		e.add("5.2.2", "the reference has an authority")
		e.removeDots("dot segments are removed")
	} else {
		e.ref.NetLoc, e.ref.emptyNetLoc = base.NetLoc, base.emptyNetLoc
		e.add("5.2.2", "the authority is inherited, if any")
		e.path3986(base)
	}
	e.end("5.3")
}

func (e *explanation) path3986(base Reference) {
	switch {
	case e.ref.Path == "":
		e.ref.Path = base.Path
		e.add("5.2.2", "the path is empty: the base's is inherited")
		if e.ref.Query == "" && !e.ref.emptyQuery {
			e.ref.Query, e.ref.emptyQuery = base.Query, base.emptyQuery
			e.add("5.2.2", "the query is inherited, if any")
		}
	case strings.HasPrefix(e.ref.Path, "/"):
		e.add("5.2.2", "the path is absolute")
		e.removeDots("dot segments are removed")
	default:
		e.merge("5.2.3", base)
		if dir := directory(base.Path); withoutDots(dir) != dir {
			e.removeDots("dot segments are removed, also from the base's path")
		} else {
			e.removeDots("dot segments are removed")
		}
	}
}

func (e *explanation) removeDots(text string) {
	if path := withoutDots(e.ref.Path); path != e.ref.Path {
		e.ref.Path = path
		e.add("5.2.4", text)
	}
}

func withoutDots(path string) string {
	return string(removeDotSegments([]byte(path), 0))
}
