package tree

import (
	"reflect"
	"slices"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// unmarked are the fields on which the mark does not depend, and why.
var unmarked = map[string]map[string]string{
	"HTML": {},
	"Rewriter": {
		"HTML":          "its options are looked at; Settings and Version are for its hooks",
		"Include":       "says which files are written, not what is in them",
		"Exclude":       "says which files are written, not what is in them",
		"Copy":          "has a mark of its own for the files that it names",
		"Record":        "is for what else is in the destination",
		"Delete":        "is for what else is in the destination",
		"Dry":           "writes nothing",
		"Gone":          "is told, and changes nothing",
		"Output":        "is for what Look shows",
		"Link":          "is for files that are not pages; a link is known by what it leads to",
		"Force":         "has all files written",
		"Jobs":          "changes nothing",
		"Missing":       "is told, and changes nothing",
		"MissingAnchor": "is told, and changes nothing",
		"Failed":        "is told, and changes nothing",
		"Done":          "is told, and changes nothing",
	},
}

// TestMarks: every option that can change a page changes its mark, so that the page is
// written again. A new field fails this test until the mark depends on it, or unmarked
// says why not.
func TestMarks(t *testing.T) {
	fresh := func() (*rewriter.Options, *Rewriter) {
		rules := []rewriter.Rule{{Element: "a", Attr: "href"}, {Element: "b", Attr: "src"}}
		return &rewriter.Options{Rules: rules}, &Rewriter{URL: base(t, "http://h/", resolver.RFC1808)}
	}
	seen := map[mark]string{}
	look := func(name string, html *rewriter.Options, r *Rewriter) {
		r.HTML = rewriter.Must(rewriter.New(*html))
		page := r.marks().page
		if other, ok := seen[page]; ok {
			t.Errorf("%s has the mark of %s", name, other)
		}
		seen[page] = name
	}
	o, r := fresh()
	look("the start", o, r)
	for _, kind := range []string{"HTML", "Rewriter"} {
		of := func(html *rewriter.Options, r *Rewriter) reflect.Value {
			return map[string]reflect.Value{"HTML": reflect.ValueOf(html), "Rewriter": reflect.ValueOf(r)}[kind].Elem()
		}
		fields := reflect.VisibleFields(of(fresh()).Type())
		for name := range unmarked[kind] {
			if !slices.ContainsFunc(fields, func(f reflect.StructField) bool { return f.Name == name }) {
				t.Errorf("%s has no field %s", kind, name)
			}
		}
		for i, field := range fields {
			if !field.IsExported() || unmarked[kind][field.Name] != "" {
				continue
			}
			for _, value := range others(t, field) {
				o, r := fresh()
				of(o, r).Field(i).Set(value)
				look(kind+"."+field.Name+" "+field.Type.String(), o, r)
			}
		}
	}
	// The order of rules counts, and so does each of them.
	o, r = fresh()
	slices.Reverse(o.Rules)
	look("reversed rules", o, r)
	o, r = fresh()
	o.Rules = o.Rules[:1]
	look("one rule", o, r)

	// Two ways to say the same give the same mark.
	_, r = fresh()
	without := r.marks()
	r.HTML = rewriter.Must(rewriter.New(rewriter.Options{Rules: rewriter.HTML()}))
	r.URL = base(t, "http://h", resolver.RFC1808)
	if r.marks() != without {
		t.Error("the rules of HTML are others than the default")
	}
}

// others returns values other than the zero value for a field.
func others(t *testing.T, field reflect.StructField) []reflect.Value {
	t.Helper()
	one := reflect.New(field.Type).Elem()
	switch value := one.Addr().Interface().(type) {
	case *[]rewriter.Rule:
		*value = []rewriter.Rule{}
	case *[]string:
		two := reflect.ValueOf([]string{"x", "y"})
		*value = []string{"x y"}
		return []reflect.Value{one, two}
	case **resolver.Base:
		*value = base(t, "http://h/x", resolver.RFC1808)
	case *func([]byte, string, *rewriter.Rewriter) Rewriting:
		*value = func([]byte, string, *rewriter.Rewriter) Rewriting { return nil }
	default:
		switch {
		case one.Kind() == reflect.String:
			one.SetString("x")
		case one.Kind() == reflect.Bool:
			one.SetBool(true)
		case one.CanInt(), one.CanUint():
			return []reflect.Value{reflect.ValueOf(1).Convert(field.Type), reflect.ValueOf(2).Convert(field.Type)}
		default:
			t.Fatalf("what can %s be?", field.Name)
		}
	}
	return []reflect.Value{one}
}
