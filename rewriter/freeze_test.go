package rewriter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"absolink/resolver"
)

// The first use of a Rewriter reads all of its fields: a field that is set later, whichever
// it is, changes nothing.
func TestFieldsAreRead(t *testing.T) {
	const doc = "<head><!-- saved from url=(0012)http://saved/ --><link rel=canonical href=http://c/d><base href=/b/></head>" +
		"<a href=x>text</a><a href=#f><base href=http://late/><p style='a:url(y)' longdesc=z>"
	outer := mustParse(t, "http://h/a/b", resolver.RFC1808)
	told := 0
	late := reflect.ValueOf(otherFields(&told)).Elem()
	for first, use := range map[string]func(*Rewriter) error{
		"ForContainer": func(rw *Rewriter) error { _, err := rw.ForContainer(outer); return err },
		"Rewrite":      func(rw *Rewriter) error { _, err := rw.Rewrite(nil, strings.NewReader(""), outer); return err },
	} {
		for i := range late.NumField() {
			field := late.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			if late.Field(i).IsZero() && field.Name != "Rules" {
				t.Errorf("%s has no other value in this test: give it one in otherFields", field.Name)
			}
			rw := new(Rewriter)
			want := rewriteWith(t, new(Rewriter), doc, outer)
			if err := use(rw); err != nil {
				t.Fatal(err)
			}
			reflect.ValueOf(rw).Elem().Field(i).Set(late.Field(i))
			if got := rewriteWith(t, rw, doc, outer); got != want || told > 0 {
				t.Errorf("%s after %s: %q, not %q; %d calls", field.Name, first, got, want, told)
			}
			root, err := html.Parse(strings.NewReader(doc))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := rw.RewriteNode(root, outer); err != nil {
				t.Errorf("%s after %s, in a tree: %v", field.Name, first, err)
			}
			c, err := rw.ForContainer(outer)
			if err != nil {
				t.Fatal(err)
			}
			if got := rewriteWith(t, c, doc, outer); got != want {
				t.Errorf("%s after %s, in a container: %q, not %q", field.Name, first, got, want)
			}
		}
	}
}

// otherFields returns a Rewriter in which each field has another value than by default. Its
// functions count how often they are called.
func otherFields(told *int) *Rewriter {
	return &Rewriter{
		Profile: resolver.WHATWG, Rules: []Rule{}, KeepFragments: true, Keep: []string{"x"}, RemoveBase: true, WholeDocument: true, IgnoreSaved: true,
		Canonical: true, Text: true, Hold: 1, MaxTag: 1,
		Visit:        func(*Place) error { *told++; return errors.New("Visit is new") },
		Unresolvable: func(*Place) { *told++ },
		Warn:         func(int64, error) { *told++ },
	}
}

// No field is without effect: for each field, some document has another outcome when the field
// has another value.
func TestFieldsCount(t *testing.T) {
	docs := []string{
		"<head><!-- saved from url=(0012)http://saved/ --></head><a href=x>text</a>", "<link rel=canonical href=http://c/d><a href=x>",
		"<base href=http://h/><a href=http:x><a href=#f><a href='//['>", "<p><a href=x><base href=http://late/>", "<link href=x><base href=http://h/>", "<base href=javascript:>",
	}
	outcome := func(rw *Rewriter, told *int) string {
		var all strings.Builder
		*told = 0
		if rw.Visit == nil {
			rw.Visit = func(p *Place) error { all.WriteString(p.Text); return nil }
		}
		for _, doc := range docs {
			var out bytes.Buffer
			_, err := rw.Rewrite(&out, strings.NewReader(doc), nil)
			fmt.Fprintln(&all, out.String(), err)
		}
		return fmt.Sprint(all.String(), *told)
	}
	var told int
	byDefault, others := outcome(new(Rewriter), &told), reflect.ValueOf(otherFields(&told)).Elem()
	for i, field := range new(Rewriter).fields() {
		rw := new(Rewriter)
		reflect.ValueOf(rw).Elem().Field(i).Set(others.Field(i))
		if name := others.Type().Field(i).Name; outcome(rw, &told) == byDefault {
			t.Errorf("%s, a %s, changes nothing in any document of this test: add one in which it does, and give the field another value in otherFields", name, field.Type())
		}
	}
}

func rewriteWith(t *testing.T, rw *Rewriter, doc string, outer *resolver.Base) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := rw.Rewrite(&out, strings.NewReader(doc), outer); err != nil {
		t.Error(err)
	}
	return out.String()
}

// A nil *Rewriter is the zero Rewriter, in every method.
func TestNil(t *testing.T) {
	const doc, want = "<a href=x>", "<a href=http://h/a/x>"
	var rw *Rewriter
	outer, err := rw.ParseBase("http://h/a/b")
	if err != nil {
		t.Fatal(err)
	}
	if err := rw.Validate(); err != nil {
		t.Error(err)
	}
	if got, want := rw.Settings(), new(Rewriter).Settings(); got != want {
		t.Errorf("Settings: %s, not %s", got, want)
	}
	if got := rewriteWith(t, rw, doc, outer); got != want {
		t.Errorf("Rewrite: %q", got)
	}
	if got := rewriteWith(t, rw.Clone(), doc, outer); got != want {
		t.Errorf("Clone: %q", got)
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
	if c, err := rw.ForContainer(outer); err != nil || rewriteWith(t, c, doc, outer) != want {
		t.Errorf("ForContainer: %v", err)
	}
	if b, err := rw.ParseBaseOn(outer, "/c"); b.String() != "http://h/c" || err != nil {
		t.Errorf("ParseBaseOn: %s, %v", b, err)
	}
	if b, err := rw.ParseBaseField(outer, "Content-Base", "http://h/c"); b.String() != "http://h/c" || err != nil {
		t.Errorf("ParseBaseField: %s, %v", b, err)
	}
	if b, err := rw.ResponseBase(outer, []string{"/c"}); b.URL.String() != "http://h/c" || err != nil {
		t.Errorf("ResponseBase: %s, %v", b.URL, err)
	}
	if rw.Keeps("x") {
		t.Error("Keeps")
	}
	others := []string{"Rewrite", "HoldEncoded"} // rewriteWith calls the one; the other is for what ForContainer returns
	_, tests, _ := strings.Cut(read(t, "freeze_test.go"), "func TestNil(")
	for m := range reflect.TypeFor[*Rewriter]().Methods() {
		if !slices.Contains(others, m.Name) && !strings.Contains(tests, "rw."+m.Name+"(") {
			t.Errorf("%s is not called with nil here", m.Name)
		}
	}
}
