package doors_test

import (
	"bytes"
	"encoding/json"
	"html"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"absolink/internal/test/docs"
	"absolink/internal/test/doors"
)

var (
	js = &language{built: "ABSOLINK_NPM", command: func(built string) []string {
		return []string{"node", "--expose-gc", "../../../bindings/js/test/door.mjs", built}
	}}
	py = &language{built: "ABSOLINK_PYTHON", command: func(built string) []string {
		return []string{built, "-B", "../../../bindings/python/tests/door.py"}
	}}
	c = &language{built: "ABSOLINK_NATIVE", command: func(built string) []string {
		return []string{"python3", "-B", "../../../bindings/native/test/door.py", built + "/lib/libabsolink.so"}
	}}
)

var javascript = []doors.Door{
	js.whole("js:rewrite", bytewise),
	js.whole("js:Rewriter.rewrite", textual),
	js.whole("js:rewriteAsync", bytewise),
	js.whole("js:Rewriter.rewriteAsync", textual),
	js.stream("js:rewriteStream", bytewise),
	js.stream("js:Rewriter.rewriteStream", textual),
	js.list("js:places", bytewise),
	js.list("js:Rewriter.places", textual),
	js.feed("js:rewriteFeed", bytewise),
	js.feed("js:Rewriter.rewriteFeed", textual),
	js.site("js:eleventy.absolink"),
}

var python = []doors.Door{
	py.whole("python:rewrite", bytewise),
	py.whole("python:Rewriter.rewrite", textual),
	py.iterator("python:stream", bytewise),
	py.iterator("python:Rewriter.stream", textual),
	py.iterator("python:astream", bytewise),
	py.iterator("python:Rewriter.astream", textual),
	py.list("python:columns", bytewise),
	py.list("python:Rewriter.columns", textual),
	py.list("python:rows", textual),
	py.list("python:Rewriter.rows", bytewise),
	py.list("python:places", bytewise),
	py.list("python:Rewriter.places", textual),
	py.feed("python:rewrite_feed", bytewise),
	py.feed("python:Rewriter.rewrite_feed", textual),
}

var native = []doors.Door{
	c.whole("c:absolink_rewrite", bytewise),
	c.whole("c:absolink_rewrite", textual),
	c.pieces("c:absolink_write", bytewise),
	c.pieces("c:absolink_write", textual),
	c.list("c:absolink_places", bytewise),
	c.places("c:absolink_next", bytewise),
	c.columns("c:absolink_columns", bytewise),
	c.feed("c:absolink_feed", bytewise),
	c.feed("c:absolink_feed", textual),
}

// TestBindings checks every promise at the doors in other languages. It needs the packages
// that bindings/check builds: ABSOLINK_NPM names the directory of the npm package,
// ABSOLINK_PYTHON a Python that has the wheel, and ABSOLINK_NATIVE the directory of the C
// library, which Python calls.
func TestBindings(t *testing.T) {
	randomly(t)
	for _, b := range []struct {
		name string
		*language
		rows []doors.Door
	}{{"JavaScript", js, javascript}, {"Python", py, python}, {"C", c, native}} {
		t.Run(b.name, func(t *testing.T) {
			built := os.Getenv(b.built)
			if built == "" {
				t.Skipf("%s is not set: bindings/check builds the package, and runs this test", b.built)
			}
			b.start(t, b.command(built))
			doors.Check(t, 1, b.rows)
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
		Not: doors.With(plain, doors.Not(inMemory, "memory")),
		Run: l.gathered(of, m),
	}
}

// stream returns the door for a stream, which asks for the document.
func (l *language) stream(of string, m mode) doors.Door {
	d := l.whole(of, m)
	d.Row, d.Not = nil, doors.With(doors.Not(callers, "no progress"), doors.Not("what the caller throws is thrown as it is", "where"))
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

// iterator returns the door for an iterator over a document, which asks for its pieces.
func (l *language) iterator(of string, m mode) doors.Door {
	d := l.stream(of, m)
	d.Not = doors.With(d.Not, plain)
	return d
}

// pieces returns the door for functions that are given a document in pieces.
func (l *language) pieces(of string, m mode) doors.Door {
	d := l.stream(of, m)
	d.Of = []string{"c:absolink_open", of, "c:absolink_finish"}
	d.Not = doors.With(d.Not, plain)
	return d
}

// places returns the door for functions that are given a document in pieces, and list places.
func (l *language) places(of string, m mode) doors.Door {
	d := l.pieces(of, m)
	d.Of = []string{of}
	d.Want, d.Not = placesOf, doors.With(listNot, d.Not)
	return d
}

// columns returns the door for a function that reads a list.
func (l *language) columns(of string, m mode) doors.Door {
	d := l.list("c:absolink_places", m)
	d.Name, d.Of, d.Run = of+", "+m.name, []string{of}, l.gathered(of, m)
	return d
}

// feed returns the door for a function from a feed to a feed.
func (l *language) feed(of string, m mode) doors.Door {
	d := rss(of, html.EscapeString, html.UnescapeString)
	takes := d.Takes
	d.Takes = func(doc []byte) bool { return brief(doc) && takes(doc) }
	whole := l.whole(of, m)
	d.Name, d.Of, d.Run, d.Row, d.Not, d.NoDst = whole.Name, whole.Of, whole.Run, whole.Row, whole.Not, whole.NoDst
	return d
}

// site returns the door for a function from a page of a site to a page of a site.
func (l *language) site(of string) doors.Door {
	d := l.whole(of, textual)
	d.Not = doors.With(d.Not, doors.Not("a site has a URL", "stays"))
	return d
}

// notBindings are what the packages export that is not a row, and why.
var notBindings = map[string]string{
	"c:absolink_attribute":     "reads an attribute in a call of visit",
	"c:absolink_called":        "takes no document",
	"c:absolink_configure":     "takes options",
	"c:absolink_drop":          "gives a document up",
	"c:absolink_free":          "takes no document",
	"c:absolink_memory":        "takes no document",
	"c:absolink_new":           "takes no document",
	"c:absolink_resolve":       "takes a reference, not a document",
	"c:absolink_resolve_all":   "takes references, not a document",
	"c:absolink_result":        "is what the other functions have made",
	"c:absolink_result_length": "is what the other functions have made",
	"c:absolink_trim":          "takes no document",
	"c:absolink_version":       "takes no document",
	"js:init.init":             "takes the module",
	"js:resolve":               "takes a reference, not a document",
	"js:resolveAll":            "takes references, not a document",
	"js:Rewriter.free":         "takes no document",
	"js:bin.absolink":          "is Rewriter.rewrite over files: the test 'npx absolink' runs it",
	"python:Columns":           "is what columns returns",
	"python:LimitWarning":      "is a kind of warning",
	"python:Options":           "is the type of the options",
	"python:Place":             "is what places and visit are given",
	"python:Profile":           "is the type of an option",
	"python:Result":            "is what done is given",
	"python:Row":               "is what rows returns",
	"python:find_command":      "returns a path",
	"python:resolve":           "takes a reference, not a document",
	"python:resolve_all":       "takes references, not a document",
}

// TestEveryBinding wants a row for each function that the packages export.
func TestEveryBinding(t *testing.T) {
	found := slices.Concat(exportedJS(t), exportedPython(t), exportedC(t))
	all := slices.Concat(javascript, python, native)
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

// Every function of the bindings has a row in testdata/functions.tsv, with its names in JavaScript,
// Python and C. "-" is where a language lacks it on purpose: the last column says why. A language
// has these functions, and no others.
func TestFunctions(t *testing.T) {
	b, err := os.ReadFile("../../../testdata/functions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	isType := func(name string) bool { return regexp.MustCompile(`^python:[A-Z]\w*$`).MatchString(name) }
	found := map[string][]string{"js": exportedJS(t), "python": slices.DeleteFunc(exportedPython(t), isType), "c": exportedC(t)}
	for _, name := range docs.Names(t, "bindings/js/index.d.ts", "interface VisitedPlace", "\n}", `(?m)^\t(\w+)\(`) {
		found["js"] = append(found["js"], "js:VisitedPlace."+name)
	}
	for _, name := range docs.Names(t, "bindings/python/absolink/_place.py", "class Place(", "\n\n\n", `(?m)^    def ([a-z]\w*)\(self, `) {
		found["python"] = append(found["python"], "python:Place."+name)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	columns := strings.Split(lines[0], "\t")
	want := map[string][]string{}
	for _, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if slices.Contains(cells[:3], "-") != (cells[3] != "-") {
			t.Errorf("testdata/functions.tsv: %q: the last column says why a language lacks the function", line)
		}
		for i, language := range columns[:3] {
			for name := range strings.FieldsSeq(strings.TrimPrefix(cells[i], "-")) {
				want[language] = append(want[language], language+":"+name)
			}
		}
	}
	for language, functions := range found {
		if difference := docs.Difference(slices.Sorted(slices.Values(functions)), slices.Sorted(slices.Values(want[language]))); difference != "" {
			t.Errorf("the functions of the bindings, compared with the column %s of testdata/functions.tsv, %s", language, difference)
		}
	}
}

// Each module of the npm package exports what its declaration says, for every runtime. The
// wheel exports each of its functions.
func TestBindingsExport(t *testing.T) {
	for entry, targets := range entries(t) {
		declared := exportsOf(t, source(t, "js/"+targets["types"]))
		for i, name := range declared { // a class is its members
			declared[i], _, _ = strings.Cut(name, ".")
		}
		declared = slices.Compact(declared)
		for condition, target := range targets {
			if difference := docs.Difference(exportsOf(t, source(t, "js/"+target)), declared); condition != "types" && difference != "" {
				t.Errorf("%s, which is %q for %s, compared with %s, %s", path.Join("bindings/js", target), entry, condition, targets["types"], difference)
			}
		}
	}
	var functions, members []string // of index.d.ts
	for _, name := range exportsOf(t, source(t, "js/index.d.ts")) {
		class, member, _ := strings.Cut(name, ".")
		if functions = append(functions, class); member != "" {
			members = append(members, member)
		}
	}
	for _, list := range []struct {
		what, pattern string
		want          []string
	}{
		{"what api returns", `(?m)^\t\t(\w+)(?:,$|: (?:async )?\()`, functions},
		{"the methods of Rewriter", `(?m)^\t\t(\w+)\(.*\) \{`, append(members, "constructor")},
	} {
		slices.Sort(list.want)
		got := slices.Sorted(slices.Values(docs.Names(t, "bindings/js/core.js", "export function api(compile) {", "\n}\n", list.pattern)))
		if difference := docs.Difference(got, slices.Compact(list.want)); difference != "" {
			t.Errorf("bindings/js/core.js, %s, compared with index.d.ts, %s", list.what, difference)
		}
	}
	all := docs.Names(t, "bindings/python/absolink/__init__.py", "__all__ = [", "]", `"(\w+)"`)
	for _, name := range all {
		if !regexp.MustCompile(`(?m)^(?:def|class) ` + name + `\b|^` + name + ` = |^from .* import .*\b` + name + `\b`).MatchString(source(t, "python/absolink/__init__.py")) {
			t.Errorf("bindings/python/absolink/__init__.py: __all__ has %q, which is not there", name)
		}
	}
	for _, m := range pythonFunction.FindAllStringSubmatch(source(t, "python/absolink/__init__.py"), -1) {
		if name := m[2]; name != "" && !strings.HasPrefix(name, "_") && !slices.Contains(all, name) {
			t.Errorf("bindings/python/absolink/__init__.py: __all__ lacks %q", name)
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

// A packageJSON is package.json of the npm package.
type packageJSON struct {
	Exports map[string]any
	Bin     map[string]string
}

func manifest(t *testing.T) (p packageJSON) {
	if err := json.Unmarshal([]byte(source(t, "js/package.json")), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// entries returns the entry points of the npm package that are modules in JavaScript: the file
// for each condition. The file for "types" is the declaration of the others. What build makes for
// require of these files is not among them.
func entries(t *testing.T) map[string]map[string]string {
	all := map[string]map[string]string{}
	for entry, target := range manifest(t).Exports {
		if conditions, ok := target.(map[string]any); ok && path.Ext(entry) != ".wasm" {
			all[entry] = map[string]string{}
			addConditions(all[entry], "", conditions)
		}
	}
	return all
}

// addConditions adds the file for each condition, and for each condition within it.
func addConditions(files map[string]string, outer string, conditions map[string]any) {
	for condition, target := range conditions {
		if outer != "" {
			condition = outer + "." + condition
		}
		if file, ok := target.(string); ok {
			if !strings.Contains(condition, "require") && !strings.HasSuffix(condition, ".types") {
				files[condition] = file
			}
		} else {
			addConditions(files, condition, target.(map[string]any))
		}
	}
}

// exportedJS returns the functions that the npm package exports: the declarations of all
// its entry points, and its commands. Several entry points may have one declaration.
func exportedJS(t *testing.T) (names []string) {
	all := entries(t)
	for entry, targets := range all {
		module := strings.TrimPrefix(entry, ".")
		if module != "" && targets["types"] == all["."]["types"] {
			continue
		}
		if module != "" {
			module = module[1:] + "."
		}
		for _, name := range exportsOf(t, source(t, "js/"+targets["types"])) {
			names = append(names, "js:"+module+name)
		}
	}
	for command := range manifest(t).Bin {
		names = append(names, "js:bin."+command)
	}
	return names
}

var (
	jsExport = regexp.MustCompile(`^export (?:default |declare |abstract |async )*(?:(interface|type|class|function|const|let|var|enum|namespace) )?(?:(\w+)|\{([^}]*)\})`)
	jsMember = regexp.MustCompile(`^\t(?:static |readonly |async |get |set )*(\w+)\??[(<:]`)
)

// exportsOf returns what a module in JavaScript, or its declaration, exports, except for
// types. A class is its members.
func exportsOf(t *testing.T, module string) (names []string) {
	class := ""
	for line := range strings.Lines(module) {
		m := jsExport.FindStringSubmatch(line)
		switch {
		case m != nil:
			class = ""
			if m[1] == "class" {
				class = m[2] + "."
			} else if m[1] != "interface" && m[1] != "type" {
				for name := range strings.SplitSeq(m[2]+m[3], ",") {
					words := strings.Fields(name) // "inner as name"
					names = append(names, words[len(words)-1])
				}
			}
		case strings.HasPrefix(line, "export"):
			t.Errorf("%q may export a function", line)
		case class != "":
			if m := jsMember.FindStringSubmatch(line); m != nil && m[1] != "constructor" {
				names = append(names, class+m[1])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// exportedC returns the functions of the C library.
func exportedC(t *testing.T) (names []string) {
	for _, m := range regexp.MustCompile(`(?m)^ABSOLINK_API .*\b(absolink_\w+)\(`).FindAllStringSubmatch(source(t, "native/absolink.h"), -1) {
		names = append(names, "c:"+m[1])
	}
	return names
}

// exportedPython returns the functions of the wheel.
func exportedPython(t *testing.T) []string {
	init := source(t, "python/absolink/__init__.py")
	names := members(init)
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

// pythonFunction fits the definition of a function, of a class, or of a method.
var pythonFunction = regexp.MustCompile(`(?m)^(?:async )?(def|class) (\w+)|^    (?:async )?def (\w+)\(`)

// members returns the functions and methods in a module in Python.
func members(module string) (names []string) {
	class := ""
	for _, m := range pythonFunction.FindAllStringSubmatch(module, -1) {
		name := m[2] + m[3]
		switch {
		case m[1] == "class":
			class = name + "."
			continue
		case m[3] == "":
			class = ""
		case class == "": // it is in a function
			continue
		}
		if full := class + name; !strings.HasPrefix(full, "_") && !strings.HasPrefix(name, "_") {
			names = append(names, "python:"+full)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
