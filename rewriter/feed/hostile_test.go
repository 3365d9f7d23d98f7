package feed

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"absolink/internal/passage"
	"absolink/internal/test/soak"
	"absolink/resolver"
	"absolink/rewriter"
)

// Time is linear: with quadratic time each of these would take minutes.
func TestLinear(t *testing.T) {
	const n = 1 << 20
	const head = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="http://h/"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">`
	many := func(s string) string { return strings.Repeat(s, n/len(s)) }
	url := "http://h/" + strings.Repeat("a", rewriter.MaxBase-20) + "/"
	prefixes := ""
	for i := range 1000 {
		prefixes += fmt.Sprintf(` xmlns:p%d="http://www.w3.org/2005/Atom"`, i)
	}
	for name, in := range map[string]string{
		"bases in a tag":     `<feed` + strings.Repeat(` xml:base="x/"`, 70_000) + `>`,
		"bases in a base":    `<feed xml:base="` + url + `">` + many(`<x xml:base="y"/>`)[:n/32],
		"bases in bases":     many(`<x xml:base="y/">`),
		"documents":          head + many(`<p xml:base="y/"/>`),
		"attributes":         `<feed><x` + strings.Repeat(" a=''", 200_000) + `>`,
		"names and prefixes": `<feed` + prefixes + `>` + many(`<q:x q:base="" q:about=""/>`),
		"prefixes":           many(`<x` + prefixes + `>`),
		"tags in values":     `<feed><x y="` + many(`<x y='`),
		"hidden references":  `<rss><channel><item><description>` + many("&amp;lt;"),
		"entities":           `<!DOCTYPE x [` + many(`<!ENTITY a "&a;&a;">`) + `]><rss/>`,
		"literals":           `<!DOCTYPE x [` + many(`"'`),
		"subsets":            `<!DOCTYPE x ` + many(`[<]`),
		"channels":           `<rss>` + many("<channel></channel>"),
		"items":              `<rss><channel>` + many("<item></item>"),
		"open items":         `<rss><channel>` + many("<item>"),
		"texts of bodies":    `<rss><channel><item><body>` + many("<!---->"),
		"own attributes":     `<rss><channel><item>` + many(`<enclosure url="x" url="y"/>`)[:n/8],
		"own texts":          `<rss><channel><item>` + many(`<comments>x<![CDATA[]]>y</comments>`)[:n/8],
		"feeds":              many("<rss><channel><item></rss>"),
		"texts":              `<rss><channel><item>` + many(`<description>x</description>`),
	} {
		t.Run(name, func(t *testing.T) {
			soak.Sample(t, 4)
			if _, err := new(Rewriter).Rewrite(io.Discard, strings.NewReader(in), base(t, "http://h/")); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// What has one cause has one warning.
func TestFewWarnings(t *testing.T) {
	p := passBy(t, Rewriter{}, strings.NewReader("<rss><<x></x></y></y></rss>"), "", nil)
	if len(p.warnings) != 2 || p.result.Warnings != 2 {
		t.Errorf("%q, of two places, %+v", p.warnings, p.result)
	}
}

// A negative limit and a base of another profile are errors, and nothing is read.
func TestInvalid(t *testing.T) {
	other, err := resolver.ParseBase("http://h/", resolver.WHATWG)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		rw    *Rewriter
		outer *resolver.Base
		err   string
	}{
		"Hold":    {&Rewriter{Hold: -1}, nil, "feed: Rewriter.Hold is -1; it takes 0, which is 16 MiB, or more"},
		"profile": {&Rewriter{}, other, "feed: HTML: rewriter: outer base of profile"},
	} {
		src := strings.NewReader("<rss/>")
		var out bytes.Buffer
		if _, err := tt.rw.Rewrite(&out, src, tt.outer); err == nil || !strings.HasPrefix(err.Error(), tt.err) || src.Len() != int(src.Size()) || out.Len() > 0 {
			t.Errorf("%s: %v, %d bytes left, %d written", name, err, src.Len(), out.Len())
		}
		if err := tt.rw.Validate(); name != "profile" && (err == nil || !strings.HasPrefix(err.Error(), tt.err)) {
			t.Errorf("%s: Validate returns %v", name, err)
		}
	}
}

// A URL that browsers would run is not a base, and the next one counts.
func TestRefusedBases(t *testing.T) {
	for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
		for _, url := range []string{"javascript:alert(1)", "JavaScript://h/%0aalert(1)//", " vbscript://h/x", "data:text/html,x", "data://h/x"} {
			for _, in := range []string{
				`<rss xml:base="` + url + `"><channel><item><description>` + anchor,
				`<rss><channel><link>` + url + `</link><item><description>` + anchor,
				`<rss><channel><item><description>` + anchor + `</description><link>` + url + `</link></item>`,
				`<entry xmlns="http://www.w3.org/2005/Atom"><link href="` + url + `"/><title type="html">` + anchor,
			} {
				rw := Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: p}))}
				got := passBy(t, rw, strings.NewReader(in), "http://outer/", nil)
				if len(got.warnings) == 0 || !strings.Contains(got.out, `href="http://outer/x"`) {
					t.Errorf("%v, %s: %q, %s", p, in, got.warnings, got.out)
				}
			}
		}
	}
}

// New text in place of a part of a document is written as its form has it. It ends nothing
// with what follows, and brings no white space where there was none.
func TestReplace(t *testing.T) {
	for _, tt := range []struct {
		form form
		in   string
		html string // the part between "x" and "y" is replaced
		by   string
		want string
	}{
		{escaped, "&lt;a href=x0y&gt;", "<a href=x0y>", "é&amp;&#38; \r\uffff\x01", "&lt;a href=xé&amp;amp;&amp;#38; &#13;&amp;#xFFFF;&amp;#1;y&gt;"},
		{escaped, "&lt;a href=x&#48;y&gt;", "<a href=x0y>", "a b", "&lt;a href=xa&#32;by&gt;"},
		{escaped, "<![CDATA[<a href=x0y>]]>", "<a href=x0y>", "é&amp; ]\uffff", "<![CDATA[<a href=xé&amp; ]&#xFFFF;y>]]>"},
		{elements, `<a href="x0y"/>`, `<a href="x0y"/>`, "é&amp;&b; ]", `<a href="xé&amp;&amp;b; ]y"/>`},
		{elements, `<a href="x&#48;y"/>`, `<a href="x&#48;y"/>`, "a b", `<a href="xa by"/>`},
		{quoted, `<a href=x0y>`, "<a href=x0y>", "é&amp; \"", `<a href=x\u00e9&amp; \u0022y>`},
		{quoted, `<a href=x\u0030y>`, "<a href=x0y>", "a b", `<a href=xa\u0020by>`},
		{escaped, "&lt;a href=x0<![CDATA[0y>]]>", "<a href=x00y>", "a", "&lt;a href=x0<![CDATA[0y>"},
		{escaped, "<![CDATA[<a href=x0]]>0y&gt;", "<a href=x00y>", "a", "<![CDATA[<a href=x0]]>0y&gt;"},
		{escaped, "&lt;a href=x0&b;0y&gt;", "<a href=x00y>", "a", "&lt;a href=x0&b;0y&gt;"},
	} {
		var out strings.Builder
		f := run{maxHeld: 1 << 20, scan: scanner{input: passage.Input{Src: strings.NewReader(tt.in)}, output: passage.NewOutput(&out), held: inTrail}}
		f.tracker = &tracker{warn: f.warnings.add}
		d := f.newDocument(tt.form, 0)
		if _, err := io.ReadAll(d); err != nil {
			t.Fatal(err)
		}
		d.Keep(int64(strings.IndexByte(tt.html, 'x')) + 1)
		d.Replace(int64(strings.IndexByte(tt.html, 'y')), []byte(tt.by))
		d.Keep(d.pieces.end())
		f.scan.output.Flush()
		if out.String() != strings.TrimSuffix(tt.want, "]]>") && out.String() != tt.want {
			t.Errorf("%s: %q, want %q", tt.in, out.String(), tt.want)
		}
	}
}

// No ">" that follows new text ends a comment or a section that it did not end before.
func TestReplacedDashes(t *testing.T) {
	for in, want := range map[string]string{
		`<rss><channel><item><description>&lt;a href=x-&#45;></description></item></channel></rss>`:   `<rss><channel><item><description>&lt;a href=http://h/p/x-&#45;></description></item></channel></rss>`,
		`<rss><channel><item><description>&lt;a href=x--></description></item></channel></rss>`:       `<rss><channel><item><description>&lt;a href=http://h/p/x--></description></item></channel></rss>`,
		`<rss><channel><link>x-&#45;></link></channel></rss>`:                                         `<rss><channel><link>http://h/p/x-&#45;></link></channel></rss>`,
		`{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"<a href=x-\u002d>"}]}`: `{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"<a href=http://h/p/x-\u002d>"}]}`,
		`{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"<a href=x]&#93;>"}]}`:  `{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"<a href=http://h/p/x]&#93;>"}]}`,
		`<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="x-&#45;>y"/></entry></feed>`:    `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="http://h/p/x-&#45;>y"/></entry></feed>`,
	} {
		if got := passOf(t, strings.NewReader(in), nil); got.out != want {
			t.Errorf("%s becomes\n%s, want\n%s", in, got.out, want)
		}
	}
}
