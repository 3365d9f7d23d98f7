package rewriter

import (
	"testing"

	"absolink/resolver"
)

func TestConditions(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	for _, row := range []struct {
		when, in string
		fits     bool
	}{
		{"class=ad", "<x-y href=a class=&#65;d>", true},
		{"class=Ad", "<x-y href=a class=aD>", true},
		{"class=ad", "<x-y href=a class=' ad'>", false},
		{"type=ad", "<x-y href=a type=' ad\n'>", true},
		{"class=", "<x-y href=a class>", true},
		{"class=", "<x-y href=a>", false},
		{"!class", "<x-y href=a>", true},
		{"!class", "<x-y href=a class>", false},
		{"rel=next", "<x-y href=a rel='nofollow NEXT'>", true},
		{"rel=next", "<x-y href=a rel=nexts>", false},
		{"rel=Next", "<x-y href=a rel=next>", true},
		{"rel=alternate", "<x-y href=a rel=alternate>", true},
		{"rel=alternate", "<x-y href=a rel='alternate Stylesheet'>", false},
		{"rel=stylesheet", "<x-y href=a rel='alternate stylesheet'>", true},
		{"class=a=b", "<x-y href=a class=a=b>", true},
		{"class=\u00c9", "<x-y href=a class=\u00c9>", true},
	} {
		rw := Must(New(Options{Rules: []Rule{{Attr: "href", When: row.when}}}))
		if _, r := rewrite(t, rw, row.in, outer); r.Rewritten == 1 != row.fits {
			t.Errorf("%s: %s: %+v", row.when, row.in, r)
		}
	}
}
