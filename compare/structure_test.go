package compare

import (
	"bytes"
	_ "embed"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

//go:embed skeleton.js
var skeletonScript string

// twoReadings are documents that are read in two ways, or that a rewriter without the whole
// tree construction reads otherwise than a browser.
var twoReadings = []string{
	"<base href=\"http://h/>/\"><template><col><style></template><p title=url(x/onclick=alert`1`//)>hi<style></style>",
	`x<noscript><p title="</noscript><img src=x/onclick=alert(1)//>">`,
	`x<noscript><p title='</noscript><img src=x/onclick=alert(1)// >'>`,
	`x<noscript><!--</noscript><a href=x-&#45;>y</a>-->`,
	`<a href="x>y'z"><p title="<a href='x>onclick=alert(1)'>">`,
	`<style><!--</style><a href="x--><img src=y onerror=alert(1)>">`,
	`<svg><style><a href="</style><img src=x/onclick=alert(1)>"></style></svg>`,
	`<frameset><style></frameset><a href="url(x/onclick=alert(1)//)"></style>`,
	`<select><style></select><p title=url(x/onclick=alert(1)//)></style>`,
	`<table><colgroup><style></colgroup><p title=url(x/onclick=alert(1)//)></style>`,
	`<math><mi><title><a href="</title><img src=x onclick=alert(1)>">`,
	`<base href="http://h/'&quot;<>` + "`" + `--]]/"><base href='x' target=_top><a href=y><p style=background:url(z)><!--<a href=z>-->`,
	`<iframe srcdoc="<base href='http://h/&amp;gt;/'><noscript><p title='</noscript><img src=x/onclick=alert(1)>'>">`,
	`<textarea><a href=x></textarea><plaintext><a href="y">`,
}

// The rewritten document consists of the same elements with the same attributes as the
// document itself, to a browser without scripts and to one with them.
func TestStructure(t *testing.T) {
	b := <-startChromium(t)
	var rewritten, originals []string
	for _, in := range twoReadings {
		for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
			for _, url := range []string{"http://h/d/p", "http://h/'\"`<>--]]--!>/x/onclick=alert(1)//p"} {
				for _, remove := range []bool{false, true} {
					base := must(resolver.ParseBase(url, p))(t)
					rules := append(rewriter.HTML(), append(rewriter.JSON(), rewriter.AllComments()...)...)
					var out bytes.Buffer
					must((rewriter.Must(rewriter.New(rewriter.Options{Profile: p, Rules: rules, RemoveBase: remove}))).Rewrite(&out, strings.NewReader(in), base))(t)
					originals, rewritten = append(originals, in), append(rewritten, out.String())
				}
			}
		}
	}
	before := askEach[[2]string](t, b, skeletonScript, originals) // without scripts and with them
	after := askEach[[2]string](t, b, skeletonScript, rewritten)
	for i := range originals {
		for k, reader := range []string{"without scripts", "with scripts"} {
			if before[i][k] != after[i][k] {
				t.Errorf("%s, %s\nbecomes %s\nwhich is\n%s\nnot\n%s", reader, originals[i], rewritten[i], after[i][k], before[i][k])
			}
		}
	}
}
