package mail

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"absolink/internal/passage"
	"absolink/internal/test/soak"
	"absolink/resolver"
	"absolink/rewriter"
)

// Time is linear in the length of fields with a demanding grammar, in the number of parts, and
// of lines that look like boundaries: with quadratic time each of these would take minutes.
func TestLinearTime(t *testing.T) {
	const n = 1 << 20
	const html = "Content-Type: text/html\n"
	const body = "\n\n<a href=x>"
	multiparts := ""
	for i := range 99 {
		multiparts += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	for name, in := range map[string]string{
		"encoded words":              html + "Content-Location: " + strings.Repeat("=?a?b?xxxx", n/10) + "?=" + body,
		"encoded words in a type":    `Content-Type: text/html; a="` + strings.Repeat("=?a?b?xxxx", n/10) + `?="` + body,
		"encoded words, many fields": html + strings.Repeat("Base: "+strings.Repeat("=?a?b?xxxx", 200)+"?=\n", n/2000) + "X: y" + body,
		"parameters":                 "Content-Type: text/html" + strings.Repeat("; a=b", n/5) + body,
		"continued parameters":       "Content-Type: text/html" + strings.Repeat("; a*0=b", n/7) + body,
		"parameters with spaces":     "Content-Type: text/html; \xff" + strings.Repeat("; charset  ", n/11) + body,
		"comments":                   "Content-Type: " + strings.Repeat("(", n) + body,
		"quotes":                     "Content-Type: text/html; a=" + strings.Repeat(`"\`, n/2) + body,
		"folded lines":               html + "Content-Location: x" + strings.Repeat("\n y", n/3) + body,
		"fields":                     html + strings.Repeat("Base: x\n", n/8) + "X: y" + body,
		"fields of any name":         html + strings.Repeat("X:\n", n/3) + "X: y" + body,
		"a name":                     html + strings.Repeat("x", n-100) + ": y" + body,

		"parts":          "Content-Type: multipart/related; boundary=b\n\n" + strings.Repeat("--b\n"+html+"Content-Location: p"+body+"\n", n/20),
		"boundaries":     multiparts + "\n" + strings.Repeat("--b\n", n/10),
		"long ones":      multiparts + "\n" + strings.Repeat("--b"+strings.Repeat("1", 90)+"\n", n/100),
		"empty entities": multiparts + "\n" + strings.Repeat("--b98\n\n", n/10),
	} {
		t.Run(name, func(t *testing.T) {
			soak.Sample(t, 4)
			if _, err := (&Rewriter{MaxHeader: 2 * n}).Rewrite(io.Discard, strings.NewReader(in), mustParse(t, "http://h/", resolver.RFC1808)); err != nil {
				t.Fatal(err)
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
