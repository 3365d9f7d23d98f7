package compare

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"absolink/internal/test/tagsoup"
	"absolink/resolver"
	"absolink/rewriter"
)

//go:embed nesting.js
var nestingScript string

// A nesting says what is in a document whose tags are marked: by their marks, the
// elements, which of them are in SVG, and the BASE that counts.
type nesting struct {
	Elements map[string]string // from mark to name
	Text     []string          // the marks of tags that are text
	SVG      []string
	Sheets   []string // the marks in text that is a style sheet, as far as absolink reads it
	Base     string
	Frameset bool // there is a frameset, after which most tags are ignored

	stays []int // where the texts begin that absolink has said it does not read
}

// absolink finds places in every start tag of random documents that becomes an element in a
// browser, those of SVG if the element is in SVG. The same BASE counts.
func TestNesting(t *testing.T) {
	b := <-startChromium(t)
	for _, soup := range []struct {
		document func(*rand.Rand) string
		known    []int
	}{
		{tagsoup.Document, append(foreignObjectOutside, templateInHead...)}, {tagsoup.Templates, nil},
	} {
		rnd := rand.New(rand.NewPCG(3, 4))
		for i := 0; i < 10000; i += 1000 {
			var documents []string
			for range 1000 {
				documents = append(documents, soup.document(rnd))
			}
			for j, difference := range b.nestingDifferences(t, documents) {
				if known := slices.Contains(soup.known, i+j); (difference != "") != known {
					t.Errorf("%d: %q: %s, which is known: %v", i+j, documents[j], difference, known)
				}
			}
		}
	}
}

// foreignObjectOutside has the numbers of the documents in which Chromium does not follow
// the standard, unlike x/net/html. An unknown element of HTML called foreignObject has
// an svg in it, and </foreignObject> in that svg closes the unknown element.
var foreignObjectOutside = []int{
	637, 1296, 1467, 1620, 1757, 2449, 2782, 3095, 3439, 3564, 4411, 5196, 5305, 6105, 6375, 6616,
	7664, 7749, 8223, 8593, 9511,
}

// templateInHead has the number of the document in which a frameset replaces a body after
// a template in the HEAD: see otherwise.
var templateInHead = []int{9846}

// askEach returns what a script, which is a function, says of each of the documents.
func askEach[T any](t *testing.T, b *tab, script string, documents []string) (seen []T) {
	t.Helper()
	call := fmt.Sprintf("(%s)(%s)", script, must(json.Marshal(documents))(t))
	await := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	noError(t, chromedp.Run(b.ctx, chromedp.Evaluate(call, &seen, await)))
	if len(seen) != len(documents) {
		t.Fatalf("%d of %d documents", len(seen), len(documents))
	}
	return seen
}

// rewrittenNestings returns what absolink sees in each of the documents.
func rewrittenNestings(t *testing.T, documents []string) (seen []nesting) {
	var n *nesting
	rw := rewriter.Must(rewriter.New(rewriter.Options{WholeDocument: true})).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
		switch p.Attr {
		case "href":
			n.Elements[p.Ref] = p.Element
		case "":
			n.Sheets = append(n.Sheets, p.Ref)
		case "fill":
			n.SVG = append(n.SVG, "r"+strings.TrimPrefix(p.Ref, "f"))
		}
		return nil
	}, Warn: func(offset int64, err error) {
		if strings.Contains(err.Error(), "style element in SVG") {
			n.stays = append(n.stays, int(offset))
		}
	}})
	outer := must(resolver.ParseBase("http://h/", resolver.RFC1808))(t)
	for _, in := range documents {
		seen = append(seen, nesting{Elements: make(map[string]string)})
		n = &seen[len(seen)-1]
		result := must(rw.Rewrite(nil, strings.NewReader(in), outer))(t)
		if result.Base.Source == rewriter.EmbeddedBase {
			n.Base = strings.TrimPrefix(result.Base.URL.String(), "http://h/")
		}
	}
	return seen
}

// nestingDifferences says what absolink sees otherwise than the browser in each of the
// documents.
func (b *tab) nestingDifferences(t *testing.T, documents []string) (differences []string) {
	want := askEach[nesting](t, b, nestingScript, documents)
	for i, got := range rewrittenNestings(t, documents) {
		differences = append(differences, compareNesting(documents[i], got, want[i]))
	}
	return differences
}

var (
	tagMark   = regexp.MustCompile(`href="(r\d+)"`)
	sheetMark = regexp.MustCompile(`@import "(s\d+)"`)
)

// compareNesting says what absolink sees otherwise than the browser. Every marked tag is one
// of three to the browser: an element, text, or ignored. To absolink it is a tag unless it
// is text; a place in an ignored tag does no harm.
func compareNesting(in string, got, want nesting) string {
	for _, at := range tagMark.FindAllStringSubmatchIndex(in, -1) {
		mark := in[at[2]:at[3]]
		name, element := got.Elements[mark], want.Elements[mark]
		isText := slices.Contains(want.Text, mark)
		// What stood in a body that a frameset has replaced is not known.
		isGone := element == "" && !isText && want.Frameset && at[0] < strings.LastIndex(in, "<frameset")
		inSVG := slices.Contains(want.SVG, mark)
		switch {
		case isGone:
		case element != "" && name != element:
			return fmt.Sprintf("%s is %q, but an element %s in the browser", mark, name, element)
		case element == "" && isText && name != "":
			return fmt.Sprintf("%s, %s, is text in the browser", mark, name)
		case element == "" && !isText && name == "":
			return fmt.Sprintf("%s is text, but a tag that the browser ignores", mark)
		case slices.Contains(got.SVG, mark) != inSVG:
			return fmt.Sprintf("%s, %s, is in SVG to the browser: %v", mark, name, inSVG)
		}
	}
	for _, at := range sheetMark.FindAllStringSubmatchIndex(in, -1) {
		mark := in[at[2]:at[3]]
		isSheet, isRead := slices.Contains(want.Sheets, mark), slices.Contains(got.Sheets, mark)
		if slices.Contains(got.stays, at[0]) { // the text of a style element in SVG that holds a tag
			isSheet = false
		}
		if isRead != isSheet {
			return fmt.Sprintf("%s is in a style sheet to the browser: %v", mark, isSheet)
		}
	}
	if got.Base != want.Base {
		return fmt.Sprintf("the base is %q, in the browser %q", got.Base, want.Base)
	}
	return ""
}
