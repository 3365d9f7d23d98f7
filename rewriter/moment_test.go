package rewriter

import (
	"slices"
	"strings"
	"testing"

	"absolink/resolver"
)

// What browsers fetch before they come to a BASE is on the base of that moment, in the
// WHATWG profile. compare/moments_test.go has the same documents.
func TestMoments(t *testing.T) {
	const early, late, none = "http://h/a/x", "http://late/x", "x"
	for _, row := range []struct{ in, whatwg, alone string }{ // V is the reference; alone is without an outer base
		{"<link rel=stylesheet href=V>", early, none},
		{"<link href=V rel='ALTERNATE stylesheet'>", early, none},
		{"<link rel=preload imagesrcset='V 1x'>", early, none},
		{"<link rel=icon href=V>", late, late},
		{"<link href=V>", late, late},
		{"<script src=V></script>", early, none},
		{"<script type=module>import \"./V\"</script>", early, "./x"},
		{"<script type=importmap>{\"imports\":{\"a\":\"./V\"}}</script>", early, "./x"},
		{"<style>p{x:url(V)}</style>", early, none},
		{"<noscript><link rel=stylesheet href=V></noscript>", early, none},
		{"<meta http-equiv=refresh content='0;url=V'>", early, none},
		{"<body><img src=V>", early, none},
		{"<body><img loading=LAZY src=V>", late, late},
		{"<body><p style='x:url(V)'>", early, none},
		{"<body><p><svg><style>p{x:url(V)}</style><rect mask='url(#V)'/></svg>", early, none},
		{"<body><svg><image href=V /></svg>", early, none},
		{"<body><iframe srcdoc='<a href=V>'></iframe>", early, none},
		{"<body><a href=V>a</a>", late, late},
		{"<body><embed src=V>", late, late},
	} {
		for _, profile := range []resolver.Profile{resolver.RFC1808, resolver.WHATWG} {
			for _, alone := range []bool{false, true} {
				var outer *resolver.Base
				want := row.whatwg
				if alone {
					want = row.alone
				} else {
					outer = mustParse(t, "http://h/a/p", profile)
				}
				if profile == resolver.RFC1808 {
					want = late
				}
				rw := Must(New(Options{Profile: profile, Rules: slices.Concat(HTML(), JSON(), Modules()), WholeDocument: true}))
				in := strings.Replace(row.in, "V", "x", 1) + "<base href=http://late/><img src=y>"
				out := strings.Replace(row.in, "V", want, 1) + "<base href=http://late/><img src=http://late/y>"
				out = strings.Replace(out, "./http", "http", 1)
				out = strings.Replace(out, "././", "./", 1)
				in, out = strings.Replace(in, "V", "x", 1), strings.Replace(out, "V", "x", 1)
				if got, _ := rewrite(t, rw, in, outer); got != out {
					t.Errorf("%s, alone %v: %s\nbecomes %s\nwant    %s", profile, alone, in, got, out)
				}
				tree, err := treeOf(t, rw, in, outer)
				if parsed := strings.Join(lines(parseNode(t, out, true)), "\n"); err != nil || tree != parsed {
					t.Errorf("%s, alone %v: the tree of %s\nbecomes %s, %v\nwant    %s", profile, alone, in, tree, err, parsed)
				}
			}
		}
	}
}

// A BASE in a body that a frameset may still replace is the base of the moment for what follows.
func TestMomentAfterLateBase(t *testing.T) {
	outer := mustParse(t, "http://h/a/p", resolver.WHATWG)
	for _, place := range []string{
		"<link rel=stylesheet href=V>", "<style>@import \"V\";</style>", "<script src=V></script>", "<p style='x:url(V)'>",
		"<noscript><img src=V></noscript>", "<noscript><link rel=stylesheet href=V></noscript>", "<a href=V></a>",
	} {
		rw := Must(New(Options{Profile: resolver.WHATWG, WholeDocument: true}))
		in := "<p><base href=http://late/>" + strings.Replace(place, "V", "x", 1)
		want := "<p><base href=http://late/>" + strings.Replace(place, "V", "http://late/x", 1)
		if got, _ := rewrite(t, rw, in, outer); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got, want)
		}
	}
}
