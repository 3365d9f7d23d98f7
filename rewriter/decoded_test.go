package rewriter

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/htmlindex"

	"absolink/resolver"
)

// A document that was decoded becomes what it becomes in its own encoding, and is decoded then.
func TestDecoded(t *testing.T) {
	for label, word := range map[string]string{
		"windows-1251": "слово", "shift_jis": "表紙", "big5": "許功蓋", "gbk": "誠誠", "gb18030": "誠𠀀", "euc-jp": "表紙",
		"iso-2022-jp": "表紙", "utf-8": "слово 😀", "utf-16le": "слово 😀", "latin1": "é",
	} {
		enc, err := htmlindex.Get(label)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range []string{
			`<a href="x?q=WORD#WORD">WORD</a><a href='WORD/?WORD'><style>a{b:url(WORD?WORD)}</style>`,
			`<a href=?WORD&amp;#x3a9;=1 ping="?WORD" title="WORD>">` + strings.Repeat("WORD ", 40_000) + `<img srcset="?WORD 2x, y 3x">`,
		} {
			page = strings.ReplaceAll(page, "WORD", word)
			encoded, err := enc.NewEncoder().String(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, profile := range []resolver.Profile{resolver.WHATWG, resolver.RFC1808} {
				rw := Must(New(Options{Profile: profile}))
				base := mustParse(t, "https://example.org/a/", profile)
				want, _ := rewriteFrom(t, rw, Source{Reader: strings.NewReader(encoded), Charset: label}, base)
				decoded, err := enc.NewDecoder().String(want)
				if err != nil {
					t.Fatal(err)
				}
				for name, src := range map[string]io.Reader{"whole": bytes.NewReader([]byte(page)), "read": struct{ io.Reader }{strings.NewReader(page)}, "in bytes": iotest.OneByteReader(strings.NewReader(page))} {
					if got, _ := rewriteFrom(t, rw, Source{Reader: src, Charset: label, Decoded: true}, base); got != decoded {
						t.Errorf("%s, %v, %s:\n%.300q, not\n%.300q", label, profile, name, got, decoded)
					}
				}
			}
		}
	}
}

// Half of a surrogate pair, in three bytes, is one character that nothing encodes.
func TestDecodedHalves(t *testing.T) {
	rw := Must(New(Options{Profile: resolver.WHATWG}))
	src := Source{Reader: strings.NewReader("\xed\xa0\x80<a href=x\xed\xb0\x80>"), Charset: "utf-8", Decoded: true}
	got, _ := rewriteFrom(t, rw, src, mustParse(t, "https://example.org/", resolver.WHATWG))
	if want := "\xed\xa0\x80<a href=https://example.org/x%EF%BF%BD>"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// A document that says that it was decoded may still have bytes that are not UTF-8. What
// stands after such a byte counts, as in any other document.
func TestDecodedBroken(t *testing.T) {
	rw, base := Must(New(Options{Profile: resolver.WHATWG})), mustParse(t, "http://h/", resolver.WHATWG)
	for _, broken := range []string{"\xff", "\xed", "\xed\xa0", "\xed\x9f", "\xe2\x82", "\xf0\x90\x80", "\x80", "\xc3"} {
		for _, after := range []string{"", `"y`, "&amp;y", "ab", "&#x41;", "?q", "é"} {
			page := "<a href='x" + broken + after + "'>"
			var got [2]string
			for i, decoded := range []bool{false, true} {
				got[i], _ = rewriteFrom(t, rw, Source{Reader: strings.NewReader(page), Charset: "utf-8", Decoded: decoded}, base)
			}
			if got[0] != got[1] {
				t.Errorf("%q is %q, and decoded it is %q", page, got[0], got[1])
			}
		}
	}
}
