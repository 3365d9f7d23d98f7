package mail

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// crlf returns a message written with bare line feeds with the line ends of mail.
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

// A run is what came of one message.
type run struct {
	out      string
	result   rewriter.Result
	docs     []rewriter.Document
	places   []rewriter.Place
	warnings []string
}

// rewrite runs r, of which it sets what is told.
func rewrite(t testing.TB, r *Rewriter, src io.Reader, outer *resolver.Base) (got run) {
	t.Helper()
	warn := func(offset int64, err error) {
		got.warnings = append(got.warnings, fmt.Sprintf("%d: %v", offset, err))
	}
	r.Warn = warn
	r.End = func(d *rewriter.Document) { got.docs = append(got.docs, *d) }
	if r.HTML == nil {
		r.HTML = &rewriter.Rewriter{}
	}
	visit := r.HTML.Visit
	r.HTML.Visit = func(p *rewriter.Place) error {
		if visit != nil {
			if err := visit(p); err != nil {
				return err
			}
		}
		got.places = append(got.places, *p)
		return nil
	}
	r.HTML.Warn = warn
	var out bytes.Buffer
	var err error
	if got.result, err = r.Rewrite(&out, src, outer); err != nil {
		t.Fatal(err)
	}
	got.out = out.String()
	return got
}

func TestMessages(t *testing.T) {
	const plain = "Content-Type: text/html\n\n"
	for _, tt := range []struct{ name, in, want, warnings string }{
		{"html", plain + "<a href=x>\n", plain + "<a href=http://h/a/x>\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, form := range []func(string) string{crlf, func(s string) string { return s }} {
				got := rewrite(t, &Rewriter{}, strings.NewReader(form(tt.in)), mustParse(t, "http://h/a/b", resolver.RFC1808))
				if want := form(tt.want); got.out != want {
					t.Errorf("got\n%s\nwant\n%s", got.out, want)
				}
			}
		})
	}
}
