package charref_test

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
	"absolink/rewriter/internal/markup"
)

func TestSheetText(t *testing.T) {
	for css, want := range map[string]string{
		"url":           "url",
		`a\26 b`:        `a\26 b`,
		`a&b\00003ec&`:  `a\000026b\00003ec\000026`,
		`a& b& &c d`:    `a\000026\000020b\000026\000020\000026c d`,
		"\u00e9\xff":    "%C3%A9%FF",
		"\xed\xb3\xbf&": "\xff\\000026",
	} {
		if got := string(charref.AppendContent([]byte("&>"), []byte(css))); got != "&>"+want {
			t.Errorf("%q is written as %q, want %q", css, got[2:], want)
		}
	}
}

var c1 = regexp.MustCompile("[\u0080-\u009f]")

// Whatever is written reads back, in every quoting.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "http://a/?b&c", `"'<>=` + "`", "a b\tc\r\nd", "é\xff\x00", "\u0085", "&amp;", "x/"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, text, document string) {
		if strings.Contains(text, "\xed") {
			t.Skip() // may be taken for a mark
		}
		value := (&charset.Charset{Mark: true}).Text([]byte(text), []byte(document))
		want := strings.ReplaceAll(c1.ReplaceAllStringFunc(text, url.PathEscape)+document, "\x00", "�")
		for n, around := range map[charref.Notation][2]string{
			charref.Valueless: {"<a b=", " c>"}, charref.Unquoted: {"<a b=", ">"}, charref.DoubleQuoted: {`<a b="`, `">`}, charref.SingleQuoted: {"<a b='", "'c>"},
		} {
			if len(value) == 0 && (n == charref.Valueless || n == charref.Unquoted) {
				continue // an absolute URL is never empty
			}
			raw := charref.AppendPart([]byte(around[0]), value, n)
			text := raw[len(around[0]):]
			if ascii.IsASCII([]byte(document)) && !ascii.IsASCII(text) && utf8.Valid(value) {
				t.Fatalf("%q written as %q, which is not ASCII", value, text)
			}
			if bits := ascii.ClassOf(text); bits&ascii.Structure != 0 || n < charref.DoubleQuoted && bits&ascii.Space != 0 {
				t.Fatalf("%q written as %q, with quotes, brackets or white space", value, text)
			}
			raw = append(raw, around[1]...)
			var st markup.Tag
			st.Begin(0, 1)
			if !st.Scan(raw) {
				t.Fatalf("%q written as %q, which is no whole tag", value, raw)
			}
			v, ok := st.Value(raw, "b")
			if got := string(charref.AppendDecoded(nil, v, nil)); !ok || got != want {
				t.Fatalf("%q written as %q reads %q", value, raw, got)
			}
			z := html.NewTokenizer(bytes.NewReader(raw))
			z.Next()
			if _, v, _ := z.TagAttr(); string(v) != want {
				t.Fatalf("%q written as %q is read by the Tokenizer as %q", value, raw, v)
			}
		}
	})
}
