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
	"Rule": {},
	"HTML": {
		"Visit":        "is a function, whose changes cannot be known; Settings and Version are for that",
		"Text":         "is for what Visit is shown",
		"Unresolvable": "is told, and changes nothing",
		"Warn":         "is told, and changes nothing",
	},
	"Rewriter": {
		"HTML":          "its own fields are looked at",
		"Include":       "says which files are written, not what is in them",
		"Exclude":       "says which files are written, not what is in them",
		"Copy":          "has a mark of its own for the files that it names",
		"Record":        "is for what else is in the destination",
		"Delete":        "is for what else is in the destination",
		"Gone":          "is told, and changes nothing",
		"Output":        "is for what Look shows",
		"Link":          "is for files that are not pages; a link is known by what it leads to",
		"Force":         "has all files written",
		"Jobs":          "changes nothing",
		"Missing":       "is told, and changes nothing",
		"MissingAnchor": "is told, and changes nothing",
		"Warn":          "is told, and changes nothing",
		"Failed":        "is told, and changes nothing",
		"Done":          "is told, and changes nothing",
	},
}

// TestMarks: every option that can change a page changes its mark, so that the page is
// written again. A new field fails this test until the mark depends on it, or unmarked
// says why not.
func TestMarks(t *testing.T) {
	fresh := func() (*Rewriter, *rewriter.Rule) {
		rules := []rewriter.Rule{{Element: "a", Attr: "href"}, {Element: "b", Attr: "src"}}
		return &Rewriter{URL: base(t, "http://h/", resolver.RFC1808), HTML: &rewriter.Rewriter{Rules: rules}}, &rules[0]
	}
	seen := map[mark]string{}
	look := func(name string, r *Rewriter) {
		page := r.marks().page
		if other, ok := seen[page]; ok {
			t.Errorf("%s has the mark of %s", name, other)
		}
		seen[page] = name
	}
	r, _ := fresh()
	look("the start", r)
	for _, kind := range []string{"Rule", "HTML", "Rewriter"} {
		of := func(r *Rewriter, rule *rewriter.Rule) reflect.Value {
			return map[string]reflect.Value{"Rule": reflect.ValueOf(rule), "HTML": reflect.ValueOf(r.HTML), "Rewriter": reflect.ValueOf(r)}[kind].Elem()
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
				r, rule := fresh()
				of(r, rule).Field(i).Set(value)
				look(kind+"."+field.Name+" "+field.Type.String(), r)
			}
		}
	}
	// The order of rules counts, and so does each of them.
	r, _ = fresh()
	slices.Reverse(r.HTML.Rules)
	look("reversed rules", r)
	r, _ = fresh()
	r.HTML.Rules = r.HTML.Rules[:1]
	look("one rule", r)

	// Two ways to say the same give the same mark.
	r, _ = fresh()
	r.HTML = nil
	without := r.marks()
	r.HTML = &rewriter.Rewriter{Rules: rewriter.HTML()}
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
		case one.CanInt():
			one.SetInt(1)
			two := reflect.New(field.Type).Elem()
			two.SetInt(2)
			return []reflect.Value{one, two}
		case one.CanUint():
			one.SetUint(1)
			two := reflect.New(field.Type).Elem()
			two.SetUint(2)
			return []reflect.Value{one, two}
		default:
			t.Fatalf("what can %s be?", field.Name)
		}
	}
	return []reflect.Value{one}
}
