package compare

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"absolink/resolver"
	"absolink/rewriter"
)

// fetches returns the URLs that a page, which has no icon, has fetched when it is loaded.
func (b *tab) fetches(page Page) ([]string, error) {
	b.mu.Lock()
	b.page, b.policy, b.fetched = page, "script-src 'none'", nil
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	err := chromedp.Run(ctx, emulation.SetScriptExecutionDisabled(true), chromedp.Navigate(page.URL))
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.Sort(b.fetched)
	return slices.Compact(b.fetched), err
}

// If the browser does not fetch a URL because of dangling markup, it does not fetch it
// from the rewritten page either. It fetches no URL that absolink leaves for that
// reason.
func TestDanglingMarkup(t *testing.T) {
	b := <-startChromium(t)
	for _, row := range []struct {
		in       string
		dangling bool
	}{
		{"<img src='x?a\n<p>'>", true},
		{"<img src='//e.example/?a\n<p>secret</p>\n<a href='>", true},
		{"<img src='x?a&Tab;&lt;p>'>", true},
		{"<img src='x?<\r'>", false},
		{"<img src='\nx?<'>", false},
		{"<img src='&#1;\nx?<'>", true},
		{"<img src='x?<\n&#1;'>", true},
		{"<img src='x#<\nb'>", true},
		{"<img src='x?a<p>'>", false},
		{"<img src='x?a\n>'>", false},
		{"<base href='/b/?\n<'><img src=x>", true},
		{"<base href='/b\n<c/'><img src='//e.example/x y'>", true},
		{"<base href='/b\n<c/'><img src='http://e.example/x'>", false},
		{"<base href='/b\n<c/'><iframe srcdoc='<img src=x>'></iframe>", false},
		{"<base href='/b\n<c/'><iframe srcdoc='<base href=http://e.example/><img src=x>'></iframe>", false},
		{"<base href='/b\nc/'><img src='<x'>", false},
		{"<base href='/b<c/'><img src='x\ny'>", false},
		{"<style>@import \"x\\a <y\"</style>", true},
		{"<style>@import url(x\\a y\\3c)</style>", true},
		{"<style>@import 'x\\9 y'</style>", false},
		{"<svg><image href='x\n<y'/></svg>", true},
		{"<iframe srcdoc='<img src=\"x\n<y\">'></iframe>", true},
		{"<iframe src='x\n<y'></iframe>", true},
		{"<link rel=stylesheet href='x\n<y'>", true},
		{"<object data='x\t<y'></object>", true},
	} {
		page := func(in string) Page {
			return Page{URL: "http://h.example/d/p", Type: "text/html; charset=utf-8", HTML: []byte("<link rel=icon href=data:,>" + in)}
		}
		want, err := b.fetches(page(row.in))
		if err != nil || row.dangling != (len(want) == 0) {
			t.Fatalf("from %q the browser fetches %q, %v", row.in, want, err)
		}
		for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
			base := must(resolver.ParseBase("http://h.example/d/p", p))(t)
			var out bytes.Buffer
			result := must((rewriter.Must(rewriter.New(rewriter.Options{Profile: p}))).Rewrite(&out, strings.NewReader(row.in), base))(t)
			got, err := b.fetches(page(out.String()))
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || row.dangling != (result.Unresolvable > 0) && !strings.Contains(row.in, "<base") {
				t.Errorf("%s: %q becomes %q, from which the browser fetches %q, %v, not %q; %+v", p, row.in, &out, got, err, want, result)
			}
		}
	}
}
