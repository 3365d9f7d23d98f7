package mail

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/resolver"
	"absolink/rewriter"
)

// page returns a message of several parts: with more fields in its header, an HTML part,
// and another part with its own header and HTML.
func page(header, html, part string) string {
	return "Content-Type: multipart/related; boundary=b\n" + header + "\n--b\nContent-Type: text/html\nContent-Location: http://h/a/p\n\n" + html + "\n--b\n" + part + "\n<a href=x>\n--b--\n"
}

// References to other parts stay as they are.
func TestParts(t *testing.T) {
	for _, tt := range []struct{ name, header, in, part, want string }{
		{"absolute", "", "<img src=x><img src=y>", "Content-Location: http://h/a/x\n", "<img src=x><img src=http://h/a/y>"},
		{"not the path alone", "", "<img src=x>", "Content-Location: http://h/b/x\n", "<img src=http://h/a/x>"},
		{"relative", "Content-Base: http://h/\n", "<img src=x>", "Content-Location: a/x\n", "<img src=x>"},
		{"relative to a base of its own", "", "<img src=x>", "Content-Base: http://h/c/\nContent-Location: ../a/x\n", "<img src=x>"},
		{"relative to a second base of its own", "", "<img src=x>", "Content-Base: <>\nContent-Base: http://h/c/\nContent-Location: ../a/x\n", "<img src=x>"},
		{"relative to nothing", "", "<img src=x>", "Content-Location: x\n", "<img src=x>"},
		{"absolute already", "", "<img src=http://h/a/x>", "Content-Location: http://h/a/x\n", "<img src=http://h/a/x>"},
		{"in a syntax", "", "<img srcset='x 1x, y 2x'><p style='a:url(x)'>", "Content-Location: http://h/a/x\n", "<img srcset='x 1x, http://h/a/y 2x'><p style='a:url(x)'>"},
		{"with a fragment", "", "<a href=x#f>", "Content-Location: http://h/a/x\n", "<a href=x#f>"},
		{"itself", "", "<a href=p><a href=#f>", "Content-Location: http://h/a/x\n", "<a href=http://h/a/p><a href=http://h/a/p#f>"},
		{"one of several", "", "<a href=x>", "Content-Location: http://h/a/x\n\n--b\nContent-Location: http://h/a/x\n", "<a href=x>"},
		{"BASE", "", "<base href=x><a href=y>", "Content-Location: http://h/a/x\n", "<base href=http://h/a/x><a href=http://h/a/y>"},
		{"Content-ID", "", "<img src=cid:x@y><img src='CID:z'>", "Content-ID: <x@y>\n", "<img src=cid:x@y><img src='CID:z'>"},
		{"in another message", "", "<img src=x>", "Content-Type: message/rfc822\n\nContent-Location: http://h/a/x\n", "<img src=http://h/a/x>"},
		{"of a multipart", "", "<img src=x>", "Content-Type: multipart/mixed; boundary=c\nContent-Location: http://h/a/x\n\n--c--\n", "<img src=http://h/a/x>"},
	} {
		for _, p := range []resolver.Profile{resolver.RFC1808, resolver.WHATWG} {
			for seeker, read := range map[bool]func(string) io.Reader{
				true:  func(s string) io.Reader { return strings.NewReader(s) },
				false: func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) },
			} {
				in, want := page(tt.header, tt.in, tt.part), page(tt.header, tt.want, tt.part)
				var outer *resolver.Base
				if strings.HasSuffix(tt.name, "in another message") {
					outer = mustParse(t, "http://h/", p)
				}
				got := rewrite(t, &Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: p}))}, read(in), outer)
				if got.out != want {
					t.Errorf("%s, %v, seeker %v: got\n%s\nwant\n%s", tt.name, p, seeker, got.out, want)
				}
				if len(got.warnings) > 0 {
					t.Errorf("%s: %q", tt.name, got.warnings)
				}
			}
		}
	}
}

// Visit sees a reference to a part with an empty URL, and may set another.
func TestVisitPart(t *testing.T) {
	in := page("", "<img src=x><img src=y>", "Content-Location: http://h/a/x\n")
	var seen []string
	html := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
		seen = append(seen, p.Ref+" "+p.URL)
		return nil
	}})
	got := rewrite(t, &Rewriter{HTML: html}, strings.NewReader(in), nil)
	if s := strings.Join(seen, ", "); s != "x , y http://h/a/y" || got.result.Left != 1 || got.result.Rewritten != 1 {
		t.Errorf("%s; %+v", s, got.result)
	}
}

// A reference that is relative to a BASE stays only if the BASE does.
func TestPartsWithoutBase(t *testing.T) {
	in := page("", "<base href=/b/><img src=x><img src=y>", "Content-Location: http://h/b/x\n")
	for remove, want := range map[bool]string{
		false: "<base href=http://h/b/><img src=x><img src=http://h/b/y>",
		true:  "<base href=#><img src=http://h/b/x><img src=http://h/b/y>",
	} {
		got := rewrite(t, &Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{RemoveBase: remove}))}, strings.NewReader(in), nil)
		if !strings.Contains(got.out, want) {
			t.Errorf("RemoveBase %v: %s", remove, got.out)
		}
	}
}

// Warn is told of a name that comes after what may be held. In an input that can be read
// twice, the name is known.
func TestHold(t *testing.T) {
	part := "Content-Location: http://h/a/x\n\n" + strings.Repeat("text ", 100) + "\n--b\nContent-Type: text/html\nContent-Location: http://h/a/y\n"
	in := page("", "<img src=x><img src=y>", part)
	in = strings.Replace(in, "<a href=x>", "<a href=x><a href=z>", 1)
	want := "<img src=x><img src=http://h/a/y>"
	got := rewrite(t, &Rewriter{Hold: 400}, iotest.HalfReader(strings.NewReader(in)), nil)
	if !strings.Contains(got.out, want) || !strings.Contains(got.out, "<a href=x><a href=http://h/a/z>") || fmt.Sprint(got.warnings) != fmt.Sprintf("[%d: %v]", strings.LastIndex(in, "Content-Type"), errHold(0)) {
		t.Errorf("%s, %q", got.out, got.warnings)
	}
	got = rewrite(t, &Rewriter{Hold: 400}, strings.NewReader(in), nil)
	if !strings.Contains(got.out, "<img src=x><img src=y>") || len(got.warnings) > 0 {
		t.Errorf("%s, %q", got.out, got.warnings)
	}
}

// The names themselves take at most Hold bytes.
func TestHoldOfNames(t *testing.T) {
	var parts strings.Builder
	const n = 70_000 // 5 MB of names
	for i := range n {
		fmt.Fprintf(&parts, "Content-Location: http://h/a/%d\n\n--b\n", i)
	}
	in := page("", fmt.Sprintf("<img src=%d>", n-1), strings.TrimSuffix(parts.String(), "--b\n"))
	for hold, known := range map[int]bool{0: true, 1 << 20: false} {
		got := rewrite(t, &Rewriter{Hold: hold}, strings.NewReader(in), nil)
		if is := strings.Contains(got.out, fmt.Sprintf("<img src=%d>", n-1)); is != known || (len(got.warnings) == 0) != known {
			t.Errorf("Hold %d: the last name is known: %v, %q", hold, is, got.warnings)
		}
	}
}

// A src that is an io.Seeker is read from where it is. Where it cannot go back there,
// Rewrite fails.
func TestSeek(t *testing.T) {
	in := page("", "<img src=x>", "")
	src := &seeker{strings.NewReader("skipped" + in), 7, nil}
	src.Seek(7, io.SeekStart)
	if got := rewrite(t, &Rewriter{}, src, nil); !strings.Contains(got.out, "src=http://h/a/x") || strings.HasPrefix(got.out, "skipped") {
		t.Error(got.out)
	}
	src = &seeker{strings.NewReader(in), -1, errors.New("no way back")}
	_, err := new(Rewriter).Rewrite(io.Discard, src, nil)
	var e *rewriter.Error
	if !errors.As(err, &e) || e.Op != "read" || !errors.Is(err, src.err) {
		t.Errorf("%v", err)
	}
}

// A seeker fails to seek to any offset except one.
type seeker struct {
	*strings.Reader
	only int64
	err  error
}

func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart && offset != s.only {
		return 0, s.err
	}
	return s.Reader.Seek(offset, whence)
}
