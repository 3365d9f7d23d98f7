package mail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/internal/passage"
	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
)

// Memory is bounded whatever the input, and Warn is told which limit was reached.
func TestMemory(t *testing.T) {
	const megabyte = 1 << 20
	const multipart = "Content-Type: multipart/mixed; boundary=b\n\n--b\n"
	const after = "\n--b\nContent-Type: text/html\n\n<a href=x>\n--b--"
	var nested strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&nested, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	nested.WriteString("Content-Type: text/html\n\n<a href=x>\n")
	for i := range 10000 {
		fmt.Fprintf(&nested, "--b%d--\n", 9999-i)
	}
	for _, tt := range []struct {
		name       string
		head, body string
		n          int
		tail       string
		bound      int
		end        string // of what is written
		warning    string // the first
	}{
		{"header of 100 MiB", "X: ", "y", 100 * megabyte, "\n\n<a href=x>", 8 * megabyte, "<a href=x>", "0: " + errMaxHeader(0).Error()},
		{"header of 100 MiB in lines", "X: ", "y\n z", 100 * megabyte, "\n\n<a href=x>", 8 * megabyte, "<a href=x>", "0: " + errMaxHeader(0).Error()},
		{"header of 100 MiB in fields", "", "Base: http://h/\n", 100 * megabyte, "\n\n<a href=x>", 8 * megabyte, "<a href=x>", "0: " + errMaxHeader(0).Error()},
		{"header of 100 MiB in a part", multipart, "X: y\n z\n", 100 * megabyte, after, 48 * megabyte, "<a href=http://h/a/x>\n--b--", "47: " + errMaxHeader(0).Error()},
		{"header of an mbox file", "From a@b Mon Jan  1 00:00:00 2001\nX: ", "y", 2 * megabyte, "\n\nFrom a@b Mon Jan  1 00:00:00 2001\nContent-Type: text/html\n\n<a href=x>", 8 * megabyte, "<a href=http://h/a/x>", "0: " + errMaxHeader(0).Error()},
		{"10,000 multiparts", nested.String(), "", 0, "", 8 * megabyte, "\n--b0--\n", "5080: " + errMaxDepth(0).Error()},
		{"messages in messages", "", "Content-Type: message/rfc822\n\n", 20 * megabyte, "", 48 * megabyte, "", "3000: " + errMaxDepth(0).Error()},
		{"parts", multipart, "\n\n--b\n", 20 * megabyte, "x" + after, 48 * megabyte, "<a href=http://h/a/x>\n--b--", ""},
		{"hyphens", multipart, "\n--", 20 * megabyte, after, 48 * megabyte, "<a href=http://h/a/x>\n--b--", ""},
		{"a line", multipart, "--b ", 20 * megabyte, after, 48 * megabyte, "<a href=http://h/a/x>\n--b--", ""},
		{"text", "Content-Type: text/html\n\n", "<a href=x>text</a>", 20 * megabyte / 18 * 18, "<a href=x>", 8 * megabyte, "<a href=http://h/a/x>", ""},
		{"quoted-printable", "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n", "<a href=3Dx>=\n=\n", 20 * megabyte / 16 * 16, "<a href=3Dx>", 8 * megabyte, "<a href=3Dhttp://h/a/x>", ""},
		{"soft breaks", "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<a", "=\n", 20 * megabyte, "<a href=3Dx>", 48 * megabyte, "<a href=3Dx>", ""},
		{"base64", "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n", "PGEgaHJlZj14Pgpm\n", 20 * megabyte / 17 * 17, "", 8 * megabyte, "", ""},
		{"white space in base64", "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGEg", " ", 20 * megabyte, "aHJlZj14Pgpm", 100 * megabyte, "", ""},
		{"names", multipart, "Content-Location: http://h/a/y\n\n\n--b\n", 20 * megabyte / 37 * 37, "\n" + after, 48 * megabyte, "<a href=http://h/a/x>\n--b--", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			soak.Sample(t, 4)
			before := testio.Heap()
			src := &testio.HeapReader{Every: 16 * megabyte, Reader: io.MultiReader(strings.NewReader(tt.head), testio.Repeat(tt.body, tt.n), strings.NewReader(tt.tail))}
			var warnings []string
			r := &Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Hold: megabyte})).With(rewriter.Hooks{Warn: func(offset int64, err error) { warnings = append(warnings, fmt.Sprintf("%d: %v", offset, err)) }})}
			dst := &testio.TailWriter{}
			if _, err := r.Rewrite(dst, src, mustParse(t, "http://h/a/b", resolver.RFC1808)); err != nil {
				t.Fatal(err)
			}
			if used := src.Most - before; used > int64(tt.bound) {
				t.Errorf("%d bytes in use", used)
			}
			if !strings.HasSuffix(string(dst.Tail), tt.end) {
				t.Errorf("the output ends in %q", dst.Tail)
			}
			if dst.N < src.N {
				t.Errorf("%d bytes written of %d", dst.N, src.N)
			}
			if tt.warning != "" && (len(warnings) == 0 || warnings[0] != tt.warning) || len(warnings) > 10 {
				t.Errorf("warnings: %.500q", warnings)
			}
		})
	}
}

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
