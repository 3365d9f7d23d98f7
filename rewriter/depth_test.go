package rewriter

import (
	"strings"
	"testing"

	"absolink/resolver"
)

// Documents stand in one another 16 deep. A document that is deeper stays.
func TestDepth(t *testing.T) {
	nested := func(link string, depth int) string {
		doc := link
		for range depth {
			doc = `<iframe srcdoc="` + strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(doc) + `"></iframe>`
		}
		return doc
	}
	for _, test := range []struct {
		depth int
		link  string
	}{
		{16, "<a href=http://h/x>"},
		{17, "<a href=x>"},
	} {
		got, _ := rewrite(t, new(Rewriter), nested("<a href=x>", test.depth), mustParse(t, "http://h/", resolver.RFC1808))
		if got != nested(test.link, test.depth) {
			t.Errorf("%d deep: %s", test.depth, got)
		}
	}
}
