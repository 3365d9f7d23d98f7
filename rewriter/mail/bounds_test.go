package mail

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/internal/passage"
	"absolink/resolver"
	"absolink/rewriter"
)

// Where reading fails within a document, what was read of it counts, and End is told.
func TestErrorInDocument(t *testing.T) {
	in := "Content-Type: text/html\n\n<a href=x>" + strings.Repeat("<p>", 100_000)
	ended := 0
	r := &Rewriter{HTML: new(rewriter.Rewriter).With(rewriter.Hooks{End: func(d *rewriter.Document) { ended += d.Result.Rewritten }})}
	src := io.MultiReader(strings.NewReader(in), iotest.ErrReader(errors.New("broken")))
	result, err := r.Rewrite(io.Discard, src, mustParse(t, "http://h/a/b", resolver.RFC1808))
	if err == nil || result.Rewritten != 1 || ended != 1 {
		t.Errorf("%+v, %v; End has %d", result, err, ended)
	}
}

// What is written before reading fails for the second time is a prefix of the whole output.
func TestSecondReadFails(t *testing.T) {
	in := "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<a href=x>\n--b\n\ny\n--b--\n"
	outer := mustParse(t, "http://h/a/b", resolver.RFC1808)
	whole := rewrite(t, &Rewriter{}, strings.NewReader(in), outer).out
	broken := errors.New("broken")
	for n := range len(in) {
		var out bytes.Buffer
		_, err := new(Rewriter).Rewrite(&out, &failingSeeker{Reader: strings.NewReader(in), n: n, err: broken}, outer)
		var e *rewriter.Error
		if !errors.As(err, &e) || e.Op != "read" || e.Err != broken || e.Offset != int64(n) || !strings.HasPrefix(whole, out.String()) {
			t.Fatalf("reading fails at %d: %v, %q", n, err, &out)
		}
	}
}

// A failingSeeker fails at byte n when it is read for the second time.
type failingSeeker struct {
	*strings.Reader
	n    int
	err  error
	left int
	back bool
}

func (s *failingSeeker) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		s.back, s.left = true, s.n
	}
	return s.Reader.Seek(offset, whence)
}

func (s *failingSeeker) Read(p []byte) (int, error) {
	if !s.back {
		return s.Reader.Read(p)
	}
	if s.left == 0 {
		return 0, s.err
	}
	n, err := s.Reader.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}

func TestIs(t *testing.T) {
	for _, tt := range []struct {
		start, name string
		want        bool
	}{
		{"From: <Saved by Blink>\r\nSnapshot-Content-Location: http://h/\r\n", "page.html", true},
		{"Return-Path: <a@b>\nX-Unknown:\n folded\n\n<html>", "", true},
		{"From a@b Mon Jan  1 00:00:00 2001\nSubject: s\n", "inbox", true},
		{"Content-Type: text/html\nX-Long: " + strings.Repeat("x", 4000), "", true},
		{"From here to there\n", "x", false},
		{"Subject: notes\n\ntext", "notes.txt", false},
		{"Subject: notes\n\ntext", "notes.eml", true},
		{"X-A: b\n", "A.MHTML", true},
		{"", "a.mbox", true},
		{"", "a.html", false},
		{"<!DOCTYPE html>\nDate: x\n", "a.eml", false},
		{"\ufeff\n <p>", "a.mht", false},
		{"\xd0\xcf\x11\xe0\x00\x00", "a.eml", false},
		{"HTTP/1.1 200 OK\r\nDate: x\r\n\r\n", "x", false},
	} {
		if got := Is([]byte(tt.start), tt.name); got != tt.want {
			t.Errorf("Is(%q, %q) is %v", tt.start, tt.name, got)
		}
	}
}

// Time is linear: however long a text is, each place in it takes the same time. The test
// counts the bytes that are looked at, since a clock says little on a busy machine.
func TestLinear(t *testing.T) {
	const n = 100000
	for _, encoding := range []string{"8bit", "quoted-printable", "base64"} {
		body := strings.Repeat("url(a)", n)
		if encoding == "base64" {
			body = inBase64(body, 76, "\n")
		}
		c, splicer := codingOf(encoding)
		looked := 0 // the bytes of each unit, and all of raw where raw does not hold a whole unit
		decode := c.unit
		c.unit = func(raw []byte, final bool) unit {
			u := decode(raw, final)
			if looked += u.raw; u.raw == 0 {
				looked += len(raw)
			}
			return u
		}
		w := &walk{}
		q := newQueue(&input{Input: passage.Input{Src: strings.NewReader(body)}, out: &w.out}, c, 1<<30)
		if text, err := io.ReadAll(q); err != nil || len(text) != 6*n {
			t.Fatal(err)
		}
		s := splicer(splice{walk: w, queue: q, eol: "\n"})
		for i := range int64(n) {
			q.at(6*i + 4)
			s.Keep(6*i + 4)
			s.Replace(6*i+5, []byte("b"))
		}
		if looked > 1000*len(body) {
			t.Errorf("%s: %d bytes looked at for each", encoding, looked/len(body))
		}
	}
}
