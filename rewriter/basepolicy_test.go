package rewriter

import (
	"strings"
	"testing"
	"testing/iotest"

	"absolink/resolver"
)

type policyRow struct{ in, want string }

// checkRows checks what becomes of documents, whole and in pieces, and of their
// trees.
func checkRows(t *testing.T, rw *Rewriter, rows []policyRow) {
	t.Helper()
	outer := mustParse(t, "http://h/d/p", rw.Profile())
	for _, row := range rows {
		got, _ := rewrite(t, rw, row.in, outer)
		if got != row.want {
			t.Errorf("%s\nbecomes %s\nwant    %s", row.in, got, row.want)
		}
		if pieces, _ := rewriteFrom(t, rw, iotest.OneByteReader(strings.NewReader(row.in)), outer); pieces != got {
			t.Errorf("%s\nin pieces becomes %s\nwhole             %s", row.in, pieces, got)
		}
		a, err := treeOf(t, rw, row.in, outer)
		if err != nil {
			t.Fatal(err)
		}
		if b := strings.Join(lines(parseNode(t, got, true)), "\n"); a != b {
			t.Errorf("%s\nas a tree becomes\n%s\nstreamed\n%s", row.in, a, b)
		}
	}
}

func TestRemoveBase(t *testing.T) {
	rw := Must(New(Options{RemoveBase: true, KeepFragments: true}))
	checkRows(t, rw, []policyRow{
		{`<base href="/b/"><a href=x><a href=#y>`, `<base href="#"><a href=http://h/b/x><a href=http://h/b/#y>`},
		{`<link href=#y><base href=/b/ target=_top>`, `<link href=http://h/b/#y><base href=# target=_top>`},
		{`<link href=x><base target=_top  HREF = '/b/' id=z>`, `<link href=http://h/b/x><base target=_top  HREF = '#' id=z>`},
		{"<base\n\thref='/b/' href=/c/><a href=x>", "<base\n\thref='#' href=/c/><a href=http://h/b/x>"},
		{`<base/href=/b/><a href=x>`, `<base/href=#><a href=http://h/b/x>`},
		{`<base id="a"href="/b/"id=c><a href=x>`, `<base id="a"href="#"id=c><a href=http://h/b/x>`},
		{`<base href><a href=x><a href=#y>`, `<base href><a href=http://h/d/x><a href=http://h/d/p#y>`},
		{`<base href=" "><base href=" #z"><a href=x>`, `<base href=" "><base href=" #z"><a href=http://h/d/x>`},
		{`<base href=/b/><base href=/c/><body><base href=/e/><a href=x>`, `<base href=#><base href=#><body><base href=#><a href=http://h/b/x>`},
		{`<a href=#y><a href=x>`, `<a href=#y><a href=http://h/d/x>`},
		{`<base href=mailto:x><a href=y>`, `<base href=mailto:x><a href=y>`},
		{`<base href=data:,x><a href=y>`, `<base href=#><a href=http://h/d/y>`},
		{`<base href=/b/><svg><base href=x></svg>`, `<base href=#><svg><base href=http://h/d/x></svg>`},
		{`<base href="/b/"target=x><a href=y>`, `<base href="#"target=x><a href=http://h/b/y>`},
		{`<base id=a href/target=x><a href=y>`, `<base id=a href/target=x><a href=http://h/d/y>`},
		{`<base id href="/b/"=x><a href=y>`, `<base id href="#"=x><a href=http://h/b/y>`},
		{`<base href=/b/><iframe srcdoc="<a href=#y>">`, `<base href=#><iframe srcdoc="<a href=http://h/b/#y>">`},
		{`<base href=/b/><iframe srcdoc="<base href=c/><a href=x>">`, `<base href=#><iframe srcdoc="<base href=#><a href=http://h/b/c/x>">`},
		{`<base href="/b/a'c/>d"><a href=x>`, `<base href="#'c/>d"><a href=http://h/b/a&#39;c/x>`},
		{`<base href='&quot;/b/'><a href=x>`, `<base href='#&quot;/b/'><a href=http://h/d/&quot;/b/x>`},
	})
	_, result := rewrite(t, rw, `<base href=/b/><base href=/c/><iframe srcdoc="<base href=x>">`, mustParse(t, "http://h/", resolver.RFC1808))
	if result.Removed != 3 {
		t.Errorf("%d removed", result.Removed)
	}
	in := `<base href=/b/><a href=x>`
	if got, _ := rewrite(t, rw, in, nil); got != in {
		t.Errorf("without a base %s becomes %s", in, got)
	}
}

func TestWholeDocument(t *testing.T) {
	checkRows(t, Must(New(Options{WholeDocument: true})), []policyRow{
		{`<body><a href=x><base href=/b/><a href=y>`, `<body><a href=http://h/b/x><base href=http://h/b/><a href=http://h/b/y>`},
		{`<p><a href=x><table><tr><td><base href=/b/></table>`, `<p><a href=http://h/b/x><table><tr><td><base href=http://h/b/></table>`},
		{`<body><a href=x></body></html><base href=/b/>`, `<body><a href=http://h/b/x></body></html><base href=http://h/b/>`},
		{`<body><a href=x><template><base href=/b/></template>`, `<body><a href=http://h/d/x><template><base href=http://h/b/></template>`},
		{`<body><template><p></template><base href=/b/><a href=x>`, `<body><template><p></template><base href=http://h/b/><a href=http://h/b/x>`},
		{`<body><svg><base href=/b/></svg><a href=x>`, `<body><svg><base href=http://h/b/></svg><a href=http://h/d/x>`},
		{`<body><svg><desc><base href=/b/></desc></svg><a href=x>`, `<body><svg><desc><base href=http://h/b/></desc></svg><a href=http://h/b/x>`},
		{`<body><noscript><base href=/b/></noscript><a href=x>`, `<body><noscript><base href=http://h/b/></noscript><a href=http://h/d/x>`},
		{`<base href=/b/><body><base href=/c/><a href=x>`, `<base href=http://h/b/><body><base href=http://h/c/><a href=http://h/b/x>`},
		{`<body><base target=x><base href=/b/><base href=/c/><a href=x>`, `<body><base target=x><base href=http://h/b/><base href=http://h/c/><a href=http://h/b/x>`},
		{`<p><a href=x><base href=/b/><frameset><frame src=y>`, `<p><a href=http://h/d/x><base href=http://h/b/><frameset><frame src=http://h/d/y>`},
		{`<p><base href=/b/><a href=x><br><frameset><frame src=y>`, `<p><base href=http://h/b/><a href=http://h/b/x><br><frameset><frame src=http://h/b/y>`},
		{`<p><base href=/b/><a href=x>y`, `<p><base href=http://h/b/><a href=http://h/b/x>y`},
		{`<p><base href=/b/><a href=x>`, `<p><base href=http://h/b/><a href=http://h/b/x>`},
		{`<p><base href=/b/><base href=/c/><input type=hidden><a href=x><li>`, `<p><base href=http://h/b/><base href=http://h/c/><input type=hidden><a href=http://h/b/x><li>`},
		{`<base href=/b/><p><base href=/c/><frameset><frame src=x>`, `<base href=http://h/b/><p><base href=http://h/c/><frameset><frame src=http://h/b/x>`},
		{`<svg><desc><base href=/b/></desc><![CDATA[ x ]]></svg><frameset><a href=x>`, `<svg><desc><base href=http://h/b/></desc><![CDATA[ x ]]></svg><frameset><a href=http://h/b/x>`},
		{`<svg><desc><base href=/b/></desc><![CDATA[  ]]></svg><frameset><frame src=x>`, `<svg><desc><base href=http://h/b/></desc><![CDATA[  ]]></svg><frameset><frame src=http://h/d/x>`},
		{`<svg><foreignObject><p>a<div>b</div></foreignObject><base href="http://evil/"/></svg><a href=x>`, `<svg><foreignObject><p>a<div>b</div></foreignObject><base href="http://evil/"/></svg><a href=http://h/d/x>`},
		{`<svg><foreignObject><p>a<p>b</p></foreignObject><rect fill="url(p.svg#x)"/></svg>`, `<svg><foreignObject><p>a<p>b</p></foreignObject><rect fill="url(http://h/d/p.svg#x)"/></svg>`},
		{`<div><table><td><svg></div><base href=/b/><a href=x>`, `<div><table><td><svg></div><base href=http://h/b/><a href=http://h/d/x>`},
		{`<frameset><frame src=x><base href=/b/>`, `<frameset><frame src=http://h/d/x><base href=http://h/b/>`},
		{`<body><a href=x>`, `<body><a href=http://h/d/x>`},
	})
	rw := Must(New(Options{WholeDocument: true, Hold: 100}))
	in := "<body><a href=x>" + strings.Repeat("y", 200) + "<base href=/b/>"
	got, result := rewrite(t, rw, in, mustParse(t, "http://h/d/p", resolver.RFC1808))
	if result.Warnings != 1 || result.Base.Source != OuterBase || !strings.HasPrefix(got, "<body><a href=http://h/d/x>") {
		t.Errorf("%s, %+v", got, result)
	}
}

// A BASE in a body that a frameset may yet replace counts where Hold is not
// enough to know.
func TestWholeDocumentHold(t *testing.T) {
	rw := Must(New(Options{WholeDocument: true, Hold: 100}))
	in := "<p><a href=x><base href=/b/><p>" + strings.Repeat("<i></i>", 50) + "<frameset>"
	got, result := rewrite(t, rw, in, mustParse(t, "http://h/d/p", resolver.RFC1808))
	if result.Warnings != 1 || result.Base.Source != EmbeddedBase || result.Base.Offset != 13 || !strings.HasPrefix(got, "<p><a href=http://h/b/x>") {
		t.Errorf("%s, %+v", got, result)
	}
}

// refusedBases are URLs that no RFC profile takes for a base, or not each of them. In a
// BASE, other readers resolve on them.
var refusedBases = []string{
	"http://b?q", "http://b;p", "http://b?a:b@c/", "//b?q", "http:/a/b", "http:///a/b", "http:c", "http:", "HTTP://", "ftp:/a",
	"http://b/&#1;", "//b/&#x7f;", "mailto:x", "telnet://b/", "news:b", "about:blank", "urn:a:b",
}

// A BASE that a profile refuses sends no link to the host of the next layer: it gives the
// base, or links stay, with a warning. Only in the WHATWG profile, a BASE that is invalid is
// as good as none.
func TestRefusedBase(t *testing.T) {
	const links = `<a href=g><a href=/g><a href="?q"><a href="#f"><img srcset="g, h 2x"><p style="a:url(g)"><iframe srcdoc="<a href=g>"></iframe>`
	for _, profile := range profiles {
		outer := mustParse(t, "http://next/d/p", profile)
		for _, url := range refusedBases {
			for _, remove := range []bool{false, true} {
				var warned []error
				rw := Must(New(Options{Profile: profile, RemoveBase: remove})).With(Hooks{Warn: func(_ int64, err error) { warned = append(warned, err) }})
				in := `<base href="` + url + `">` + links
				got, r := rewrite(t, rw, in, outer)
				_, after, _ := strings.Cut(got, ">")
				if strings.Contains(after, "//next/") && !(profile == resolver.WHATWG && strings.HasPrefix(strings.ToLower(url), "http:")) {
					t.Errorf("%s: %s\nbecomes %s", profile, in, got)
				}
				if r.Base.URL == nil && (after != links || r.Unresolvable == 0 || len(warned) == 0) {
					t.Errorf("%s: %s\nbecomes %s, warned %v, %+v", profile, in, got, warned, r)
				}
				if tree, err := treeOf(t, rw, in, outer); err != nil || tree != strings.Join(lines(parseNode(t, got, true)), "\n") {
					t.Errorf("%s: %s\nas a tree becomes\n%s, %v\nstreamed\n%s", profile, in, tree, err, got)
				}
			}
		}
	}
}

// treeOf returns the lines of a document that is rewritten as a tree.
func treeOf(t *testing.T, rw *Rewriter, in string, outer *resolver.Base) (string, error) {
	t.Helper()
	tree := parseNode(t, in, true)
	_, err := rw.RewriteNode(tree, outer)
	return strings.Join(lines(tree), "\n"), err
}
