package mail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/internal/test/soak"
	"absolink/resolver"
	"absolink/rewriter"
)

var errRead = errors.New("reading fails")

// A seekFault is a source that can be read twice, and fails at its end each time.
type seekFault struct{ *strings.Reader }

func (r seekFault) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		err = errRead
	}
	return n, err
}

// faults are the sources that give s and then fail.
var faults = map[string]func(s string) io.Reader{
	"pipe": func(s string) io.Reader { return io.MultiReader(strings.NewReader(s), iotest.ErrReader(errRead)) },
	"fault with the bytes": func(s string) io.Reader {
		return iotest.DataErrReader(io.MultiReader(strings.NewReader(s), iotest.ErrReader(errRead)))
	},
	"file": func(s string) io.Reader { return seekFault{strings.NewReader(s)} },
}

// cut rewrites the first at bytes of in from each source that fails then, and gives f what is
// written, which is a prefix of want. The error says where reading failed.
func cut(t *testing.T, in string, at int, want string, f func(out string)) {
	t.Helper()
	for name, src := range faults {
		var out bytes.Buffer
		_, err := new(Rewriter).Rewrite(&out, src(in[:at]), mustParse(t, "http://h/a/b", resolver.RFC1808))
		var e *rewriter.Error
		if !errors.As(err, &e) || e.Op != "read" || e.Offset != int64(at) || !errors.Is(err, errRead) {
			t.Errorf("%s, cut at %d: %v", name, at, err)
		}
		if !strings.HasPrefix(want, out.String()) {
			t.Errorf("%s, cut at %d: %q is no prefix of\n%q", name, at, out.String(), want)
		}
		f(out.String())
	}
}

const envelope = "From a@b Mon Jan  1 00:00:00 2001\n"

// Where reading fails, everything is written that does not depend on what is missing. That
// includes all whole messages, and those parts of the last one that have no reference to what
// may be the name of a missing part.
func TestReadFails(t *testing.T) {
	const html = "Content-Type: text/html\n"
	long := strings.Repeat("<p>text</p>\n", 1000)
	letter := envelope + html + "\n<a href=x>\n\n"
	related := envelope + page("", "<img src=x>", "Content-Location: http://h/a/x\n") + "\n"
	for name, tt := range map[string]struct {
		in      string
		missing int    // how many bytes of in
		from    string // where in the output the first byte may be that is not written; the last such place counts
	}{
		"mbox":                    {strings.Repeat(letter, soak.N(10_000)), 20, envelope},
		"small mbox":              {strings.Repeat(letter, 2), 20, envelope},
		"parts in an mbox":        {strings.Repeat(related, 1000), 20, "<img src=x"}, // whose name was not read
		"text in an mbox":         {strings.Repeat(letter, 1000) + envelope + "\n" + long, 20, ""},
		"letter after parts":      {strings.Repeat(related, 1000) + envelope + html + "\n" + long + "<a href=x>", 1, "<a href=http://h/a/x"},
		"MHTML":                   {page("", "<a href=http://x/>"+long+"<img src=x>", ""), 20, "<a href=http://x/"},
		"MHTML with known parts":  {page("", "<img src=x>", "Content-Location: http://h/a/x\n\n--b\n\n"+long), 20, "<a href=http"},
		"8bit":                    {html + "Content-Transfer-Encoding: 8bit\n\n" + long + "<a href=x>", 1, "<a href=http"},
		"quoted-printable":        {html + "Content-Transfer-Encoding: quoted-printable\n\n" + long + "<a href=3Dx>", 1, "<a href=3Dhttp"},
		"attachment":              {"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + html + "\n<a href=http://x/>\n--b\n\n" + long + "--b--\n", 20, ""},
		"part of the same letter": {"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + html + "\n<a href=x>\n--b\n\n" + long + "--b--\n", 20, "<a href=http"},
	} {
		t.Run(name, func(t *testing.T) {
			want := rewrite(t, &Rewriter{}, strings.NewReader(tt.in), mustParse(t, "http://h/a/b", resolver.RFC1808)).out
			least := len(want) - tt.missing
			if tt.from != "" {
				least = strings.LastIndex(want, tt.from)
			}
			cut(t, tt.in, len(tt.in)-tt.missing, want, func(out string) {
				if len(out) < least {
					t.Errorf("%d bytes are written of %d, fewer than %d", len(out), len(want), least)
				}
			})
		})
	}
}

// What is written before a fault is what a whole run writes, wherever the fault is: in a name,
// in a line that is no delimiter, or before a signature.
func TestReadFailsAnywhere(t *testing.T) {
	const html = "Content-Type: text/html\n\n"
	for name, in := range map[string]string{
		"name":                  page("", "<img src=x><img src=xy>", "Content-Location: http://h/a/xy\n"),
		"second name":           page("", "<img src=p><img src=x>", "Content-Location: http://h/a/p\n"),
		"line like a delimiter": "Content-Type: multipart/mixed; boundary=\"b>\"\n\n--b>\n" + html + "<a href=x\n--b>c\n--b>\n\n--b>--\n",
		"line like an envelope": envelope + html + "<a href='x\n\nFrom a@b 00:00:00 2001c'>\n\n" + envelope + "\n",
		"envelope":              "From a@b 00:00:00 2001c\n\n" + html + "<a href=x>\n\n" + envelope + html + "<a href=x>",
		"signature":             html + "<a href=x>\n-----BEGIN PGP SIGNED MESSAGE-----\n",
		"type":                  "Content-Type: text/html; charset=utf-16be\n\n\x00<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00x\x00>",
		"base64":                "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGEgaHJlZj14Pg==\nPGEgaHJlZj14Pg==\n",
		"base64 in parts":       "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGEgaHJlZj0vPg==\n--b--c\n--b--\n",
	} {
		t.Run(name, func(t *testing.T) {
			for form, in := range map[string]string{"LF": in, "CRLF": crlf(in)} {
				want := rewrite(t, &Rewriter{}, strings.NewReader(in), mustParse(t, "http://h/a/b", resolver.RFC1808)).out
				for at := range len(in) {
					cut(t, in, at, want, func(string) {})
				}
				if t.Failed() {
					t.Fatal(fmt.Sprint("in ", form))
				}
			}
		})
	}
}
