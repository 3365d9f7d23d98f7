package mail

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"net/textproto"
	"os/exec"
	"strings"
	"testing"

	"github.com/emersion/go-message"

	"absolink/rewriter"
)

// page1 and page2 are HTML that libraries write into messages. want1 and want2 are what
// they have to read once the messages are rewritten.
const (
	page1 = "<!DOCTYPE html>\r\n<title>caf\u00e9</title>\r\n<p>A line that is longer than may be in mail, so that libraries break it, <a href=\"x?a=1&amp;b=2\">here</a> or there.</p>\r\n<img src=\"cid:picture@h\"><img src='picture.gif'>\r\n"
	want1 = "<!DOCTYPE html>\r\n<title>caf\u00e9</title>\r\n<p>A line that is longer than may be in mail, so that libraries break it, <a href=\"http://h/a/x?a=1&amp;b=2\">here</a> or there.</p>\r\n<img src=\"cid:picture@h\"><img src='picture.gif'>\r\n"
	page2 = "<a href=y>forwarded</a>\r\n"
	want2 = "<a href=http://h/c/y>forwarded</a>\r\n"
)

// checkMessage rewrites a message that one library has written, and reads the result with
// another. The HTML has to be as wanted, and everything else as it was.
func checkMessage(t *testing.T, in string) {
	t.Helper()
	got := rewrite(t, &Rewriter{Attachments: true}, strings.NewReader(in), nil)
	if len(got.warnings) > 0 || got.result.Rewritten != 2 || len(got.docs) != 2 {
		t.Errorf("%+v in %d documents, %q", got.result, len(got.docs), got.warnings)
	}
	before, after := leaves(t, in), leaves(t, got.out)
	if len(before) != len(after) || len(before) < 4 {
		t.Fatalf("%d parts became %d", len(before), len(after))
	}
	for i := range before {
		want := strings.NewReplacer(page1, want1, strings.TrimSpace(page2), strings.TrimSpace(want2)).Replace(before[i])
		if after[i] != want {
			t.Errorf("part %d is\n%q\nwant\n%q", i, after[i], want)
		}
	}
	for _, line := range strings.Split(got.out, "\r\n") {
		if len(line) > 76 && !strings.HasPrefix(line, "Content-Type:") && !strings.Contains(in, "8bit") {
			t.Errorf("line %q", line)
		}
	}
	stays := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error { p.URL = ""; return nil }})
	if got := rewrite(t, &Rewriter{HTML: stays}, strings.NewReader(in), nil); got.out != in {
		t.Errorf("nothing is to change, and does")
	}
}

// leaves returns the contents of the parts of a message, decoded by go-message.
func leaves(t *testing.T, in string) (parts []string) {
	t.Helper()
	var walk func(r io.Reader)
	walk = func(r io.Reader) {
		e, err := message.Read(r)
		if err != nil && !message.IsUnknownCharset(err) {
			t.Fatal(err)
		}
		err = e.Walk(func(path []int, part *message.Entity, err error) error {
			kind, _, _ := part.Header.ContentType()
			switch {
			case err != nil && !message.IsUnknownCharset(err):
				return err
			case kind == "message/rfc822":
				walk(part.Body)
			case !strings.HasPrefix(kind, "multipart/"):
				b, err := io.ReadAll(part.Body)
				parts = append(parts, kind+" "+part.Header.Get("Content-Location")+": "+string(b))
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	walk(strings.NewReader(in))
	return parts
}

// Messages that mime/multipart writes.
func TestStandardLibrary(t *testing.T) {
	for encoding, encode := range map[string]func(string) string{
		"quoted-printable": quoted,
		"base64":           func(s string) string { return inBase64(s, 76, "\r\n") },
		"8bit":             func(s string) string { return s },
	} {
		t.Run(encoding, func(t *testing.T) {
			var b, inner bytes.Buffer
			part := func(w *multipart.Writer, text string, pairs ...string) {
				h := textproto.MIMEHeader{}
				for i := 0; i < len(pairs); i += 2 {
					h.Add(pairs[i], pairs[i+1])
				}
				p, err := w.CreatePart(h)
				if err == nil {
					_, err = io.WriteString(p, text)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			w, related := multipart.NewWriter(&b), multipart.NewWriter(&inner)
			part(related, encode(page1), "Content-Type", "text/html; charset=utf-8", "Content-Transfer-Encoding", encoding)
			part(related, "GIF", "Content-Type", "image/gif", "Content-Id", "<picture@h>", "Content-Location", "picture.gif")
			related.Close()
			from := netmail.Address{Name: "caf\u00e9", Address: "a@b"}
			fmt.Fprintf(&b, "From: %s\r\nSubject: %s\r\nMime-Version: 1.0\r\nBase: <URL: http://h/a/ >\r\nContent-Type: %s\r\n\r\n", from.String(), mime.QEncoding.Encode("utf-8", "caf\u00e9"),
				mime.FormatMediaType("multipart/mixed", map[string]string{"boundary": w.Boundary()}))
			part(w, "<a href=x>", "Content-Type", "text/plain")
			part(w, inner.String(), "Content-Type", mime.FormatMediaType("multipart/related", map[string]string{"boundary": related.Boundary()}))
			part(w, "Content-Type: text/html\r\nContent-Location: ../c/d\r\n\r\n"+page2, "Content-Type", "message/rfc822")
			w.Close()
			checkMessage(t, b.String())
		})
	}
}

// Messages that Python's email package writes, with its policy for mail.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3, whose email package is to write messages")
	}
	for _, encoding := range []string{"quoted-printable", "base64", "8bit"} {
		t.Run(encoding, func(t *testing.T) {
			cmd := exec.Command(python, "-c", pythonScript, encoding)
			cmd.Stdin = strings.NewReader(strings.ReplaceAll(page1, "\r\n", "\n"))
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, stderr.String())
			}
			checkMessage(t, string(out))
		})
	}
}

const pythonScript = `
import sys
from email.message import EmailMessage
from email.policy import SMTP
html = sys.stdin.buffer.read().decode()
m = EmailMessage(policy=SMTP)
m["Subject"] = "caf\u00e9"
m["Base"] = "<URL:http://h/a/>"
m.set_content("<a href=x>")
m.add_alternative(html, subtype="html", cte=sys.argv[1])
m.get_payload()[1].add_related(b"GIF", "image", "gif", cid="<picture@h>", headers=["Content-Location: picture.gif"])
forwarded = EmailMessage(policy=SMTP)
forwarded.set_content("<a href=y>forwarded</a>\n", subtype="html", cte="7bit")
forwarded["Content-Location"] = "../c/d"
m.add_attachment(forwarded)
sys.stdout.buffer.write(m.as_bytes())
`
