package doors_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"absolink/internal/test/doors"
	"absolink/resolver"
	"absolink/rewriter"
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
		Name: of + ", " + m.name, Of: []string{of}, Charset: m.charset, Takes: m.takes,
		Not: with(plain, not("memory", inMemory, "counts", noCounts)),
		Run: l.gathered(of, m),
	}
}

// stream returns the door for a stream, which asks for the document.
func (l *language) stream(of string, m mode) doors.Door {
	d := l.whole(of, m)
	d.Not = not("no progress", callers, "counts", noCounts)
	d.Run = func(p *doors.Pass) error { return l.pass(p, of, m, nil) }
	d.Used, d.Most = l.used, 12<<20 // Go's memory grows by 4 MiB there
	return d
}

// list returns the door for a function that lists places.
func (l *language) list(of string, m mode) doors.Door {
	d := l.whole(of, m)
	d.Want, d.Not = placesOf, with(listNot, not("memory", inMemory))
	return d
}

// feed returns the door for a function from a feed to a feed.
func (l *language) feed(of string) doors.Door {
	d := rss(of, html.EscapeString, html.UnescapeString)
	takes := d.Takes
	d.Takes = func(doc []byte) bool { return brief(doc) && takes(doc) }
	d.Of, d.Run, d.Not = []string{of}, l.gathered(of, textual), l.whole(of, textual).Not
	return d
}

// site returns the door for a function from a page of a site to a page of a site.
func (l *language) site(of string) doors.Door {
	d := l.whole(of, textual)
	d.Not = with(d.Not, not("stays", "a site has a URL"))
	return d
}

// calling returns a door that does not call functions yet.
func calling(d doors.Door) doors.Door {
	d.Red = not("told", noCalls, "kept", noCalls, "chunks", noCalls, "hostile", noCalls, "visit", noCalls, "panic", noCalls,
		"late base", noCalls+", and holds 16 MiB")
	maps.DeleteFunc(d.Red, func(p doors.Promise, _ string) bool { return d.Not[p] != "" })
	return d
}

// A language is a program in another language, whose doors are those of the library there.
// It is told of one document after another, in a line of JSON. It asks for what it needs,
// in a line too, and is answered.
type language struct {
	built   string                      // the environment variable that names the built package
	command func(built string) []string // starts the program

	to     *json.Encoder
	from   *json.Decoder
	memory int64 // what the program has last said of its memory
}

// A request is a document for a program.
type request struct {
	Door      string         `json:"door"`
	Mode      string         `json:"mode"`
	URL       string         `json:"url,omitempty"`
	Options   map[string]any `json:"options"`
	Functions []string       `json:"functions"` // those of visit, unresolvable and warn that the caller has
	Document  []byte         `json:"document"`  // of a stream nothing: it asks
	Ended     bool           `json:"ended"`     // the context of the caller
}

// A question is what a program says while it has a document.
type question struct {
	Ask   string // "read", "write", "list", "visit", "unresolvable", "warn"; "done" is the last
	Data  []byte // to be written
	Place struct {
		Offset                              int64
		Element, Attr, Raw, Ref, URL, Error string
	}
	Warning struct {
		Offset  int64
		Message string
	}
	Error *string // of the door, when it is done
	Used  int64   // how much more memory is in use than at the least, after some MiB of the document
}

// An answer is what the program is told then.
type answer struct {
	Data   []byte  `json:"data,omitempty"` // that is read
	End    bool    `json:"end,omitempty"`
	URL    *string `json:"url,omitempty"`    // of visit; absent where Visit changes nothing
	Throws string  `json:"throws,omitempty"` // the message of the error
	Panics bool    `json:"panics,omitempty"` // what is thrown is not an error
}

// start starts the program. It ends with the test, and has left no temporary files then.
func (l *language) start(t *testing.T, args []string) {
	temp := t.TempDir()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%s: temporary files are left: %v, %v", args, left, err)
		}
	})
	l.to, l.from = json.NewEncoder(in), json.NewDecoder(bufio.NewReader(out))
}

// used returns how much more memory the program uses than at the least in its document.
func (l *language) used() int64 { return l.memory }

// gathered returns the Run of a door that takes the whole document.
func (l *language) gathered(of string, m mode) func(*doors.Pass) error {
	return func(p *doors.Pass) error {
		doc, err := read(p.Src)
		if err != nil {
			return &rewriter.Error{Op: "read", Offset: -1, Err: err}
		}
		return l.pass(p, of, m, doc)
	}
}

// pass has the program send a document through a door, and answers its questions.
func (l *language) pass(p *doors.Pass, of string, m mode, doc []byte) error {
	_, door, _ := strings.Cut(of, ":")
	r := request{Door: door, Mode: m.name, Document: doc, Ended: p.Ctx.Err() != nil}
	r.Options, r.Functions = optionsOf(p.HTML)
	if p.Outer != nil {
		r.URL = p.Outer.String()
	}
	defer func() { l.memory = 0 }()
	if err := l.to.Encode(r); err != nil {
		return err
	}
	var fault *rewriter.Error // the first one that the program was told of
	for {
		var q question
		if err := l.from.Decode(&q); err != nil {
			return fmt.Errorf("the program has ended: %w", err)
		}
		l.memory = cmp.Or(q.Used, l.memory)
		if q.Ask == "done" {
			switch {
			case q.Error == nil:
				return nil
			case fault != nil && *q.Error == fault.Err.Error():
				return fault // the door throws what the caller threw
			}
			return errors.New(*q.Error)
		}
		a, err := q.answer(p)
		if err != nil {
			fault = cmp.Or(fault, &rewriter.Error{Op: strings.Replace(q.Ask, "list", "write", 1), Offset: -1, Err: err})
			a.Throws = err.Error()
		}
		if err := l.to.Encode(a); err != nil {
			return err
		}
	}
}

// answer calls the function of the caller that a question is for.
func (q *question) answer(p *doors.Pass) (a answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			a, err = answer{Panics: true}, errors.New("undefined")
		}
	}()
	switch q.Ask {
	case "read":
		b := make([]byte, 32<<10)
		n, err := p.Src.Read(b)
		a.Data, a.End = b[:n], err == io.EOF
		if !a.End {
			return a, err
		}
	case "write":
		return a, write(p.Dst, q.Data)
	case "list":
		return a, write(p.Dst, line(q.place()))
	case "unresolvable":
		p.HTML.Unresolvable(q.place())
	case "warn":
		p.HTML.Warn(q.Warning.Offset, errors.New(q.Warning.Message))
	case "visit":
		place := q.place()
		err := p.HTML.Visit(place)
		if place.URL != q.Place.URL {
			a.URL = &place.URL
		}
		return a, err
	default:
		return a, fmt.Errorf("no such question: %q", q.Ask)
	}
	return a, nil
}

func (q *question) place() *rewriter.Place {
	p := &rewriter.Place{Offset: q.Place.Offset, Element: q.Place.Element, Attr: q.Place.Attr, Raw: q.Place.Raw, Ref: q.Place.Ref, URL: q.Place.URL}
	if q.Place.Error != "" {
		p.Err = errors.New(q.Place.Error)
	}
	return p
}

// optionsOf returns the fields of a Rewriter as options, and which functions it has. A
// language has them all, under these names, or the program says which option it lacks.
func optionsOf(rw *rewriter.Rewriter) (options map[string]any, functions []string) {
	options, functions = map[string]any{}, []string{}
	v := reflect.ValueOf(rw).Elem()
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		name := strings.ToLower(field.Name[:1]) + field.Name[1:]
		switch {
		case !field.IsExported():
		case field.Type == reflect.TypeFor[resolver.Profile]():
			options[name] = rw.Profile.String() // whose default is another one
		case value.IsZero():
		case value.Kind() == reflect.Func:
			functions = append(functions, name)
		default:
			options[name] = value.Interface()
		}
	}
	return options, functions
}

// notBindings are what the packages export that is not a row, and why.
var notBindings = map[string]string{
	"js:resolve":          "takes a reference, not a document",
	"js:Rewriter.free":    "takes no document",
	"js:bin.absolink":     "is Rewriter.rewrite over files: the test 'npx absolink' runs it",
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
