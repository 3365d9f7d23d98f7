package mail

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"absolink/internal/passage"
	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
)

// A heapWriter measures the heap when the end of a message is written.
type heapWriter struct {
	end  string
	tail []byte
	used int64
}

func (w *heapWriter) Write(p []byte) (int, error) {
	w.tail = append(w.tail, p...)
	if bytes.HasSuffix(w.tail, []byte(w.end)) {
		w.used = testio.Heap()
	}
	w.tail = append(w.tail[:0], w.tail[max(0, len(w.tail)-len(w.end)):]...)
	return len(p), nil
}

// While the inside of an entity is read, its header takes no memory.
func TestMemoryOfNestedHeaders(t *testing.T) {
	const maxHeader = 96 << 10
	url := "http://h/" + strings.Repeat("a", rewriter.MaxBase-20) + "/"
	for name, field := range map[string]string{
		"junk after a base":     "Content-Base: <" + url + ">",
		"base in a long folded": "Content-Base: <http://h/>\n ",
		"many bases":            strings.Repeat("Base: mailto:x\n", 5000) + "X: ",
		"relative bases":        "Base: " + url + "\nContent-Base: x/" + url + "\nContent-Location: y/" + url + "\nX: ",
		"many signatures":       strings.Repeat("DKIM-Signature: v\n", 4500) + "X: ",
		"long boundaries":       "Content-Type: multipart/mixed; boundary=b; x=",
		"malformed boundaries":  "Content-Type: multipart/mixed; boundary=b; \xff\xff; x=",
	} {
		t.Run(name, func(t *testing.T) {
			soak.Sample(t, 3)
			var in []io.Reader
			for range defaultMaxDepth - 1 {
				kind := "Content-Type: multipart/mixed; boundary=b\n"
				if strings.HasPrefix(field, "Content-Type") {
					kind = ""
				}
				in = append(in, strings.NewReader(kind+field), testio.Repeat("y", maxHeader-len(field)-100), strings.NewReader("\n\n--b\n"))
			}
			in = append(in, strings.NewReader("\nthe innermost"))
			before := testio.Heap()
			dst := &heapWriter{end: "the innermost"}
			r := &Rewriter{MaxHeader: maxHeader, Hold: 1 << 20}
			if _, err := r.Rewrite(dst, io.MultiReader(in...), nil); err != nil {
				t.Fatal(err)
			}
			if used := dst.used - before; dst.used == 0 || used > 8<<20 {
				t.Errorf("%d KiB in use", used>>10)
			}
		})
	}
}

// A name takes as much memory as is counted for it, whatever else its field holds.
func TestMemoryOfNames(t *testing.T) {
	for name, location := range map[string]string{
		"junk after it": "<cid:%d>" + strings.Repeat("y", maxValue-200),
		"fragment":      "http://h/%d#" + strings.Repeat("y", rewriter.MaxBase-200),
		"short":         "%d",
	} {
		t.Run(name, func(t *testing.T) {
			soak.Sample(t, 3)
			in := strings.NewReader("Content-Type: multipart/mixed; boundary=b\n\n--b\n" + manyLocations(location, 40<<20) + "\n\nend")
			before := testio.Heap()
			dst := &heapWriter{end: "end"}
			r := &Rewriter{Hold: 2 << 20}
			if _, err := r.Rewrite(dst, in, nil); err != nil {
				t.Fatal(err)
			}
			if used := dst.used - before; dst.used == 0 || used > 5<<20 {
				t.Errorf("%d KiB in use", used>>10)
			}
		})
	}
}

// manyLocations returns about n bytes of parts with names, and at most 100,000 parts.
func manyLocations(location string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n && i < 100_000; i++ {
		fmt.Fprintf(&b, "Content-Location: "+location+"\n\n--b\n", i)
	}
	return b.String()
}

// mostHeld is how much memory a document may take that is held, in whatever encoding: so
// many times Hold are documented, besides the windows.
func mostHeld(hold int64) int64 { return 7*hold + 1<<20 }

// The memory for a document that waits for its base is bounded, including its encoded
// bytes. All of the document is written.
func TestMemoryOfHeldDocuments(t *testing.T) {
	const hold = 1 << 20
	for name, tt := range map[string]struct{ encoding, head, body, tail string }{
		"8bit":           {"8bit", "<link href=x>", "<!---->\n", "<a href=x>"},
		"quoted":         {"quoted-printable", "<link href=3Dx>", "=20=0A", "<a href=3Dx>"},
		"soft breaks":    {"quoted-printable", "<link href=3Dx>", "= \n=\n", "<a href=3Dx>"},
		"places":         {"quoted-printable", "<link href=3Dx>", "<link href=3Dx>=\n", "<a href=3Dx>"},
		"base64":         {"base64", "PGxpbmsgaHJlZj14Pgog\n", "ICAg\n", "PGEgaHJlZj14Pgo="},
		"white base64":   {"base64", "PGxpbmsgaHJlZj14Pgog\n", strings.Repeat(" ", 1000) + "ICAg\n", "PGEgaHJlZj14Pgo="},
		"an endless tag": {"base64", "PGxpbmsgaHJlZj14Pgog\nPGEg\n", strings.Repeat("\n ", 500) + "ICAg\n", "PGEgaHJlZj14Pgo="},
	} {
		t.Run(name, func(t *testing.T) {
			soak.Sample(t, 7)
			n := 8 * hold / len(tt.body) * len(tt.body)
			src := &testio.HeapReader{Every: hold, Reader: io.MultiReader(
				strings.NewReader("Content-Type: text/html\nContent-Transfer-Encoding: "+tt.encoding+"\n\n"+tt.head),
				testio.Repeat(tt.body, n), strings.NewReader(tt.tail))}
			before := testio.Heap()
			dst := &testio.TailWriter{}
			warnings := 0
			r := &Rewriter{Hold: hold, HTML: rewriter.Must(rewriter.New(rewriter.Options{Hold: hold, MaxTag: 64 << 10})).With(rewriter.Hooks{Warn: func(int64, error) { warnings++ }})}
			if _, err := r.Rewrite(dst, src, mustParse(t, "http://h/", resolver.RFC1808)); err != nil {
				t.Fatal(err)
			}
			if used := src.Most - before; used > mostHeld(hold) {
				t.Errorf("%d KiB in use", used>>10)
			}
			if tt.encoding != "base64" && dst.N < int64(n) || warnings == 0 { // base64 is written without its white space
				t.Errorf("%d bytes written of %d, %d warnings", dst.N, n, warnings)
			}
		})
	}
}

// Fields with a demanding grammar are read in linear time: with quadratic time each of
// these would take minutes.
func TestLinearHeaders(t *testing.T) {
	const n = 1 << 20
	for name, header := range map[string]string{
		"encoded words":              "Content-Location: " + strings.Repeat("=?a?b?xxxx", n/10) + "?=",
		"encoded words in a type":    `Content-Type: text/html; a="` + strings.Repeat("=?a?b?xxxx", n/10) + `?="`,
		"encoded words, many fields": strings.Repeat("Base: "+strings.Repeat("=?a?b?xxxx", 200)+"?=\n", n/2000) + "X: y",
		"parameters":                 "Content-Type: text/html" + strings.Repeat("; a=b", n/5),
		"continued parameters":       "Content-Type: text/html" + strings.Repeat("; a*0=b", n/7),
		"parameters with spaces":     "Content-Type: text/html; \xff" + strings.Repeat("; charset  ", n/11),
		"comments":                   "Content-Type: " + strings.Repeat("(", n),
		"quotes":                     "Content-Type: text/html; a=" + strings.Repeat(`"\`, n/2),
		"folded lines":               "Content-Location: x" + strings.Repeat("\n y", n/3),
		"fields":                     strings.Repeat("Base: x\n", n/8) + "X: y",
		"fields of any name":         strings.Repeat("X:\n", n/3) + "X: y",
		"a name":                     strings.Repeat("x", n-100) + ": y",
	} {
		t.Run(name, func(t *testing.T) {
			soak.Sample(t, 3)
			in := "Content-Type: text/html\n" + header
			if strings.HasPrefix(header, "Content-Type") {
				in = header
			}
			for range 4 {
				r := &Rewriter{MaxHeader: 2 * n}
				if _, err := r.Rewrite(io.Discard, strings.NewReader(in+"\n\n<a href=x>"), mustParse(t, "http://h/", resolver.RFC1808)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A negative limit and a base of another profile are errors, and nothing is read.
func TestInvalid(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC3986)
	for name, tt := range map[string]struct {
		r     *Rewriter
		outer *resolver.Base
		err   string
	}{
		"Hold":      {&Rewriter{Hold: -1}, nil, "mail: Rewriter.Hold is -1; it takes 0, which is 16 MiB, or more"},
		"MaxHeader": {&Rewriter{MaxHeader: -1}, nil, "mail: Rewriter.MaxHeader is -1; it takes 0, which is 1 MiB, or more"},
		"MaxDepth":  {&Rewriter{MaxDepth: -1}, nil, "mail: Rewriter.MaxDepth is -1; it takes 0, which is 100, or more"},
		"profile":   {&Rewriter{}, outer, "mail: HTML: rewriter: outer base of profile rfc3986 in a Rewriter of profile rfc1808; parse it with ParseBase of the Rewriter"},
	} {
		src := strings.NewReader("Content-Type: text/html\n\n<a href=x>")
		var out bytes.Buffer
		if _, err := tt.r.Rewrite(&out, src, tt.outer); err == nil || !strings.HasPrefix(err.Error(), tt.err) || src.Len() != int(src.Size()) || out.Len() > 0 {
			t.Errorf("%s: %v, %d bytes left, %d written", name, err, src.Len(), out.Len())
		}
		if err := tt.r.Validate(); name != "profile" && (err == nil || !strings.HasPrefix(err.Error(), tt.err)) {
			t.Errorf("%s: Validate returns %v", name, err)
		}
	}
}

// A URL that browsers would run is not a base, and neither is one with white space in its
// middle.
func TestRefusedBases(t *testing.T) {
	for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
		for _, field := range baseFields {
			for _, url := range []string{
				"javascript:alert(1)", "JavaScript://h/%0aalert(1)//", "vbscript://h/x", "data:text/html,x", "data://h/x",
				"http://h/a b/", "http://h/a\tb", `"http://h/a b/"`, "http://h/a/\rb",
			} {
				in := "Content-Type: text/html\n" + field + ": " + url + "\n\n<a href=x>"
				got := rewrite(t, &Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: p}))}, strings.NewReader(in), mustParse(t, "http://outer/", p))
				if !strings.HasSuffix(got.out, "<a href=http://outer/x>") || len(got.warnings) != 1 {
					t.Errorf("%v, %s: %s: %q, %q", p, field, url, got.out, got.warnings)
				}
			}
		}
	}
}

// Warnings show the control characters of a message only in escaped form.
func TestWarningsAreQuoted(t *testing.T) {
	const evil = "\x1b]0;x\a\x9b"
	for _, in := range []string{
		"Content-Type: text/html\nContent-Transfer-Encoding: x" + evil + "\n\n<a href=x>",
		"Content-Type: text/html\nBase: http://h/" + evil + "\n\n<a href=x>",
		"Content-Type: text/html\nBase: x:" + evil + "\n\n<a href=x>",
		"Content-Type: text/html\nContent-Base: http://h\\" + evil + "\n\n<a href=x>",
		"Content-Type: multipart/signed" + evil + "\n\n<a href=x>",
		"Content-Type: multipart/" + evil + "; boundary=" + evil + "\n\n--" + evil + "\n\n<a href=x>",
	} {
		got := rewrite(t, &Rewriter{}, strings.NewReader(in), nil)
		if warnings := strings.Join(got.warnings, "\n"); len(got.warnings) == 0 || (strings.ContainsAny(warnings, "\x1b\a") || strings.IndexByte(warnings, 0x9b) >= 0) {
			t.Errorf("%q: %q", in, warnings)
		}
	}
}

// New text in place of a part of a document may come in any pieces.
func TestPieces(t *testing.T) {
	const text = "some <a href=x> text\n<a href=y>"
	edits := []struct {
		end int64
		b   string
	}{{13, ""}, {14, "http://h/a b/\nÄ=x "}, {14, " \""}, {16, ""}, {16, "."}, {29, ""}, {30, "y "}, {31, ""}}
	for _, encoding := range []string{"8bit", "quoted-printable", "base64"} {
		body := text
		switch encoding {
		case "base64":
			body = inBase64(text, 8, "\n")
		case "quoted-printable":
			body = strings.ReplaceAll(text, "=", "=3D")
		}
		whole := ""
		for size := 100; size > 0; size-- {
			var out bytes.Buffer
			c, splicer := codingOf(encoding)
			w := &walk{out: passage.NewOutput(&out)}
			q := newQueue(&input{Input: passage.Input{Src: strings.NewReader(body)}, out: &passage.Output{}}, c, 1<<20)
			if _, err := io.ReadAll(q); err != nil {
				t.Fatal(err)
			}
			s := splicer(splice{walk: w, queue: q, eol: "\n"})
			for _, e := range edits {
				if e.b == "" {
					s.Keep(e.end)
				}
				for b := e.b; b != ""; b = b[min(size, len(b)):] {
					s.Replace(e.end, []byte(b[:min(size, len(b))]))
				}
			}
			w.out.PutString(s.finish())
			w.out.Flush()
			if size == 100 {
				whole = out.String()
			}
			if out.String() != whole {
				t.Errorf("%s in pieces of %d bytes: %q, not %q", encoding, size, out.String(), whole)
				break
			}
		}
	}
}
