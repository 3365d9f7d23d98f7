package mail

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime/quotedprintable"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
)

// checkPromises checks on one message the promises that hold for all.
func checkPromises(t testing.TB, in []byte, outer *resolver.Base) {
	t.Helper()
	runOn := func(src io.Reader) run {
		t.Helper()
		return rewrite(t, &Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: outer.Profile()})), MaxHeader: 300, MaxDepth: 5}, src, outer)
	}
	whole := runOn(bytes.NewReader(in))
	n := 0
	for _, d := range whole.docs {
		n += d.Result.Rewritten + d.Result.Absolute + d.Result.Left + d.Result.Unresolvable
	}
	if r := whole.result; n != len(whole.places) || n != r.Rewritten+r.Absolute+r.Left+r.Unresolvable || r.Warnings != len(whole.warnings) {
		t.Errorf("counts: %+v do not add up to %d places and %d warnings", r, len(whole.places), len(whole.warnings))
	}
	for i, src := range []io.Reader{
		struct{ io.Reader }{bytes.NewReader(in)},
		iotest.OneByteReader(bytes.NewReader(in)),
		iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(in))),
		testio.InPieces(bytes.NewReader(in), uint64(len(in))),
	} {
		got := runOn(src)
		if got.out != whole.out || !reflect.DeepEqual(got.places, whole.places) || !slices.Equal(got.warnings, whole.warnings) {
			t.Errorf("chunks: reader %d makes a difference:\n%q\n%q\n%q\n%q", i, got.out, whole.out, got.warnings, whole.warnings)
		}
	}
	if again := runOn(strings.NewReader(whole.out)); again.out != whole.out {
		t.Errorf("idempotence: rewritten twice\n%q\nis not\n%q", again.out, whole.out)
	}

	stays := rewriter.Must(rewriter.New(rewriter.Options{Profile: outer.Profile()})).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error { p.URL = ""; return nil }})
	if got := rewrite(t, &Rewriter{HTML: stays}, bytes.NewReader(in), outer); got.out != string(in) || got.result.Rewritten > 0 {
		t.Errorf("nothing changes, and\n%q\nbecomes\n%q", in, got.out)
	}
	checkBytes(t, in, outer)
	checkStructure(t, in, whole.out, outer)
}

// checkStructure checks that the structure of each document stays, except where a document
// may be in UTF-16, which has other bytes.
func checkStructure(t testing.TB, in []byte, out string, outer *resolver.Base) {
	t.Helper()
	if namesUTF16.Match(in) {
		return
	}
	before, after := documents(t, string(in), outer), documents(t, out, outer)
	if len(before) != len(after) {
		t.Fatalf("structure: %d documents become %d:\n%q\n%q", len(before), len(after), in, out)
	}
	for i, d := range before {
		if !strings.HasPrefix(d.text, "\xfe\xff") && !strings.HasPrefix(d.text, "\xff\xfe") {
			testio.CheckStructure(t, []byte(d.text), []byte(after[i].text))
		}
	}
}

var namesUTF16 = regexp.MustCompile(`(?i)utf-?16|unicode|ucs-2`)

// checkBytes checks that nothing changes except the values of places. It has a word written
// in place of each value. Where the values are put back for the words, the documents are
// as they were.
func checkBytes(t testing.TB, in []byte, outer *resolver.Base) {
	t.Helper()
	var places []rewriter.Place
	word := func(i int) string { return fmt.Sprintf("word:%d-%s-end", i, strings.Repeat("x", 7*i%100)) }
	html := rewriter.Must(rewriter.New(rewriter.Options{Profile: outer.Profile()})).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
		if p.URL = ""; len(p.Raw) > 0 { // an empty value would get quotes as well
			places = append(places, *p)
			p.URL = word(len(places))
		}
		return nil
	}})
	out := rewrite(t, &Rewriter{HTML: html}, bytes.NewReader(in), outer).out
	if bytes.Contains(in, []byte("word:")) {
		return
	}
	before, after := documents(t, string(in), outer), documents(t, out, outer)
	for i := range places {
		for j := range after {
			after[j].text = strings.Replace(after[j].text, word(i+1), places[i].Raw, 1)
		}
	}
	if len(before) != len(after) {
		t.Fatalf("%d documents became %d: %q, %q", len(before), len(after), in, out)
	}
	for i := range before {
		if before[i].text != after[i].text && !isWide(after[i].text) {
			t.Errorf("with words put back,\n%q\nis not\n%q", after[i].text, before[i].text)
		}
	}
	if a, b := withoutDocuments(string(in), before), withoutDocuments(out, after); a != b {
		t.Errorf("outside of the documents\n%q\nbecame\n%q", a, b)
	}
}

// isWide reports whether a document with words in it is in UTF-16 or ISO-2022-JP. Those
// encodings write the words in other bytes.
func isWide(text string) bool {
	return strings.Contains(text, "w\x00o\x00r\x00d") || strings.Contains(text, "\x1b")
}

// A document is an HTML part: its decoded text, and where its body is in the message.
type document struct {
	text       string
	start, end int
}

// documents returns the documents that a Rewriter finds in a message.
func documents(t testing.TB, in string, outer *resolver.Base) (found []document) {
	t.Helper()
	r := &Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: outer.Profile()})), trace: func(encoding string, start, end int64) {
		text := ""
		c, _ := codingOf(encoding)
		for raw, last := in[start:end], false; len(raw) > 0 && !last; {
			u := c.unit([]byte(raw), true)
			text += string(u.text)
			raw, last = raw[u.raw:], u.last
		}
		found = append(found, document{text, int(start), int(end)})
	}}
	rewrite(t, r, strings.NewReader(in), outer)
	return found
}

// withoutDocuments returns a message with "|" in place of each document.
func withoutDocuments(in string, documents []document) (rest string) {
	at := 0
	for _, d := range documents {
		rest += in[at:d.start] + "|"
		at = d.end
	}
	return rest + in[at:]
}

func quoted(s string) string {
	var b strings.Builder
	w := quotedprintable.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

func inBase64(s string, length int, eol string) string {
	s = base64.StdEncoding.EncodeToString([]byte(s))
	var lines []string
	for chunk := range slices.Chunk([]byte(s), length) {
		lines = append(lines, string(chunk))
	}
	return strings.Join(lines, eol)
}

const fuzzHTML = "<title>caf\xc3\xa9 = tea</title>\r\n<a href=x title='a long line with = signs in it, and more, and more, and more'>x</a><img src=\"a/b?c=d&amp;e\" alt=\"caf\xc3\xa9\" srcset=\"a 1x, http://x/ 2x\">\r\n<a\r\nhref='\r\nx\r\n'><a href=http://h/y><style>a{b:url(c d)}</style>\r\n"

func FuzzMessage(f *testing.F) {
	const part = "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: "
	const parts = "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=\"b\"\r\nBase: <URL: http://h/a\r\n /b>\r\n\r\npreamble\r\n--b\r\n"
	for _, s := range []string{
		"",
		"Content-Type: text/html\n\n<a href=x>",
		part + "quoted-printable\r\n\r\n" + quoted(fuzzHTML),
		part + "base64\r\n\r\n" + inBase64(fuzzHTML, 76, "\r\n") + "\r\n",
		part + "8bit\r\n\r\n" + fuzzHTML,
		parts + part + "quoted-printable\r\n\r\n" + quoted(fuzzHTML) + "\r\n--b\r\nContent-Location: x\r\n\r\n<a href=x>\r\n--b--\r\n<a href=x>",
		parts + part + "base64\r\nContent-Location: p\r\n\r\n" + inBase64(fuzzHTML, 20, "\n") + "\r\n--b\r\n" + part + "base64\r\n\r\n" + inBase64(fuzzHTML[1:], 76, "\r\n") + "=\r\n\r\n--b",
		part + "base64\r\n\r\nPGEgaH*Jl\nZj14PjxhI\n\nGhyZWY9eT4\nPGEg",
		part + "quoted-printable\r\n\r\n<a href=3Dx=\r\n=\r\n>=  \n<a href=\n=\n=3Dx> =zz =4",
		"From a@b Mon Jan  1 00:00:00 2001\n" + part + "7bit\n\n<a href=x>\n\nFrom a@b Mon Jan  1 00:00:00 2001\nContent-Type: message/rfc822\n\nContent-Type: text/html\n\n<base href=/z/><a href=x>",
		"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=bb\n\n--bb\nContent-Type: text/html\n\n<a href=x>\n--b\nContent-Type: text/html\n\n<a href=x>\n--b--",
		"Content-Type: multipart/digest; boundary=b\n\n--b\n\nContent-Type: text/html\n\n<a href=x>\n--b--",
		"Content-Type: multipart/signed; boundary=b\n\n--b\nContent-Type: text/html\n\n<a href=x>\n--b--",
		"Content-Type: text/html; charset=utf-16le\n\n<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00x\x00>\x00",
	} {
		f.Add([]byte(s), "http://h/a/b?c#d", byte(0))
		f.Add([]byte(s), "http://h/a/b?c#d", byte(2))
	}
	f.Fuzz(func(t *testing.T, in []byte, url string, profile byte) {
		outer, err := resolver.ParseBase(url, resolver.Profile(profile%3))
		if err != nil {
			return
		}
		checkPromises(t, in, outer)
	})
}
