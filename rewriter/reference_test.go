package rewriter

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"absolink/resolver"
)

// A reference outside of documents becomes what it becomes in the href of a node, and the
// hooks are told the same, except that the place is the caller's.
func TestReference(t *testing.T) {
	hooks := func(log *strings.Builder, change func(p *Place)) Hooks {
		return Hooks{
			Visit: func(p *Place) error {
				fmt.Fprintln(log, p.Ref, p.URL, p.Err)
				change(p)
				return nil
			},
			Unresolvable: func(p *Place) { fmt.Fprintln(log, "unresolvable", p.Ref, p.Err) },
			Warn:         func(_ int64, err error) { fmt.Fprintln(log, err) },
		}
	}
	changes := []func(*Place){nil, func(*Place) {}, func(p *Place) { p.URL = "" }, func(p *Place) { p.URL += "z\xff" }, func(p *Place) { p.URL = "v:" + p.URL }}
	refs := []string{
		"", "x", " x\t", "#f", "?q", "//g", "http:x", "http://a/b", "mailto:x", "a'b/../c", "a\"/../b<", "a\nb<", "a\xffb/é", "[", "http://[", "javascript:x", "keep",
	}
	for _, profile := range profiles {
		for _, o := range []Options{{}, {KeepFragments: true, RemoveBase: true}, {Keep: []string{"k*", "http*"}}} {
			o.Profile = profile
			for _, base := range []*resolver.Base{nil, mustParse(t, "http://h/p/q?'\"<>", profile), mustParse(t, "http://u:p@h/é/", profile)} {
				for i, change := range changes {
					for _, ref := range refs {
						var log, wantLog strings.Builder
						rw := Must(New(o))
						of := rw
						if change != nil {
							rw, of = rw.With(hooks(&log, change)), rw.With(hooks(&wantLog, change))
						}
						node := &html.Node{Type: html.ElementNode, Data: "a", Attr: []html.Attribute{{Key: "href", Val: ref}}}
						want, err := of.RewriteNode(node, base)
						if err != nil {
							t.Fatal(err)
						}
						p := Place{Ref: ref, Rule: &Rule{Empty: EmptyBase}} // as that of href
						got, err := rw.Reference(&p, base)
						got.Base, want.Base = Base{}, Base{}
						if err != nil || got != want || log.String() != wantLog.String() {
							t.Errorf("%s, change %d, %q on %v: %+v, %v, not %+v\n%s\nnot\n%s", profile, i, ref, base, got, err, want, &log, &wantLog)
						}
						became := ""
						if want.Rewritten+want.Absolute > 0 {
							became = node.Attr[0].Val
						}
						if strings.TrimSpace(p.URL) != strings.TrimSpace(became) {
							t.Errorf("%s, change %d, %q on %v becomes %q, not %q", profile, i, ref, base, p.URL, became)
						}
					}
				}
			}
		}
	}
}

// The hooks are told of the place that the caller describes, and the caller what becomes of it.
func TestReferencePlace(t *testing.T) {
	place := Place{Offset: 7, Element: "#e", Attr: "a", Rule: &Rule{Attr: "a", Empty: EmptyBase}, Rel: "r", Text: "t", Document: new(Document), Raw: "raw"}
	var shown Place
	warned := int64(-1)
	rw := new(Rewriter).With(Hooks{Visit: func(p *Place) error { shown = *p; p.URL = "v"; return nil }, Warn: func(offset int64, _ error) { warned = offset }})
	for _, tt := range []struct{ ref, seen, url string }{{"", "http://h/d/p", "v"}, {" x", "http://h/d/x", "v"}, {"x'", "http://h/d/x'", ""}} {
		p := place
		p.Ref = tt.ref
		if _, err := rw.Reference(&p, mustParse(t, "http://h/d/p", resolver.RFC1808)); err != nil {
			t.Fatal(err)
		}
		want := place
		if want.Ref, want.URL = strings.TrimSpace(tt.ref), tt.seen; shown != want {
			t.Errorf("%q: Visit sees %+v, not %+v", tt.ref, shown, want)
		}
		if want.URL = tt.url; p != want {
			t.Errorf("%q: the caller has %+v, not %+v", tt.ref, p, want)
		}
	}
	if warned != 7 { // of the quote that Visit left out
		t.Errorf("Warn is told of %d", warned)
	}
	var told *Place
	p := place
	p.Ref = "x"
	_, err := new(Rewriter).With(Hooks{Unresolvable: func(p *Place) { told = p }}).Reference(&p, nil)
	if err != nil || p.Err != ErrNoBase || told == nil || *told != p {
		t.Errorf("%+v, %v, Unresolvable is told of %+v", p, err, told)
	}
	_, err = new(Rewriter).With(Hooks{Visit: func(*Place) error { return errStop }}).Reference(&p, nil)
	if e, ok := err.(*Error); !ok || *e != (Error{"visit", 7, errStop}) {
		t.Errorf("%v", err)
	}
}
