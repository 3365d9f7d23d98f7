package doors

import (
	"absolink/internal/test/testio"
	"math/rand/v2"
	"strings"
)

// Documents are what goes through every door.
var Documents = []string{
	"", "<p>text", "<a href=x>", "<A HREF='x y' >t</a >\r\n", `<a href="//h2/?a=1&amp;b"><img srcset="a 1x, b 2x" src=''>`,
	"<head><link href=s><base href=/b/><a href=c>", "<p style='a:url(x)'><style>b{c:url( y )}</style><a href=#f>",
	"<iframe srcdoc='<a href=x>&lt;a href=y>'></iframe><a href=z>", "<svg><style>a{b:url(q)}<!-- url(r) --></style></svg>",
	"<noscript><a href=x></noscript><!--[if IE]><a href=y><![endif]--><a href=z", "<a href='x\n<p'><a href=y>",
	"<p>\xc3\xa9<a href='\xc3\xa9?\xc3\xa9'>", "<p>\xe9<a href='\xe9'>", "\u00e9" + strings.Repeat("<a href=x>", 9), strings.Repeat("<a href=x>text</a>\n", 50),
	"<script>if(a<b)'<a href=x>'</script><a href=y title=\"" + strings.Repeat("long ", 60) + "\">",
	"<a href='http://[x'><base href='data:,'><a href=y>", "<form action=''><button formaction='?q'><a href='http://h/a'><a href='mailto:a@b'>",
	"no<svg/ a=\"b\"><a href=\"#x\">", "<a href='\xe9'>--<meta charset=shift_jis>",
	"<base href=/b/><style>p{a:url(x)}</style><meta charset=gb18030><a href='y\x81'z'>", "<base href='x\n<p'><iframe srcdoc='<base href=k/><a href=x>'>",
	"<iframe srcdoc='<style>p{a:url(x)}</style>'></iframe><base href='x\n<p'>", "<td><base href=z/><noscript><img src=x>",
}

// Sheets are the documents of a door for style sheets.
var Sheets = []string{"", "a{b:url(x)}", "@import 'y';\n.c{d:url( \"z w\" )}", strings.Repeat("a{b:url(x)}\n", 200)}

// long is a document of which more is written in one step than the buffers of a door take,
// with texts that are written at once, without a buffer.
var long = strings.Repeat("<a href=z>"+strings.Repeat("text ", 3500), 2) + "<a href=z>" +
	"<iframe srcdoc='" + strings.Repeat("&lt;a href="+strings.Repeat("x", 60)+">", 1000) + "'></iframe>" + strings.Repeat("<a href=y>text</a>\n", 100)

// Random returns n documents made of [testio.Shards]. The seed decides which.
func Random(n int, seed uint64) []string {
	r := rand.New(rand.NewPCG(7, seed))
	docs := make([]string, n)
	for i := range docs {
		var b strings.Builder
		for range 1 + r.IntN(9) {
			b.WriteString(testio.Shards[r.IntN(len(testio.Shards))])
		}
		docs[i] = b.String()
	}
	return docs
}
