package rewriter

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"absolink/internal/test/testio"
	"absolink/resolver"
)

// sheetOf returns a style sheet as a document.
func sheetOf(r io.Reader) Source { return Source{Reader: r, Sheet: true} }

func TestSheet(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{"@import 'a.css';\np{background:url(b.png)}\r\n", "@import 'http://h/d/a.css';\np{background:url(http://h/d/b.png)}\r\n"},
		{"@import url(//e/a.css) screen; @font-face{src:url('b') format('c'),local('d')}", "@import url(http://e/a.css) screen; @font-face{src:url('http://h/d/b') format('c'),local('d')}"},
		{"@namespace 'a'; /* url(b) */ p{fill:url(#c);a:'url(d)'}", "@namespace 'a'; /* url(b) */ p{fill:url(#c);a:'url(d)'}"},
		{"</style><a href=x><base href=/y/>a{b:url(x)}", "</style><a href=x><base href=/y/>a{b:url(http://h/d/x)}"},
		{"<!-- a{b:url(c)} -->", "<!-- a{b:url(http://h/d/c)} -->"},
		{"\ufeffurl(a) \ufeffurl(b)", "\ufeffurl(http://h/d/a) \ufeffurl(b)"},
		{"a{b:url(c", "a{b:url(http://h/d/c"},
		{"", ""},
		{"url(\xe9)", "url(http://h/d/\xe9)"},
	} {
		outer := mustParse(t, "http://h/d/p.css", resolver.RFC1808)
		if got, _ := rewriteFrom(t, new(Rewriter), sheetOf(strings.NewReader(row.in)), outer); got != row.want {
			t.Errorf("%q\nbecomes %q\nwant    %q", row.in, got, row.want)
		}
		checkSheet(t, []byte(row.in), outer)
	}
}

// The encoding is the one of CSS Syntax 3 §3.2. It matters where a byte looks like a
// backslash or a bracket, and for what characters are. A query keeps its characters: it is in
// UTF-8 (CSS Values 4 §4.5), and in Chromium in the encoding of the sheet.
func TestSheetCharset(t *testing.T) {
	for _, row := range []struct{ label, in, want string }{
		{"", "@charset \"shift_jis\";url(\x83\x5c)", "@charset \"shift_jis\";url(http://h/d/%E3%82%BD)"},
		{"", "@charset \"windows-1252\";url(\xe9)", "@charset \"windows-1252\";url(http://h/d/%C3%A9)"},
		{"", "@charset \"utf-16\";url(\u00e9)", "@charset \"utf-16\";url(http://h/d/%C3%A9)"},
		{"", " @charset \"windows-1252\";url(\u00e9)", " @charset \"windows-1252\";url(http://h/d/%C3%A9)"},
		{"", "@charset 'windows-1252';url(\u00e9)", "@charset 'windows-1252';url(http://h/d/%C3%A9)"},
		{"", "@charset \"windows-1252\" ;url(\u00e9)", "@charset \"windows-1252\" ;url(http://h/d/%C3%A9)"},
		{"", "<meta charset=windows-1252>url(\u00e9)", "<meta charset=windows-1252>url(http://h/d/%C3%A9)"},
		{"windows-1251", "@charset \"windows-1252\";url(\xe9)", "@charset \"windows-1252\";url(http://h/d/%D0%B9)"},
		{"nonsense", "@charset \"windows-1252\";url(\xe9)", "@charset \"windows-1252\";url(http://h/d/%C3%A9)"},
		{"", "@charset \"shift_jis\";url(?\x83\x5c)", "@charset \"shift_jis\";url(http://h/d/p.css?\x83\x5c)"},
		{"windows-1252", "@import 'x?a\\e9\xe9'", "@import 'http://h/d/x?a\\e9\xe9'"},
		{"windows-1252", "\ufeffurl(?\u00e9)", "\ufeffurl(http://h/d/p.css?%C3%A9)"},
		{"", "\xff\xfeu\x00r\x00l\x00(\x00a\x00)\x00", "\xff\xfeu\x00r\x00l\x00(\x00h\x00t\x00t\x00p\x00:\x00/\x00/\x00h\x00/\x00d\x00/\x00a\x00)\x00"},
	} {
		outer := mustParse(t, "http://h/d/p.css", resolver.WHATWG)
		for _, one := range []bool{false, true} {
			src := io.Reader(strings.NewReader(row.in))
			if one {
				src = iotest.OneByteReader(src)
			}
			got, _ := rewriteFrom(t, Must(New(Options{Profile: resolver.WHATWG})), Source{Reader: src, Charset: row.label, Sheet: true}, outer)
			if got != row.want {
				t.Errorf("%s %q\nbecomes %q\nwant    %q", row.label, row.in, got, row.want)
			}
		}
		checkSheet(t, []byte(row.in), outer)
	}
}

// checkSheet checks that what becomes of a sheet does not depend on how it comes, on the
// pieces in which it is read, or on who asks; and that it is rewritten once.
func checkSheet(t testing.TB, in []byte, outer *resolver.Base) {
	t.Helper()
	defer func(window, piece int) { windowSize, sheetPiece = window, piece }(windowSize, sheetPiece)
	for _, maxTag := range []int{0, 30} {
		newRewriter := func(warnings *[]string) *Rewriter {
			engines = sync.Pool{New: engines.New} // with windows of their own size
			return htmlSet.on(Must(New(Options{Profile: outer.Profile(), MaxTag: maxTag})).With(Hooks{Warn: func(offset int64, err error) {
				*warnings = append(*warnings, fmt.Sprint(offset, err))
			}}))
		}
		windowSize, sheetPiece = 64<<10, 256<<10
		var warned []string
		whole := runWith(t, newRewriter(&warned), sheetOf(bytes.NewReader(in)), outer)
		if !isWide(in) {
			testio.CheckStructure(t, in, whole.out)
		}
		if r := whole.result; r.Rewritten+r.Absolute+r.Left+r.Unresolvable != len(whole.places) {
			t.Errorf("counts: %+v, %d places", r, len(whole.places))
		}
		for _, windowSize = range []int{16, 64 << 10} {
			for _, sheetPiece = range []int{1, 16} {
				for i, src := range []io.Reader{bytes.NewReader(in), iotest.OneByteReader(bytes.NewReader(in)), iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(in)))} {
					var warnings []string
					got := runWith(t, newRewriter(&warnings), sheetOf(src), outer)
					if !bytes.Equal(got.out, whole.out) || !reflect.DeepEqual(got.places, whole.places) || !reflect.DeepEqual(warnings, warned) {
						t.Errorf("reader %d, window %d, pieces of %d, MaxTag %d: %q becomes\n%q, %q\n%q, %q", i, windowSize, sheetPiece, maxTag, in, got.out, warnings, whole.out, warned)
					}
				}
				var warnings []string
				got := pulledWith(t, newRewriter(&warnings), sheetOf(bytes.NewReader(in)), outer, 1)
				if !bytes.Equal(got.out, whole.out) || !reflect.DeepEqual(got.places, whole.places) {
					t.Errorf("pulled: %q becomes\n%q\n%q", in, got.out, whole.out)
				}
			}
		}
		for _, place := range whole.places {
			if raw := in[place.Offset:][:len(place.Raw)]; string(raw) != place.Raw {
				t.Errorf("place at %d: %q in the input, %q in Raw", place.Offset, raw, place.Raw)
			}
		}
		rw := htmlSet.on(Must(New(Options{Profile: outer.Profile()})))
		if bare, _ := rewriteFrom(t, rw, sheetOf(bytes.NewReader(in)), nil); bare != string(in) {
			t.Errorf("no base: %q becomes %q", in, bare)
		}
		if maxTag > 0 {
			continue // what is longer may stay
		}
		if again, _ := rewriteFrom(t, rw, sheetOf(bytes.NewReader(whole.out)), outer); again != string(whole.out) {
			t.Errorf("rewritten twice: %q becomes %q", whole.out, again)
		}
	}
}

// A sheet becomes what the text of a style element becomes.
func FuzzStyleSheet(f *testing.F) {
	for _, s := range []string{
		"@import 'a';p{b:url(c)}", "@charset \"shift_jis\";p{a:url(\x83\x5c)}q{b:url(c)}", "@media x{p{a:url(b)}}@namespace url(c);r{}s{t:image-set('u' 1x)}",
		"/*{*/p{a:url(b)}/*}*/'{'url(c)}}]q{d:url(e)}", "\ufeff@import url(a);", "@namespace p {url(a)};url(b)", "a{b:url(c", "\\75rl(a);u\\72l(b)}url(c)",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		outer := mustParse(t, "http://h/a/b", resolver.RFC1808)
		if isWide(in) || bytes.Contains(in, []byte("2022")) {
			return // decoded as a whole: the sheet comes back in its encoding
		}
		checkSheet(t, in, outer)
		if bytes.ContainsAny(in, "<\x1b") || bytes.Contains(in, []byte("charset")) || bytes.HasPrefix(in, []byte("\ufeff")) {
			return // the element may end there, or have another encoding
		}
		got, _ := rewriteFrom(t, htmlSet.on(new(Rewriter)), sheetOf(bytes.NewReader(in)), outer)
		want, _ := rewrite(t, htmlSet.on(new(Rewriter)), "<style>"+string(in)+"</style>", outer)
		if "<style>"+got+"</style>" != want {
			t.Fatalf("%q becomes %q, as the text of style %q", in, got, want)
		}
	})
}
