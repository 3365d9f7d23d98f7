package compare

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/dom"
)

// TestTrees shows, on every page of the corpus, that parsing the rewritten page gives
// the same tree as rewriting the parsed page, and the same results: with all rules, and
// in every profile.
func TestTrees(t *testing.T) {
	pages := must(Pages())(t)
	rules := slices.Concat(rewriter.HTML(), rewriter.Legacy(), rewriter.Meta(), rewriter.Lazy(), rewriter.JSON(), rewriter.Comments())
	for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
		rw := rewriter.Must(rewriter.New(rewriter.Options{Profile: p, Rules: rules}))
		for _, page := range pages {
			outer := must(resolver.ParseBase(page.URL, p))(t)
			var out bytes.Buffer
			want := must(rw.Rewrite(&out, rewriter.Source{Reader: bytes.NewReader(page.HTML), Charset: "utf-8"}, outer))(t)
			doc := parse(t, page.HTML)
			doc.Url = must(url.Parse(page.URL))(t)
			got := must(dom.Rewrite(doc, rw))(t)
			if diff := differ(lines(parse(t, out.Bytes()).Get(0)), lines(doc.Get(0))); diff != "" {
				t.Errorf("%s, %s: %s", page.Name, p, diff)
			}
			if got.Base.URL.String() != want.Base.URL.String() {
				t.Errorf("%s, %s: base %s, streamed %s", page.Name, p, got.Base.URL, want.Base.URL)
			}
			got.Base.URL, got.Base.Offset, got.Overridden = want.Base.URL, want.Base.Offset, want.Overridden
			if got != want {
				t.Errorf("%s, %s: %+v, streamed %+v", page.Name, p, got, want)
			}
		}
	}
}

func parse(t *testing.T, page []byte) *goquery.Document {
	t.Helper()
	return must(goquery.NewDocumentFromReader(bytes.NewReader(page)))(t)
}

// lines returns a line for each node under root, with its depth, and one for each of
// its attributes.
func lines(root *html.Node) []string {
	var all []string
	depth := 0
	var add func(n *html.Node)
	add = func(n *html.Node) {
		all = append(all, fmt.Sprintf("%d %s %s %q", depth, n.Type, n.Namespace, n.Data))
		for _, a := range n.Attr {
			all = append(all, fmt.Sprintf("%s %q=%q", a.Namespace, a.Key, a.Val))
		}
		depth++
		for c := range n.ChildNodes() {
			add(c)
		}
		depth--
	}
	add(root)
	return all
}

// differ returns the first lines that differ.
func differ(want, got []string) string {
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) {
			return fmt.Sprintf("%d nodes and attributes, streamed %d", len(got), len(want))
		}
		if want[i] != got[i] {
			return fmt.Sprintf("%s\nstreamed\n%s", got[i], want[i])
		}
	}
	return ""
}
