package warc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// listOf lists the places in an archive, a line each.
func listOf(t *testing.T, r *Rewriter, archive string) (string, Summary) {
	t.Helper()
	return listBy(t, r, archive, func(b []byte, page *Page, p *rewriter.Place) []byte {
		return fmt.Appendf(b, "%d %s[%s] %s %q %s %v\n", page.Status, p.Element, p.Attr, p.Rel, p.Raw, p.URL, p.Err)
	})
}

func TestHeaderPlaces(t *testing.T) {
	for _, row := range []struct{ head, want string }{
		{"HTTP/1.1 301 x\r\nLOCATION: ../c ", `301 #http[location]  "../c" http://h/c`},
		{"HTTP/1.1 200\r\nContent-Location: c\r\nRefresh: 1;URL='d'", "200 #http[content-location]  \"c\" http://h/a/c\n200 #http[refresh]  \"d\" http://h/a/d"},
		{"HTTP/2 302\nLocation:\n  c\n", `302 #http[location]  "c" http://h/a/c`},
		{"HTTP/1.1 20x\r\nLocation: mailto:c", `0 #http[location]  "mailto:c" mailto:c`},
		{"HTTP/1.1 200\r\nLink: <c>;rel=\"a b\";rel=c, <d>; title=\"<e>, \\\"\", , x <f>; REL = g\r\nLink: <>",
			"200 #http[link] a b \"c\" http://h/a/c\n200 #http[link]  \"d\" http://h/a/d\n200 #http[link] g \"f\" http://h/a/f\n200 #http[link]  \"\" http://h/a/b"},
		{"HTTP/1.1 200\r\nLink: <c", ""},
		{"HTTP/1.1 200\r\nLink: <c>; x=\"<d>, <e>", `200 #http[link]  "c" http://h/a/c`},
		{"HTTP/1.1 200\r\nLink: c\r\nRefresh: 5\r\nLocation:\r\nX-Location: y", ""},
		{"HTTP/1.1 302 x\r\nLocation: /caf\xe9/ü", `302 #http[location]  "/caf\xe9/ü" http://h/caf%E9/ü`},
	} {
		archive := record("response", "http://h/a/b", row.head+"\r\nContent-Type: image/png\r\n\r\nbody", "Content-Type: application/http")
		want := strings.TrimPrefix(strings.ReplaceAll(row.want, "\n", " <nil>\n")+" <nil>\n", " <nil>\n")
		got, s := listOf(t, &Rewriter{}, archive)
		if got != want {
			t.Errorf("%q:\n%swant\n%s", row.head, got, want)
		}
		if listed := min(len(want), 1); s.Records != 1 || s.Rewritten != int64(listed) || s.Passed != int64(1-listed) {
			t.Errorf("%q: %+v", row.head, s)
		}
		if s, err := (&Rewriter{}).Convert(context.Background(), io.Discard, strings.NewReader(archive)); err != nil || s.Passed != 1 {
			t.Errorf("%q: %+v, %v", row.head, s, err)
		}
	}
}

// The header Base of a response is the base of its page and of its header, in the profiles
// of the RFCs (RFC 1808 §3.1).
func TestBaseField(t *testing.T) {
	for _, row := range []struct {
		profile    resolver.Profile
		url, field string
		want       string // the directory of links
		warnings   string
	}{
		{resolver.RFC1808, "http://h/a/b", "base: (c) <URL:http://hdr/h/>", "http://hdr/h/", ""},
		{resolver.RFC3986, "http://h/a/b", "Base: <URL: http://hdr/\r\n h/>", "http://hdr/h/", ""},
		{resolver.RFC1808, "http://h/a/b", "Base: <URL:c/>", "http://h/a/c/", ""},
		{resolver.RFC1808, "", "Base: <URL:http://hdr/h/>", "http://hdr/h/", ""},
		{resolver.RFC1808, "http://h/a/b", "Base: <URL:news:x>\r\nBase: <URL:http://hdr/h/>", "http://hdr/h/", "\"http://h/a/b\": Base gives no base: base URL \"news:x\": cannot be a base URL: scheme news is never used with relative URLs (RFC 1808 §2.3)"},
		{resolver.RFC1808, "http://h/a/b", "Base: <URL:http:///>", "http://h/a/", "\"http://h/a/b\": Base gives no base: base URL \"http:///\": invalid URL: no net_loc, which http needs (RFC 1738 §3.1)"},
		{resolver.WHATWG, "http://h/a/b", "Base: <URL:http://hdr/h/>", "http://h/a/", ""},
	} {
		archive := record("response", row.url, "HTTP/1.1 200 x\r\n"+row.field+"\r\nContent-Location: l\r\nContent-Type: text/html\r\n\r\n<a href=x>", "Content-Type: application/http")
		var warnings []string
		r := &Rewriter{Output: None, HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: row.profile})).With(rewriter.Hooks{Warn: func(_ int64, err error) { warnings = append(warnings, err.Error()) }})}
		want := fmt.Sprintf("200 #http[content-location]  \"l\" %sl <nil>\n200 a[href]  \"x\" %[1]sx <nil>\n", row.want)
		if got, _ := listOf(t, r, archive); got != want || strings.Join(warnings, "\n") != row.warnings {
			t.Errorf("%s, %q lists\n%swarns %q", row.profile, row.field, got, warnings)
		}
		var out strings.Builder
		if _, err := r.Convert(context.Background(), &out, strings.NewReader(archive)); err != nil || !strings.Contains(out.String(), "<a href="+row.want+"x>") {
			t.Errorf("%s, %q: %s, %v", row.profile, row.field, &out, err)
		}
	}
}

// Without a URL of the page, and where a reference has no absolute form.
func TestHeaderPlacesWithoutURL(t *testing.T) {
	var unresolvable, warned []string // by the only worker, and by the goroutine of List
	r := &Rewriter{
		HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG})).With(rewriter.Hooks{Unresolvable: func(p *rewriter.Place) { unresolvable = append(unresolvable, p.Ref) },
			Warn: func(_ int64, err error) { warned = append(warned, err.Error()) }}), Jobs: 1,
	}
	head := "HTTP/1.1 302 x\r\nLocation: x\r\nLink: <http://i/>\r\n\r\n"
	got, s := listOf(t, r, record("response", "", head)+record("response", "http://h/", "HTTP/1.1 302 x\r\nLocation: //[\r\n\r\n"))
	if !strings.HasPrefix(got, "302 #http[location]  \"x\"  "+rewriter.ErrNoBase.Error()+"\n302 #http[link]  \"http://i/\" http://i/ <nil>\n302 #http[location]  \"//[\"  reference") {
		t.Error(got)
	}
	if !slices.Equal(unresolvable, []string{"x", "//["}) || !slices.Equal(warned, []string{errNoURL.Error()}) {
		t.Errorf("%q, %q", unresolvable, warned)
	}
	if s.Places.Unresolvable != 1 || s.Places.Left != 1 || s.Places.Absolute != 1 {
		t.Errorf("%+v", s)
	}
}

// The length and the offset of a record give a part that can be read alone.
func TestRecordLength(t *testing.T) {
	one := record("response", "http://h/1", response("<a href=x>"))
	two := record("response", "http://h/2", response("<a href=y>")+strings.Repeat(" ", 1000))
	for _, row := range []struct {
		archive string
		want    string
	}{
		{one + two, fmt.Sprintf("0+%d %d+%d ", len(one), len(one), len(two))},
		{gz(one) + gz(two), fmt.Sprintf("0+%d %d+%d ", len(gz(one)), len(gz(one)), len(gz(two)))},
		{zst(one) + zst(two), fmt.Sprintf("0+%d %d+%d ", len(zst(one)), len(zst(one)), len(zst(two)))},
		{gz(one + two), "0+0 0+0 "},
		{gz(one+two) + gz(one), fmt.Sprintf("0+0 0+0 %d+%d ", len(gz(one+two)), len(gz(one)))},
	} {
		for _, jobs := range []int{1, 4} {
			got, _ := listBy(t, &Rewriter{Jobs: jobs}, row.archive, func(b []byte, page *Page, _ *rewriter.Place) []byte {
				return fmt.Appendf(b, "%d+%d ", page.Offset, page.Length)
			})
			if got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		}
	}
}

// Rewriter.Pages chooses pages, in every method.
func TestChosenPages(t *testing.T) {
	archive := record("response", "http://h/1", response("<a href=x>")) + record("response", "http://h/2", response("<a href=y>")) + record("resource", "http://h/3", "<a href=z>", "Content-Type: text/html")
	r := &Rewriter{Pages: func(p *Page) bool { return p.Status == 200 && p.URL != "http://h/2" }}
	for i, do := range modes(r, inMemory(archive))[:3] {
		if s, err := do(io.Discard); err != nil || s.Rewritten != 1 || s.Passed != 2 {
			t.Errorf("%d: %+v, %v", i, s, err)
		}
	}
}

// An error of Visit at a place in a header says which page it was.
func TestHeaderVisitError(t *testing.T) {
	stop := errors.New("stop")
	r := &Rewriter{HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error { return stop }})}
	_, err := r.List(context.Background(), io.Discard, strings.NewReader(record("response", "http://h/", "HTTP/1.1 302 x\r\nLocation: x\r\n\r\n")), appendPlace)
	var page *PageError
	if !errors.Is(err, stop) || !errors.As(err, &page) || page.URL != "http://h/" || page.Offset != 26 {
		t.Errorf("%v", err)
	}
}

// Long headers: up to the limit everything is found, in linear time; after that the
// record stays out of the list, which Warn is told.
func TestLongLinks(t *testing.T) {
	for _, unit := range []string{"<>,", "<", `<x>;"`, `<x>;a="\`, "<x>;rel=a;", ";", "\r\n <x>,"} {
		head := "HTTP/1.1 200 x\r\nContent-Type: text/html\r\nLink: " + strings.Repeat(unit, 250<<10/len(unit)) + "\r\n\r\n"
		_, s := listOf(t, &Rewriter{}, record("response", "http://h/", head+"<a href=x>"))
		if s.Rewritten != 1 {
			t.Errorf("%s: %+v", unit, s)
		}
		t.Log(unit, s.Places.Rewritten)
	}
	var warned error
	r := &Rewriter{HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { warned = err }})}
	got, s := listOf(t, r, record("response", "http://h/", "HTTP/1.1 200 x\r\nLink: "+strings.Repeat("<x>,", 1<<18)+"\r\n\r\n<a href=x>"))
	if got != "" || s.Passed != 1 || !errors.Is(warned, errLongHTTP) {
		t.Errorf("%+v, %v", s, warned)
	}
}
