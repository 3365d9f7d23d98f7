package rewriter

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/internal/test/soak"
	"absolink/resolver"
)

// A reference of the profile WHATWG may have any length: one of 1 MB is resolved as a
// short one is, however it is written and encoded. Nothing is timed: in quadratic time,
// such references would take longer than go test waits.
func TestLongReferences(t *testing.T) {
	size := soak.N(1 << 20)
	for _, tt := range []struct{ charset, before, unit, after, wantBefore, wantUnit, wantAfter string }{
		{"utf-8", "?", "&#x2603;", "#e", "http://h/a/b?", "%E2%98%83", "#e"},
		{"utf-8", "?", "&#0;&#128;", "", "http://h/a/b?", "%EF%BF%BD%E2%82%AC", ""},
		{"utf-8", "?", "a&#", "", "http://h/a/b?", "a&#", ""}, // the fragment begins at the first #
		{"windows-1252", "?", "&#233;&#x2603;", "#&#233;", "http://h/a/b?", "%E9%26%239731%3B", "#%C3%A9"},
		{"shift_jis", "?", "&#x3042;\x82\xa0&#xE9;", "", "http://h/a/b?", "%82%A0%82%A0%26%23233%3B", ""},
		{"iso-2022-jp", "?", "&#x3042;a", "", "http://h/a/b?", "%1B$B$%22%1B(Ba", ""},
		{"gbk", "x?", "\xc4\xe3", "", "http://h/a/x?", "%C4%E3", ""},
		{"utf-16le", "?", "&#x2603;\u3042", "", "http://h/a/b?", "%E2%98%83%E3%81%82", ""},
		{"utf-8", "", "x/../", "y", "http://h/a/", "", "y"},
		{"utf-8", "../", "%2e/\u00e9/", "y", "http://h/", "%C3%A9/", "y"},
		{"utf-8", "", "\\&#92;&sol;", "g/y", "http://", "", "g/y"},
		{"shift_jis", "", "\x95\\/", "y", "http://h/a/", "%E8%A1%A8/", "y"},
		{"utf-8", "&sol;/g", "&#xAD;A", "/y", "http://g", "a", "/y"},
		{"utf-8", "&sol;/", "u&amp;", "@g/y", "http://", "u&", "@g/y"},
	} {
		n := size / len(tt.unit)
		page := `<a href="` + tt.before + strings.Repeat(tt.unit, n) + tt.after + `">`
		want := tt.wantBefore + strings.Repeat(tt.wantUnit, n) + tt.wantAfter
		copied := `<a href="` + strings.ReplaceAll(want, "&", "&amp;") + `">`
		if tt.charset == "utf-16le" {
			page, copied = string(inEncoding(t, tt.charset, page)), string(inEncoding(t, tt.charset, copied))
		}
		checkLong(t, tt.charset, page, copied, want)
		checkLong(t, tt.charset, copied, copied, "")
	}
	for _, tt := range []struct{ before, unit, want string }{ // most of the reference stays
		{"?", "&amp;&lt;&notin;", "&%3C%E2%88%89"},
		{"#", "&grave;\u00e9", "%60%C3%A9"},
		{"", "'/../", ""},
	} {
		n := size / len(tt.unit)
		ref, url := tt.before+strings.Repeat(tt.unit, n), "http://h/a/b"
		if tt.before == "" {
			url = "http://h/a/"
		}
		checkLong(t, "utf-8", `<a href="`+ref+`">`, `<a href="`+url+ref+`">`, url+tt.before+strings.Repeat(tt.want, n))
	}
}

// checkLong rewrites a page with one link, at once and in pieces. url is where the link
// leads, or "" if it need not be looked at because it is a long absolute URL.
func checkLong(t *testing.T, charset, page, want, url string) {
	t.Helper()
	outer := mustParse(t, "http://h/a/b", resolver.WHATWG)
	for _, in := range []io.Reader{strings.NewReader(page), iotest.HalfReader(strings.NewReader(page))} {
		var out bytes.Buffer
		got := ""
		rw := Must(New(Options{Profile: resolver.WHATWG, MaxTag: 8 << 20})).With(Hooks{Visit: func(p *Place) error { got = p.URL; return p.Err }})
		if result, err := rw.Rewrite(&out, Source{Reader: in, Charset: charset}, outer); err != nil || result.Warnings > 0 {
			t.Fatalf("%s %.30q…: %d warnings, %v", charset, page, result.Warnings, err)
		}
		if got != url && url != "" {
			t.Errorf("%s %.30q… leads to %.30q…%q, want %.30q…%q", charset, page, got, got[max(0, len(got)-20):], url, url[max(0, len(url)-20):])
		}
		if out.String() != want {
			t.Errorf("%s %.30q… is rewritten to %.40q…, want %.40q…", charset, page, out.String(), want)
		}
	}
}
