package rewriter

import (
	"errors"
	"testing"

	"absolink/resolver"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/syntax"
)

// What becomes of a reference is decided without a document: by its rule, its form, the
// profile and the decision about the base.
func TestOutcomes(t *testing.T) {
	const outer = "http://h/d/p?q"
	all := []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG}
	rfc, whatwg := all[:2], all[2:]
	for _, tt := range []struct {
		ref      string
		profiles []resolver.Profile
		in       place
		rule     Rule
		base     string // embedded; "" is none
		options  *Rewriter
		what     outcome
		url      string
		err      error
	}{
		{ref: "x", profiles: all, url: "http://h/d/x"},
		{ref: " x\n", profiles: all, url: "http://h/d/x"},
		{ref: "x", profiles: all, base: "/b/", url: "http://h/b/x"},
		{ref: "x", profiles: all, base: "/b/", rule: Rule{Outer: true}, url: "http://h/d/x"},
		{ref: "x", profiles: all, base: "/b/", in: place{early: true}, url: "http://h/d/x"},
		{ref: "http://e/", profiles: all, what: absolute, url: "http://e/"},
		{ref: "http:x", profiles: rfc, what: absolute, url: "http:x"},
		{ref: "http:x", profiles: whatwg, url: "http://h/d/x"},
		{ref: "http://[x", profiles: rfc, what: absolute, url: "http://[x"},
		{ref: "http://[x", profiles: whatwg, what: unresolvable, err: resolver.ErrInvalid},
		{ref: "", profiles: all, what: left},
		{ref: "", profiles: all, base: "/b/", rule: Rule{Empty: EmptyDocument}, url: outer},
		{ref: "", profiles: all, base: "/b/", rule: Rule{Empty: EmptyBase}, url: "http://h/b/"},
		{ref: "#f", profiles: all, url: outer + "#f"},
		{ref: "#f", profiles: all, in: place{local: true}, what: left},
		{ref: "#f", profiles: all, options: Must(New(Options{KeepFragments: true})), what: left},
		{ref: "#f", profiles: all, base: "/b/", options: Must(New(Options{KeepFragments: true, RemoveBase: true})), url: "http://h/b/#f"},
		{ref: "#f", profiles: all, options: Must(New(Options{Keep: []string{"#*"}, RemoveBase: true})), base: "/b/", what: left, err: ErrKept},
		{ref: "{{x}}", profiles: all, options: Must(New(Options{Keep: []string{"a", "{{*}}"}})), what: left, err: ErrKept},
		{ref: " /{{x}}\n", profiles: all, options: Must(New(Options{Keep: []string{"/{{x}}"}})), what: left, err: ErrKept},
		{ref: "<%x%>", profiles: all, options: Must(New(Options{Keep: []string{"<%*%>"}})), what: left, err: ErrKept},
		{ref: "<% x\n%>", profiles: all, options: Must(New(Options{Keep: []string{"<%*%>"}})), what: left, err: ErrKept},
		{ref: "x", profiles: all, options: Must(New(Options{Keep: []string{"X", "x?"}})), url: "http://h/d/x"},
		{ref: "", profiles: all, rule: Rule{Empty: EmptyDocument}, options: Must(New(Options{Keep: []string{"*"}})), what: left, err: ErrKept},
		{ref: "", profiles: all, options: Must(New(Options{Keep: []string{"*"}})), what: left, err: ErrKept},
		{ref: "http://e/", profiles: all, options: Must(New(Options{Keep: []string{"*"}})), what: absolute, url: "http://e/"},
		{ref: "http://[[x]]/", profiles: whatwg, options: Must(New(Options{Keep: []string{"*[[*"}})), what: left, err: ErrKept},
		{ref: "/x/*", profiles: all, in: place{form: syntax.FormPattern}, options: Must(New(Options{Keep: []string{"/x/*"}})), what: left, err: ErrKept},
		{ref: "a:b", profiles: all, rule: Rule{Local: LocalCURIE}, what: absolute, url: "a:b"},
		{ref: "[a:b]", profiles: all, rule: Rule{Local: LocalCURIE}, what: left},
		{ref: "/{{x}}", profiles: all, rule: Rule{Local: LocalTemplate}, what: left},
		{ref: "x\n<p", profiles: all, what: unresolvable, err: ErrDangling},
		{ref: "x", profiles: all, base: "mailto:a@b", what: unresolvable, err: resolver.ErrOpaqueBase},
		{ref: "./x", profiles: all, in: place{form: syntax.FormSpecifier}, url: "http://h/d/x"},
		{ref: "./x/..", profiles: all, in: place{form: syntax.FormSpecifier}, what: unresolvable, err: errSpecifier},
		{ref: "/x/*", profiles: all, in: place{form: syntax.FormPattern}, url: "http://h/x/*"},
		{ref: "*", profiles: all, in: place{form: syntax.FormPattern}, url: "http://h/d/*"},
	} {
		for _, p := range tt.profiles {
			o := outcomes{set: tt.options.settings(), cs: new(charset.Charset)}
			o.setOuter(mustParse(t, outer, p), p)
			if tt.base != "" {
				o.decideEmbedded([]byte(tt.base), 0, o.cs)
			}
			o.decideOuter()
			at := tt.in
			at.rule = &rule{Rule: tt.rule}
			ref := []byte(tt.ref)
			_, front, url, what, err := o.outcomeOf(&at, &rawRef{raw: ref, text: ref, value: ref}, true)
			if what != tt.what || string(url) != tt.url || string(front) != tt.url || !errors.Is(err, tt.err) {
				t.Errorf("%s: %q in %+v on %q is %d, %s, %v, not %d, %s, %v", p, tt.ref, tt.rule, tt.base, what, url, err, tt.what, tt.url, tt.err)
			}
		}
	}
}

// Of a reference that is replaced up to a quote, the front is resolved alone.
func TestOutcomeOfFront(t *testing.T) {
	for _, tt := range []struct{ ref, front, want string }{
		{`x"y`, "x", "http://h/d/x"},
		{`../x"/../../y`, "../x", "http://h/x"},
		{`//e"f/`, "//e", "http://e"},
		{`?a'b`, "?a", "http://h/d/p?a"},
	} {
		o := outcomes{set: defaults(), cs: new(charset.Charset)}
		o.setOuter(mustParse(t, "http://h/d/p?q", resolver.RFC1808), resolver.RFC1808)
		o.decideOuter()
		at := place{rule: new(rule)}
		_, front, _, what, err := o.outcomeOf(&at, &rawRef{value: []byte(tt.ref), front: []byte(tt.front), keeps: true}, true)
		if string(front) != tt.want || what != rewritten || err != nil {
			t.Errorf("%s: %s, %d, %v, not %s", tt.ref, front, what, err, tt.want)
		}
	}
}

// A value of controls alone is not empty for browsers: they fetch the base. White space is.
func TestControlsAlone(t *testing.T) {
	const in = "<base href=/b/><img src='&#1;'><img srcset='\x1b 1x'><script src=' \n'></script><form action='\t'><form action='&#1;'><iframe src></iframe>"
	for p, want := range map[resolver.Profile]string{
		resolver.WHATWG:  "<base href=http://h/b/><img src='http://h/b/'><img srcset='http://h/b/ 1x'><script src=' \n'></script><form action='http://h/d?q'><form action='http://h/b/'><iframe src></iframe>",
		resolver.RFC3986: "<base href=http://h/b/><img src='&#1;'><img srcset='\x1b 1x'><script src=' \n'></script><form action='http://h/d?q'><form action='http://h/d?q'><iframe src></iframe>",
	} {
		if got, _ := rewrite(t, Must(New(Options{Profile: p})), in, mustParse(t, "http://h/d?q", p)); got != want {
			t.Errorf("%v: %q, want %q", p, got, want)
		}
	}
}
