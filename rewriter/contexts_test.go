package rewriter

import (
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/net/html"

	"absolink/internal/test/soak"
	"absolink/internal/test/tagsoup"
	"absolink/resolver"
	"absolink/rewriter/internal/markup"
)

// Random documents: the same BASE counts as to the parser of x/net/html, wherever it
// stands.
func TestRandomBases(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	rw := Must(New(Options{WholeDocument: true}))
	base := func(in io.Reader) string {
		result, err := rw.Rewrite(nil, in, outer)
		if err != nil {
			t.Fatal(err)
		}
		if result.Base.Source != EmbeddedBase {
			return ""
		}
		return strings.TrimPrefix(result.Base.URL.String(), "http://h/")
	}
	for i := range soak.N(40_000) {
		in := tagsoup.Document(rnd)
		if strings.Contains(in, "<template") && (strings.Contains(in, "<svg") || strings.Contains(in, "<math")) {
			continue // at a template in svg or math the parser may stop
		}
		got := base(strings.NewReader(in))
		if want := parsedBase(t, in); got != want {
			t.Errorf("%d: %s: the base is %q, the parser sees %q", i, in, got, want)
		}
		if i%8 == 0 {
			if pieces := base(iotest.OneByteReader(strings.NewReader(in))); got != pieces {
				t.Errorf("%s: the base is %q, in pieces %q", in, got, pieces)
			}
		}
	}
}

// parsedBase returns the href of the BASE that counts to the parser. Each href is rN,
// with N in the order of the tags.
func parsedBase(t testing.TB, in string) (base string) {
	doc, err := html.Parse(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	first := 0
	for n := range doc.Descendants() {
		href := markup.ValueOf(n, "href")
		if href == "" || !markup.IsHTML(n, "base") || markup.IsHidden(n) {
			continue
		}
		if number, _ := strconv.Atoi(href[1:]); base == "" || number < first {
			base, first = href, number
		}
	}
	return base
}

// What browsers ignore has no style sheet and no raw text, so nothing after it is read as
// if it stood there. A place in an ignored tag does no harm.
func TestIgnoredRawText(t *testing.T) {
	outer := mustParse(t, "http://h/d/", resolver.RFC1808)
	const inert = "<base href=\"http://h/>/\"><template><col><style></template><p title=url(x/onclick=alert`1`//)>hi<style></style>"
	for in, want := range map[string]string{
		inert: inert,
		`<template><col><style>a{b:url(c)}</style></template><style>a{b:url(c)}</style>`: `<template><col><style>a{b:url(c)}</style></template><style>a{b:url(http://h/d/c)}</style>`,
		`<template><col><xmp></template><a href=x>`:                                      `<template><col><xmp></template><a href=http://h/d/x>`,
		`<template><col><a href=x><svg fill=url(y)></template>`:                          `<template><col><a href=http://h/d/x><svg fill=url(y)></template>`,
		`<frameset><style>a{b:url(c)}<a href=x>`:                                         `<frameset><style>a{b:url(c)}<a href=http://h/d/x>`,
	} {
		if got, _ := rewrite(t, new(Rewriter), in, outer); got != want {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
	}
}
