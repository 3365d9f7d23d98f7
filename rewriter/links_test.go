package rewriter

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"absolink/resolver"
)

// Links has these places of the page that has all of them, each with the URL that it has with
// HTML, and no others.
func TestLinks(t *testing.T) {
	const followed = "a[href] a[ping] a[xlink:href] area[href] area[ping] blockquote[cite] button[formaction] del[cite] " +
		"form[action] iframe[longdesc] img[longdesc] input[formaction] link[href] meta[content] q[cite]"
	found := make(map[string]bool)
	for _, page := range pages(t) {
		if page.name != "places" {
			continue
		}
		outer := mustParse(t, page.url, resolver.RFC1808)
		all := make(map[int64]Place)
		for _, p := range runWith(t, Must(New(Options{Rules: HTML()})), bytes.NewReader(page.data), outer).places {
			all[p.Offset] = p
		}
		for _, p := range runWith(t, Must(New(Options{Rules: Links()})), bytes.NewReader(page.data), outer).places {
			found[p.Element+"["+p.Attr+"]"] = true
			if of, ok := all[p.Offset]; !ok || of.URL != p.URL || of.Raw != p.Raw {
				t.Errorf("%s[%s] %q becomes %q, with html %q", p.Element, p.Attr, p.Raw, p.URL, of.URL)
			}
		}
	}
	if got := strings.Join(slices.Sorted(maps.Keys(found)), " "); got != followed {
		t.Errorf("%s\nwant\n%s", got, followed)
	}
}

// With Links, what browsers fetch keeps its bytes, and so does the BASE that this depends on.
func TestLinksOnly(t *testing.T) {
	outer := mustParse(t, "http://h/a/p", resolver.RFC1808)
	for _, row := range []struct{ in, want string }{
		{"<base href=b/><a href=x><script src=y></script>", "<base href=b/><a href=http://h/a/b/x><script src=y></script>"},
		{"<link rel=stylesheet href=a><link rel='alternate stylesheet' href=b><link rel=icon href=c><link rel=modulepreload href=d><link rel=manifest href=e><link href=f>", ""},
		{"<img src=a srcset='b 2x' style='background:url(c)'><iframe src=d></iframe><video poster=e></video><object data=f></object><x-y href=g src=h>", ""},
		{"<style>@import 'a'</style><body background=b><input type=image src=c><embed src=d><p itemid=e>", ""},
		{"<svg><a xlink:href=a><a href=b><image href=c /><use href=d#e /></svg>", "<svg><a xlink:href=http://h/a/a><a href=http://h/a/b><image href=c /><use href=d#e /></svg>"},
		{"<iframe srcdoc='<a href=a><img src=b>'></iframe>", "<iframe srcdoc='<a href=http://h/a/a><img src=b>'></iframe>"},
		{"<form action=''><button formaction=b></button></form><meta http-equiv=refresh content='0;c'>", "<form action='http://h/a/p'><button formaction=http://h/a/b></button></form><meta http-equiv=refresh content='0;http://h/a/c'>"},
		{"<link rel='nofollow canonical' href=a><link rel=alternate href=b>", "<link rel='nofollow canonical' href=http://h/a/a><link rel=alternate href=http://h/a/b>"},
	} {
		want := row.want
		if want == "" {
			want = row.in
		}
		if got, _ := rewrite(t, Must(New(Options{Rules: Links()})), row.in, outer); got != want {
			t.Errorf("%s becomes\n%s\nwant\n%s", row.in, got, want)
		}
	}
	both := Must(New(Options{Rules: slices.Concat(Links(), HTML())}))
	const in = "<link rel=canonical href=a><img src=b>"
	if got, _ := rewrite(t, both, in, outer); got != "<link rel=canonical href=http://h/a/a><img src=http://h/a/b>" {
		t.Errorf("with both groups: %s", got)
	}
}
