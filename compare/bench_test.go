package compare

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/gohugoio/hugo/transform"
	"github.com/gohugoio/hugo/transform/urlreplacers"
	"golang.org/x/net/html"

	"absolink/resolver"
	"absolink/rewriter"
)

// eachPage runs do on every page of the corpus, and reports the speed in bytes of HTML.
func eachPage(b *testing.B, do func(p Page) error) {
	b.Helper()
	pages := must(Pages())(b)
	n := 0
	for _, p := range pages {
		n += len(p.HTML)
	}
	b.SetBytes(int64(n))
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range pages {
			if err := do(p); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func run(b *testing.B, rw *rewriter.Rewriter, dst io.Writer) {
	b.Helper()
	eachPage(b, func(p Page) error {
		_, err := rw.Rewrite(dst, bytes.NewReader(p.HTML), p.Base)
		return err
	})
}

// BenchmarkRewrite does the whole job: it finds, resolves and writes all places.
func BenchmarkRewrite(b *testing.B) { run(b, new(rewriter.Rewriter), io.Discard) }

// BenchmarkRewriteDocument is BenchmarkRewrite with a BASE that counts anywhere in the
// document, so that a document is held to its end.
func BenchmarkRewriteDocument(b *testing.B) {
	run(b, rewriter.Must(rewriter.New(rewriter.Options{WholeDocument: true})), io.Discard)
}

// BenchmarkRewriteWHATWG is BenchmarkRewrite in the profile of browsers.
func BenchmarkRewriteWHATWG(b *testing.B) {
	rw := rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG}))
	bases := make(map[string]*resolver.Base)
	eachPage(b, func(p Page) error {
		base := bases[p.Name]
		if base == nil {
			var err error
			if base, err = rw.ParseBase(p.URL); err != nil {
				return err
			}
			bases[p.Name] = base
		}
		_, err := rw.Rewrite(io.Discard, bytes.NewReader(p.HTML), base)
		return err
	})
}

// BenchmarkRewriteURLs is BenchmarkRewrite, but only for attributes with exactly one URL.
func BenchmarkRewriteURLs(b *testing.B) {
	rules := slices.DeleteFunc(rewriter.HTML(), func(r rewriter.Rule) bool { return r.Syntax != rewriter.SyntaxURL })
	run(b, rewriter.Must(rewriter.New(rewriter.Options{Rules: rules})), io.Discard)
}

// BenchmarkHeavy does the whole job on generated pages that are mostly style sheets, or
// mostly srcset.
func BenchmarkHeavy(b *testing.B) {
	base := must(resolver.ParseBase("http://h/a/b", resolver.RFC1808))(b)
	for name, page := range map[string]string{
		"css": "<style>" + strings.Repeat(`.nav > li:not(.on) a:hover, .w-1\/2 { color: rgba(0,0,0,.5); background: #fff url(img/bg.png) no-repeat 0 50%; content: "\2014"; transition: all .2s }
/* icons */ @media (min-width: 40em) { .icon { background-image: image-set("i.png" 1x, url("i@2x.png") 2x); margin: 0 auto } }
@font-face { font-family: "A B"; src: url(f.woff2) format("woff2"), url(data:font/woff2;base64,d09GMgABAAAAAAAA) }
`, 1000) + "</style>",
		"srcset": strings.Repeat(`<li><img alt="" src=i.jpg srcset="i-320.jpg 320w, i-640.jpg?a=1&amp;b=2 640w, /img/w_1280,h_720/i.jpg 1280w" sizes="(max-width: 40em) 100vw, 50vw">
`, 1500),
		"style": strings.Repeat(`<div class=x style="background-image:url('i.jpg');color:red">x</div><div style="width:calc(1px + 2em)">y</div>
`, 2000),
	} {
		b.Run(name, func(b *testing.B) {
			var rw rewriter.Rewriter
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rw.Rewrite(io.Discard, strings.NewReader(page), base); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRewriteStream is BenchmarkRewrite with a reader that is not in memory.
func BenchmarkRewriteStream(b *testing.B) {
	var rw rewriter.Rewriter
	eachPage(b, func(p Page) error {
		_, err := rw.Rewrite(io.Discard, struct{ io.Reader }{bytes.NewReader(p.HTML)}, p.Base)
		return err
	})
}

// BenchmarkPassThrough copies pages in which no rule finds a place.
func BenchmarkPassThrough(b *testing.B) {
	run(b, rewriter.Must(rewriter.New(rewriter.Options{Rules: []rewriter.Rule{}})), io.Discard)
}

// BenchmarkScan finds every start tag and the spans of its attributes, and
// follows their contexts.
func BenchmarkScan(b *testing.B) {
	run(b, rewriter.Must(rewriter.New(rewriter.Options{Rules: []rewriter.Rule{}})), nil)
}

// BenchmarkList finds all places and resolves them, shows each to the caller,
// and writes nothing.
func BenchmarkList(b *testing.B) {
	n := 0
	run(b, new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
		n++
		return nil
	}}), nil)
}

// BenchmarkResolve only resolves the relative references of the pages: the resolver's
// part of BenchmarkRewrite.
func BenchmarkResolve(b *testing.B) {
	refs := make(map[string][][]byte)
	name := ""
	rw := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
		if p.Err == nil && p.URL != "" && p.URL != p.Ref {
			refs[name] = append(refs[name], []byte(p.Ref))
		}
		return nil
	}})
	pages := must(Pages())(b)
	for _, p := range pages {
		name = p.Name
		must(rw.Rewrite(nil, bytes.NewReader(p.HTML), p.Base))(b)
	}
	var dst []byte
	eachPage(b, func(p Page) (err error) {
		for _, ref := range refs[p.Name] {
			if dst, err = p.Base.AppendResolve(dst[:0], ref); err != nil {
				return err
			}
		}
		return nil
	})
}

// BenchmarkTokenizerNext reads tokens.
func BenchmarkTokenizerNext(b *testing.B) {
	eachPage(b, func(p Page) error {
		z := html.NewTokenizer(bytes.NewReader(p.HTML))
		for z.Next() != html.ErrorToken {
		}
		return nil
	})
}

// BenchmarkTokenizer only reads every tag and attribute.
func BenchmarkTokenizer(b *testing.B) {
	eachPage(b, func(p Page) error {
		z := html.NewTokenizer(bytes.NewReader(p.HTML))
		for {
			switch z.Next() {
			case html.ErrorToken:
				return nil
			case html.StartTagToken, html.SelfClosingTagToken:
				_, more := z.TagName()
				for more {
					_, _, more = z.TagAttr()
				}
			}
		}
	})
}

// BenchmarkTokenString does what programs commonly do: it takes each Token, changes its
// attributes and writes its String.
func BenchmarkTokenString(b *testing.B) {
	eachPage(b, func(p Page) error {
		base, err := url.Parse(p.URL)
		if err != nil {
			return err
		}
		z := html.NewTokenizer(bytes.NewReader(p.HTML))
		for z.Next() != html.ErrorToken {
			t := z.Token()
			for i, a := range t.Attr {
				if a.Key == "href" || a.Key == "src" {
					t.Attr[i].Val = absolute(base, a.Val)
				}
			}
			io.WriteString(io.Discard, t.String())
		}
		return nil
	})
}

func absolute(base *url.URL, ref string) string {
	u, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	return base.ResolveReference(u).String()
}

// BenchmarkGoquery parses a page, changes the tree and writes the tree.
func BenchmarkGoquery(b *testing.B) {
	eachPage(b, func(p Page) error {
		base, err := url.Parse(p.URL)
		if err != nil {
			return err
		}
		doc, err := goquery.NewDocumentFromReader(bytes.NewReader(p.HTML))
		if err != nil {
			return err
		}
		doc.Find("[href],[src]").Each(func(_ int, s *goquery.Selection) {
			for _, name := range []string{"href", "src"} {
				if ref, ok := s.Attr(name); ok {
					s.SetAttr(name, absolute(base, ref))
				}
			}
		})
		s, err := doc.Html()
		if err != nil {
			return err
		}
		_, err = io.WriteString(io.Discard, s)
		return err
	})
}

// BenchmarkHugo puts a prefix before values that begin with a slash, which is
// all that Hugo's canonifyURLs does.
func BenchmarkHugo(b *testing.B) {
	chain := transform.New(urlreplacers.NewAbsURLTransformer("http://fakehost.test/"))
	eachPage(b, func(p Page) error {
		return chain.Apply(io.Discard, bytes.NewReader(p.HTML))
	})
}

// BenchmarkIndexByte only looks for "<".
func BenchmarkIndexByte(b *testing.B) {
	n := 0
	eachPage(b, func(p Page) error {
		for rest := p.HTML; ; n++ {
			i := bytes.IndexByte(rest, '<')
			if i < 0 {
				return nil
			}
			rest = rest[i+1:]
		}
	})
}

// BenchmarkCopy only copies.
func BenchmarkCopy(b *testing.B) {
	dst := make([]byte, 64<<10)
	eachPage(b, func(p Page) error {
		for rest := p.HTML; len(rest) > 0; {
			rest = rest[copy(dst, rest):]
		}
		return nil
	})
}

// pathological returns inputs that were made to be slow, each a page of n bytes. Time
// must be linear in n: the MB/s of an input are the same for n and 4n.
var pathological = map[string]func(n int) string{
	"less-than":      func(n int) string { return strings.Repeat("<", n) },
	"less-than-bang": func(n int) string { return strings.Repeat("<!", n/2) },
	"comments":       func(n int) string { return strings.Repeat("<!--", n/4) },
	"comment-ends":   func(n int) string { return "<!--" + strings.Repeat("->", n/2) },
	"svg":            func(n int) string { return strings.Repeat("<svg>", n/5) },
	"svg-ends":       func(n int) string { return strings.Repeat("<svg>", 600) + strings.Repeat("</g>", n/4) },
	"svg-div":        func(n int) string { return strings.Repeat("<svg><desc><div>", n/32) + strings.Repeat("</span>", n/14) },
	"quotes":         func(n int) string { return strings.Repeat(`<a b="`, n/6) },
	"names":          func(n int) string { return "<a " + strings.Repeat("b ", n/2) + ">" },
	"equals":         func(n int) string { return "<a " + strings.Repeat("=", n) + ">" },
	"spaces":         func(n int) string { return `<a href="` + strings.Repeat(" ", n) + `x">` },
	"references":     func(n int) string { return `<a href="` + strings.Repeat("&", n) + `">` },
	"dots":           func(n int) string { return `<a href="` + strings.Repeat("a/../", n/5) + `">` },
	"rel":            func(n int) string { return `<link href="#" rel="` + strings.Repeat("x ", n/2) + `">` },
	"data":           func(n int) string { return `<img src="data:,` + strings.Repeat("x", n) + `">` },
	"script":         func(n int) string { return "<script><!--" + strings.Repeat("<script></script ", n/17) },
	"raw":            func(n int) string { return "<title>" + strings.Repeat("</titl", n/6) },
	"noscript":       func(n int) string { return strings.Repeat("<noscript><!--</noscript>", n/25) },
	"noscript-open":  func(n int) string { return "<noscript>" + strings.Repeat("</noscrip", n/9) },
	"cdata":          func(n int) string { return "<svg><![CDATA[" + strings.Repeat("]]", n/2) },
	"held":           func(n int) string { return strings.Repeat("<link href=a>", n/13) },
	"head-text":      func(n int) string { return strings.Repeat("&#32;", n/5) },
	"long-base": func(n int) string {
		return "<base href=//h/" + strings.Repeat("b", 8000) + "/>" + strings.Repeat("<a href=y>", n/4000)
	},
	"css":        func(n int) string { return "<style>" + strings.Repeat("url(\\", min(n, 1<<20)/5) + "</style>" },
	"srcset":     func(n int) string { return `<img srcset="` + strings.Repeat("(,", n/8) + `">` },
	"srcdoc":     func(n int) string { return strings.Repeat("<iframe srcdoc='", 8) + strings.Repeat("x", n) },
	"sheets":     func(n int) string { return strings.Repeat("<svg><style>a{b:url(c)}</style></svg>", n/38) },
	"sheet-tags": func(n int) string { return "<svg><style>" + strings.Repeat("<g>", min(n, 1<<20)/3) },
	"json": func(n int) string {
		return strings.Repeat(`<script type=importmap>{"imports":{"a":"./b"}}</script>`, n/56)
	},
	"conditional": func(n int) string { return strings.Repeat("<!--[if IE]><a href=x>-->", n/26) },
	"iso-2022-jp": func(n int) string { return "<meta charset=iso-2022-jp><p>" + strings.Repeat("<a href=x>", n/10) },
	"utf-16": func(n int) string {
		return "\xff\xfe" + strings.Repeat("<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00x\x00>\x00", n/18)
	},
	"points":     func(n int) string { return strings.Repeat("<b><svg><desc><p>", n/17) },
	"adoption":   func(n int) string { return strings.Repeat("<a><div>", n/8) },
	"formatting": func(n int) string { return "<svg><desc><p>" + formatted(64) + strings.Repeat("<p>x", n/4) },
	"stray":      func(n int) string { return "<svg>" + strings.Repeat("<g>", 500) + strings.Repeat("</x>", n/4) },
	"many-tags":  func(n int) string { return strings.Repeat("<x>", n/3) },
	"templates":  func(n int) string { return strings.Repeat("<template><col>", n/15) },
	"columns":    func(n int) string { return "<template>" + strings.Repeat("<p><col>", n/8) },
	"ignored":    func(n int) string { return "<template><col>" + strings.Repeat("<style></p>", n/11) },
}

// formatted returns the start tags of n formatting elements, all different.
func formatted(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<b id=%d>", i)
	}
	return b.String()
}

// BenchmarkPathological shows that time is linear: it reports the MB/s of each input for
// n and for 4n bytes.
func BenchmarkPathological(b *testing.B) {
	base := must(resolver.ParseBase("http://h/a/b", resolver.RFC1808))(b)
	rw := rewriter.Must(rewriter.New(rewriter.Options{Rules: slices.Concat(rewriter.HTML(), rewriter.JSON(), rewriter.Comments())}))
	for name, input := range pathological {
		for size, n := range map[string]int{"n": 1 << 20, "4n": 4 << 20} {
			in := input(n)
			b.Run(name+"/"+size, func(b *testing.B) {
				b.SetBytes(int64(len(in)))
				for b.Loop() {
					if _, err := rw.Rewrite(io.Discard, strings.NewReader(in), base); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
