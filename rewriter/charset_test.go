package rewriter

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/htmlindex"

	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
)

// inEncoding returns text in an encoding.
func inEncoding(t testing.TB, name, text string) []byte {
	t.Helper()
	enc, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := enc.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return b
}

// 表 and ソ end in a backslash in Shift_JIS, 功 and 許 in Big5, 誠 in GBK.
var charsetPages = map[string]string{
	"shift_jis":    "表ソ",
	"big5":         "功許",
	"gbk":          "誠縗",
	"gb18030":      "誠縗€",
	"euc-jp":       "表ソ",
	"euc-kr":       "한글",
	"iso-2022-jp":  "表ソ",
	"windows-1252": "é€",
	"windows-1251": "Жя",
	"utf-8":        "表é",
	"utf-16le":     "表é😀",
	"utf-16be":     "表é😀",
}

const charsetPage = `<!DOCTYPE html><meta charset="%s"><title>%[2]s</title>
<a href="%[2]s/%[2]s.html">%[2]s</a><a href='/x?q=%[2]s&amp;r=%[2]s#%[2]s' title="%[2]s">
<img alt=%[2]s src=%[2]s.png srcset="%[2]s 1x, b%[2]s.png 2x">
<style>a::after{content:"%[2]s"}b{background:url(%[2]s.png)}c{background:url("%[2]s")}</style>
<p style="background:url('%[2]s')" id=%[2]s><iframe srcdoc="&lt;a href='%[2]s'>%[2]s"></iframe>
`

// Documents in every kind of encoding say the same before and after, whatever
// says what encoding they are in, and however they come.
func TestCharset(t *testing.T) {
	for name, word := range charsetPages {
		page := fmt.Sprintf(charsetPage, name, word)
		raw := inEncoding(t, name, page)
		for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
			outer := mustParse(t, "http://h/a/b", p)
			want, _ := rewrite(t, Must(New(Options{Profile: p})), fmt.Sprintf(charsetPage, "utf-8", word), outer)
			label := name
			if strings.HasPrefix(name, "utf-16") {
				label = "utf-8" // as browsers have it; the page's own charset stays name
			}
			want = strings.Replace(want, `charset="utf-8"`, `charset="`+name+`"`, 1)
			for how, src := range map[string]func() io.Reader{
				"whole":  func() io.Reader { return Source{Reader: bytes.NewReader(raw), Charset: name} },
				"pieces": func() io.Reader { return Source{Reader: iotest.OneByteReader(bytes.NewReader(raw)), Charset: name} },
				"random": func() io.Reader {
					return Source{Reader: testio.InPieces(bytes.NewReader(raw), 1), Charset: name}
				},
				"by meta": func() io.Reader { return iotest.HalfReader(bytes.NewReader(raw)) },
			} {
				if how == "by meta" && label != name {
					continue
				}
				out, _ := rewriteFrom(t, Must(New(Options{Profile: p})), src(), outer)
				enc, _ := htmlindex.Get(name)
				got, err := enc.NewDecoder().String(out)
				if err != nil {
					t.Fatal(err)
				}
				if p == resolver.WHATWG && name != "utf-8" && label == name {
					want = inQuery(t, want, name, word)
				}
				if decoded := asCharacters(got); decoded != asCharacters(want) {
					t.Errorf("%s, %v, %s:\n%s\nwant\n%s", name, p, how, decoded, asCharacters(want))
				}
			}
		}
	}
}

// asCharacters returns text with the character references for what is no ASCII
// decoded.
func asCharacters(text string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, "&#x")
		if i < 0 {
			return b.String() + text
		}
		b.WriteString(text[:i])
		c, n := charref.AppendNumeric(nil, []byte(text[i:]))
		b.Write(c)
		text = text[i+n:]
	}
}

// inQuery returns a page of the WHATWG profile with its queries percent-encoded
// in an encoding, not in UTF-8.
func inQuery(t testing.TB, page, name, word string) string {
	t.Helper()
	in := url.QueryEscape(word)
	want := ""
	for _, b := range inEncoding(t, name, word) {
		if b > ' ' && b < 0x7f && !strings.ContainsRune("\"#<>'", rune(b)) {
			want += string(b)
		} else {
			want += fmt.Sprintf("%%%02X", b)
		}
	}
	want = strings.ReplaceAll(want, "&", "&amp;")
	return strings.Replace(strings.Replace(page, "?q="+in, "?q="+want, 1), "r="+in, "r="+want, 1)
}

// Queries in the WHATWG profile.
func TestQueryEncoding(t *testing.T) {
	for _, row := range []struct{ charset, base, ref, want string }{
		{"windows-1252", "http://h/", "?\xe9", "http://h/?%E9"},
		{"windows-1252", "http://h/", "\xe9?\xe9#\xe9", "http://h/%C3%A9?%E9#%C3%A9"},
		{"windows-1252", "http://h/", "?&#x8868;", "http://h/?%26%2334920%3B"},
		{"windows-1252", "http://h/", "?a&eacute;&#x8868;b", "http://h/?a%E9%26%2334920%3Bb"},
		{"windows-1252", "ws://h/", "?\xe9", "ws://h/?%C3%A9"},
		{"windows-1252", "x://h/", "?\xe9", "x://h/?%C3%A9"},
		{"windows-1252", "http://h/d/p", "1:2?\xe9", "http://h/d/1:2?%E9"},
		{"windows-1252", "http://h/d/p", "a b:c?\xe9", "http://h/d/a%20b:c?%E9"},
		{"utf-8", "http://h/", "\xe9", "http://h/%EF%BF%BD"},
		{"utf-8", "http://h/", "\xed\xb1\x81.png", "http://h/%EF%BF%BD%EF%BF%BD%EF%BF%BD.png"},
		{"iso-2022-kr", "http://h/", "\x95/x", "http://h/%EF%BF%BD/x"},
		{"shift_jis", "http://h/", "?\x95\x5c", "http://h/?%95\\"},
		{"shift_jis", "http://h/", "\x95\x5c/x", "http://h/%E8%A1%A8/x"},
		{"iso-2022-jp", "http://h/", "?\x1b$BI=\x1b(Bx", "http://h/?%1B$BI=%1B(Bx"},
		{"utf-16be", "http://h/", "\x00?\x88\x68", "http://h/?%E8%A1%A8"},
		{"", "http://h/", "?\xe9", "http://h/?%C3%A9"},
		{"", "http://h/", "?\xc3\xa9", "http://h/?%C3%A9"},
	} {
		var got []string
		rw := Must(New(Options{Profile: resolver.WHATWG}))
		in := "<a href=\"" + row.ref + "\">"
		if row.charset == "utf-16be" {
			in = string(inEncoding(t, row.charset, "<a href=\"")) + row.ref + string(inEncoding(t, row.charset, "\">"))
		}
		for _, p := range runWith(t, rw, Source{Reader: strings.NewReader(in), Charset: row.charset}, mustParse(t, row.base, resolver.WHATWG)).places {
			got = append(got, p.URL)
		}
		if len(got) != 1 || got[0] != row.want {
			t.Errorf("%q in %s on %s: %q, want %q", row.ref, row.charset, row.base, got, row.want)
		}
	}
}

// Characters whose encoding nothing names stay as they are written, whatever reader comes:
// those of a query, which a reader encodes, and those of a path, which it decodes.
func TestUnnamedEncoding(t *testing.T) {
	outer := mustParse(t, "http://h/d/p?q", resolver.WHATWG)
	late := strings.Repeat(" ", charset.StartSize) + "<meta charset=koi8-r>"
	for _, row := range []struct{ in, want string }{
		{"<a href='x?a=\xe9&b'>", "<a href='http://h/d/x?a=\xe9&b'>"},
		{"<a href='x?a=\u00e9'>", "<a href='http://h/d/x?a=\u00e9'>"},
		{"<a href='x?a=&eacute;'>", "<a href='http://h/d/x?a=&eacute;'>"},
		{"<a href='../\xe9/../x'>", "<a href='http://h/\xe9/../x'>"},
		{"<a href='#\xe9'>", "<a href='http://h/d/p?q#\xe9'>"},
		{"<a href=//\xe9/x>", "<a href=http://\xe9/x>"},
		{"<a href=http:\xe9>", "<a href=http://h/d/\xe9>"},
		{"<a href='x\x1b$BI=\x1b(B'>", "<a href='http://h/d/x\x1b$BI=\x1b(B'>"},
		{"<a href='\x1b//h2/'>", "<a href='http://h2/'>"},
		{"<a href='\t&#1;\x1b$BI=\x1b(B'>", "<a href='\t&#1;\x1b$BI=\x1b(B'>"},
		{"<p style=x:url(\\\x1b$BI=)>", "<p style=x:url(\\\x1b$BI=)>"},
		{"<a href='\x1b$BI=\x1b(B'><meta charset=utf-8>", "<a href='http://h/d/$BI=%1B(B'><meta charset=utf-8>"},
		{"<a href='x?\xe9'>" + late, "<a href='http://h/d/x?\xe9'>" + late},
		{"<p style='x:url(x?\xe9)'>", "<p style='x:url(http://h/d/x?\xe9)'>"},
		{"<img srcset='x?\xe9 2x, y'>", "<img srcset='http://h/d/x?\xe9 2x, http://h/d/y'>"},
		{"<iframe srcdoc='<a href=x?\xe9>'>", "<iframe srcdoc='<a href=http://h/d/x?\xe9>'>"},
		{"<a href='x?\xe9'><meta charset=koi8-r>", "<a href='http://h/d/x?%E9'><meta charset=koi8-r>"},
		{"<a href='x?&eacute;'><meta charset=latin1>", "<a href='http://h/d/x?%E9'><meta charset=latin1>"},
		{"<meta charset=koi8-r><p style='x:url(x?\xc9)'>", "<meta charset=koi8-r><p style='x:url(http://h/d/x?\xc9)'>"},
		{"<meta charset=koi8-r><style>url(x?\\438 )", "<meta charset=koi8-r><style>url(http://h/d/x?\\438 )"},
		{"<style>url(x?\\e9 )", "<style>url(http://h/d/x?\\e9 )"},
		{"<p style='x:url(x\xe9?\xe9)'>", "<p style='x:url(http://h/d/x\xe9?\xe9)'>"},
		{"<style>url(x\xe9?\\e9 )", "<style>url(http://h/d/x\xe9?\\e9 )"},
	} {
		got, _ := rewrite(t, Must(New(Options{Profile: resolver.WHATWG})), row.in, outer)
		if got != row.want {
			t.Errorf("%q becomes %q, want %q", row.in, got, row.want)
		}
		checkChunks(t, []byte(row.in), outer)
	}
}

// A caller who is shown a reference may replace all of it, and otherwise what is not known
// stays.
func TestVisitOfUnnamedEncoding(t *testing.T) {
	for _, row := range []struct{ to, want string }{
		{"http://other/", "<a href='http://other/'>"},
		{"http://other/x?%C3%A9", "<a href='http://other/x?\u00e9'>"},
		{"", "<a href='x?\u00e9'>"},
	} {
		rw := Must(New(Options{Profile: resolver.WHATWG})).With(Hooks{Visit: func(p *Place) error {
			if p.URL != "http://h/d/x?%C3%A9" {
				t.Errorf("Visit is shown %q", p.URL)
			}
			p.URL = row.to
			return nil
		}})
		if got, _ := rewrite(t, rw, "<a href='x?\u00e9'>", mustParse(t, "http://h/d/p", resolver.WHATWG)); got != row.want {
			t.Errorf("%q: %q, want %q", row.to, got, row.want)
		}
	}
}

// An absolute reference is shown with the query that its reader sends, and stays.
func TestAbsoluteQuery(t *testing.T) {
	for _, row := range []struct {
		profile  resolver.Profile
		in, want string
	}{
		{resolver.WHATWG, "<a href='http://e/\xb5?u=\xb5'>", "http://e/\u00b5?u=%B5"},
		{resolver.WHATWG, "<a href='http://e/?u=\xb5\"x'>", "http://e/?u=%B5%22x"},
		{resolver.WHATWG, "<a href='x:?u=\xb5'>", "x:?u=\u00b5"},
		{resolver.WHATWG, "<p style='x:url(http://e/?u=\xb5)'>", "http://e/?u=\u00b5"},
		{resolver.RFC3986, "<a href='http://e/?u=\xb5'>", "http://e/?u=\u00b5"},
	} {
		var shown string
		rw := Must(New(Options{Profile: row.profile})).With(Hooks{Visit: func(p *Place) error { shown = p.URL; return nil }})
		got, _ := rewriteFrom(t, rw, Source{Reader: strings.NewReader(row.in), Charset: "latin1"}, nil)
		if shown != row.want || got != row.in {
			t.Errorf("%q is shown as %q, want %q, and becomes %q", row.in, shown, row.want, got)
		}
	}
}

// Offsets and raw values are the input's, whatever its encoding, and nothing else
// changes.
func TestCharsetPromises(t *testing.T) {
	for name, word := range charsetPages {
		raw := inEncoding(t, name, fmt.Sprintf(charsetPage, name, word))
		if strings.HasPrefix(name, "utf-16") {
			raw = append(inEncoding(t, name, "\ufeff"), raw...)
		}
		for _, p := range profiles {
			checkChunks(t, raw, mustParse(t, "http://h/a/b", p))
		}
	}
	for _, in := range []string{
		"\xff\xfe<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00\x00\xd8x\x00>\x00\x00\xdc", // half of a surrogate pair
		"\xfe\xff\x00<\x00p\x00>\x00", // half of a unit
		"<meta charset=iso-2022-jp><a href=\x1b$B<a>\n<a href=\x1b(Jx title=~><a href=\x1b(B y>\x1b$",
		"\xef\xbb\xbf<base href=/b/><a href=x>", "\xef\xbb", "\xef\xbbx<a href=y>",
		"<meta charset=shift_jis><style>a{b:url(\x95\x5c.png);c:url(\x95\")}</style><a href=\x95\x5c?\x81>",
		// Broken characters and escape sequences of ISO-2022-JP.
		"<meta charset=iso-2022-jp><a href=\x1b$B!\x1b(Bx>\x1b(B\x1b(J<a href='~\x1b(B'>",
		"<meta charset=iso-2022-jp><a href='\x1b$\x1b(J~\x1b(B'>\x1b",
		"<meta charset=iso-2022-jp><a href='\x1b$@!\n\x1b(B'>\x1b$",
		"<meta charset=iso-2022-jp>\x1b(J<a href=x>\x1bz~<a href=~\x1b(I1\x1b(B>",
		"<meta charset=iso-2022-jp>\x1b(J\x1b(J<a href=\x0e\x80/~><a href='\x1b$B\xa1\xa1\x1b(B'>",
	} {
		for _, p := range profiles {
			checkChunks(t, []byte(in), mustParse(t, "http://h/~a/b", p))
		}
	}
}

// isWide reports whether a document is decoded as a whole.
func isWide(in []byte) bool {
	var s charset.Source
	s.Open(nil, "")
	return s.Take(in)
}

// checkChunks is the part of checkPromises that holds for documents whose bytes are not
// as in ASCII.
func checkChunks(t testing.TB, in []byte, outer *resolver.Base) {
	t.Helper()
	profile := outer.Profile()
	runOn := func(src io.Reader, outer *resolver.Base) run {
		return runWith(t, htmlSet.on(Must(New(Options{Profile: profile}))), src, outer)
	}
	whole := runOn(bytes.NewReader(in), outer)
	checkStructure(t, in, whole.out)
	for i, src := range []io.Reader{
		iotest.OneByteReader(bytes.NewReader(in)),
		iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(in))),
		testio.InPieces(bytes.NewReader(in), uint64(len(in))),
	} {
		if got := runOn(src, outer); !bytes.Equal(got.out, whole.out) || !reflect.DeepEqual(got.places, whole.places) {
			t.Errorf("%q: reader %d makes a difference:\n%q\n%q", in, i, got.out, whole.out)
		}
	}
	if again := runOn(bytes.NewReader(whole.out), outer); !bytes.Equal(again.out, whole.out) {
		t.Errorf("%q: rewritten twice\n%q\nis not\n%q", in, again.out, whole.out)
	}
	if bare := runOn(bytes.NewReader(in), nil); bare.result.Base.URL == nil && !bytes.Equal(bare.out, in) {
		t.Errorf("%q: without a base becomes\n%q", in, bare.out)
	}
	for _, place := range whole.places {
		if raw := in[place.Offset : place.Offset+int64(len(place.Raw))]; string(raw) != place.Raw {
			t.Errorf("%q: place at %d: %q in the input, %q in Raw", in, place.Offset, raw, place.Raw)
		}
	}
}

func FuzzCharset(f *testing.F) {
	for name, word := range charsetPages {
		f.Add(inEncoding(f, name, fmt.Sprintf(charsetPage, name, word)), name, byte(0))
	}
	f.Fuzz(func(t *testing.T, in []byte, charset string, profile byte) {
		p := profiles[profile%3]
		outer := mustParse(t, "http://h/a/b", p)
		run := func(src io.Reader) run {
			return runWith(t, htmlSet.on(Must(New(Options{Profile: p}))), Source{Reader: src, Charset: charset}, outer)
		}
		whole := run(bytes.NewReader(in))
		if got := run(iotest.OneByteReader(bytes.NewReader(in))); !bytes.Equal(got.out, whole.out) || !reflect.DeepEqual(got.places, whole.places) {
			t.Fatalf("in pieces %q becomes\n%q\nwhole\n%q", in, got.out, whole.out)
		}
		for _, place := range whole.places {
			if raw := in[place.Offset : place.Offset+int64(len(place.Raw))]; string(raw) != place.Raw {
				t.Fatalf("place at %d: %q in the input, %q in Raw", place.Offset, raw, place.Raw)
			}
		}
		keep := htmlSet.on(Must(New(Options{Profile: p})).With(Hooks{Visit: func(p *Place) error { p.URL = ""; return nil }}))
		if kept, _ := rewriteFrom(t, keep, Source{Reader: bytes.NewReader(in), Charset: charset}, outer); kept != string(in) {
			t.Fatalf("with nothing changed %q becomes %q", in, kept)
		}
	})
}

// What comes first leaves at once, where nothing in it or the transport says what
// is to be waited for; at most so much is held as may say what the encoding is.
func TestCharsetLag(t *testing.T) {
	for _, row := range []struct {
		charset, in string
		held        int
	}{
		{"", "<p>text<a href=http://x/>", 0},
		{"utf-8", "<p>\u00e9<a href=http://x/>", 0},
		{"", "<meta charset=utf-8><p>\u00e9<a href=http://x/>", 0},
		{"", "<meta charset=shift_jis><p>\x95\x5c<a href=http://x/>", 0},
		{"", "<p>\u00e9<a href=http://x/>", len("\u00e9<a href=http://x/>")},
		{"", "<p>\u00e9<a href=http://x/>" + strings.Repeat("x", charset.StartSize), 0},
	} {
		var out bytes.Buffer
		src := &paced{pieces: [][]byte{[]byte(row.in), nil}}
		src.next = func() {
			if got, want := out.Len(), len(row.in)-row.held; len(src.pieces) == 1 && got < want {
				t.Errorf("%.50q: %d bytes are written before more is read, want %d", row.in, got, want)
			}
		}
		if _, err := new(Rewriter).Rewrite(&out, Source{Reader: src, Charset: row.charset}, nil); err != nil || out.String() != row.in {
			t.Errorf("%.50q: %q, %v", row.in, &out, err)
		}
	}
}

// Escape sequences of ISO-2022-JP: none is lost, and none follows another.
func TestShifts(t *testing.T) {
	const meta = "<meta charset=iso-2022-jp>"
	for _, row := range []struct{ in, want string }{
		{"\x1b(J\n<a href=x>", "\x1b(J\n<a href=\x1b(Bhttp://h/~u=v/x\x1b(J>"},
		{"\x1b(J<a ping=x>", "\x1b(J<a ping=\x1b(Bhttp://h/~u=v/x\x1b(J>"},
		{"<a href='\x1b$BI=\x1b(B'>", "<a href='http://h/~u=v/\x1b$BI=\x1b(B'>"},
		{"<a href='\x1b$BI=\x1b(B/'>", "<a href='http://h/~u=v/\x1b$BI=\x1b(B/'>"},
		{"<a href='x\x1b$B", "<a href='x\x1b$B"},
	} {
		got, _ := rewrite(t, new(Rewriter), meta+row.in, mustParse(t, "http://h/~u=v/p", resolver.RFC1808))
		if got != meta+row.want {
			t.Errorf("%q becomes %q, want %q", row.in, got[len(meta):], row.want)
		}
	}
	got, _ := rewrite(t, Must(New(Options{RemoveBase: true})), meta+"<base href=\x1b(J/b/><p id=~>", mustParse(t, "http://h/", resolver.RFC1808))
	if want := meta + "<base href=#\x1b(J><p id=~>"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What a Source says counts however it comes.
func TestSource(t *testing.T) {
	const in, want = "<style>a{b:url(\x95\x5c.png)}</style>", "<style>a{b:url(http://h/\x95\x5c.png)}</style>"
	for _, src := range []io.Reader{
		Source{Reader: strings.NewReader(in), Charset: "shift_jis"}, &Source{Reader: strings.NewReader(in), Charset: "shift_jis"},
		Source{Reader: Source{Reader: strings.NewReader(in), Charset: "utf-8"}, Charset: "shift_jis"},
		Source{Reader: Source{Reader: strings.NewReader(in), Charset: " Shift_JIS\n"}},
	} {
		if got, _ := rewriteFrom(t, new(Rewriter), src, mustParse(t, "http://h/", resolver.RFC1808)); got != want {
			t.Errorf("%q", got)
		}
	}
	for _, before := range []string{
		`<script>"<meta charset=utf-8>"</script>`, "<title><meta charset=utf-8></title>", "<meta charset=utf-8foo>",
		"<metacharset=utf-8>", "<meta http-equiv=content-type data-charset=utf-8>",
	} {
		checkChunks(t, []byte(before+"<meta charset=shift_jis>"+in), mustParse(t, "http://h/", resolver.RFC1808))
	}
}

// A bracket that is part of a character ends neither a CDATA section nor the
// condition of a comment, however the input comes.
func TestBracketsInCharacters(t *testing.T) {
	for _, row := range []struct {
		charset, before string
		ends            bool
	}{
		{"shift_jis", "\x83", false}, {"shift_jis", "\x83\x83", true}, {"shift_jis", "\x83]", true}, {"shift_jis", "\xfc", true}, {"shift_jis", "x", true},
		{"gbk", "\x83", false}, {"gb18030", "\x810\x81", false}, {"gb18030", "\x810\x810", true}, {"big5", "\xa4", false}, {"big5", "\x81", true},
		{"euc-kr", "\xb0", true}, {"utf-8", "\x83", true}, {"windows-1252", "\x83", true},
	} {
		long := strings.Repeat("\x83\x83", 40)
		for _, doc := range []struct{ before, inside, after string }{
			{"<svg><style><![CDATA[p{a:url(x)}", "]]>", "<a href=y>]]></style></svg>"},
			{"<svg><g><![CDATA[" + long, "]]>", "<a href=y>]]></g></svg>"},
			{"<!--[if IE", "]>", "<a href=y>]><![endif]-->"},
		} {
			in := "<meta charset=" + row.charset + ">" + doc.before + row.before + doc.inside + doc.after
			got, _ := rewrite(t, allSet.on(new(Rewriter)), in, mustParse(t, "http://h/", resolver.RFC1808))
			if ends := strings.Contains(got, "<a href=http://h/y>"); ends != row.ends {
				t.Errorf("%q becomes %q: %q ends is %v, want %v", in, got, doc.inside, ends, row.ends)
			}
			for _, p := range profiles {
				checkPromisesWith(t, allSet, []byte(in), mustParse(t, "http://h/", p))
				checkBoundsWith(t, allSet, []byte(in), mustParse(t, "http://h/", p))
			}
		}
	}
}
