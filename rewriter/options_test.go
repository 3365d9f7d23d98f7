package rewriter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"absolink/resolver"
)

// No option and no hook is without effect: for each, some document has another outcome where it
// is set.
func TestFieldsCount(t *testing.T) {
	docs := []string{
		"<head><!-- saved from url=(0012)http://saved/ --></head><a href=x>text</a>", "<link rel=canonical href=http://c/d><a href=x>",
		"<base href=http://h/><a href=http:x><a href=#f><a href='//['>", "<p><a href=x><base href=http://late/>", "<link href=x><base href=http://h/>", "<base href=javascript:>",
	}
	told := 0
	outcome := func(o Options, h Hooks) string {
		var all strings.Builder
		told = 0
		if h.Visit == nil {
			h.Visit = func(p *Place) error { all.WriteString(p.Text); return nil }
		}
		for _, doc := range docs {
			var out bytes.Buffer
			_, err := Must(New(o)).With(h).Rewrite(&out, strings.NewReader(doc), nil)
			fmt.Fprintln(&all, out.String(), err)
		}
		return fmt.Sprint(all.String(), told)
	}
	byDefault := outcome(Options{}, Hooks{})
	check := func(name string, got string) {
		if got == byDefault {
			t.Errorf("%s changes nothing in any document of this test: add one in which it does, and give it another value here", name)
		}
	}
	options := reflect.ValueOf(Options{
		Profile: resolver.WHATWG, Rules: []Rule{}, KeepFragments: true, Keep: []string{"x"}, RemoveBase: true, WholeDocument: true, IgnoreSaved: true,
		Canonical: true, Hold: 1, MaxTag: 1,
	})
	for i := range options.NumField() {
		var o Options
		reflect.ValueOf(&o).Elem().Field(i).Set(options.Field(i))
		check(options.Type().Field(i).Name, outcome(o, Hooks{}))
	}
	hooks := reflect.ValueOf(Hooks{
		Visit:        func(*Place) error { told++; return errors.New("Visit") },
		Unresolvable: func(*Place) { told++ },
		Warn:         func(int64, error) { told++ },
		Text:         true,
	})
	for i := range hooks.NumField() {
		var h Hooks
		reflect.ValueOf(&h).Elem().Field(i).Set(hooks.Field(i))
		if name := hooks.Type().Field(i).Name; name != "Begin" && name != "End" { // which package container calls
			check(name, outcome(Options{}, h))
		}
	}
}

// A Rewriter does not change: neither with the slices that it was made of, nor where another
// is made from it.
func TestUnchanging(t *testing.T) {
	const doc, want = "<a href=x><a href=y>", "<a href=x><a href=http://h/a/y>"
	outer := mustParse(t, "http://h/a/b", resolver.RFC1808)
	o := Options{Keep: []string{"x"}, Rules: []Rule{{Attr: "href"}}}
	rw := Must(New(o))
	o.Keep[0], o.Rules[0] = "y", Rule{Attr: "src"}
	told := 0
	other := rw.With(Hooks{Visit: func(*Place) error { told++; return nil }})
	_ = append(rw.Options().Rules, Rule{Attr: "alt"})
	if got, _ := rewrite(t, rw, doc, outer); got != want || told > 0 || rw.Hooks().Visit != nil {
		t.Errorf("%s, %d calls", got, told)
	}
	if got, _ := rewrite(t, other, doc, outer); got != want || told != 2 {
		t.Errorf("with hooks: %s, %d calls", got, told)
	}
	if got, _ := rewrite(t, other.With(Hooks{}), doc, outer); got != want || told != 2 {
		t.Errorf("with other hooks: %s, %d calls", got, told)
	}
}

// Runs of one Rewriter at the same time write what one alone writes. Each has hooks of its own, and
// tells these alone.
func TestHooksOfRuns(t *testing.T) {
	rw, outer := new(Rewriter), mustParse(t, "http://h/a/b", resolver.RFC1808)
	var runs sync.WaitGroup
	for n := range 8 {
		doc := strings.Repeat("<base href=/b/><svg><a href=#x><p><a href=x HREF=y>", 10*n)
		want, _ := rewrite(t, rw, doc, outer)
		runs.Go(func() {
			for range 32 {
				told := 0
				visit := func(*Place) error { told++; return nil }
				var out strings.Builder
				if _, err := rw.With(Hooks{Visit: visit}).Rewrite(&out, strings.NewReader(doc), outer); err != nil || told != 30*n || out.String() != want {
					t.Errorf("%d calls of %d, %v, or another document", told, 30*n, err)
				}
			}
		})
	}
	runs.Wait()
}

func TestMust(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || err.Error() != "rewriter: Hold is negative: -1" {
			t.Error(err)
		}
	}()
	Must(New(Options{Hold: -1}))
}

// A nil *Rewriter is the zero Rewriter, in every method.
func TestNil(t *testing.T) {
	const doc, want = "<a href=x>", "<a href=http://h/a/x>"
	var rw *Rewriter
	outer, err := rw.ParseBase("http://h/a/b")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rw.Options(), Must(New(Options{})).Options(); !reflect.DeepEqual(got, want) || rw.Profile() != resolver.RFC1808 {
		t.Errorf("Options: %v, not %v", got, want)
	}
	if got, _ := rewrite(t, rw, doc, outer); got != want {
		t.Errorf("Rewrite: %q", got)
	}
	if got, _ := rewrite(t, rw.With(rw.Hooks()), doc, outer); got != want {
		t.Errorf("With: %q", got)
	}
	if b, err := io.ReadAll(rw.NewReader(strings.NewReader(doc), outer)); string(b) != want || err != nil {
		t.Errorf("NewReader: %q, %v", b, err)
	}
	var out bytes.Buffer
	w := rw.NewWriter(&out, Source{}, outer)
	if _, err := w.Write([]byte(doc)); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil || out.String() != want {
		t.Errorf("NewWriter: %q, %v", out.String(), err)
	}
	if _, err := rw.Splice(&splicing{t: t, in: []byte(doc)}, strings.NewReader(doc), outer); err != nil {
		t.Errorf("Splice: %v", err)
	}
	n := 0
	for p, err := range rw.Places(strings.NewReader(doc), outer) {
		if n++; err != nil || p.URL != "http://h/a/x" {
			t.Errorf("Places: %v, %v", p, err)
		}
	}
	root, err := html.Parse(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := rw.RewriteNode(root, outer); err != nil || r.Rewritten != 1 || n != 1 {
		t.Errorf("RewriteNode: %+v, %v; Places: %d", r, err, n)
	}
	if err := rw.CheckBase(outer); err != nil {
		t.Errorf("CheckBase: %v", err)
	}
	if b, err := rw.ParseBaseOn(outer, "/c"); b.String() != "http://h/c" || err != nil {
		t.Errorf("ParseBaseOn: %s, %v", b, err)
	}
	p := Place{Ref: "x"}
	if r, err := rw.Reference(&p, outer); err != nil || r.Rewritten != 1 || p.URL != "http://h/a/x" {
		t.Errorf("Reference: %+v, %v, %v", r, err, p)
	}
	_, tests, _ := strings.Cut(read(t, "options_test.go"), "func TestNil(")
	for m := range reflect.TypeFor[*Rewriter]().Methods() {
		if m.Name != "Rewrite" && !strings.Contains(tests, "rw."+m.Name+"(") {
			t.Errorf("%s is not called with nil here", m.Name)
		}
	}
}
