package rewriter

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/resolver"
)

// textsOf returns the texts of the places in a document, one a line.
func textsOf(t *testing.T, src io.Reader, rules ...Rule) string {
	t.Helper()
	var texts strings.Builder
	rw := Must(New(Options{Rules: append(HTML(), rules...)})).With(Hooks{Text: true})
	for _, p := range runWith(t, rw, src, mustParse(t, "http://h/", resolver.RFC1808)).places {
		fmt.Fprintf(&texts, "%s %s %q\n", p.Element, p.Attr, p.Text)
	}
	return texts.String()
}

func TestLinkText(t *testing.T) {
	const a = `a href "`
	for _, row := range []struct{ document, want string }{
		{"<a href=x>one</a>two", a + `one"`},
		{"<a href=x> \n one\t<b>t</b>wo &nbsp;\u3000 </a>", a + `one two"`},
		{"<a href=x>one<br>two<p>three</p>four<wbr>five<div>six</div></a>", a + `one two three fourfive six"`},
		{"<a href=x>open <a href=y>next</A >", a + "open\"\n" + a + `next"`},
		{"<a href=x>&lt;&amp;&notit&#228;&#0;&bogus;& &amp", a + "<&¬itä\ufffd&bogus;& &\""},
		{"<a href=x>a\x00b\xffc</a>", a + "abÿc\""},
		{"<a href=x>one<img alt='two &amp;notit; &copy'>three<img>four<img alt=''></a>", a + `one two &notit; © three four"`},
		{"<a href=x><script>no</script><!-- no -->yes<style>no</style></a>", a + `yes"`},
		{"<a href=x><svg><title>yes</title><style/>and</svg>yes</a>", a + `yesandyes"`},
		{"<a href=x><noscript>no</noscript><title>yes</title></a>", a + `yes"`},
		{"<a href=x title=no></a>", a + `"`},
		{"<a href=x", ""},
		{"<a href=x>one</a", a + `one"`},
		{"<a ping=p href=x>one</a>", "a ping \"\"\n" + a + `one"`},
		{"<svg><a xlink:href=x href=y>one</a></svg>", "a xlink:href \"one\"\n" + a + `one"`},
		{"<map><area href=x alt=' one\n&amp;two '></map>", `area href "one &two"`},
		{"<link href=x>one<img src=y alt=two>", "link href \"\"\nimg src \"\""},
		{"<meta charset=shift_jis><a href=x>\x83\\\x95\\\x81\\</a>", a + `ソ表―"`},
		{"<!doctype html><iframe srcdoc='<a href=x>&amp;amp; é</a>'></iframe>", a + `& é"`},
		{"<a href=x>" + strings.Repeat("é ", 300), a + strings.Repeat("é ", 99) + `é"`},
		{"<a href=x>" + strings.Repeat("e", 300), a + strings.Repeat("e", 200) + `"`},
		{"<a href=x>one" + strings.Repeat(" ", textAhead) + "two</a>", a + `one"`},
		{"<a href=x>é" + strings.Repeat("<b>", textAhead/3) + "two</a>", a + `é"`},
		{"<a href=x>" + strings.Repeat(" ", textAhead-3) + "éé", a + `"`},
		{"<a href=x>" + strings.Repeat(" ", textAhead-4) + "éé", a + `"`},
		{"<a href=x>" + strings.Repeat(" ", textAhead-5) + "éé", a + `éé"`},
	} {
		want := strings.TrimPrefix(row.want+"\n", "\n")
		for i, src := range []io.Reader{
			bytes.NewReader([]byte(row.document)),
			iotest.OneByteReader(strings.NewReader(row.document)),
			iotest.DataErrReader(strings.NewReader(row.document)),
		} {
			if got := textsOf(t, src, Comments()...); got != want {
				t.Errorf("%d: %.200q:\n%swant\n%s", i, row.document, got, want)
			}
		}
	}
}

// The text of a link whose base is not yet known is the same.
func TestLinkTextHeld(t *testing.T) {
	document := "<link href=a><a href=x>one</a><img src='data:" + strings.Repeat("x", 200<<10) + "'><a href=y>two</a>"
	if got, want := textsOf(t, strings.NewReader(document)), "link href \"\"\na href \"one\"\na href \"two\"\n"; got != want {
		t.Errorf("%s", got)
	}
}
