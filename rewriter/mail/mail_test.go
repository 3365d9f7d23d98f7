package mail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// crlf returns a message with CRLF in place of its line feeds.
func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

func mustParse(t testing.TB, url string, p resolver.Profile) *resolver.Base {
	t.Helper()
	if url == "" {
		return nil
	}
	b, err := resolver.ParseBase(url, p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A run is everything that rewriting one message gives.
type run struct {
	out      string
	result   rewriter.Result
	docs     []rewriter.Document
	places   []rewriter.Place
	warnings []string
}

// rewrite runs r. It sets the hooks, and calls Visit of those that r had.
func rewrite(t testing.TB, r *Rewriter, src io.Reader, outer *resolver.Base) (got run) {
	t.Helper()
	var document *rewriter.Document
	visit := r.HTML.Hooks().Visit
	in := func(p *rewriter.Place) {
		if p.Document != document {
			t.Errorf("%s at %d is in %+v, not in %+v", p.Ref, p.Offset, p.Document, document)
		}
	}
	all := func(p *rewriter.Place) error {
		if visit != nil {
			if err := visit(p); err != nil {
				return err
			}
		}
		in(p)
		place := *p
		place.Document = nil // each run has another
		got.places = append(got.places, place)
		return nil
	}
	r.HTML = r.HTML.With(rewriter.Hooks{
		Begin: func(d *rewriter.Document) { document = d },
		End: func(d *rewriter.Document) {
			if got.docs = append(got.docs, *d); d != document {
				t.Errorf("%+v ends, which is not the one that began", d)
			}
		},
		Visit:        all,
		Unresolvable: in,
		Warn: func(offset int64, err error) {
			got.warnings = append(got.warnings, fmt.Sprintf("%d: %v", offset, err))
		},
	})
	var out bytes.Buffer
	var err error
	if got.result, err = r.Rewrite(&out, src, outer); err != nil {
		t.Fatal(err)
	}
	got.out = out.String()
	return got
}

// What each message becomes, and what Warn is told. "" as want stands for the same message.
// Offsets in warnings are offsets in the message with bare line feeds.
func TestMessages(t *testing.T) {
	const html = "Content-Type: text/html\n\n"
	const done = "<a href=http://h/a/x>"
	for _, tt := range []struct{ name, in, want, warnings string }{
		{"html", html + "<a href=x>\n", html + done + "\n", ""},
		{"xhtml", "content-TYPE : application/XHTML+xml; charset=utf-8\n\n<a href='x'/>", "content-TYPE : application/XHTML+xml; charset=utf-8\n\n<a href='http://h/a/x'/>", ""},
		{"text", "Content-Type: text/plain\n\n<a href=x>", "", ""},
		{"no type", "Subject: <a href=x>\n\n<a href=x>", "", ""},
		{"empty", "", "", ""},
		{"folded type", "Content-Type:\n text/html\n ; charset=us-ascii\n\n<a href=x>", "Content-Type:\n text/html\n ; charset=us-ascii\n\n" + done, ""},
		{"comment in encoding", "Content-Type: text/html\nContent-Transfer-Encoding: 8BIT (eight)\n\n<a href=x>", "Content-Type: text/html\nContent-Transfer-Encoding: 8BIT (eight)\n\n" + done, ""},

		{"multipart", "Content-Type: multipart/mixed; boundary=b\n\n<a href=x>\n--b\n" + html + "<a href=x>\n--b\n\n<a href=x>\n--b--\n<a href=x>\n",
			"Content-Type: multipart/mixed; boundary=b\n\n<a href=x>\n--b\n" + html + done + "\n--b\n\n<a href=x>\n--b--\n<a href=x>\n", ""},
		{"nested", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/alternative; boundary=bb\n\n--bb\n" + html + "<a href=x>\n--bb--\n--b\n" + html + "<a href=x>\n--b--",
			"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/alternative; boundary=bb\n\n--bb\n" + html + done + "\n--bb--\n--b\n" + html + done + "\n--b--", ""},
		{"nested, the other prefix", "Content-Type: multipart/mixed; boundary=bb\n\n--bb\nContent-Type: multipart/alternative; boundary=b\n\n--b\n" + html + "<a href=x>\n--b--\n--bb\n" + html + "<a href=x>\n--bb--",
			"Content-Type: multipart/mixed; boundary=bb\n\n--bb\nContent-Type: multipart/alternative; boundary=b\n\n--b\n" + html + done + "\n--b--\n--bb\n" + html + done + "\n--bb--", ""},
		{"the same boundary inside", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n" + html + "<a href=x>\n--b--\n--b\n" + html + "<a href=x>\n--b--",
			"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n" + html + done + "\n--b--\n--b\n" + html + done + "\n--b--", ""},
		{"quoted boundary, white space after it", "Content-Type: multipart/mixed; boundary=\"b c:\"\n\n--b c: \t\n" + html + "<a href=x>\n--b c:-- \n",
			"Content-Type: multipart/mixed; boundary=\"b c:\"\n\n--b c: \t\n" + html + done + "\n--b c:-- \n", ""},
		{"boundary of RFC 2231", "Content-Type: multipart/mixed; boundary*0=b; boundary*1*=%63\n\n--bc\n" + html + "<a href=x>\n--bc--\n",
			"Content-Type: multipart/mixed; boundary*0=b; boundary*1*=%63\n\n--bc\n" + html + done + "\n--bc--\n", ""},
		{"boundary that had to be quoted", "Content-Type: multipart/mixed; boundary=b=/c; type=text/html\n\n--b=/c\n" + html + "<a href=x>\n--b=/c--\n",
			"Content-Type: multipart/mixed; boundary=b=/c; type=text/html\n\n--b=/c\n" + html + done + "\n--b=/c--\n", ""},
		{"type with bytes that are no text", "Content-Type: multipart/mixed; a=\xff\xff\xff; Boundary = b c; d\n\n--b\n" + html + "<a href=x>\n--b--\n",
			"Content-Type: multipart/mixed; a=\xff\xff\xff; Boundary = b c; d\n\n--b\n" + html + done + "\n--b--\n", ""},
		{"no boundary", "Content-Type: multipart/mixed\n\n--b\n" + html + "<a href=x>\n--b--", "", "0: multipart without a boundary; it stays as it is"},
		{"never closed", "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + html + "<a href=x>\n", "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + html + done + "\n", "0: the multipart has no closing boundary"},
		{"closed by the outer", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n" + html + "<a href=x>\n--b\n" + html + "<a href=x>\n--b--",
			"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n" + html + done + "\n--b\n" + html + done + "\n--b--", "47: the multipart has no closing boundary"},
		{"no part", "Content-Type: multipart/mixed; boundary=b\n\n<a href=x>", "", "0: the multipart has no closing boundary"},
		{"cut in a header", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Ty", "", "47: no empty line ends the header; the first line that is not a field begins the body\n0: the multipart has no closing boundary"},
		{"part without a header", "Content-Type: multipart/mixed; boundary=b\n\n--b\n--b\n\n--b\n" + html + "<a href=x>\n--b--", "Content-Type: multipart/mixed; boundary=b\n\n--b\n--b\n\n--b\n" + html + done + "\n--b--", ""},
		{"no empty line", "Content-Type: text/html\n<a href=x>\n", "Content-Type: text/html\n" + done + "\n", "24: no empty line ends the header; the first line that is not a field begins the body"},
		{"no message", "<a href=x>\n", "", "0: no empty line ends the header; the first line that is not a field begins the body"},
		{"a multipart of HTML alone", "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + html + "--b--", "", ""},

		{"message", "Content-Type: message/rfc822\n\nSubject: s\nContent-Type: text/html\n\n<a href=x>", "Content-Type: message/rfc822\n\nSubject: s\nContent-Type: text/html\n\n" + done, ""},
		{"digest", "Content-Type: multipart/digest; boundary=b\n\n--b\n\n" + html + "<a href=x>\n--b\nContent-Type: text/plain\n\n<a href=x>\n--b--",
			"Content-Type: multipart/digest; boundary=b\n\n--b\n\n" + html + done + "\n--b\nContent-Type: text/plain\n\n<a href=x>\n--b--", ""},
		{"message of news", "Content-Type: message/news\n\nNewsgroups: a.b\nContent-Type: text/html\n\n<a href=x>", "Content-Type: message/news\n\nNewsgroups: a.b\nContent-Type: text/html\n\n" + done, ""},
		{"message of HTTP", "Content-Type: message/http\n\nHTTP/1.1 200 OK\nContent-Type: text/html\n\n<a href=x>", "Content-Type: message/http\n\nHTTP/1.1 200 OK\nContent-Type: text/html\n\n" + done, ""},
		{"message of HTTP, a request", "Content-Type: message/http\n\nPOST http://h/ HTTP/1.1\nContent-Type: text/html\n\n<a href=x>", "Content-Type: message/http\n\nPOST http://h/ HTTP/1.1\nContent-Type: text/html\n\n" + done, ""},
		{"message of HTTP without a start line", "Content-Type: message/http\n\nContent-Type: text/html\n\n<a href=x>", "Content-Type: message/http\n\nContent-Type: text/html\n\n" + done, ""},
		{"message of HTTP in gzip", "Content-Type: message/http\n\nHTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: GZIP\n\n<a href=x>", "", "28: HTML in the Content-Encoding \"GZIP\"; it stays as it is"},
		{"message of HTTP in chunks", "Content-Type: message/http\n\nHTTP/1.1 200 OK\nContent-Type: text/html\nTransfer-Encoding: chunked\nContent-Encoding: identity\n\n<a href=x>", "", "28: HTML in the Transfer-Encoding \"chunked\"; it stays as it is"},
		{"multipart in HTTP", "Content-Type: message/http\n\nHTTP/1.1 200 OK\nContent-Type: multipart/mixed; boundary=b\n\n--b\nHTTP/1.1 is text\n<a href=x>\n--b--\n", "", "91: no empty line ends the header; the first line that is not a field begins the body"},
		{"coding outside of HTTP", "Content-Type: text/html\nContent-Encoding: 8bit\n\n<a href=x>", "Content-Type: text/html\nContent-Encoding: 8bit\n\n" + done, ""},
		{"other messages", "Content-Type: message/partial; id=1\n\nContent-Type: text/html\n\n<a href=x>", "", ""},
		{"message in base64", "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" + html + "<a href=x>", "", "0: a message in a transfer encoding, which RFC 2046 §5.2.1 forbids; it stays as it is"},

		{"signed", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/signed; boundary=s\n\n--s\n" + html + "<a href=x>\n--s--\n--b\n" + html + "<a href=x>\n--b--",
			"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/signed; boundary=s\n\n--s\n" + html + "<a href=x>\n--s--\n--b\n" + html + done + "\n--b--", "47: multipart/signed: a change would break its signature; it stays as it is"},
		{"encrypted", "Content-Type: multipart/encrypted; boundary=s\n\n--s\n" + html + "<a href=x>\n--s--\n", "", "0: multipart/encrypted: it is encrypted, or signed as a whole; it stays as it is"},
		{"S/MIME", "Content-Type: application/pkcs7-mime\n\n<a href=x>", "", "0: application/pkcs7-mime: it is encrypted, or signed as a whole; it stays as it is"},
		{"PGP inside", html + "<pre>-----BEGIN PGP SIGNED MESSAGE-----\n<a href=x>", "", "0: it has a signature, or is encrypted, by PGP inside; a change would break it, so it stays as it is"},
		{"uuencode", "Content-Type: text/html\nContent-Transfer-Encoding: x-uuencode\n\nbegin 644 <a href=x>\nend\n", "", "0: HTML in the unknown transfer encoding \"x-uuencode\"; it stays as it is"},
		{"what fits no longer", "DKIM-Signature: v=1\nContent-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==\nLines: 1\n" + html + "<a href=x>", "DKIM-Signature: v=1\nContent-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==\nLines: 1\n" + html + done,
			"20: Content-MD5 no longer fits: what it speaks of has changed\n58: Lines no longer fits: what it speaks of has changed\n0: DKIM-Signature no longer fits: what it speaks of has changed"},
		{"what still fits", "DKIM-Signature: v=1\n" + html + "<a href=http://x/>", "", ""},

		{"mbox", "From a@b Mon Jan  1 00:00:00 2001\n" + html + "<a href=x>\n>From <a href=x>\nFrom <a href=x>\n\nFrom here <a href=x>\n\nFrom a@b Mon Jan  1 00:00:00 2001 +0000\n\n<a href=x>\n\nFrom a@b Mon Jan  1 00:00:00 2001\n" + html + "<a href=x>\n",
			"From a@b Mon Jan  1 00:00:00 2001\n" + html + done + "\n>From " + done + "\nFrom " + done + "\n\nFrom here " + done + "\n\nFrom a@b Mon Jan  1 00:00:00 2001 +0000\n\n<a href=x>\n\nFrom a@b Mon Jan  1 00:00:00 2001\n" + html + done + "\n", ""},
		{"mbox, not closed", "From a@b Mon Jan  1 00:00:00 2001\nContent-Type: multipart/mixed; boundary=b\n\n--b\n" + html + "<a href=x>\n\nFrom a@b Mon Jan  1 00:00:00 2001\n" + html + "<a href=x>\n",
			"From a@b Mon Jan  1 00:00:00 2001\nContent-Type: multipart/mixed; boundary=b\n\n--b\n" + html + done + "\n\nFrom a@b Mon Jan  1 00:00:00 2001\n" + html + done + "\n", "0: the multipart has no closing boundary"},
		{"no mbox", html + "<a href=x>\n\nFrom a@b Mon Jan  1 00:00:00 2001\n\n<a href=x>\n", html + done + "\n\nFrom a@b Mon Jan  1 00:00:00 2001\n\n" + done + "\n", ""},
		{"quoted envelope", ">From a@b Mon Jan  1 00:00:00 2001\n" + html + "<a href=x>", ">From a@b Mon Jan  1 00:00:00 2001\n" + html + done, ""},
		{"long line", html + "<p " + strings.Repeat("x", 974) + "><a href=x>\n<p>", html + "<p " + strings.Repeat("x", 974) + ">" + done + "\n<p>", "1011: a line becomes longer than the 998 characters that a 7bit or 8bit part may have; mail servers may refuse it"},
		{"a line as long as may be", html + "<p " + strings.Repeat("x", 973) + "><a href=x>\n<p>", html + "<p " + strings.Repeat("x", 973) + ">" + done + "\n<p>", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "" {
				tt.want = tt.in
			}
			for _, form := range []func(string) string{func(s string) string { return s }, crlf} {
				in := form(tt.in)
				got := rewrite(t, &Rewriter{}, strings.NewReader(in), mustParse(t, "http://h/a/b", resolver.RFC1808))
				if want := form(tt.want); got.out != want {
					t.Errorf("got\n%s\nwant\n%s", got.out, want)
				}
				if warnings := strings.Join(got.warnings, "\n"); in == tt.in && warnings != tt.warnings {
					t.Errorf("warnings\n%s\nwant\n%s", warnings, tt.warnings)
				}
				if got.result.Warnings != len(got.warnings) {
					t.Errorf("%d warnings counted, %d told", got.result.Warnings, len(got.warnings))
				}
			}
		})
	}
}

// Lines of one message may have different line ends.
func TestMixedLineEnds(t *testing.T) {
	in := "Content-Type: multipart/mixed; boundary=b\r\n\n--b\nContent-Type: text/html\r\n\r\n<a href=x>\n--b\r\nContent-Type: text/html\n\n<a href=x>\r\n--b--"
	got := rewrite(t, &Rewriter{}, strings.NewReader(in), mustParse(t, "http://h/", resolver.RFC1808))
	if want := strings.ReplaceAll(in, "=x>", "=http://h/x>"); got.out != want {
		t.Errorf("got\n%q\nwant\n%q", got.out, want)
	}
}

// A Rewriter that leaves references to parts alone has all hooks of the caller's.
func TestHooked(t *testing.T) {
	var hooks rewriter.Hooks
	v := reflect.ValueOf(&hooks).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Bool {
			f.SetBool(true)
		} else {
			f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value { return nil }))
		}
	}
	w := &walk{html: new(rewriter.Rewriter).With(hooks)}
	w.hook()
	hooked := reflect.ValueOf(w.html.Hooks())
	for i := range v.NumField() {
		if hooked.Field(i).IsZero() {
			t.Errorf("%s is lost", v.Type().Field(i).Name)
		}
	}
}

// A limit that Warn is told of comes with the name of its field, and its value.
func TestLimits(t *testing.T) {
	long := strings.Repeat("x", 400)
	for _, tt := range []struct {
		name, in string
		r        Rewriter
		field    string
		limit    int64
	}{
		{"MaxHeader", "X: " + long + "\n\n", Rewriter{MaxHeader: 300}, "MaxHeader", 300},
		{"MaxDepth", "Content-Type: message/rfc822\n\nContent-Type: message/rfc822\n\n", Rewriter{MaxDepth: 1}, "MaxDepth", 1},
		{"Hold", page("", long, "Content-Location: x\n"), Rewriter{Hold: 200}, "Hold", 200},
		{"Hold of HTML", "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<a" + strings.Repeat("=\n", 2<<20), Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Hold: 1000, MaxTag: 1000}))}, "Hold", 1000},
	} {
		var told []error
		tt.r.HTML = tt.r.HTML.With(rewriter.Hooks{Warn: func(_ int64, err error) { told = append(told, err) }})
		if _, err := tt.r.Rewrite(nil, struct{ io.Reader }{strings.NewReader(tt.in)}, nil); err != nil {
			t.Fatal(err)
		}
		var limit *rewriter.LimitError
		if len(told) != 1 || !errors.As(told[0], &limit) || limit.Field != tt.field || limit.Limit != tt.limit {
			t.Errorf("%s: %v, %+v", tt.name, told, limit)
		}
	}
}
