package doors

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"absolink/internal/test/testio"
)

// Documents returns what goes through every door.
var Documents = sync.OnceValue(func() []string { return slices.Concat(plainDocuments, controlDocuments()) })

var plainDocuments = []string{
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
	"<a href=x\x00y><meta charset=utf-8>", "<a href=\x0e/x><meta charset=iso-2022-jp>", "<a href='\x1b//h2/'><a href='\x1b$BI=\x1b(B'>", "<base href='&#27;/b/'><a href=x>",
	"<base href=/b/><form action=\x01><a href=\x01><img src=\x01><meta charset=koi8-r><a href='x?\xe9'>", "<base href='http://['><a href=#x>", "<style>p{a:url(\\\xbf)}</style><img srcset='x,`'>",
	"<meta charset=koi8-r><style>p{a:url(x?\xc9)}</style><p style='a:url(x?\\438 )'><a href='?\xc9'>", "<a href><img src=#>", "<iframe srcdoc='<a href=#f>'></iframe><base href=z/><a href=x>", "<m\u00e9eta charset=utf-16><a href=\xe3>", inUTF16("<iframe srcdoc='<a href=x~>'><a href=y~>"),
	"<a href='{{ x }}'><a href='/p/{{ y }}'><img src='*|Z|*'><iframe srcdoc='<a href={{x}}>'></iframe>",
}

// inUTF16 returns a text of ASCII in UTF-16, with half of a surrogate pair for each "~".
func inUTF16(text string) string {
	return strings.ReplaceAll(string(testio.UTF16(text, "\xff\xfe")), "~\x00", "\x00\xdc")
}

// syntaxes are how a reference stands in a document, and parts are the parts of a reference
// that a byte may be in. Quotes and white space are part of some syntaxes, and of no byte.
var (
	syntaxes = []string{
		"<a href=%s>", "<a href='%s'>", "<a href=\"%s\">", "<base href='%s'>", "<img srcset='%s 1x'>", "<a ping='a %s'>", "<p style='a:url(%s)'>", "<p style='a:url(\"%s\")'>",
		"<style>p{a:url(%s)}</style>", "<style>@import '%s';</style>", "<svg><style>p{a:url(%s)}</style></svg>", "<meta http-equiv=refresh content='0;url=%s'>",
		"<iframe srcdoc='<a href=%s>'></iframe>", "<form action='%s'></form>", "<svg><use href='%s' /></svg>", "<applet archive='a,%s'></applet>",
	}
	parts = []string{"%sx", "%s//h2/", "x%sy", "x%s", "x?%s", "#%s", "//h%s/", "%s"}
)

// controlDocuments are documents in which each byte below 0x20 stands in some syntax, and
// some byte in each part of a reference in each syntax. No meta names their encoding.
func controlDocuments() []string {
	docs := make([]string, 4) // the first one has what IsXML refuses
	for i, syntax := range syntaxes {
		for k, part := range parts {
			n := i*len(parts) + k
			c := string(rune((n + i) % 0x20))
			in := 1 + n%(len(docs)-1)
			if strings.ContainsAny(c, "\x00\f\r") {
				in = 0
			}
			docs[in] += fmt.Sprintf(syntax, fmt.Sprintf(part, c)) + "\n"
		}
	}
	return docs
}

// randomReference is a shard with any byte, or a reference to a character of ASCII, somewhere
// in a reference.
func randomReference(r *rand.Rand) string {
	b := string([]byte{byte(r.IntN(0x20))})
	switch r.IntN(4) {
	case 0:
		b = string([]byte{byte(r.IntN(0x100))})
	case 1:
		b = fmt.Sprintf("&#%d;", r.IntN(0x80))
	case 2:
		b = []string{"\x1b$BI=\x1b(B", "\x83\x5c", "\\", "\u00e9"}[r.IntN(4)]
	}
	return fmt.Sprintf(syntaxes[r.IntN(len(syntaxes))], fmt.Sprintf(parts[r.IntN(len(parts))], b))
}

// Sheets are the documents of a door for style sheets.
var Sheets = []string{"", "a{b:url(x)}", "@import 'y';\n.c{d:url( \"z w\" )}", strings.Repeat("a{b:url(x)}\n", 200)}

// long returns a document that is longer than the buffers of a door, so that one step writes more
// than they take. Some of its texts are written at once, without a buffer.
var long = sync.OnceValue(func() string {
	return strings.Repeat("<a href=z>"+strings.Repeat("text ", 3500), 2) + "<a href=z>" +
		"<iframe srcdoc='" + strings.Repeat("&lt;a href="+strings.Repeat("x", 60)+">", 1000) + "'></iframe>" + strings.Repeat("<a href=y>text</a>\n", 100)
})

// Random returns n documents made of [testio.Shards], one in four with any byte. The seed
// decides which.
func Random(n int, seed uint64) []string {
	r := rand.New(rand.NewPCG(7, seed))
	docs := make([]string, n)
	for i := range docs {
		var b strings.Builder
		for range 1 + r.IntN(9) {
			if r.IntN(4) == 0 {
				b.WriteString(randomReference(r))
			} else {
				b.WriteString(testio.Shards[r.IntN(len(testio.Shards))])
			}
		}
		docs[i] = b.String()
	}
	return docs
}
