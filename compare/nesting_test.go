package compare

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"absolink/internal/tagsoup"
	"absolink/resolver"
	"absolink/rewriter"
)

//go:embed nesting.js
var nestingScript string

// A nesting says what is in a document of random tags: by their marks, the elements
// and which of them are in SVG, and the BASE that counts.
type nesting struct {
	Elements map[string]string // from mark to name
	SVG      []string
	Base     string
	Frameset bool // there is a frameset, after which most tags are ignored
}

// absolink finds places in every start tag that becomes an element in a browser, those
// of SVG if the element is in SVG. The same BASE counts.
func TestNesting(t *testing.T) {
	tabs := startChromium(t)
	b := <-tabs
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := 0; i < 10000; i += 1000 {
		var documents []string
		for range 1000 {
			documents = append(documents, tagsoup.Document(rnd))
		}
		seen := b.nestings(t, documents)
		for j, in := range documents {
			difference := compareNesting(in, rewrittenNesting(t, in), seen[j])
			if known := slices.Contains(foreignObjectOutside, i+j); (difference != "") != known {
				t.Errorf("%d: %q: %s, which is known: %v", i+j, in, difference, known)
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

// nestings returns what the browser sees in each of the documents.
func (b *tab) nestings(t *testing.T, documents []string) (seen []nesting) {
	argument, err := json.Marshal(documents)
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("(%s)(%s)", nestingScript, argument)
	if err := chromedp.Run(b.ctx, chromedp.Evaluate(script, &seen)); err != nil {
		t.Fatal(err)
	}
	if len(seen) != len(documents) {
		t.Fatalf("%d of %d documents", len(seen), len(documents))
	}
	return seen
}

// rewrittenNesting returns what absolink sees.
func rewrittenNesting(t *testing.T, in string) nesting {
	n := nesting{Elements: make(map[string]string)}
	rw := rewriter.Rewriter{WholeDocument: true, Visit: func(p *rewriter.Place) error {
		switch p.Attr {
		case "href":
			n.Elements[p.Ref] = p.Element
		case "fill":
			n.SVG = append(n.SVG, "r"+strings.TrimPrefix(p.Ref, "f"))
		}
		return nil
	}}
	outer, err := resolver.ParseBase("http://h/", resolver.RFC1808)
	if err != nil {
		t.Fatal(err)
	}
	result, err := rw.Rewrite(nil, strings.NewReader(in), outer)
	if err != nil {
		t.Fatal(err)
	}
	if result.Base.Source == rewriter.EmbeddedBase {
		n.Base = strings.TrimPrefix(result.Base.URL.String(), "http://h/")
	}
	return n
}

// ignorable lists the elements whose start tags browsers ignore in some contexts.
// Places in an ignored tag do no harm.
var ignorable = strings.Fields("caption col colgroup form frame select table tbody td th thead tr")

func compareNesting(in string, got, want nesting) string {
	for _, mark := range slices.Sorted(maps.Keys(want.Elements)) {
		inSVG := slices.Contains(want.SVG, mark)
		switch {
		case got.Elements[mark] == "":
			return fmt.Sprintf("%s is not a place, but an element %s in the browser", mark, want.Elements[mark])
		case slices.Contains(got.SVG, mark) != inSVG:
			return fmt.Sprintf("%s, %s, is in SVG to the browser: %v", mark, want.Elements[mark], inSVG)
		}
	}
	for mark, name := range got.Elements {
		// In a template that begins with col, everything except columns is ignored.
		columns := strings.Contains(in, "<template") && strings.Contains(in, "<col")
		if want.Elements[mark] == "" && !want.Frameset && !slices.Contains(ignorable, name) && !columns {
			return fmt.Sprintf("%s, %s, is not an element in the browser", mark, name)
		}
	}
	if got.Base != want.Base {
		return fmt.Sprintf("the base is %q, in the browser %q", got.Base, want.Base)
	}
	return ""
}
