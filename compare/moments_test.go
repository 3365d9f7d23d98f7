package compare

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"absolink/resolver"
	"absolink/rewriter"
)

// moments are what stands before the last BASE: the places of the rules that are there by default,
// and of json and modules. V is the reference. What follows "|" stands in the body.
var moments = []string{
	"<link rel=stylesheet href=V>", "<link rel='alternate stylesheet' title=t href=V>", "<link rel=stylesheet media=print href=V>",
	"<link rel=preload as=image href=V>", "<link rel=preload as=image imagesrcset='V 1x'>", "<link rel=modulepreload href=V>",
	"<link rel=prefetch href=V>", "<link rel=icon href=V>", "<link rel=manifest href=V>", "<link rel=canonical href=V>", "<link rel=expect href=V>",
	"<script src=V></script>", "<script async src=V></script>", "<script defer src=V></script>", "<script type=module src=V></script>",
	"<script type=importmap>{\"imports\":{\"a\":\"./V\"}}</script><script type=module>import 'a'</script>",
	"<script type=module>import './V'</script>", "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"V\"],\"eagerness\":\"immediate\"}]}</script>",
	"<style>@import 'V';</style>", "<style>html{background:url(V)}</style>", "<html style='background:url(V)'>",
	"<noscript><link rel=stylesheet href=V></noscript>", "<noscript><style>html{background:url(V)}</style></noscript>",
	"<meta http-equiv=refresh content='0;url=V'>",
	"|<img src=V>", "|<img srcset='V 1x'>", "|<img loading=lazy src=V>", "|<img lowsrc=V>", "|<picture><source srcset='V 1x'><img></picture>",
	"|<iframe src=V></iframe>", "|<iframe loading=lazy src=V></iframe>", "|<iframe srcdoc='<img src=V>'></iframe>",
	"|<iframe srcdoc='<link rel=stylesheet href=V>'></iframe>", "|<object data=V></object>", "|<embed src=V>",
	"|<video src=V></video>", "|<video poster=V></video>", "|<audio src=V></audio>", "|<video><source src=V></video>",
	"|<video><track default src=V></video>", "|<input type=image src=V>", "|<table background=V><tr><td>x</table>", "|<table><tr><td background=V>x</table>",
	"|<link rel=stylesheet href=V>", "|<p style='background:url(V)'>x", "|<a href=V>x</a>", "|<form action=V><button formaction=V></form>",
	"|<div><template shadowrootmode=open><img src=V></template></div>",
	"|<svg><image href=V></image></svg>", "|<svg><image xlink:href=V></image></svg>", "|<svg><use href=V#a></use></svg>", "|<svg><script href=V></script></svg>",
	"|<svg><filter id=f><feImage href=V /></filter><rect width=9 height=9 filter=url(#f) /></svg>",
	"|<svg><rect width=9 height=9 mask=url(V#a) /></svg>", "|<svg><image><set attributeName=href to=V /></image></svg>",
	"|<svg><style>p{background:url(V)}</style></svg><p>x",
	// After a BASE in a body that a frameset may still replace.
	"|<p><base href=http://first/b/><link rel=stylesheet href=V>", "|<p><base href=http://first/b/><style>@import 'V';</style>",
	"|<p><base href=http://first/b/><p style='background:url(V)'>", "|<p><base href=http://first/b/><noscript><img src=V></noscript>",
}

// The rewritten page asks for what the page asks for, although a BASE follows. Where a browser may
// ask for a URL on either base, because it looks ahead or loads an element again, the rewritten page
// asks for one of the two.
func TestMoments(t *testing.T) {
	t.Parallel()
	b := <-startChromium(t)
	b.policy = ""
	asks := 0
	for _, scripts := range []bool{true, false} {
		for _, m := range moments {
			head, body, _ := strings.Cut(m, "|")
			doc := strings.ReplaceAll("<!doctype html>"+head+body+"<base href=http://late/b/>text", "V", "wanted")
			if b.asksTheSame(t, Page{URL: "http://h/a/p.html", Type: "text/html;charset=utf-8", HTML: []byte(doc)}, scripts) {
				asks++
			}
		}
	}
	t.Logf("%d of %d pages ask for something", asks, 2*len(moments))
	if asks < len(moments) {
		t.Error("the browser asks for too little")
	}
}

// The rewritten page asks for the same query, where the document is not in UTF-8.
func TestQueries(t *testing.T) {
	t.Parallel()
	b := <-startChromium(t)
	b.policy = ""
	asks := 0
	for _, m := range moments {
		head, body, _ := strings.Cut(m, "|")
		for query, with := range map[string]string{"\xe9": "", "&eacute;": "='", "\\e9 ": "url(", "\\u00e9": "<script"} {
			if !strings.Contains(m, with) || strings.Contains(m, "<base") {
				continue
			}
			doc := strings.NewReplacer("V", "wanted?"+query, "=V>", "='wanted?"+query+"'>", "=V ", "='wanted?"+query+"' ").Replace("<!doctype html>" + head + body)
			if b.asksTheSame(t, Page{URL: "http://h/a/p.html", Type: "text/html;charset=windows-1252", HTML: []byte(doc)}, true) {
				asks++
			}
		}
	}
	t.Logf("%d pages ask for something", asks)
	if asks < len(moments) {
		t.Error("the browser asks for too little")
	}
}

// asksTheSame checks that the rewritten page asks for nothing that the page does not ask for, and
// reports whether that is anything.
func (b *tab) asksTheSame(t *testing.T, p Page, scripts bool) (asks bool) {
	outer := must(resolver.ParseBase(p.URL, resolver.WHATWG))(t)
	rw := rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG, WholeDocument: true, Rules: slices.Concat(rewriter.HTML(), rewriter.JSON(), rewriter.Modules())}))
	_, charset, _ := strings.Cut(p.Type, "charset=")
	var out bytes.Buffer
	must(rw.Rewrite(&out, rewriter.Source{Reader: bytes.NewReader(p.HTML), Charset: charset}, outer))(t)
	after := p
	after.URL, after.HTML = "http://h/elsewhere/", out.Bytes()
	// Where a browser may ask for a URL on either base, chance decides what it asks for in one load;
	// and on a busy machine a load takes long.
	var want, got []string
	differ := true
	for try := 0; differ && try < 12; try++ {
		settles := min(100*time.Millisecond<<try, 2*time.Second)
		want = append(want, b.requests(t, p, scripts, settles)...)
		got = append(got, b.requests(t, after, scripts, settles)...)
		differ = len(got) > 0 != (len(want) > 0) || slices.ContainsFunc(got, func(u string) bool { return !slices.Contains(want, u) })
	}
	if differ {
		t.Errorf("scripts %v: %s\nasks for %q, and rewritten,\n%s,\nfor %q", scripts, p.HTML, want, out.Bytes(), got)
	}
	return len(want) > 0
}

// requests shows a page, and returns the URLs with "wanted" in them that the browser asks
// for, until the page settles.
func (b *tab) requests(t *testing.T, p Page, scripts bool, settles time.Duration) (wanted []string) {
	b.mu.Lock()
	b.page, b.fetched = p, nil
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Run(ctx,
		emulation.SetScriptExecutionDisabled(!scripts),
		chromedp.ActionFunc(func(ctx context.Context) error { _, _, _, _, err := page.Navigate(p.URL).Do(ctx); return err }),
		chromedp.Sleep(settles),
	); err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range b.fetched {
		if strings.Contains(u, "wanted") {
			wanted = append(wanted, u)
		}
	}
	return wanted
}
