package markup

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
	"absolink/rewriter/internal/charset"
)

// A seenTag is a start tag as one of the two scanners sees it.
type seenTag struct {
	Offset      int
	Name        string
	Attrs       [][2]string // the first of each name, decoded
	SelfClosing bool
}

// drive calls tag for every start tag that a Context sees, as its input comes. The tag
// stands at offset in the document, and b begins with it.
func drive(t testing.TB, src io.Reader, o Options, tag func(offset int, c *Context, b []byte)) {
	t.Helper()
	o.LongTag, o.HeadComments = 1<<30, true
	var c Context
	c.Reset(o)
	var b []byte
	off := 0 // of b in the document
	for final := false; ; {
		c.WantTag()
		switch c.Next(b, final) {
		case StartTag:
			tag(off+c.Tag().Start, &c, b[c.Tag().Start:])
		case NoscriptEnd:
			c.LeaveNoscript()
		case None:
			if final {
				return
			}
			n := c.Needed()
			c.Shift(n)
			b, off = b[n:], off+n
			more := make([]byte, 512)
			k, err := src.Read(more)
			b = append(b[:len(b):len(b)], more[:k]...)
			if final = err == io.EOF; err != nil && !final {
				t.Fatal(err)
			}
		}
	}
}

// scanned returns the start tags that a Context sees.
func scanned(t testing.TB, src io.Reader) (tags []seenTag) {
	t.Helper()
	drive(t, src, Options{}, func(offset int, c *Context, b []byte) { tags = append(tags, seen(offset, c.Tag(), b)) })
	return tags
}

func seen(offset int, t *Tag, b []byte) seenTag {
	s := seenTag{Offset: offset, Name: tagText(t.Name.Of(b)), SelfClosing: t.SelfClosing}
	had := make(map[string]bool)
	for _, a := range t.Attrs {
		name := tagText(a.Name.Of(b))
		if !had[name] {
			s.Attrs = append(s.Attrs, [2]string{name, string(charref.AppendDecoded(nil, a.Value.Of(b), nil))})
		}
		had[name] = true
	}
	return s
}

func tagText(name []byte) string {
	return strings.ReplaceAll(string(ascii.AppendLower(nil, name)), "\x00", "\ufffd")
}

// A tokenizerRun is the Tokenizer of x/net/html, driven so that it reads every
// context as browsers do.
type tokenizerRun struct {
	tags     []seenTag
	builder  treeBuilder
	head     head
	noscript bool // this is its content
}

func newTokenizerRun() *tokenizerRun {
	r := new(tokenizerRun)
	r.builder.reset()
	return r
}

func expected(in []byte) []seenTag {
	r := newTokenizerRun()
	r.read(in, 0)
	return r.tags
}

// read reads in, which stands at offset in the document.
func (r *tokenizerRun) read(in []byte, offset int) {
	z := html.NewTokenizer(bytes.NewReader(in))
	pos := 0
	raw := "" // the element whose content is the next text
	for {
		z.AllowCDATA(r.builder.current() != NsHTML)
		tt := z.Next()
		start := pos
		pos += len(z.Raw())
		switch tt {
		case html.ErrorToken:
			return
		case html.TextToken:
			if raw == "noscript" {
				nested := newTokenizerRun()
				nested.noscript = true
				nested.read(in[start:pos], offset+start)
				r.tags = append(r.tags, nested.tags...)
			}
			if raw == "" {
				r.builder.text(in[start:pos])
			}
			if raw == "" && !r.noscript {
				r.head.text(in[start:pos])
			}
			raw = ""
		case html.EndTagToken:
			raw = ""
			name, _ := z.TagName()
			el := elementOf(HashName(string(name)), name)
			ns := r.builder.endTag(el, &Tag{Hash: HashName(string(name)), Name: NewSpan(0, len(name))}, name)
			if !r.noscript {
				r.head.endTag(el, ns)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			raw = r.startTag(z, in[start:pos], offset+start)
			if raw == "script" {
				pos += scriptLength(in[pos:])
				z = html.NewTokenizer(bytes.NewReader(in[pos:]))
				raw = ""
			}
		}
	}
}

// startTag follows a start tag and returns its name if its content is raw text.
func (r *tokenizerRun) startTag(z *html.Tokenizer, raw []byte, offset int) string {
	raw = bytes.Clone(raw)
	name, more := z.TagName()
	s := seenTag{Offset: offset, Name: string(name), SelfClosing: selfClosing(raw)}
	// A tag for the tracker, made of what the Tokenizer reads.
	t := Tag{Hash: HashName(s.Name), SelfClosing: s.SelfClosing, Name: NewSpan(1, 1+len(name))}
	t.long = 1 << 30
	b := append([]byte("<"), name...)
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		s.Attrs = append(s.Attrs, [2]string{string(key), string(value)})
		start := len(b) + 1
		b = fmt.Appendf(b, " %s=\"%s", key, strings.NewReplacer("&", "&amp;", "\"", "&quot;").Replace(string(value)))
		t.Attrs = append(t.Attrs, Attribute{Name: NewSpan(start, start+len(key)), Value: NewSpan(start+len(key)+2, len(b))})
		b = append(b, '"')
	}
	b = append(b, '>')
	t.Pos = len(b)
	r.tags = append(r.tags, s)

	el := elementOf(t.Hash, []byte(s.Name))
	ns, ignored := r.builder.startTag(el, &t, b)
	if !r.noscript && r.head.frameset != framesetOpen {
		if r.head.startTag(el, ns, &t, b); r.head.frameset == framesetOpen {
			r.builder.enterFrameset()
		}
	}
	if el.kind&rawText == 0 {
		return ""
	}
	if ns != NsHTML || ignored || r.noscript && el.Atom == atom.Noscript {
		z.NextIsNotRawText()
		return ""
	}
	return s.Name
}

// selfClosing reports whether a tag ends in a slash that is not part of a
// value: one that a letter in the place of ">" makes part of an attribute of
// its own.
func selfClosing(raw []byte) bool {
	if !bytes.HasSuffix(raw, []byte("/>")) {
		return false
	}
	z := html.NewTokenizer(io.MultiReader(bytes.NewReader(raw[:len(raw)-1]), strings.NewReader("zzslash>")))
	z.Next()
	_, more := z.TagName()
	for more {
		var key []byte
		if key, _, more = z.TagAttr(); string(key) == "zzslash" {
			return true
		}
	}
	return false
}

// scriptLength returns the length of script data: up to the end tag that ends
// it (HTML Standard §13.2.5.4, §13.2.5.15 to §13.2.5.31), or all.
func scriptLength(b []byte) int {
	tagAt := func(i int, open string) bool {
		n := len(open) + len("script")
		return len(b) > i+n && strings.EqualFold(string(b[i:i+n]), open+"script") && strings.IndexByte(" \t\n\f\r/>", b[i+n]) >= 0
	}
	const (
		data = iota
		escaped
		doubleEscaped
	)
	state, dashes := data, 0
	for i := 0; i < len(b); i++ {
		switch {
		case tagAt(i, "</"):
			if state != doubleEscaped {
				return i
			}
			state = escaped
		case state == escaped && tagAt(i, "<"):
			state = doubleEscaped
		case state == data && bytes.HasPrefix(b[i:], []byte("<!--")):
			state, dashes = escaped, 2
			i += len("<!--") - 1
			continue
		case state != data && dashes >= 2 && b[i] == '>':
			state = data
		}
		if dashes++; b[i] != '-' {
			dashes = 0
		}
	}
	return len(b)
}

// checkScan checks that the scanner sees what the Tokenizer sees, however the
// input comes.
func checkScan(t testing.TB, in []byte) {
	t.Helper()
	if charset.ByteOrderMark(in) != nil {
		return // which the Tokenizer does not know
	}
	want := expected(in)
	for i, src := range []io.Reader{
		bytes.NewReader(in),
		iotest.OneByteReader(bytes.NewReader(in)),
		iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(in))),
	} {
		if got := scanned(t, src); !cmp.Equal(got, want) {
			t.Errorf("%q, reader %d (-the Tokenizer +the scanner):\n%s", in, i, cmp.Diff(want, got))
		}
	}
}

var scanSeeds = []string{
	// c3, and what is near it.
	`<script><!-- if(a<5) w("<script src=x></script>"); //--></script><a href=x>`,
	`<script><!-- <script> </script> --> </script><a>`, `<script><!--></script><a>`, `<script><!---></script><a>`,
	`<script><!-- <script </script><a>--></script><b>`, `<script><!--<SCRIPT/></SCRIPT/--><script></script x="</script>"><a>`,
	`<script><!-</script><a>`, `<script></scriptx></script/><a>`, `<script>x</script`, `<script><!--<script>`,
	`<script><!--<script-></script><i></script>--><b></script><u>`, `<script><!--<scriptx></script><a>`,
	`<svg a=1 a=/><style><a>`, `<svg><title><a href=x></svg>`, `<svg><style>&#117;rl(a)<a></style><a>`, `<svg><textarea><a></textarea>`,
	`<math><script><a></script>`, `<svg><script/><a>`, `<svg><style/><a>`, `<svg><title/><a>`,
	`<svg><![CDATA[ a>b <a href=x> ]]><b>`, `<![CDATA[ a>b <a href=x> ]]><b>`, `<svg><desc><![CDATA[<a>]]><p><![CDATA[<b>]]>`,
	`<svg><![CDATA[]]]]><a>`, `<svg><![CDATA[<a>`, `<svg><![cdata[<a>]]>`, `<svg><![CDATA`, `<svg><p><![CDATA[<a>]]>`,
	`<noscript><img src=x><!-- </noscript><a>`, `<noscript><a href="</noscript><b>`, `<noscript><style></noscript><a>`,
	`<noscript><noscript><a></noscript></noscript><b>`, `<noscript><svg><title></noscript><title><a></title>`, `<NOSCRIPT><a></noscripts></NoScript ><b>`,
	`<svg><noscript><a></noscript><b>`, `<noscript><p></noscrip`, `<noscript><p`,
	`<frameset><title><a href=x></title>`, `<frameset><noframes><a></noframes><a>`, `<frameset></frameset><script><a></script><noframes><a>`,
	`<p><frameset><title><a></title>`, `<body><frameset><title><a></title>`, `x<frameset><title><a></title>`, `<svg><frameset><title><a></title>`,
	`<template><frameset><title><a></title></template><frameset><title><a></title>`,
	`<select><xmp><a></xmp><style><a></style>`,
	`text<a hre`, `<a href="x`, `<a href=x`, `<a`, `<`, `</`, `</a`, `<!`, `<!-`, `<!--`, `<?`, `a<`, `</>`, `</ x><a>`,
	"a&amp;b\r\n<a href=\"a&amp;b\r\n\">", "<a\x00b c\x00d=e\x00f>", `<a href=x HREF=y>`, `<a href=a&copy><a href=a&copy=>`,
	`<!--><a>`, `<!---><a>`, `<!--a--!><a>`, `<!--<!--><a>`, `<!----!><a>`, `<!---!><a>--><b>`, `<!-- -- > --><a>`, `<!--a->--><b>`,
	`<!DOCTYPE html PUBLIC "a>b"><a>`, `<!x><a>`, `<?php echo "<a>"; ?><b>`, `</ a href=">"><b>`, `</a href=">"><b>`,
	`<a "b='c'd"=e f = g/h/>`, `<a =b =c==d>`, `<a/b/c=d/ >`, `<a<b>`, `<a b='>' c=">" d=>>`, `<br/ >`, `<a b=/>`, `<a b />`, `<a b/>`, `<a b="c"/>`, `<a b="c"d>`,
	`<textarea><a></textarea ><b>`, `<title></titles></TITLE><b>`, `<xmp></xmp/a="<b>"><i>`, `<plaintext><a></plaintext>`, `<iframe><a></iframe><b>`,
	`<noembed><a></noembed><b>`, `<style><!-- </style><a>`, `<style></style`, `<style></`,
	// Contexts.
	`<svg><desc><style><a></style><title><b></title>`, `<math><mi><title><a></title>`, `<math><mi><mglyph><style><a></style>`,
	`<math><annotation-xml encoding="text/HTML"><style><a></style>`, `<math><annotation-xml encoding=x><style><a></style>`, `<math><annotation-xml><svg><desc><style><a>`,
	`<svg><font><style><a></style>`, `<svg><font color><style><a></style>`, `<svg><p><style><a></style>`, `<svg></p><style><a></style>`, `<svg></br><style><a></style>`,
	`<div><svg></div><style><a></style>`, `<svg></div><style><a></style>`, `<svg><g></svg><style><a></style>`, `<svg><foreignObject></svg><style><a></style>`,
	`<main><svg><path/></g><style><a></style>`, `<svg><desc><div></desc><style><a></style>`, `<svg><svg><title><p></svg><style><a></style>`,
	`<svg/><style><a></style>`, `<math/><style><a></style>`, `<body><svg><style><a></svg></style><b>`,
}

func TestScan(t *testing.T) {
	for _, s := range scanSeeds {
		checkScan(t, []byte(s))
	}
	for _, p := range pages(t) {
		checkScan(t, p)
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s))
	}
	for _, p := range pages(f) {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		checkScan(t, in)
	})
}

// pages returns the test pages.
func pages(t testing.TB) (all [][]byte) {
	names, err := filepath.Glob("../../../testdata/pages/*.html")
	if err != nil || len(names) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// The tracker agrees with the parser of x/net/html on what a frameset takes
// the place of.
func TestFrameset(t *testing.T) {
	for _, name := range elementNames("unknown", "x-y") {
		for _, format := range []string{"<%s>", "<%s></%[1]s>", "</%s>", "<div><%s>", "<%s/>", "<svg><%s>", "<%s>x</%[1]s>", "<template><%s></template>", "<template><%s>x</template>"} {
			in := fmt.Sprintf(format, name) + "<frameset><title><a></title>"
			_, want := parsedTags(t, in)
			r := newTokenizerRun()
			r.read([]byte(in), 0)
			if got := r.head.frameset == framesetOpen; got != want {
				t.Errorf("%s: frameset %v, the parser says %v", in, got, want)
			}
		}
	}
}

// elementNames returns these names and those of all elements that a Context knows.
func elementNames(names ...string) []string {
	for i := range elements.Slots {
		if name := elements.Slots[i].Name; name != "" {
			names = append(names, name)
		}
	}
	return names
}

// The scanner alone, over every page in testdata.
func BenchmarkScanner(b *testing.B) {
	pages := pages(b)
	b.SetBytes(int64(len(bytes.Join(pages, nil))))
	for b.Loop() {
		for _, page := range pages {
			var s scanner
			for token := s.next(page, true); token != noToken; token = s.next(page, true) {
				if token != startTagToken {
					continue
				}
				if el := elementOf(s.tag.Hash, s.tag.Name.Of(page[s.tag.Start:])); el.kind&rawText != 0 {
					s.enter(el.Name)
				}
			}
		}
	}
}
