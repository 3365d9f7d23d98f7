package mail

import (
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// Which base counts where: each in is a header, to which an HTML part with the link x is
// added. The caller's base is http://outer/a/b.
func TestBase(t *testing.T) {
	const (
		html  = "Content-Type: text/html\n"
		mixed = "Content-Type: multipart/mixed; boundary=b\n"
	)
	for _, tt := range []struct {
		name, in string
		want     string // what "x" becomes
		from     string // where the base and the one that it takes the place of come from
		warnings string
	}{
		{"no header", html + "\n", "http://outer/a/x", "outer", ""},
		{"Base", html + "Base: <URL:http://h/a/b>\n\n", "http://h/a/x", "entity Base over outer", ""},
		{"Base, in other letters, folded, with white space", html + "bAsE:\n <url: http://h\n  /a /\tb >\n\n", "http://h/a/x", "entity Base over outer", ""},
		{"Base without URL:", html + "Base: <http://h/a/b> (here)\n\n", "http://h/a/x", "entity Base over outer", ""},
		{"Base without brackets", html + "Base: http://h/a/b\n\n", "http://h/a/x", "entity Base over outer", ""},
		{"Base after a comment", html + "Base: (c (d)) <URL:http://h/a/b> (e)\n\n", "http://h/a/x", "entity Base over outer", ""},
		{"Content-Base", html + "Content-Base: http://h/a/b\n\n", "http://h/a/x", "entity Content-Base over outer", ""},
		{"Content-Base in quotes", html + "Content-Base: \"http://h/a/b\"\n\n", "http://h/a/x", "entity Content-Base over outer", ""},
		{"Content-Location", html + "Content-Location: http://h/a/b\n\n", "http://h/a/x", "entity Content-Location over outer", ""},
		{"Content-Location, folded", html + "Content-Location: http://h/\n a/b\n\n", "http://h/a/x", "entity Content-Location over outer", ""},
		{"Content-Location, encoded", html + "Content-Location: =?us-ascii?Q?http:=2F=2Fh=2Fa=2F?=\n =?us-ascii?Q?b?=\n\n", "http://h/a/x", "entity Content-Location over outer", ""},
		{"Snapshot-Content-Location", html + "Snapshot-Content-Location: http://h/a/b\n\n", "http://h/a/x", "entity Snapshot-Content-Location over outer", ""},

		{"Base goes before Content-Base", html + "Content-Base: http://no/\nBase: <URL:http://h/a/b>\n\n", "http://h/a/x", "entity Base over entity Content-Base", ""},
		{"Content-Base goes before Content-Location", html + "Content-Location: http://no/\nContent-Base: http://h/a/b\n\n", "http://h/a/x", "entity Content-Base over entity Content-Location", ""},
		{"Content-Location goes before Snapshot-Content-Location", html + "Snapshot-Content-Location: http://no/\nContent-Location: http://h/a/b\n\n", "http://h/a/x", "entity Content-Location over entity Snapshot-Content-Location", ""},
		{"the first of two counts", html + "Base: http://h/a/b\nBase: http://no/\n\n", "http://h/a/x", "entity Base over outer", ""},
		{"one that is none does not", html + "Base: <URL:mailto:x>\nBase: http://h/a/b\n\n", "http://h/a/x", "entity Base over outer", `24: Base gives no base: base URL "mailto:x": cannot be a base URL: scheme mailto is never used with relative URLs (RFC 1808 §2.3)`},
		{"nor does it hide others", html + "Base: http:\nContent-Location: http://h/a/b\n\n", "http://h/a/x", "entity Content-Location over outer", `24: Base gives no base: base URL "http:": invalid URL: no net_loc, which http needs (RFC 1738 §3.1)`},
		{"empty", html + "Base: <URL:>\nContent-Base:\n\n", "http://outer/a/x", "outer", ""},
		{"BASE goes before all", html + "Base: http://no/\n\n<base href=http://h/a/b>", "http://h/a/x", "embedded BASE over entity Base", ""},
		{"BASE that is relative", html + "Base: http://h/\n\n<base href=a/b>", "http://h/a/x", "embedded BASE over entity Base", ""},

		{"relative to the caller's", html + "Content-Location: ../c/d\n\n", "http://outer/c/x", "entity Content-Location over outer", ""},
		{"relative to the enclosing entity's", mixed + "Base: <URL:http://h/a/b>\n\n--b\n" + html + "Content-Location: c/d\n\n", "http://h/a/c/x", "entity Content-Location over entity Base", "0: the multipart has no closing boundary"},
		{"of the enclosing entity", mixed + "Base: <URL:http://h/a/b>\n\n--b\n" + html + "\n", "http://h/a/x", "entity Base over outer", "0: the multipart has no closing boundary"},
		{"of the one around that", mixed + "Content-Location: http://h/a/b\n\n--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n" + html + "\n", "http://h/a/x", "entity Content-Location over outer", "78: the multipart has no closing boundary"},
		{"of a message in a message", mixed + "Base: http://no/\n\n--b\nContent-Type: message/rfc822\nContent-Base: http://h/\n\n" + html + "Content-Location: a/b\n\n", "http://h/a/x", "entity Content-Location over entity Content-Base", "0: the multipart has no closing boundary"},
		{"not of the part before", mixed + "\n--b\nBase: http://no/\n\n--b\n" + html + "\n", "http://outer/a/x", "outer", "0: the multipart has no closing boundary"},
		{"a name that is no base", html + "Content-Location: cid:x@y\n\n", "http://outer/a/x", "outer", ""},
		{"a file of Internet Explorer's", html + "Content-Location: file://C:\\a\\b.htm\n\n", "http://outer/a/x", "outer", `24: Content-Location gives no base: "file://C:\\a\\b.htm" has a backslash, which no URL has`},
		{"too long", html + "Content-Base: http://h/" + strings.Repeat("a", 8<<10) + "\n\n", "http://outer/a/x", "outer", "24: Content-Base gives no base: a base URL of more than 8 KiB is not used: every link would become as long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, form := range []func(string) string{func(s string) string { return s }, crlf} {
				in := form(tt.in + "<a href=x>")
				got := rewrite(t, &Rewriter{}, strings.NewReader(in), mustParse(t, "http://outer/a/b", resolver.RFC1808))
				if p := got.places[len(got.places)-1]; p.URL != tt.want {
					t.Errorf("x is %s, want %s", p.URL, tt.want)
				}
				r := got.docs[0].Result
				if from := describe(r.Base, r.Overridden); from != tt.from {
					t.Errorf("the base is from %s, want %s", from, tt.from)
				}
				if r.Base.Source == rewriter.EntityBase && !strings.EqualFold(in[r.Base.Offset:][:len(r.Base.Name)], r.Base.Name) {
					t.Errorf("no %s at %d", r.Base.Name, r.Base.Offset)
				}
				if warnings := strings.Join(got.warnings, "\n"); warnings != tt.warnings && in == tt.in+"<a href=x>" {
					t.Errorf("warnings\n%s\nwant\n%s", warnings, tt.warnings)
				}
			}
		})
	}
}

// A relative URL in a field is resolved against the Base beside it (RFC 1808 §3.1), whether
// it counts or is only a name.
func TestRelativeToBase(t *testing.T) {
	for _, tt := range []struct{ header, base, overridden, name string }{
		{"Content-Location: c/d\nBase: <URL:http://h/a/b>\n", "http://h/a/b", "http://h/a/c/d", "http://h/a/c/d"},
		{"Content-Location: c/d\nContent-Base: e/\nBase: <URL:http://h/a/b>\n", "http://h/a/b", "http://h/a/e/", "http://h/a/c/d"},
		{"Content-Location: c/d\nContent-Base: e/\n", "http://outer/a/e/", "http://outer/a/e/c/d", "http://outer/a/e/c/d"},
		{"Content-Location: c/d\nBase: <URL:mailto:x>\nBase: e/\n", "http://outer/a/e/", "http://outer/a/e/c/d", "http://outer/a/e/c/d"},
		{"Snapshot-Content-Location: e\nContent-Location: c/d\n", "http://outer/a/c/d", "http://outer/a/c/e", "http://outer/a/c/d"},
		{"Content-Location: c/d\n", "http://outer/a/c/d", "http://outer/a/b", "http://outer/a/c/d"},
	} {
		in := "Content-Type: text/html\n" + tt.header + "\n<a href=x>"
		d := rewrite(t, &Rewriter{}, strings.NewReader(in), mustParse(t, "http://outer/a/b", resolver.RFC1808)).docs[0]
		if r := d.Result; r.Base.URL.String() != tt.base || r.Overridden.URL.String() != tt.overridden || d.Name != tt.name {
			t.Errorf("%q: base %s over %s, name %s; want %s over %s, name %s", tt.header, r.Base.URL, r.Overridden.URL, d.Name, tt.base, tt.overridden, tt.name)
		}
	}
}

// describe says where a base and the one that it takes the place of come from.
func describe(base, overridden rewriter.Base) string {
	s := strings.TrimSpace(base.Source.String() + " " + base.Name)
	if overridden.Source != rewriter.NoBase {
		s += " over " + strings.TrimSpace(overridden.Source.String()+" "+overridden.Name)
	}
	return s
}

// The retrieval URL that a browser left in a document counts where no header gives
// a base.
func TestSaved(t *testing.T) {
	for header, want := range map[string]string{
		"": "saved saved from url", "Base: http://h/\n": "entity Base over saved saved from url",
	} {
		in := header + "Content-Type: text/html\n\n<!-- saved from url=(0014)http://saved/a -->\n<a href=x>"
		r := rewrite(t, &Rewriter{}, strings.NewReader(in), nil).docs[0].Result
		if got := describe(r.Base, r.Overridden); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Where there is no base, a relative URL in a header gives none either, and links stay.
func TestNoBase(t *testing.T) {
	in := "Content-Type: text/html\nContent-Location: a/b\n\n<a href=x>"
	got := rewrite(t, &Rewriter{}, strings.NewReader(in), nil)
	if got.out != in || got.docs[0].Result.Base.Source != rewriter.NoBase || len(got.warnings) > 0 {
		t.Errorf("%q, %+v, %q", got.out, got.docs[0].Result, got.warnings)
	}
}

// A base has the profile of the Rewriter.
func TestProfiles(t *testing.T) {
	in := "Content-Type: text/html\nContent-Location: http://h/a?b\n\n<a href=../../x>"
	for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
		for _, outer := range []string{"", "http://outer/"} {
			got := rewrite(t, &Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: p}))}, strings.NewReader(in), mustParse(t, outer, p))
			want := "http://h/x"
			if p == resolver.RFC1808 {
				want = "http://h/../../x"
			}
			if !strings.HasSuffix(got.out, "<a href="+want+">") {
				t.Errorf("%v: %s", p, got.out)
			}
		}
	}
}
