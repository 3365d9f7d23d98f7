package compare

import (
	"bytes"
	"fmt"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"absolink/internal/test/soak"
	"absolink/resolver"
	"absolink/rewriter"
)

// A difference is a known place where absolink does not write what browsers resolve,
// documented or to be fixed. If absolink does write that, the test fails too.
type difference struct {
	page, place string
	noScripts   bool // only with scripts off
	why         string
}

const (
	inNoscript = "a BASE in noscript is none for absolink, as it is to browsers with scripts on"
	atOnce     = "the browser has fetched this on the base of the moment, as TestMoments shows; the DOM has the BASE that follows"
)

var differences = []difference{
	{"base-hidden", "a[href] page.html", true, inNoscript},
	{"base-late", "link[href] theme/main.css", false, atOnce},
	{"base-late", "script[src] app.js", false, atOnce},
	{"places", "link[href] no-script.css", true, atOnce},
}

// In the WHATWG profile, absolink writes, character for character, what a browser
// resolves in the page at its own URL. A reference that is already absolute, or has no
// absolute form, stays.
func TestBrowser(t *testing.T) {
	pages := append(soak.Every(must(Pages())(t), 4), ownPages(t)...)
	tabs := startChromium(t)
	var total count
	for _, scripts := range []bool{true, false} {
		t.Run(map[bool]string{true: "scripts", false: "no scripts"}[scripts], func(t *testing.T) {
			for _, p := range pages {
				t.Run(p.Name, func(t *testing.T) {
					t.Parallel()
					b := <-tabs
					defer func() { tabs <- b }()
					total.add(comparePage(t, b, p, scripts))
				})
			}
		})
	}
	if total.pages == 2*len(pages) { // otherwise -run has picked some
		total.check(t)
	}
}

// ownPages returns the pages in testdata.
func ownPages(t *testing.T) []Page {
	const dir = "../testdata/pages"
	list := must(os.ReadFile(filepath.Join(dir, "urls.tsv")))(t)
	var pages []Page
	for line := range strings.Lines(string(list)) {
		name, url, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		url, _, _ = strings.Cut(url, "\t") // the names of rule groups follow
		pages = append(pages, must(newPage(name, url, "text/html", filepath.Join(dir, name+".html")))(t))
	}
	return pages
}

// comparePage compares the values of the rewritten page, as a browser reads them at
// another URL, with the URLs that the browser resolves in the page.
func comparePage(t *testing.T, b *tab, p Page, scripts bool) (written map[string]int) {
	original, err := b.open(p, scripts)
	if err != nil {
		t.Fatalf("opening %s: %v", p.URL, err)
	}
	checkChosen(t, original)
	copied, err := b.open(rewritten(t, p), scripts)
	if err != nil {
		t.Fatalf("opening %s, rewritten: %v", p.URL, err)
	}
	if len(copied.Places) != len(original.Places) {
		t.Fatalf("%d places, %d when rewritten", len(original.Places), len(copied.Places))
	}
	written = make(map[string]int)
	known := knownDifferences(p, scripts)
	for i, place := range original.Places {
		got, want := copied.Places[i], place.want()
		if got.Element != place.Element || got.Attr != place.Attr {
			t.Fatalf("place %d is %s, and %s when rewritten", i, place, got)
		}
		if got.Written != place.Written {
			written[place.Attr]++
		}
		switch why := known[place.String()]; {
		case got.Written != want && why == "" && !(place.keepsStructure() && got.Absolute && got.Resolved == want):
			t.Errorf("%s is written\n     %s\nwant %s", place, got.Written, want)
		case got.Written == want && why != "":
			t.Errorf("%s is as in browsers: take it off the differences (%s)", place, why)
		}
		delete(known, place.String())
	}
	for place := range known {
		t.Errorf("%s is listed as a difference, and no place", place)
	}
	return written
}

// checkChosen checks that each candidate in srcset that the browser chose is among the
// places.
func checkChosen(t *testing.T, seen seenPage) {
	found := make(map[string]bool)
	for _, place := range seen.Places {
		found[place.Written], found[place.Resolved] = true, true
	}
	for _, url := range seen.Chosen {
		if !found[url] {
			t.Errorf("the browser would load %s, which is not a place", url)
		}
	}
}

// rewritten returns the rewritten page, in which a BASE counts wherever it stands, at
// a URL on another host of its site. Browsers take longer to go to another site.
func rewritten(t *testing.T, p Page) Page {
	base := must(resolver.ParseBase(p.URL, resolver.WHATWG))(t)
	rw := rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG, WholeDocument: true}))
	_, params, err := mime.ParseMediaType(p.Type)
	noError(t, err)
	var out bytes.Buffer
	must(rw.Rewrite(&out, rewriter.Source{Reader: bytes.NewReader(p.HTML), Charset: params["charset"]}, base))(t)
	u := must(url.Parse(p.URL))(t)
	p.URL, p.HTML = u.Scheme+"://elsewhere."+u.Host+"/", out.Bytes()
	return p
}

func knownDifferences(p Page, scripts bool) map[string]string {
	known := make(map[string]string)
	for _, d := range differences {
		if d.page == p.Name && !(scripts && d.noScripts) {
			known[d.place] = d.why
		}
	}
	return known
}

// String identifies a place in a page: "a[href] ../x".
func (p seenPlace) String() string {
	return fmt.Sprintf("%s[%s] %s", p.Element, p.Attr, p.Written)
}

// want returns the value that absolink should write in a place.
func (p seenPlace) want() string {
	empty := strings.TrimFunc(p.Written, func(c rune) bool { return c <= ' ' }) == ""
	if p.Absolute || p.Local || empty && !p.emptyCounts() {
		return p.Written
	}
	return p.Resolved
}

// keepsStructure reports whether absolink may keep a part of the reference as it is written,
// to keep the structure of the document: quotes and brackets, or bytes of other characters
// that look like them.
func (p seenPlace) keepsStructure() bool {
	return strings.ContainsAny(p.Written, "'\"`<>") || strings.ContainsFunc(p.Written, func(r rune) bool { return r >= utf8.RuneSelf })
}

// emptyCounts reports whether an empty value is a reference.
func (p seenPlace) emptyCounts() bool {
	switch p.Attr {
	case "action", "cite", "formaction":
		return true
	case "href":
		return p.Element == "a" || p.Element == "area" || p.Element == "base"
	}
	return false
}

// A count is how many values were written, by attribute.
type count struct {
	mu      sync.Mutex
	pages   int
	written map[string]int
}

func (c *count) add(written map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.written == nil {
		c.written = make(map[string]int)
	}
	c.pages++
	for attr, n := range written {
		c.written[attr] += n
	}
}

// check checks that the pages had values to compare.
func (c *count) check(t *testing.T) {
	t.Logf("written: %v", c.written)
	for _, attr := range []string{"action", "cite", "data", "href", "poster", "src", "srcset"} {
		if c.written[attr] == 0 {
			t.Errorf("no %s was written on any page", attr)
		}
	}
	least := 1_000 // of a sample
	if soak.Whole() {
		least = 20_000
	}
	if n := c.written["href"]; n < least {
		t.Errorf("only %d times was href written", n)
	}
}
