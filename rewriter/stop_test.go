package rewriter

import (
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"absolink/internal/test/testio"
	"absolink/resolver"
)

var errStopped = errors.New("stopped")

// Where a run fails, nothing more of the document is told to anybody.
func TestStops(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	links := strings.Repeat("&lt;a href=x&gt;", 20_000)
	for _, row := range []struct {
		name, in string
		writes   int // to fail after, in bytes
		visits   int // to fail after, or -1
	}{
		{"writing a document in a value", "<iframe srcdoc='" + links + "'>", 100_000, -1},
		{"a place before a BASE that is refused", "<p><base href=data:,><a href=x>", 1 << 20, 1},
		{"an attribute of noscript", "<noscript style='background:url(x)'><a href=y></noscript>", 1 << 20, 1},
	} {
		visits, late := 0, 0
		w := &testio.FailingWriter{Limit: row.writes, Err: errStopped}
		told := func() {
			if visits == row.visits || len(w.Bytes()) >= row.writes {
				late++
			}
		}
		visit := func(*Place) error {
			told()
			if visits++; visits == row.visits {
				return errStopped
			}
			return nil
		}
		rw := Must(New(Options{WholeDocument: true})).With(Hooks{Visit: visit, Warn: func(int64, error) { told() }})
		if _, err := rw.Rewrite(w, strings.NewReader(row.in), outer); err == nil {
			t.Errorf("%s: no error", row.name)
		}
		if late > 0 {
			t.Errorf("%s: %d calls after the error", row.name, late)
		}
		if row.visits < 0 {
			continue
		}
		visits, late = 0, 0
		root, err := html.Parse(strings.NewReader(row.in))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rw.RewriteNode(root, outer); err == nil || late > 0 {
			t.Errorf("%s, in a tree: %v, %d calls after the error", row.name, err, late)
		}
	}
}

// A long value is not streamed where a condition that is not yet known may make it a
// place of another kind.
func TestLongConditions(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	long := strings.Repeat("x", 70_000)
	for _, row := range []struct {
		rules          []Rule
		in, want       string
		rewritten, abs int
	}{
		{[]Rule{{Element: "a", Attr: "href"}, {Element: "a", Attr: "href", When: "x=y", Drop: true}}, "<a href=" + long + ">", "<a href=http://h/" + long + ">", 1, 0},
		{[]Rule{{Element: "a", Attr: "ping", Syntax: SyntaxList}, {Element: "a", Attr: "ping", When: "x=y"}}, "<a ping='http://e/" + long + " z'>", "<a ping='http://e/" + long + " http://h/z'>", 1, 1},
	} {
		rw := Must(New(Options{Rules: row.rules}))
		got, r := rewriteFrom(t, rw, struct{ io.Reader }{strings.NewReader(row.in)}, outer)
		if got != row.want || r.Rewritten != row.rewritten || r.Absolute != row.abs {
			t.Errorf("%s: %d bytes, want %d; %+v", row.rules[1], len(got), len(row.want), r)
		}
	}
}
