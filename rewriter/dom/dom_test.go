package dom_test

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html/charset"

	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/dom"
)

func parse(t *testing.T, page []byte, retrieved string) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	if retrieved != "" {
		if doc.Url, err = url.Parse(retrieved); err != nil {
			t.Fatal(err)
		}
	}
	return doc
}

func render(t *testing.T, doc *goquery.Document) string {
	t.Helper()
	s, err := doc.Html()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// For each page, rewriting the parsed page gives the same tree as parsing the rewritten
// page, and the same results.
func TestPages(t *testing.T) {
	list, err := os.ReadFile("../../testdata/pages/urls.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		name, retrieved, _ := strings.Cut(strings.TrimSpace(line), "\t")
		retrieved, _, _ = strings.Cut(retrieved, "\t") // the names of rule groups follow
		f, err := os.Open("../../testdata/pages/" + name + ".html")
		if err != nil {
			t.Fatal(err)
		}
		utf8, err := charset.NewReader(f, "")
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(utf8)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
			rw := rewriter.Must(rewriter.New(rewriter.Options{Profile: p}))
			outer, err := resolver.ParseBase(retrieved, p)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			want, err := rw.Rewrite(&out, rewriter.Source{Reader: bytes.NewReader(page), Charset: "utf-8"}, outer)
			if err != nil {
				t.Fatal(err)
			}
			doc := parse(t, page, retrieved)
			got, err := dom.Rewrite(doc, rw)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := render(t, doc), render(t, parse(t, out.Bytes(), "")); got != want {
				t.Errorf("%s, %s:\n%s\nstreamed\n%s", name, p, got, want)
			}
			if got.Overridden.URL.String() != want.Overridden.URL.String() || got.Overridden.Source != want.Overridden.Source {
				t.Errorf("%s, %s: over %+v; streamed %+v", name, p, got.Overridden, want.Overridden)
			}
			if got.Base.URL.String() != want.Base.URL.String() || got.Base.Source != want.Base.Source {
				t.Errorf("%s, %s: base %s, %s; streamed %s, %s", name, p, got.Base.URL, got.Base.Source, want.Base.URL, want.Base.Source)
			}
			got.Base.URL, got.Base.Offset, got.Overridden = want.Base.URL, want.Base.Offset, want.Overridden
			if why := knownResults[name]; (got == want) == (why != "") {
				t.Errorf("%s, %s: %+v, streamed %+v; known: %s", name, p, got, want, why)
			}
		}
	}
}

func TestURL(t *testing.T) {
	const page = `<html><head></head><body><a href="x"></a></body></html>`
	doc := parse(t, []byte(page), "")
	if result, err := dom.Rewrite(doc, new(rewriter.Rewriter)); err != nil || result.Base.Source != rewriter.NoBase || render(t, doc) != page {
		t.Errorf("without URL: %+v, %v, %s", result, err, render(t, doc))
	}
	doc = parse(t, []byte(page), "/x")
	if _, err := dom.Rewrite(doc, new(rewriter.Rewriter)); !errors.Is(err, resolver.ErrNotAbsolute) || render(t, doc) != page {
		t.Errorf("relative URL: %v, %s", err, render(t, doc))
	}
	doc = parse(t, []byte(page), "http://h/a/b")
	part := goquery.NewDocumentFromNode(doc.Find("a").Get(0))
	part.Url = doc.Url
	if _, err := dom.Rewrite(part, new(rewriter.Rewriter)); err != nil || doc.Find("a").AttrOr("href", "") != "http://h/a/x" {
		t.Errorf("part of a document: %v, %s", err, render(t, doc))
	}
}

// knownResults are the pages whose tree has other places than the page, and why.
var knownResults = map[string]string{
	"places": "the parser ignores a frame in a body",
}
