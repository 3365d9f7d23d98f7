package rewriter

import (
	"cmp"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"absolink/internal/test/soak"
	"absolink/resolver"
)

// structureRows are documents in which a base or a reference has bytes that end something
// for some reader. rewrite checks that they are the same afterwards.
var structureRows = []struct {
	name     string
	p        resolver.Profile
	url      string // the outer base
	in, want string
}{
	// What a base brings is inert, whatever it is taken for.
	{"a base in attributes", resolver.RFC1808, "http://h/a'b\"`<c>/", "<a href='x'><a href=\"x\"><a href=x>",
		"<a href='http://h/a&#39;b&quot;&#96;&lt;c&gt;/x'><a href=\"http://h/a&#39;b&quot;&#96;&lt;c&gt;/x\"><a href=http://h/a&#39;b&quot;&#96;&lt;c&gt;/x>"},
	{"whatwg", resolver.WHATWG, "http://h/a'b\"`<c>/", "<a href='x'>", "<a href='http://h/a&#39;b%22%60%3Cc%3E/x'>"},
	{"a base in CSS", resolver.RFC1808, "http://h/'\"`<>/", "<style>a{b:url(x) url('x') url(\"x\")}</style>",
		`<style>a{b:url(http://h/\000027\000022\000060\00003c\00003e/x) url('http://h/\000027\000022\000060\00003c\00003e/x') url("http://h/\000027\000022\000060\00003c\00003e/x")}</style>`},
	{"a base in JSON", resolver.RFC1808, "http://h/'\"`<>/", `<script type=importmap>{"imports":{"a":"./x"}}</script>`,
		`<script type=importmap>{"imports":{"a":"http://h/\u0027\u0022\u0060\u003c\u003e/x"}}</script>`},
	{"a base in a script", resolver.RFC1808, "http://h/'\"`<>/", "<script type=module>import './x'</script>",
		`<script type=module>import 'http://h/\u0027\u0022\u0060\u003c\u003e/x'</script>`},
	{"a base with white space", resolver.RFC1808, "http://h/", "<base href=\"http://h/a b/\fc/\"><a href=\"x\"><a href=x><style>a{b:url(x)}</style>",
		"<base href=\"http://h/a b/\fc/\"><a href=\"http://h/a%20b/%0Cc/x\"><a href=http://h/a%20b/%0Cc/x><style>a{b:url(http://h/a%20b/%0Cc/x)}</style>"},

	// What a reference has stays, with all that follows.
	{"a bracket", resolver.WHATWG, "http://h/", `<a href="x>y z">`, `<a href="http://h/x>y z">`},
	{"a quote in a path", resolver.RFC1808, "http://h/d/p", `<a href="a/../b'/c/../d">`, `<a href="http://h/d/b'/c/../d">`},
	{"a quote that dots drop", resolver.RFC1808, "http://h/d/p", `<a href="a'/../b">`, `<a href="http://h/d/a'/../b">`},
	{"a quote at once", resolver.WHATWG, "http://h/d/p", `<a href="'x"><a href="..'x"><a href="../'x">`, `<a href="http://h/d/'x"><a href="http://h/d/..'x"><a href="http://h/'x">`},
	{"in a query and a fragment", resolver.WHATWG, "http://h/d/p?q", "<a href=\"?a'b\"><a href=\"?'b\"><a href=\"#'b\"><a href=\"#a`b\">",
		"<a href=\"http://h/d/p?a'b\"><a href=\"http://h/d/p?'b\"><a href=\"http://h/d/p?q#'b\"><a href=\"http://h/d/p?q#a`b\">"},
	{"in a host", resolver.WHATWG, "https://h/d/p", "<a href=\"//g'h/\"><a href=\"//'h/\"><a href=\"/\\g'h/\"><a href=\" //\ng'h/\">",
		"<a href=\"https://g'h/\"><a href=\"https://'h/\"><a href=\"https://g'h/\"><a href=\"https://g'h/\">"},
	{"in a host by the RFC", resolver.RFC1808, "https://h/d/p", "<a href=\"//g'h/\"><a href=\"//'h/\">", "<a href=\"https://g'h/\"><a href=\"https://'h/\">"},
	{"a character reference", resolver.WHATWG, "http://h/", `<a href="a&#39;b c">`, `<a href="http://h/a&#39;b c">`},
	{"in lists", resolver.RFC1808, "http://h/", `<img srcset="a'b 1x, c&quot;d 2x"><a ping="a'b c>d">`, `<img srcset="http://h/a'b 1x, http://h/c&quot;d 2x"><a ping="http://h/a'b http://h/c>d">`},
	{"escaped in CSS", resolver.RFC1808, "http://h/", `<style>url(a\'b) url("c\"d") url('e\\\'f') url(g\27 h)</style>`,
		`<style>url(http://h/a\'b) url("http://h/c\"d") url('http://h/e\\\'f') url(http://h/g\000027h)</style>`},
	{"escaped in JSON", resolver.RFC1808, "http://h/", `<script type=importmap>{"imports":{"a":"./b\"c","d":"./e\u0022 f"}}</script>`,
		`<script type=importmap>{"imports":{"a":"http://h/b\"c","d":"http://h/e\u0022\u0020f"}}</script>`},
	{"a pattern", resolver.RFC1808, "http://h/d(1)/p", `<script type=speculationrules>{"prefetch":[{"where":{"href_matches":"a'*"}}]}</script>`,
		`<script type=speculationrules>{"prefetch":[{"where":{"href_matches":"http://h/d\\(1\\)/a'*"}}]}</script>`},
	{"in SVG", resolver.RFC1808, "http://h/", "<svg><style>url(a>b c) url('d>e')</style><style><![CDATA[url(f>g)]]></style></svg>", "<svg><style>url(a>b c) url('http://h/d>e')</style><style><![CDATA[url(http://h/f>g)]]></style></svg>"},
	{"the second byte of a character", resolver.WHATWG, "http://h/", "<meta charset=shift_jis><a href=x/\x83`><a href=x/\x83\x41><a href='\x83\x41/\x83`'>",
		"<meta charset=shift_jis><a href=http://h/x/\x83`><a href=http://h/x/%E3%82%A2><a href='http://h/\x83\x41/\x83`'>"},
	{"the second byte, in a document", resolver.WHATWG, "http://h/", "<meta charset=shift_jis><iframe srcdoc='<a href=x/\x83`>'>", "<meta charset=shift_jis><iframe srcdoc='<a href=http://h/x/\x83`>'>"},

	// White space stays where it is, and none comes.
	{"white space", resolver.RFC1808, "http://h/", "<a href=' a b '><a href='a&#32;b'><a href=a&#32;b><a href='a b&Tab;&#32;c'>",
		"<a href='http://h/a b'><a href='http://h/a&#32;b'><a href=http://h/a&#32;b><a href='http://h/a&#32;b&#32;c'>"},
	{"white space in CSS", resolver.RFC1808, "http://h/", `<style>url("a b") url(a\ b) url('a\20 b')</style>`, `<style>url("http://h/a b") url(http://h/a\000020b) url('http://h/a\000020b')</style>`},
	{"white space after an escape", resolver.RFC1808, "http://h/<>/", `<style>url("a\3e\20 b")</style>`, `<style>url("http://h/\00003c\00003e/a\00003e\000020b")</style>`},

	// Values without quotes, and without a value.
	{"no quotes", resolver.RFC1808, "http://h/=/", "<a href=x=y><a href=x/ ><a href= ><a href\n>", "<a href=http://h/=/x=y><a href=http://h/=/x/ ><a href= http://h/=/><a href=http://h/=/\n>"},
	{"a slash follows", resolver.RFC1808, "http://h/", "<a href/><a href /><a href/ >", "<a href/><a href=http://h/ /><a href/ >"},

	// A ">" that follows ends no comment and no CDATA section, unless it did before.
	{"dashes", resolver.RFC1808, "http://h/?--", "<a href><a href=x--><a href=x&#45;-><a href='x&#45;-'><a href='x&#45;->'>",
		"<a href=http://h/?-&#45;><a href=http://h/x--><a href=http://h/x-&#45;><a href='http://h/x--'><a href='http://h/x-&#45;>'>"},
	{"dashes and a bang", resolver.RFC1808, "http://h/?--!", "<a href><a href=--!><a href=--&#33;>", "<a href=http://h/?--&#33;><a href=http://h/--!><a href=http://h/--&#33;>"},
	{"brackets", resolver.RFC1808, "http://h/?]]", "<a href><a href=]]><a href=]&#93;><a ping=]&#93;>", "<a href=http://h/?]&#93;><a href=http://h/]]><a href=http://h/]&#93;><a ping=http://h/]&#93;>"},
	{"dashes in CSS", resolver.RFC1808, "http://h/", `<style>url(-\2d>)</style>`, `<style>url(http://h/-\00002d>)</style>`},
	{"dashes in a script", resolver.RFC1808, "http://h/", `<script type=module>import './-\x2d>'</script>`, `<script type=module>import 'http://h/-\u002d>'</script>`},

	// The two documents that the promise began with: one with CSS that is none to
	// browsers, one with a link that is a title to browsers without scripts.
	{"no style after col", resolver.RFC1808, "http://e/", "<base href=\"http://h/>/\"><template><col><style></template><p title=url(x/onclick=alert`1`//)>hi<style></style>",
		"<base href=\"http://h/>/\"><template><col><style></template><p title=url(x/onclick=alert`1`//)>hi<style></style>"},
	{"noscript", resolver.RFC1808, "http://h/", `x<noscript><p title="</noscript><img src=x/onclick=alert(1)//>">`, `x<noscript><p title="</noscript><img src=http://h/x/onclick=alert(1)//>">`},
}

func TestStructure(t *testing.T) {
	for _, row := range structureRows {
		rw := everySet.on(Must(New(Options{Profile: row.p})))
		outer := mustParse(t, row.url, row.p)
		got, result := rewrite(t, rw, row.in, outer)
		if got != row.want {
			t.Errorf("%s:\n%s\nbecomes\n%s\nwant\n%s", row.name, row.in, got, row.want)
		}
		if again, _ := rewrite(t, rw, got, outer); again != got {
			t.Errorf("%s: %s, then %s", row.name, got, again)
		}
		if stays := strings.Count(row.in, "<a href/"); result.Unresolvable != stays || result.Warnings != stays {
			t.Errorf("%s: %+v", row.name, result)
		}
	}
}

// White space tells that a value for scripts is one reference. It would go from the front, and
// stay in the rest. Where the new value would be image candidates, the old one stays.
func TestStructureLazy(t *testing.T) {
	for _, row := range []struct{ value, want string }{
		{`a 1x", b 2x`, ""},
		{`a b", c`, ""},
		{`a 1y', b 2x`, ""},
		{`a 1x", b c`, `http://h/a%201x", b c`},
		{`a b".jpg`, `http://h/a%20b".jpg`},
		{`a b" c.jpg`, `http://h/a%20b" c.jpg`},
		{`a" 1x, b 2x`, `http://h/a" 1x, http://h/b 2x`},
		{`a b" 1x`, ""},
		{`a" b|c d`, `http://h/a" b|http://h/c%20d`},
		{`a b" 1x|c`, `http://h/a%20b" 1x|http://h/c`},
		{`a", b|c`, `http://h/a", b|http://h/c`},
		{`a 1x", b 2x|c`, `http://h/a%201x", b 2x|http://h/c`},
	} {
		for _, host := range []string{"h", "v"} {
			rw, warns := Must(New(Options{Rules: Lazy()})), row.want == ""
			if host == "v" {
				rw = rw.With(Hooks{Visit: func(p *Place) error {
					p.URL = strings.Replace(cmp.Or(p.URL, "http://h/"+p.Ref), "http://h/a", "http://v/a", 1)
					return nil
				}})
			}
			in := "<img data-src='" + strings.ReplaceAll(row.value, "'", "&#39;") + "'>"
			want := strings.Replace(strings.Replace(in, row.value, row.want, 1), "http://h/a", "http://"+host+"/a", 1)
			if warns {
				want = in
			}
			got, result := rewrite(t, rw, in, mustParse(t, "http://h/", resolver.RFC1808))
			if got != want || (result.Warnings > 0) != warns {
				t.Errorf("%s becomes %s, want %s; %+v", in, got, want, result)
			}
			if again, _ := rewrite(t, Must(New(Options{Rules: Lazy()})), got, mustParse(t, "http://h/", resolver.RFC1808)); again != got {
				t.Errorf("%s, then %s", got, again)
			}
		}
	}
}

// What Visit returns is escaped as a base is. It cannot take away what stays.
func TestStructureVisit(t *testing.T) {
	for _, row := range []struct{ in, url, want string }{
		{`<a href=x>`, "new:a'b\"c`<d> e\t", "<a href=new:a&#39;b&quot;c&#96;&lt;d&gt;%20e%09>"},
		{`<a href="x">`, "new:a'b\"c`<d> e\t", `<a href="new:a&#39;b&quot;c&#96;&lt;d&gt;%20e%09">`},
		{`<style>url(x)</style>`, "new:'\"`<> ", `<style>url(new:\000027\000022\000060\00003c\00003e%20)</style>`},
		{`<a href="x'y">`, "http://e/x'y", `<a href="http://e/x'y">`},
		{`<a href="x'y">`, "http://e/?u=http://h/d/x'y", `<a href="http://e/?u=http://h/d/x'y">`},
		{`<a href="x'y">`, "http://e/x%27y", ""},
		{`<a href="x'y">`, "http://e/", ""},
		{`<a href="x'/../y">`, "http://e/y", ""},
		{`<a href="javascript:x('y')">`, "#", ""},
		{`<a href="javascript:x('y')">`, "new:'y')", `<a href="new:'y')">`},
		{`<a href="#x'y">`, "new:x'y", `<a href="new:x'y">`},
		{`<img src="'">`, "new:'", `<img src="new:'">`},
		{`<img src/>`, "new:", ""},
		{`<img src >`, "new:", `<img src=new: >`},
		{`<iframe srcdoc="<a href='x'>">`, "new:'\">&", `<iframe srcdoc="<a href='new:&amp;#39;&amp;quot;&amp;gt;&amp;amp;'>">`},
	} {
		rw := Must(New(Options{KeepFragments: true})).With(Hooks{Visit: func(p *Place) error {
			p.URL = row.url
			return nil
		}})
		got, result := rewrite(t, rw, row.in, mustParse(t, "http://h/d/p", resolver.RFC1808))
		want, warnings := row.want, 0
		if want == "" {
			want, warnings = row.in, 1
		}
		if got != want || result.Warnings != warnings {
			t.Errorf("%s with %q becomes %s, %+v", row.in, row.url, got, result)
		}
	}
}

// otherReaders is what may stand before a document for a reader that sees it in another
// context.
var otherReaders = []string{
	"", "<!--", "<!", "<p title=\"", "<p title='", "<p title=", "<p ", "<style>", "<title>", "<textarea>", "<xmp>", "<script>", "<script><!--", "<noscript>",
	"<svg><![CDATA[", "<svg><style>", "<math><mi>", "<template><col>", "<table><colgroup>", "<select>", "<frameset>", "<plaintext>",
}

// A reader that sees a document in any other context finds the same tags in the rewritten
// document, whether or not that reader has scripts.
func TestOtherReaders(t *testing.T) {
	check := func(name, in string, p resolver.Profile, url string) {
		t.Helper()
		out, _ := rewrite(t, everySet.on(Must(New(Options{Profile: p}))), in, mustParse(t, url, p))
		for _, before := range otherReaders {
			for _, scripting := range []bool{true, false} {
				if a, b := tagsOf(t, before+in, scripting), tagsOf(t, before+out, scripting); !slices.Equal(a, b) {
					t.Fatalf("%s after %s, scripting %v:\n%s\nhas tags\n%q\nrewritten\n%s\n%q", name, before, scripting, in, a, out, b)
				}
			}
		}
	}
	for _, row := range structureRows {
		check(row.name, row.in, row.p, row.url)
	}
	for _, page := range pages(t) {
		if !isWide(page.data) {
			check(page.name, string(page.data), resolver.WHATWG, page.url)
		}
	}
	for id, cases := range placeCases(t) {
		for _, c := range cases {
			check(id, string(c.in), resolver.RFC1808, "http://h/'\"`<>--]]--!>/p?'\"`<>--]]")
		}
	}
}

// tagsOf returns the names of the elements and the number of comments in a document.
func tagsOf(t *testing.T, document string, scripting bool) (all []string) {
	root, err := html.ParseWithOptions(strings.NewReader(document), html.ParseOptionEnableScripting(scripting))
	if err != nil {
		return []string{err.Error()} // of elements that are nested too deep
	}
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			all = append(all, n.Namespace+" "+n.Data)
		case html.CommentNode:
			all = append(all, "#comment")
		}
	}
	return all
}

// Where only the front of a reference is replaced, the URL that is written leads where the
// absolute form does, on every base, in every profile and in a query of any encoding.
func TestFrontLeads(t *testing.T) {
	parts := []string{"'", `"`, "`", "<", ">", "&#39;", "/", "/", "..", ".", "%2e", "a", "b.c", "?", "#", ";", ":", "//", "\\", "@", "http:", "&amp;", "%41", " ", "\u00e9", "[", "|", "C", "8"}
	bases := []string{"http://h/d/p", "http://h", "https://u@h:8/d/e/?q'#f", "file:///C:/d/p", "file://h/d/", "ftp://h/d;x/p", "foo://h/d/p", "foo:/d/p"}
	values := soak.N(40_000)
	dotsBeforeParams := regexp.MustCompile(`(^|[/\\])\.\.?;`) // to RFC 1808 alone these are segments of dots
	rnd := rand.New(rand.NewPCG(7, 8))
	kept := 0
	for range values {
		ref := parts[rnd.IntN(5)]
		for range rnd.IntN(5) {
			ref = parts[rnd.IntN(len(parts))] + ref
		}
		for range rnd.IntN(5) {
			ref += parts[rnd.IntN(len(parts))]
		}
		p := profiles[rnd.IntN(len(profiles))]
		if p == resolver.RFC1808 && dotsBeforeParams.MatchString(ref) {
			continue
		}
		outer, err := resolver.ParseBase(bases[rnd.IntN(len(bases))], p)
		if err != nil {
			t.Fatal(err)
		}
		in := "<a href='" + strings.ReplaceAll(ref, "'", "&apos;") + "'>"
		if rnd.IntN(2) == 0 {
			in = `<a href="` + strings.ReplaceAll(ref, `"`, "&quot;") + `">`
		}
		var place Place
		out, result := rewrite(t, htmlSet.on(Must(New(Options{Profile: p})).With(Hooks{Visit: func(p *Place) error { place = *p; return nil }})), in, outer)
		if result.Rewritten == 0 {
			continue
		}
		kept++
		for written := range htmlSet.on(Must(New(Options{Profile: p}))).Places(strings.NewReader(out), nil) {
			got, gotErr := anyBase.Resolve(written.Ref)
			want, wantErr := anyBase.Resolve(place.URL)
			if got != want || (gotErr == nil) != (wantErr == nil) {
				t.Errorf("%s: %s on %s becomes %s, which leads to %q, %v, not %q, %v", p, in, outer, out, got, gotErr, want, wantErr)
			}
		}
	}
	if kept < values/4 {
		t.Errorf("only %d of %d references are rewritten", kept, values)
	}
}

// In ISO-2022-JP, how the rest of a query is encoded depends on the characters before it: if
// anything of a reference stays, everything from its first character beyond ASCII stays.
func TestFrontWithState(t *testing.T) {
	const rest = "\x1b$BK=7&\x1b(B?a&amp;b=\x1b(J\\~\x1b(B&gt;\x1b$Bam\x1b(B"
	for _, p := range profiles {
		got, _ := rewrite(t, Must(New(Options{Profile: p})), "<meta charset=iso-2022-jp><a href=\"x"+rest+"\">", mustParse(t, "http://h/a/b", p))
		if want := "<meta charset=iso-2022-jp><a href=\"http://h/a/x" + rest + "\">"; got != want {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
	}
}
