package syntax

import (
	"strings"
	"testing"
)

var lazyRows = []syntaxRow{
	{"", nil},
	{" ", nil},
	{"a.jpg", []string{"a.jpg"}},
	{" a.jpg ", []string{" a.jpg "}},
	{"my pictures/a b.jpg", []string{"my pictures/a b.jpg"}},
	{"/w_300,h_200/a.jpg", []string{"/w_300,h_200/a.jpg"}},
	{"a, part 2.jpg", []string{"a, part 2.jpg"}},
	{"a.jpg,", []string{"a.jpg,"}},

	{"a.jpg 1x", []string{"a.jpg"}},
	{"a.jpg 1x, b.jpg 2x", []string{"a.jpg", "b.jpg"}},
	{"a.jpg 480w 320h,b.jpg 1.5x", []string{"a.jpg", "b.jpg"}},
	{"a.jpg 1y, b.jpg 2x", []string{"a.jpg 1y, b.jpg 2x"}},
	{"a.jpg x, b.jpg .w", []string{"a.jpg x, b.jpg .w"}},
	{"a.jpg, b.jpg", []string{"a.jpg", "b.jpg"}},
	{"a.jpg,\n\tb.jpg,", []string{"a.jpg", "b.jpg"}},

	{"a|b", []string{"a", "b"}},
	{" a.jpg | b c.jpg ||", []string{"a.jpg", "b c.jpg"}},
	{"css?family=A|B", []string{"css?family=A|B"}},
	{"a#b|c", []string{"a#b|c"}},

	{`{"src": "a.jpg"}`, nil},
	{` {"src": "a.jpg"}`, nil},
	{"[/a.jpg, (default)], [/b.jpg, (large)]", nil},
	{`["a.jpg","b.jpg"]`, nil},
	{"[PAGE_URL]", nil},
}

func TestLazy(t *testing.T) {
	testRowsWith(t, lazyReferences, lazyRows, "http://h/p") // a query before a bar makes one reference
}

func FuzzLazy(f *testing.F) {
	for _, row := range lazyRows {
		f.Add(row.value, "a|b, c 1x")
	}
	f.Fuzz(func(t *testing.T, value, path string) { checkSyntax(t, lazyReferences, value, plainURL(path)) })
}

// plainURL is absoluteURL without a query and a fragment. A bar after them belongs to them,
// and no URL gains them that did not have them before the bar.
func plainURL(path string) string {
	return absoluteURL(strings.NewReplacer("?", "-", "#", "-").Replace(path))
}
