package warc

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/rewriter"
)

// What some crawlers write is read, with a warning each.
func TestLenient(t *testing.T) {
	page := response("<a href=x>")
	for name, row := range map[string]struct{ archive, want, warning string }{
		"no slash after the host": {record("response", "http://h?x", page), "http://h/x", "no slash after its host"},
		"CR CR LF":                {strings.ReplaceAll(record("response", "http://h/d/p", ""), "\r\n", "\r\r\n") + record("resource", "http://h/d/", "<a href=x>", "Content-Type: text/html"), "http://h/d/x", "CR CR LF"},
	} {
		var warnings []string
		r := &Rewriter{Output: None, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { warnings = append(warnings, err.Error()) }})}
		out, s := converted(t, r, row.archive)
		if s.Rewritten != 1 || !strings.Contains(out, "<a href="+row.want+">") || len(warnings) != 1 || !strings.Contains(warnings[0], row.warning) {
			t.Errorf("%s: %+v %q\n%s", name, s, warnings, out)
		}
	}
}

// A WARC-Target-URI that is no URL leaves relative links, with one warning, however short
// it is.
func TestShortURL(t *testing.T) {
	for _, url := range strings.Split("x < : / ? :/ // :// http:// http:/// http://? ://?x", " ") {
		var warnings []string
		r := &Rewriter{Output: None, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { warnings = append(warnings, err.Error()) }})}
		out, s := converted(t, r, record("response", url, response("<a href=x>")))
		if s.Rewritten != 1 || !strings.HasSuffix(out, "<a href=x>\r\n\r\n") || len(warnings) != 1 {
			t.Errorf("%q: %+v %q\n%s", url, s, warnings, out)
		}
	}
}

// A source that fails where no record begins ends the run.
func TestReadingFails(t *testing.T) {
	for _, start := range []string{"x", "WARC", "filedesc://x", pack(gz, sample()...) + gz("xyz")[:15], pack(plain, sample()...) + "xyz", pack(plain, arcSample(1)...) + "xyz\nx"} {
		_, err := new(Rewriter).Convert(context.Background(), io.Discard, io.MultiReader(strings.NewReader(start), iotest.ErrReader(io.ErrClosedPipe)))
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%.20q: %v", start, err)
		}
	}
}
