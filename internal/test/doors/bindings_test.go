package doors_test

import (
	"bytes"
	"encoding/json"
	"html"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"absolink/internal/test/doors"
)

const (
	noCounts = "the document comes out alone; warn and unresolvable count what is wrong"
	noCalls  = "a later version of the wheel calls functions"
)

var (
	js = &language{built: "ABSOLINK_NPM", command: func(built string) []string {
		return []string{"node", "--expose-gc", "../../../bindings/js/test/door.mjs", built}
	}}
	py = &language{built: "ABSOLINK_PYTHON", command: func(built string) []string {
		return []string{built, "../../../bindings/python/tests/door.py"}
	}}
)

var javascript = []doors.Door{
	js.whole("js:rewrite", bytewise),
	js.whole("js:Rewriter.rewrite", textual),
	js.stream("js:rewriteStream", bytewise),
	js.stream("js:Rewriter.rewriteStream", textual),
	js.list("js:places", bytewise),
	js.list("js:Rewriter.places", textual),
	js.whole("js:feeds.rewrite", textual),
	js.feed("js:feeds.rewriteFeed"),
	js.site("js:eleventy.absolink"),
}

var python = []doors.Door{
	calling(py.whole("python:rewrite", bytewise)),
	calling(py.whole("python:Rewriter.rewrite", textual)),
	calling(py.list("python:places", bytewise)),
	calling(py.list("python:Rewriter.places", textual)),
}

// TestBindings checks every promise at the doors in other languages. It needs the packages
// that bindings/check builds: ABSOLINK_NPM names the directory of the npm package, and
// ABSOLINK_PYTHON a Python that has the wheel.
func TestBindings(t *testing.T) {
	randomly(t)
	for _, b := range []struct {
		name string
		*language
		rows []doors.Door
	}{{"JavaScript", js, javascript}, {"Python", py, python}} {
		t.Run(b.name, func(t *testing.T) {
			built := os.Getenv(b.built)
			if built == "" {
				t.Skipf("%s is not set: bindings/check builds the package, and runs this test", b.built)
			}
			b.start(t, b.command(built))
			doors.Check(t, b.rows)
		})
	}
}

// A mode is the kind of value that a function takes as a document.
type mode struct {
	name    string
	charset string
	takes   func([]byte) bool
}

var (
	bytewise = mode{"bytes", "", brief}
	textual  = mode{"text", "utf-8", func(doc []byte) bool { return brief(doc) && utf8.Valid(doc) }}
)

// brief reports whether a document has few places. Each place is a question and its answer,
// and the bindings have no buffers that many places could fill.
func brief(doc []byte) bool { return bytes.Count(doc, []byte("href")) < 1000 }

// whole returns the door for a function from a document to a document.
func (l *language) whole(of string, m mode) doors.Door {
	return doors.Door{
		Name: of + ", " + m.name, Of: []string{of}, Charset: m.charset, Takes: m.takes, Row: doors.Whole,
		Not: doors.With(plain, doors.Not(inMemory, "memory"), doors.Not(noCounts, "counts")),
		Run: l.gathered(of, m),
	}
}

// stream returns the door for a stream, which asks for the document.
func (l *language) stream(of string, m mode) doors.Door {
	d := l.whole(of, m)
	d.Row, d.Not = nil, doors.With(doors.Not(callers, "no progress"), doors.Not(noCounts, "counts"))
	d.Run = func(p *doors.Pass) error { return l.pass(p, of, m, nil) }
	d.Used, d.Most = l.used, 12<<20 // Go's memory grows by 4 MiB there
	return d
}

// list returns the door for a function that lists places.
func (l *language) list(of string, m mode) doors.Door {
	d := l.whole(of, m)
	d.Want, d.Not = placesOf, doors.With(listNot, doors.Not(inMemory, "memory"))
	return d
}

// feed returns the door for a function from a feed to a feed.
func (l *language) feed(of string) doors.Door {
	d := rss(of, html.EscapeString, html.UnescapeString)
	takes := d.Takes
	d.Takes = func(doc []byte) bool { return brief(doc) && takes(doc) }
	whole := l.whole(of, textual)
	d.Of, d.Run, d.Row, d.Not = whole.Of, whole.Run, whole.Row, whole.Not
	return d
}

// site returns the door for a function from a page of a site to a page of a site.
func (l *language) site(of string) doors.Door {
	d := l.whole(of, textual)
	d.Not = doors.With(d.Not, doors.Not("a site has a URL", "stays"))
	return d
}

// calling returns a door that does not call functions yet.
func calling(d doors.Door) doors.Door {
	d.Red = doors.Not(noCalls, "told", "kept", "chunks", "hostile", "visit", "panic")
	maps.DeleteFunc(d.Red, func(p doors.Promise, _ string) bool { return d.Not[p] != "" || slices.Contains(d.Row, p) })
	return d
}

// notBindings are what the packages export that is not a row, and why.
var notBindings = map[string]string{
	"js:resolve":          "takes a reference, not a document",
	"js:Rewriter.free":    "takes no document",
	"js:bin.absolink":     "is Rewriter.rewrite over files: the test 'npx absolink' runs it",
	"python:LimitWarning": "is a kind of warning",
	"python:find_command": "returns a path",
	"python:resolve":      "takes a reference, not a document",
}

// TestEveryBinding wants a row for each function that the packages export.
func TestEveryBinding(t *testing.T) {
	found := slices.Concat(exportedJS(t), exportedPython(t))
	all := slices.Concat(javascript, python)
	for _, name := range found {
		inRow := slices.ContainsFunc(all, func(d doors.Door) bool { return slices.Contains(d.Of, name) })
		_, isNot := notBindings[name]
		switch {
		case !inRow && !isNot:
			t.Errorf("%s may carry a document: it needs a row, or a reason in notBindings", name)
		case inRow && isNot:
			t.Errorf("%s is in a row and in notBindings", name)
		}
	}
	for name := range notBindings {
		if !slices.Contains(found, name) {
			t.Errorf("notBindings: there is no %s", name)
		}
	}
	for _, d := range all {
		for _, name := range d.Of {
			if !slices.Contains(found, name) {
				t.Errorf("%s: there is no %s", d.Name, name)
			}
		}
	}
}

// source returns a file of the bindings.
func source(t *testing.T, name string) string {
	b, err := os.ReadFile("../../../bindings/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// exportedJS returns the functions that the npm package exports: the declarations of all
// its entry points, what feeds.js has for one of them, and its commands.
func exportedJS(t *testing.T) (names []string) {
	var manifest struct {
		Exports map[string]any
		Bin     map[string]string
	}
	if err := json.Unmarshal([]byte(source(t, "js/package.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	for entry, target := range manifest.Exports {
		if conditions, ok := target.(map[string]any); ok {
			module := strings.TrimPrefix(entry, ".")
			if module != "" {
				module = module[1:] + "."
			}
			names = append(names, members(source(t, "js/"+conditions["types"].(string)), "js:"+module, `(?m)^export (?:default )?(function|class) (\w+)|^\t(\w+)\(`)...)
		}
	}
	for command := range manifest.Bin {
		names = append(names, "js:bin."+command)
	}
	_, list, _ := strings.Cut(source(t, "js/feeds.js"), "export const {")
	list, _, _ = strings.Cut(list, "}")
	for name := range strings.SplitSeq(list, ",") {
		names = append(names, "js:feeds."+strings.TrimSpace(name))
	}
	return names
}

// exportedPython returns the functions of the wheel.
func exportedPython(t *testing.T) []string {
	init := source(t, "python/absolink/__init__.py")
	names := members(init, "python:", `(?m)^(def|class) (\w+)|^    def (\w+)\(`)
	_, all, _ := strings.Cut(init, "__all__ = [")
	all, _, _ = strings.Cut(all, "]")
	for name := range strings.SplitSeq(all, ",") {
		name = "python:" + strings.Trim(name, ` "`)
		if !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n+".", name+".") }) {
			names = append(names, name)
		}
	}
	return names
}

// members returns the functions and methods in a source. A declaration is the word function,
// def or class and a name; the name of a method stands in the third group.
func members(source, prefix, declaration string) (names []string) {
	class := ""
	for _, m := range regexp.MustCompile(declaration).FindAllStringSubmatch(source, -1) {
		name := m[2] + m[3]
		switch {
		case m[1] == "class":
			class = name + "."
			continue
		case m[3] == "":
			class = ""
		case class == "":
			continue
		}
		if full := class + name; !strings.HasPrefix(full, "_") && !strings.HasPrefix(name, "_") && name != "constructor" {
			names = append(names, prefix+full)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
