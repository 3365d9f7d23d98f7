package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/lines"
	"absolink/internal/test/testio"
)

// Where the file cannot be read again, the message names the byte in place of the line.
func TestPositionIsUnknown(t *testing.T) {
	var stderr strings.Builder
	a := input.NewAbout(&console.UI{Stderr: &stderr, Debug: true}, "page.html")
	a.Lines = lines.Of(failingAt{}, 0, "")
	a.Warn(7, errors.New("odd"))
	a.Lines = nil
	a.Warn(7, errors.New("odd"))
	a.Warn(-1, errors.New("odd"))
	if want := strings.Repeat("absolink: page.html: byte 7: odd\n", 2) + "absolink: page.html: odd\n"; stderr.String() != want {
		t.Errorf("%s", stderr.String())
	}
}

type failingAt struct{}

func (failingAt) ReadAt([]byte, int64) (int, error) { return 0, errors.New("no") }

// A message about a document in UTF-16 counts its characters, as an editor does.
func TestPositionsInUTF16(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, bom := range []string{"\xff\xfe", "\xfe\xff"} {
		write(t, "page.html", string(testio.UTF16("<p>\u0a0a\n\u010a<a href='//[x'>", bom)))
		_, _, stderr := run1("", "--profile", "whatwg", "--url", "http://h/", "page.html")
		if !strings.HasPrefix(stderr, "absolink: page.html:2:11: 1 link has no absolute form") {
			t.Errorf("%s", stderr)
		}
	}
}

// In a stream a message says the byte where the line is forgotten: here of the first
// link, which waits for a BASE.
func TestPositionIsForgotten(t *testing.T) {
	const beginning = 256 << 10 // is remembered
	text := strings.Repeat(" ", beginning+1) + "<link href=a><!--" + strings.Repeat("\n", 5<<20) + "--><link href=b>"
	_, _, stderr := run1(text)
	want := fmt.Sprintf("absolink: <stdin>: byte %d: 2 links stay relative because ", beginning+1+len("<link href="))
	if !strings.HasPrefix(stderr, want) {
		t.Errorf("%.300s", stderr)
	}
}

// Of a fault that all pages of a site have, ten pages are named and the rest are counted;
// --debug names them all.
func TestTreeRepeatsAreCounted(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 40
	for i := range n {
		write(t, fmt.Sprintf("site/%d.html", i), "\n<a href=//[x><a href=//[y>")
	}
	const each = ".html:2:9: 2 links have no absolute form, the first is "
	code, _, stderr := run1("", "tree", "--url", "http://h/", "--profile", "whatwg", "site", "out")
	if code != console.ExitDone || strings.Count(stderr, each) != console.FewOfKind || !strings.Contains(stderr, fmt.Sprintf("absolink: site: %d more of this kind: 2 links have no absolute form", n-console.FewOfKind)) || strings.Count(stderr, "\n") != console.FewOfKind+2 {
		t.Errorf("%d, %s", code, stderr)
	}
	_, _, stderr = run1("", "tree", "--url", "http://h/", "--profile", "whatwg", "--debug", "site", "out2")
	if strings.Count(stderr, each) != n || strings.Count(stderr, "stays as it is") != 2*n || strings.Contains(stderr, " more of this kind") {
		t.Errorf("%s", stderr)
	}
}
