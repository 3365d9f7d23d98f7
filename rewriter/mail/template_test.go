package mail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/resolver"
	"absolink/rewriter"
)

// Templates of newsletters have a warning for each kind of merge tag, which says what to keep.
// With that kept, their merge tags are the same bytes.
func TestTemplates(t *testing.T) {
	const at = "https://news.example/letters/"
	for _, tt := range []struct {
		name     string
		warnings []string // without options
		keep     []string // a pattern for each of the warnings
		rules    []rewriter.Rule
	}{
		{"mailchimp", []string{"*|ARCHIVE|*"}, []string{`\*|*`}, nil},
		{"jinja", []string{"{{ trip.url }}", "{% if trip.night %}night{% else %}day{% endif %}.html"}, []string{"{{*", "{%*"}, nil},
		{"liquid", []string{"{{ line.url | append: '?from=mail' }}"}, []string{"{{*"}, nil},
		{"outlook", nil, nil, slices.Concat(rewriter.HTML(), rewriter.Comments())},
	} {
		in, err := os.ReadFile("../../testdata/mail/" + tt.name + ".eml")
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("../../testdata/mail/" + tt.name + ".want.eml")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []resolver.Profile{resolver.RFC1808, resolver.WHATWG} {
			for kept := range len(tt.keep) + 1 { // each pattern ends the warning that names it
				if kept > 0 && p == resolver.WHATWG { // "*{{*" keeps the tags within a URL, too
					break
				}
				want := tt.warnings[kept:]
				got := warned(t, rewriter.Must(rewriter.New(rewriter.Options{Profile: p, Keep: append([]string{"x"}, tt.keep[:kept]...)})), in, mustParse(t, at, p))
				if fmt.Sprint(got.tags) != fmt.Sprint(want) || fmt.Sprint(got.patterns) != fmt.Sprint(tt.keep[kept:]) || got.outlook != (tt.rules != nil) {
					t.Errorf("%s, %s: %+v, not %q", tt.name, p, got, want)
				}
			}
			html := rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.RFC1808, Keep: tt.keep, Rules: tt.rules}))
			got := rewrite(t, &Rewriter{HTML: html}, bytes.NewReader(in), mustParse(t, at, html.Profile()))
			if len(got.warnings) > 0 || canonical(got.out) != canonical(string(want)) {
				t.Errorf("%s: %q\n%s", tt.name, got.warnings, got.out)
			}
		}
	}
}

type warnings struct {
	tags, patterns []string
	outlook        bool
}

// warned returns what Warn is told of a message.
func warned(t *testing.T, html *rewriter.Rewriter, in []byte, outer *resolver.Base) (got warnings) {
	t.Helper()
	r := Rewriter{HTML: html.With(rewriter.Hooks{Warn: func(_ int64, err error) {
		if tag, ok := errors.AsType[*rewriter.TagError](err); ok {
			got.tags, got.patterns = append(got.tags, tag.Ref), append(got.patterns, tag.Pattern)
			return
		}
		got.outlook = errors.Is(err, ErrOutlook)
	}})}
	result, err := r.Rewrite(io.Discard, bytes.NewReader(in), outer)
	if n := len(got.tags); err != nil || result.Warnings != n && !got.outlook {
		t.Errorf("%d warnings, not %d: %v", result.Warnings, n, err)
	}
	return got
}

// canonical returns a message without the soft line breaks of quoted-printable.
func canonical(message string) string { return strings.ReplaceAll(message, "=\n", "") }

// Each document has one warning of each kind for its merge tags, and each message has one for its
// comments for Outlook, wherever the parts of it stand.
func TestTemplateWarnings(t *testing.T) {
	const html = "Content-Type: text/html\n\n"
	const from = "From a@b Mon Jan  1 00:00:00 2001\n"
	const tags = "<a href={{x}}><a href={{y}}>"
	const mso = "<!--[if mso]><a href=x><![endif]--><!--[if mso]><a href=y><![endif]-->"
	const parts = "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + html + tags + mso + "\n--b\n" + html + tags + mso + "\n--b--\n"
	for _, tt := range []struct {
		name, in  string
		tags, mso int
	}{
		{"one part", html + tags + mso, 1, 1},
		{"two parts", parts, 2, 1},
		{"in a message in it", "Content-Type: message/rfc822\n\n" + parts, 2, 1},
		{"mbox", from + parts + "\n" + from + html + "<a href=x>\n\n" + from + html + tags + mso + "\n", 3, 2},
		{"an absolute URL", html + "<a href=http://h/{{x}}><!--[if mso]><a href=http://e/><![endif]-->", 0, 0},
		{"a tag that stays in the URL", html + "<a href=/u/{{x}}>", 0, 0},
		{"another comment", html + "<!--[if IE 6]><a href=x><![endif]--><!-- mso ]><a href=x> -->", 0, 0},
		{"not a comment for Outlook", html + "<!--[if !mso]><!--><a href=x><!--<![endif]-->", 0, 0},
		{"upper case, cut off", html + "<!--[IF (gte MSO 9)|(IE)]><a href=x>", 0, 0},
		{"upper case", html + "<<!-<!--[IF (gte MSO 9)|(IE)]><a href=x>-->", 0, 1},
		{"plain text", "Content-Type: text/plain\n\n" + tags + mso, 0, 0},
		{"fragments", html + "<!--[if mso]><a href=#x><a href=#><![endif]-->", 0, 0},
		{"a fragment and more", html + "<!--[if mso]><a href=#x><a href=y#x><![endif]-->", 0, 1},
		{"attached", "Content-Disposition: attachment\n" + html + tags + mso, 0, 0},
		{"a long comment", html + "<!--[if mso]><a href=x>" + strings.Repeat("x", 100_000) + "-->", 0, 1},
	} {
		for _, src := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
			var tags, mso int
			r := Rewriter{HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) {
				switch {
				case errors.Is(err, ErrOutlook):
					mso++
				case errors.As(err, new(*rewriter.TagError)):
					tags++
				}
			}})}
			if _, err := r.Rewrite(io.Discard, src, mustParse(t, "http://h/a/b", resolver.RFC1808)); err != nil || tags != tt.tags || mso != tt.mso {
				t.Errorf("%s: %d and %d warnings, not %d and %d: %v", tt.name, tags, mso, tt.tags, tt.mso, err)
			}
		}
	}
}

// With a rule for comments, and a pattern that fits the merge tags, nobody is warned.
func TestTemplateIsWarnedOfOnlyWhereItHelps(t *testing.T) {
	const in = "Content-Type: text/html\n\n<a href={{x}}><!--[if mso]><a href=x><![endif]-->"
	for _, rules := range [][]rewriter.Rule{rewriter.Comments(), rewriter.AllComments()} {
		got := rewrite(t, &Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Rules: slices.Concat(rewriter.HTML(), rules), Keep: []string{"{{*"}}))},
			strings.NewReader(in), mustParse(t, "http://h/a/b", resolver.RFC1808))
		if len(got.warnings) > 0 {
			t.Error(got.warnings)
		}
	}
}

// HTML that was attached as a file stays, unless Attachments is set.
func TestAttachments(t *testing.T) {
	for disposition, stays := range map[string]bool{
		"attachment": true, "ATTACHMENT; filename=a.html": true, " attachment ;x": true, "attachment(c)": true,
		`"attachment"`: true, `"Attachment" ; x`: true, "(x) attachment": true, "(x (y)) (z) attachment (c); x": true, `(x) "attachment"`: true,
		"(attachment)": false, "(attachment) inline": false, `"attachment; x"`: false, "(attachment": false, "x (a) attachment": false,
		"inline": false, "": false, "inline; filename=attachment": false, "attachments": false,
	} {
		in := "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Disposition: " + disposition + "\nContent-Type: text/html\n\n<a href=x>\n--b--\n"
		done := strings.Replace(in, "=x>", "=http://h/a/x>", 1)
		for _, all := range []bool{false, true} {
			want := done
			if stays && !all {
				want = in
			}
			if got := rewrite(t, &Rewriter{Attachments: all}, strings.NewReader(in), mustParse(t, "http://h/a/b", resolver.RFC1808)); got.out != want || len(got.warnings) > 0 {
				t.Errorf("%q, %v: %q, %q", disposition, all, got.out, got.warnings)
			}
		}
	}
}

// What is in an attached entity stays too, however deep, and what follows it does not.
func TestInAttachments(t *testing.T) {
	const html = "Content-Type: text/html\n\n<a href=x>\n"
	multipart := func(boundary string, parts ...string) string {
		return "Content-Type: multipart/mixed; boundary=" + boundary + "\n\n--" + boundary + "\n" + strings.Join(parts, "--"+boundary+"\n") + "--" + boundary + "--\n"
	}
	const attached = "Content-Disposition: attachment\n"
	message := "Content-Type: message/rfc822\n\nSubject: s\n"
	for name, row := range map[string]struct {
		in    string
		stays int // links, of the first in the message
	}{
		"a message":              {multipart("b", attached+message+html, html), 1},
		"a message with parts":   {multipart("b", attached+message+multipart("c", html, html), html), 2},
		"a multipart":            {multipart("b", attached+multipart("c", html, html), html), 2},
		"deeper":                 {multipart("b", attached+multipart("c", message+multipart("d", html, "Content-Disposition: inline\n"+html), html), html), 3},
		"all":                    {attached + multipart("b", html, html), 2},
		"a message, not so":      {multipart("b", message+html, html), 0},
		"an attachment after it": {multipart("b", attached+html, message+multipart("c", html)), 1},
	} {
		parts := strings.Split(row.in, "=x>")
		done := strings.Join(parts[:row.stays+1], "=x>") + "=http://h/a/x>" + strings.Join(parts[row.stays+1:], "=http://h/a/x>")
		if row.stays+1 == len(parts) {
			done = row.in
		}
		for all, want := range map[bool]string{false: done, true: strings.ReplaceAll(row.in, "=x>", "=http://h/a/x>")} {
			if got := rewrite(t, &Rewriter{Attachments: all}, strings.NewReader(row.in), mustParse(t, "http://h/a/b", resolver.RFC1808)); got.out != want {
				t.Errorf("%s, %v: %s", name, all, got.out)
			}
		}
	}
}

// Many comments, and one that does not end, take little time and memory.
func TestCommentsAreBounded(t *testing.T) {
	for _, shard := range []string{"<", "<!--[if mso]><", "<!--[if mso]><a>-->", "<!--[if mso]>-"} {
		c := &comments{relative: func([]byte) int { return 0 }}
		for range 1 << 16 {
			fmt.Fprint(c, shard)
		}
		if cap(c.found) > 2*maxComment {
			t.Errorf("%q: %d bytes are held", shard, cap(c.found))
		}
	}
}
