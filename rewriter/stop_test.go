package rewriter

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"

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
		visits   int // to fail after
	}{
		{"writing a document in a value", "<iframe srcdoc='" + links + "'>", 100_000, -1},
		{"a place before a BASE that is refused", "<p><base href=data:,><a href=x>", -1, 1},
		{"an attribute of noscript", "<noscript style='background:url(x)'><a href=y></noscript>", -1, 1},
	} {
		failed, late := false, 0
		visits := 0
		visit := func(*Place) error {
			if failed {
				late++
			}
			if visits++; visits == row.visits {
				failed = true
				return errStopped
			}
			return nil
		}
		warn := func(int64, error) {
			if failed {
				late++
			}
		}
		rw := Must(New(Options{WholeDocument: true})).With(Hooks{Visit: visit, Warn: warn})
		w := &failingWriter{left: row.writes, failed: &failed}
		if _, err := rw.Rewrite(w, strings.NewReader(row.in), outer); err == nil {
			t.Errorf("%s: no error", row.name)
		}
		if late > 0 {
			t.Errorf("%s: %d calls after the error", row.name, late)
		}
		if row.writes >= 0 {
			continue
		}
		failed, visits, late = false, 0, 0
		root, err := html.Parse(strings.NewReader(row.in))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rw.RewriteNode(root, outer); err == nil || late > 0 {
			t.Errorf("%s, in a tree: %v, %d calls after the error", row.name, err, late)
		}
	}
}

// A failingWriter fails after some bytes, or never where left is negative.
type failingWriter struct {
	left   int
	failed *bool
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left >= 0 {
		if w.left -= len(p); w.left < 0 {
			*w.failed = true
			return 0, errStopped
		}
	}
	return len(p), nil
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
		var out bytes.Buffer
		r, err := rw.Rewrite(&out, struct{ io.Reader }{strings.NewReader(row.in)}, outer)
		if err != nil || out.String() != row.want || r.Rewritten != row.rewritten || r.Absolute != row.abs {
			t.Errorf("%s: %d bytes, want %d; %+v, %v", row.rules[1], out.Len(), len(row.want), r, err)
		}
	}
}
