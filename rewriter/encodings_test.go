package rewriter

import (
	"bytes"
	"encoding/binary"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/resolver"
	"absolink/rewriter/internal/charset"
)

// The URLs of links in pages in legacy encodings are those that Chromium resolves, also
// when the page has been rewritten, and when it comes byte by byte.
func TestEncodingCases(t *testing.T) {
	table, err := os.ReadFile("../testdata/encodings/cases.tsv")
	if err != nil {
		t.Fatal(err)
	}
	base := mustParse(t, "http://h/", resolver.WHATWG)
	for line := range strings.Lines(string(table)) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		encoding, ref, want := row[0], row[1], row[2]
		page := linkTo(t, encoding, ref)
		rw := Must(New(Options{Profile: resolver.WHATWG}))
		out, _ := rewriteFrom(t, rw, Source{Reader: iotest.OneByteReader(bytes.NewReader(page)), Charset: encoding}, base)
		for how, page := range map[string][]byte{"": page, "rewritten ": []byte(out)} {
			var got []string
			for _, p := range runWith(t, rw, Source{Reader: bytes.NewReader(page), Charset: encoding}, base).places {
				url := p.URL
				if how != "" { // it is absolute, and may have quotes, as the page has them
					url, _ = base.Resolve(p.Ref)
				}
				got = append(got, url)
			}
			if len(got) != 1 || got[0] != want {
				t.Errorf("%s%s: %s is %q, want %s", how, encoding, ref, got, want)
			}
		}
	}
}

// linkTo returns a page with a link. The reference is written as in Go, between quotes;
// in UTF-16 the escape sequences are code units.
func linkTo(t *testing.T, encoding, ref string) (page []byte) {
	if encoding != "utf-16le" {
		bytes, err := strconv.Unquote(`"` + strings.ReplaceAll(ref, `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%s: %v", ref, err)
		}
		return []byte(`<a href="` + bytes + `">`)
	}
	for _, unit := range regexp.MustCompile(`\\u....|.`).FindAllString(`<a href="`+ref+`">`, -1) {
		u := uint64(unit[0])
		if len(unit) > 1 {
			u, _ = strconv.ParseUint(unit[2:], 16, 16)
		}
		page = binary.LittleEndian.AppendUint16(page, uint16(u))
	}
	return page
}

// Half of a surrogate pair is one character that is not known, in the document and in a
// document in it.
func TestHalfPair(t *testing.T) {
	in := charset.AppendAsUTF16([]byte("\xff\xfe"), []byte("<a href='x\xed\xb2\xa6'><iframe srcdoc='<a href=x\xed\xa0\x80>'>"), false)
	for _, profile := range profiles {
		want := "http://h/x\ufffd"
		if profile == resolver.WHATWG {
			want = "http://h/x%EF%BF%BD"
		}
		for p, err := range Must(New(Options{Profile: profile})).Places(bytes.NewReader(in), mustParse(t, "http://h/", profile)) {
			if err != nil || p.Ref != "x\ufffd" || p.URL != want {
				t.Errorf("%q is %q, %v", p.Ref, p.URL, err)
			}
		}
	}
}
