package rewriter

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"absolink/internal/test/soak"
	"absolink/resolver"
)

// valuesIn has documents in which V stands for a value, in all notations and in the
// syntaxes with several references.
var valuesIn = []string{
	`<img srcset="V">`, `<img srcset='V'>`, `<img srcset=V>`, `<a ping="V">`, `<a ping=V>`, `<p style="V">`, `<p style='V'>`, `<p style=V>`,
	`<style>V</style>`, `<meta http-equiv=refresh content="0;url=V">`, `<meta http-equiv=refresh content='0;url="V'>`, `<a href="V">`, `<a href=V>`,
	`<applet archive="V">`, `<svg><animate values="V"></svg>`, `<iframe srcdoc="<img srcset='V'>">`,
	`<base href=/z/><x outer="V">`, `<x curies="V">`,
	`<script type=module>import "./V"</script>`, `<script type=importmap>{"imports":{"a":"V"}}</script>`, `<script type=importmap>{"imports":{"V":"x"}}</script>`,
	`<script type=speculationrules>{"prefetch":[{"where":{"href_matches":"V"}}]}</script>`, `<script type=speculationrules>{"prefetch":[{"urls":["V"]}]}</script>`,
}

// plainSet has all rules, and two for lists in which references have a special meaning.
var plainSet = newRuleSet(append(allRules(),
	Rule{Element: "x", Attr: "outer", Syntax: SyntaxList, Outer: true},
	Rule{Element: "x", Attr: "curies", Syntax: SyntaxList, Local: LocalCURIE},
))

// traps are values in which some reference only seems to be plain.
var traps = []string{"a.png, url(b) 2x", "./..", "./.", "x/y a:b", "&#97;b", "/x&amp;y", "#x", "?x", ";x", "a--", "url('a,(b')", "http:x", "http:", "http:#f", "//", "//#f", "x:&sol;&sol;[", "x:/&y", "mailto:&y"}

// parts are put together to values.
var parts = []string{
	"a", "./", "b.png", "url(", "URL('", `url("`, "')", `")`, ")", "image-set(", "'x.png'", " 1x", ", ", ",", ";", ":", "http:", "//h2", "/", "..", ".", "?", "#", "=", "`",
	"&", "&amp;", "&#97;", "&amp", "&#44", "%20", " ", "\t", "\n", "\\", "\\61 ", "\x00", "\x7f", "\x1b", "é", "\xe9", "<", ">", "'", `"`, "--", "--!", "(", "@import ", "/*", "*/",
}

// bases have bytes that some form or some notation cannot hold.
var bases = []string{"http://h/a/b", "http://h/a,b/c;d", "http://h/a(b)/'c'", "http://h/?a,b", "http://h/a&b=c/", "http://h/é/", "file:/a/b", "http://h", "http://h/?f(x)&copy", "https://h/?a--", `http://h/?"><i>`}

// checkPlain checks that references which stand for themselves become the same when a
// caller looks at all places, which the ways that are faster do not let the caller do.
func checkPlain(t *testing.T, document, base string, p resolver.Profile) {
	t.Helper()
	outer, err := resolver.ParseBase(base, p)
	if err != nil {
		return
	}
	run := func(visit func(*Place) error) (string, Result) {
		var out bytes.Buffer
		rw := plainSet.on(Must(New(Options{Profile: p})).With(Hooks{Visit: visit}))
		result, err := rw.Rewrite(&out, struct{ io.Reader }{strings.NewReader(document)}, outer)
		if err != nil {
			t.Fatal(err)
		}
		result.Base, result.Overridden = Base{}, Base{} // each run has its own
		return out.String(), result
	}
	fast, fastResult := run(nil)
	checkStructure(t, []byte(document), []byte(fast))
	slow, slowResult := run(func(*Place) error { return nil })
	if fast != slow || fastResult != slowResult {
		t.Fatalf("%s on %s: %q\nbecomes %q, %+v\nand as it is shown %q, %+v", p, base, document, fast, fastResult, slow, slowResult)
	}
}

func TestPlain(t *testing.T) {
	for _, in := range valuesIn {
		for _, value := range traps {
			for _, base := range bases {
				for _, p := range profiles {
					checkPlain(t, strings.ReplaceAll(in, "V", value), base, p)
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range soak.N(40_000) {
		var value strings.Builder
		for range 1 + r.IntN(8) {
			value.WriteString(parts[r.IntN(len(parts))])
		}
		document := strings.ReplaceAll(valuesIn[r.IntN(len(valuesIn))], "V", value.String())
		checkPlain(t, document, bases[r.IntN(len(bases))], profiles[r.IntN(len(profiles))])
	}
}

// Absolute references are counted alike, seen or unseen, wherever the base is found.
func TestPlainCounts(t *testing.T) {
	for _, document := range []string{
		`<link href=y><link href="http://a b/"><base href="http://h/">`,
		`<link href="http://a b/"><link href=y><base href="http://h/">`,
		`<link href=y><link href="http://a b/?&amp;"><base href="http://h/">`,
		`<link href=y><link href="http://a b/">`,
		`<link href="x:&sol;&sol;[">`, `<link href="x:/&sol;[">`, "<link href='x:\t//['>", "<link href='x:/\n/['>",
	} {
		for _, visit := range []func(*Place) error{nil, func(*Place) error { return nil }} {
			rw := Must(New(Options{Profile: resolver.WHATWG})).With(Hooks{Visit: visit})
			if _, result := rewrite(t, rw, document, nil); result.Unresolvable != 1 {
				t.Errorf("%s, seen %t: %+v", document, visit != nil, result)
			}
		}
	}
}

// A reference that is absolute only on bases with another scheme is resolved: a rewritten
// page leads to the same URLs wherever it is.
func TestOtherScheme(t *testing.T) {
	bases := []string{"http://h/a/b", "https://h/a/b", "file:///a/b", "ftp://h/a/b", "foo://h/a/b"}
	for _, ref := range []string{"http:x", "http:/x", `http:\x`, `http:\\x`, `http:/\x`, "http://x", "https:x", "file:x", "file:/x", "file:///x", "ftp:x", "h&#9;ttp:x", " http:x", "foo:x"} {
		for _, base := range bases {
			outer := mustParse(t, base, resolver.WHATWG)
			for _, in := range []string{`<a href="V">`, `<base href=/z/><a href="V">`} {
				var urls []string
				rw := Must(New(Options{Profile: resolver.WHATWG, RemoveBase: true}))
				out, _ := rewrite(t, rw, strings.ReplaceAll(in, "V", ref), outer)
				for _, other := range bases {
					rw := Must(New(Options{Profile: resolver.WHATWG})).With(Hooks{Visit: func(p *Place) error {
						if p.Element == "base" { // which leads nowhere
							return nil
						}
						url, err := mustParse(t, other, resolver.WHATWG).Resolve(p.Ref)
						urls = append(urls, url)
						return err
					}})
					rewrite(t, rw, out, mustParse(t, other, resolver.WHATWG))
				}
				if len(urls) != len(bases) || len(slices.Compact(urls)) != 1 {
					t.Errorf("%s on %s becomes %s, which leads to %q", ref, base, out, urls)
				}
			}
		}
	}
}

func FuzzPlain(f *testing.F) {
	for i := range valuesIn {
		for _, value := range traps {
			f.Add(value, byte(i), byte(0), byte(0))
		}
	}
	f.Fuzz(func(t *testing.T, value string, in, base, profile byte) {
		document := strings.ReplaceAll(valuesIn[int(in)%len(valuesIn)], "V", value)
		checkPlain(t, document, bases[int(base)%len(bases)], profiles[int(profile)%len(profiles)])
	})
}
