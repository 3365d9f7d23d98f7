package compare

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
)

// encodedText is what characters are made of in a legacy encoding: a byte from each of
// some ranges, in hexadecimal. Some sequences are of no character, or end too early.
var encodedText = map[string][]string{
	"shift_jis":    {"81-9f 40-7e", "81-9f 80-fc", "e0-ef 40-fc", "f0-fc 40-fc", "a1-df", "81-fc", "80-ff"},
	"gbk":          {"81-fe 40-7e", "81-fe 80-fe", "81-84 30-39 81-fe 30-39", "81-fe", "80-ff"},
	"big5":         {"a4-f9 40-7e", "a4-f9 a1-fe", "89-fe 40-fe", "81-fe", "80-ff"},
	"euc-jp":       {"a1-fe a1-fe", "a1-fe a1-fe", "8e a1-df", "8f b0-ed a1-fe", "a1-fe", "a1-fe 20-7e"},
	"iso-2022-jp":  {"1b 24 42 21-74 21-7e 1b 28 42", "1b 24 42 30-4f 21-7e 30-4f 21-7e 1b 28 42", "1b 28 4a 5c 7e 1b 28 42", "1b 28 49 21-5f 1b 28 42", "80-ff"},
	"windows-1252": {"80-ff", "a0-ff 80-9f"},
}

// In pages in legacy encodings, generated links lead where they lead in Chromium, also
// when the page is rewritten.
func TestEncodedLinks(t *testing.T) {
	const n = 500
	b := <-startChromium(t)
	base := must(resolver.ParseBase("http://h/a/b", resolver.WHATWG))(t)
	for encoding, text := range encodedText {
		random := rand.New(rand.NewPCG(1, 2022))
		page := Page{URL: base.String(), Type: "text/html; charset=" + encoding}
		links := make([]string, n)
		for i := range links {
			links[i] = "<a href=\"" + encodedLink(t, random, text) + "\">\n"
		}
		page.HTML = []byte(strings.Join(links, ""))
		want := b.links(t, page)
		ours, copied := writtenLinks(t, page, encoding, base)
		rewritten := b.links(t, copied)
		if len(want) != n || len(ours) != n || len(rewritten) != n {
			t.Fatalf("%s: Chromium has %d links, absolink %d, and Chromium %d in the rewritten page", encoding, len(want), len(ours), len(rewritten))
		}
		for i, link := range links {
			want := withPipes(want[i])
			if ours[i] != want || withPipes(rewritten[i]) != want {
				t.Errorf("%s: %q is %q, %q when rewritten; want %q", encoding, link, ours[i], rewritten[i], want)
			}
		}
	}
}

// withPipes returns a URL of Chromium with | in place of %7C, as in disagreements. The
// links have no %7C.
func withPipes(url string) string { return strings.ReplaceAll(url, "%7C", "|") }

// links returns where the links of a page lead.
func (b *tab) links(t *testing.T, page Page) (urls []string) {
	list := b.evaluate(t, page, "JSON.stringify(Array.from(document.links, a => a.href))")
	noError(t, json.Unmarshal([]byte(list), &urls))
	return urls
}

// writtenLinks returns the URLs that absolink gives to the links of a page, and the page
// rewritten, at another URL.
func writtenLinks(t *testing.T, page Page, encoding string, base *resolver.Base) (urls []string, copied Page) {
	var out bytes.Buffer
	rw := rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG})).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
		urls = append(urls, p.URL)
		return nil
	}})
	must(rw.Rewrite(&out, rewriter.Source{Reader: bytes.NewReader(page.HTML), Charset: encoding}, base))(t)
	return urls, Page{URL: "http://other/c/d", Type: page.Type, HTML: out.Bytes()}
}

// encodedLink returns a relative reference in the notation of an attribute.
func encodedLink(t *testing.T, random *rand.Rand, text []string) string {
	path := []string{"", "x", "./", "../x/"}[random.IntN(4)]
	if path != "" {
		path += encodedRun(t, random, text, 3)
	}
	query := []string{"?", "?q=", "?a&amp;b="}[random.IntN(3)] + encodedRun(t, random, text, 8)
	if random.IntN(3) == 0 {
		query += "#" + encodedRun(t, random, text, 3)
	}
	return path + query
}

// encodedRun returns up to n characters: of the encoding, of ASCII and by reference. None
// is <, because a URL with < and a newline stays as it is.
func encodedRun(t *testing.T, random *rand.Rand, text []string, n int) string {
	var run strings.Builder
	for range random.IntN(n + 1) {
		switch random.IntN(8) {
		case 0:
			run.WriteString([]string{"&#233;", "&#x20AC;", "&euro;", "&#x7a2e;", "&#x1F600;", "&#xA5;", "&gt;", "&amp;lt;", "&copy", "&"}[random.IntN(10)])
		case 1:
			run.WriteString([]string{" ", "'", "%", "%e9", "~", "a", "=", ";", "+", "\t", "\n", "`"}[random.IntN(12)])
		default:
			for part := range strings.FieldsSeq(text[random.IntN(len(text))]) {
				first, last := testio.Between(t, part, 8)
				run.WriteByte(byte(first + random.Uint64N(last-first+1)))
			}
		}
	}
	return run.String()
}
