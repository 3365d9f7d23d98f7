package rewriter

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"absolink/resolver"
)

// The retrieval URL that programs leave in the pages that they save.
func TestSaved(t *testing.T) {
	layer := func(l Base) string {
		if l.Source == NoBase {
			return "none"
		}
		return strings.TrimSpace(fmt.Sprintf("%s %s %s", l.URL, l.Source, l.Name))
	}
	for _, row := range []struct {
		name, in  string
		outer     string
		ignore    bool
		canonical bool
		want      string // the base, why, and what it overrides
	}{
		{"Chromium", "<!DOCTYPE html>\r\n<!-- saved from url=(0026)https://example.org/a/b?c -->\r\n<html><a href=x>", "", false, false, "https://example.org/a/b?c saved saved from url; none"},
		{"Internet Explorer", "<!-- saved from url=(0022)http://example.org/a/b#c -->\n<a href=x>", "", false, false, "http://example.org/a/b#c saved saved from url; none"},
		{"mark of the web", "<!-- saved from url=(0014)about:internet -->", "", false, false, "none; none"},
		{"a local file", "<!-- saved from url=(0020)file:///C:/a/b.html -->", "", false, false, "file:///C:/a/b.html saved saved from url; none"},
		{"SingleFile", "<!DOCTYPE html> <html lang=en><!--\n Page saved with SingleFile \n url: https://example.org/a/ \n saved date: Mon Jan 01 2024\n--><meta charset=utf-8><a href=x>", "", false, false, "https://example.org/a/ saved SingleFile; none"},
		{"HTTrack", "<html>\n<!-- Mirrored from www.example.org/a/b.html by HTTrack Website Copier/3.x [XR&CO'2014], Mon, 01 Jan 2024 00:00:00 GMT -->\n<head><a href=x>", "", false, false, "http://www.example.org/a/b.html saved HTTrack; none"},
		{"the first counts", "<!-- saved from url=(1)http://h/1 --><!-- saved from url=(1)http://h/2 -->", "", false, false, "http://h/1 saved saved from url; none"},
		{"the first that has a URL", "<!-- saved from url=(1)x --><!-- saved from url=(1)http://h/2 -->", "", false, false, "http://h/2 saved saved from url; none"},
		{"after other comments", "<!--><!-- x --><!-->x--><!---->", "", false, false, "none; none"},
		{"in the HEAD", "<head><title>x</title><!-- saved from url=(1)http://h/1 --></head>", "", false, false, "http://h/1 saved saved from url; none"},
		{"after the HEAD", "<head></head> <!-- saved from url=(1)http://h/1 --> <body>", "", false, false, "http://h/1 saved saved from url; none"},
		{"in the body", "<p><!-- saved from url=(1)http://h/1 -->", "", false, false, "none; none"},
		{"in a template", "<template><!-- saved from url=(1)http://h/1 --></template>", "", false, false, "none; none"},
		{"in noscript", "<noscript><!-- saved from url=(1)http://h/1 --></noscript>", "", false, false, "none; none"},
		{"in a script", "<script><!-- saved from url=(1)http://h/1 --></script>", "", false, false, "none; none"},
		{"ended as browsers see it", "<!-- saved from url=(1)http://h/1 --!><p>", "", false, false, "http://h/1 saved saved from url; none"},
		{"not ASCII", "<!-- saved from url=(1)http://h/\xe9 -->", "", false, false, "none; none"},
		{"too long", "<!-- saved from url=(1)http://h/" + strings.Repeat("x", 9<<10) + " -->", "", false, false, "none; none"},
		{"ignored", "<!-- saved from url=(1)http://h/1 -->", "", true, false, "none; none"},
		{"the caller's goes first", "<!-- saved from url=(1)http://h/1 -->", "http://o/", false, false, "http://o/ outer; http://h/1 saved saved from url"},
		{"BASE goes first", "<!-- saved from url=(1)http://h/1 --><base href=//b/c>", "", false, false, "http://b/c embedded BASE; http://h/1 saved saved from url"},
		{"a relative BASE", "<!-- saved from url=(1)http://h/1/2 --><base href=3>", "", false, false, "http://h/1/3 embedded BASE; http://h/1/2 saved saved from url"},
		{"BASE before the caller's", "<!-- saved from url=(1)http://h/1 --><base href=c>", "http://o/", false, false, "http://o/c embedded BASE; http://o/ outer"},

		{"after a relative BASE", "<head><base href=x/><!-- saved from url=(1)http://h/1 --></head><body><a href=y><form action=''>", "", false, false, "none; none"},
		{"after a refused BASE", "<head><base href=data:,><!-- saved from url=(1)http://h/1 --></head><body><a href=y><form action=''>", "", false, false, "none; none"},
		{"after BASE", "<head><base href=http://b/><!-- saved from url=(1)http://h/1 --></head><body><a href=y><form action=''>", "", false, false, "http://b/ embedded BASE; none"},
		{"canonical after BASE", "<head><base href=x/><link rel=canonical href=http://h/1></head><body><a href=y>", "", false, true, "none; none"},
		{"caller, comment and canonical", "<!-- saved from url=(1)http://h/1 --><link rel=canonical href=http://h/2>", "http://o/", false, true, "http://o/ outer; http://h/1 saved saved from url"},

		{"canonical is not asked for", "<link rel=canonical href=http://h/1>", "", false, false, "none; none"},
		{"canonical", "<link href=x><link rel='a CANONICAL' href=' http://h/1?a&amp;b '>", "", false, true, "http://h/1?a&b saved link rel=canonical; none"},
		{"relative canonical", "<link rel=canonical href=/1><meta property=og:url content=http://h/2>", "", false, true, "http://h/2 saved og:url; none"},
		{"the first canonical", "<meta property='og:url' content=http://h/2><link rel=canonical href=http://h/1>", "", false, true, "http://h/2 saved og:url; none"},
		{"canonical in the body", "<p><link rel=canonical href=http://h/1>", "", false, true, "none; none"},
		{"canonical in the template", "<template><link rel=canonical href=http://h/1></template>", "", false, true, "none; none"},
		{"saved before canonical", "<!-- saved from url=(1)http://h/1 --><link rel=canonical href=http://h/2>", "", false, true, "http://h/1 saved saved from url; http://h/2 saved link rel=canonical"},
		{"the caller's before canonical", "<link rel=canonical href=http://h/2>", "http://o/", false, true, "http://o/ outer; http://h/2 saved link rel=canonical"},
		{"BASE before canonical", "<link rel=canonical href=http://h/2><base href=http://b/>", "", false, true, "http://b/ embedded BASE; none"},
	} {
		for _, p := range profiles {
			var outer *resolver.Base
			if row.outer != "" {
				outer = mustParse(t, row.outer, p)
			}
			rw := Must(New(Options{Profile: p, IgnoreSaved: row.ignore, Canonical: row.canonical}))
			r, err := rw.Rewrite(nil, iotest.OneByteReader(strings.NewReader(row.in)), outer)
			if err != nil {
				t.Fatal(err)
			}
			if got := layer(r.Base) + "; " + layer(r.Overridden); got != row.want && p != resolver.WHATWG {
				t.Errorf("%s, %s: %s, want %s", row.name, p, got, row.want)
			}
			if r.Base.Source == SavedBase && !strings.HasPrefix(row.in[r.Base.Offset:], "<") {
				t.Errorf("%s: found at %d", row.name, r.Base.Offset)
			}
			tree, err := rw.RewriteNode(parseNode(t, row.in, true), outer)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := layer(tree.Base)+"; "+layer(tree.Overridden), layer(r.Base)+"; "+layer(r.Overridden); got != want {
				t.Errorf("%s, %s: in a tree %s, streamed %s", row.name, p, got, want)
			}
			if outer == nil {
				diff := nodeDiff(t, row.in, nil, p, true)
				if diff != "" {
					t.Errorf("%s, %s: the tree is not as streamed: %s", row.name, p, diff)
				}
			}
			checkSaved(t, rw, []byte(row.in), outer)
		}
	}
}

// checkSaved checks what holds for all documents where they may say where they
// are from: how they come makes no difference, nor does rewriting them again.
func checkSaved(t *testing.T, rw *Rewriter, in []byte, outer *resolver.Base) {
	t.Helper()
	defer func(size int) { windowSize = size }(windowSize)
	whole := runWith(t, rw, bytes.NewReader(in), outer)
	windowSize = 16
	engines = sync.Pool{New: engines.New} // with windows of their own size
	if got := runWith(t, rw, iotest.OneByteReader(bytes.NewReader(in)), outer); !bytes.Equal(got.out, whole.out) {
		t.Errorf("chunks: %q, whole %q", got.out, whole.out)
	}
	if got := runWith(t, rw, bytes.NewReader(whole.out), outer); !bytes.Equal(got.out, whole.out) {
		t.Errorf("idempotence: %q, then %q", whole.out, got.out)
	}
	checkBytes(t, rw, in, outer)
	checkStructure(t, in, whole.out)
}

// A document that says where it is from is rewritten on that, also what comes
// before it says so.
func TestSavedPlaces(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{"<html manifest=m><!-- saved from url=(1)http://h/a/b --><a href=c>", "<html manifest=http://h/a/m><!-- saved from url=(1)http://h/a/b --><a href=http://h/a/c>"},
		{"<link href=x><link rel=canonical href=http://h/a/b><form action=''><a href=#c>", "<link href=http://h/a/x><link rel=canonical href=http://h/a/b><form action='http://h/a/b'><a href=http://h/a/b#c>"},
	} {
		rw := Must(New(Options{Canonical: true, Rules: append(HTML(), Legacy()...)}))
		if got, _ := rewrite(t, rw, row.in, nil); got != row.want {
			t.Errorf("%s became %s, want %s", row.in, got, row.want)
		}
	}
}
