package markup

import (
	"strings"
	"testing"
)

// White space between tags counts in the text of a link.
func TestLinkTextSpaces(t *testing.T) {
	for in, want := range map[string]string{
		"a<b>b</b> <i>c</i></a>":      "ab c",
		" <b> a </b>\n<i> b</i> </a>": "a b",
	} {
		var text LinkText
		if got := text.Of([]byte(in), true); string(got) != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// The texts of all links in a page together are as long as the page, or a little longer:
// no page has a reader look at the same bytes again and again.
func TestLinkTextIsLinear(t *testing.T) {
	const ahead, link = 8 << 10, "<a href=x>"
	hashA := HashName("a")
	for _, unit := range []string{
		link, link + "<b>", link + "<style><!--</style>", "<svg>" + link + "<style>", link + "<title><!--</title>", link + "&#x1;",
		link + "<img alt='&amp;&amp;&amp;'>", link + "<!--", link + "<script>", link + "<plaintext>", link + "<svg><![CDATA[>", link + "</", link + "<x y='>'",
	} {
		document := []byte(strings.Repeat(unit, 1<<20/len(unit)))
		var c Context
		c.Reset(Options{LongTag: 1 << 30})
		var text LinkText
		read := 0
		for tok := c.Next(document, true); tok != None; tok = c.Next(document, true) {
			tag := c.Tag()
			if tok != StartTag || tag.Hash != hashA {
				continue
			}
			b := document[tag.Start+tag.Pos:]
			text.scan.pos = 0
			text.Of(b[:min(len(b), ahead)], len(b) < ahead)
			read += text.scan.pos
		}
		if read > 2*len(document) {
			t.Errorf("%s: %d bytes are read of %d", unit, read, len(document))
		}
	}
}
