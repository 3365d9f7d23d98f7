package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"absolink/internal/test/doors"

	"absolink/cmd/absolink/internal/console"
)

// BenchmarkWork does what the command is mostly used for, on pages like those of the web: most
// of it is HTML, alone and in every kind of container. release/profile makes default.pgo of it.
func BenchmarkWork(b *testing.B) {
	b.Chdir(b.TempDir())
	pages := workPages(60)
	var archive, mail bytes.Buffer
	for i, page := range pages {
		name := fmt.Sprintf("site/%d/page.html", i)
		write(b, name, page)
		archive.Write(doors.Zipped(doors.Record([]byte(page), true), true))
	}
	fmt.Fprintf(&mail, "MIME-Version: 1.0\r\nContent-Location: http://h/mail\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n%s\r\n--b--\r\n", pages[0])
	write(b, "archive.warc.gz", archive.String())
	write(b, "page.mhtml", mail.String())
	write(b, "feed.xml", workFeed(pages[:8]))
	write(b, "style.css", strings.Repeat(workSheet, 200))

	var files []string
	for i := range pages {
		files = append(files, fmt.Sprintf("site/%d/page.html", i))
	}
	const url = "http://example.com/a/b/page.html?q=1"
	all := func(args ...string) []string { return append(args, files...) }
	for b.Loop() {
		for range 30 {
			work(b, all("--url", url)...)
			work(b, all("--url", url, "--profile", "whatwg")...)
		}
		work(b, all("--url", url, "--scope", "document")...)
		work(b, all("list", "--url", url)...)
		work(b, all("base", "--url", url)...)
		work(b, "warc", "-o", "-", "archive.warc.gz")
		work(b, "list", "archive.warc.gz")
		work(b, "--url", url, "page.mhtml", "feed.xml")
		work(b, "--url", url, "--type", "css", "style.css")
	}
}

// work runs the command.
func work(b *testing.B, args ...string) {
	b.Helper()
	var stderr strings.Builder
	if code := run(args, strings.NewReader(""), io.Discard, &stderr); code != console.ExitDone {
		b.Fatalf("%.3q: %d, %s", args, code, stderr.String())
	}
}

// workPages returns pages of about 100 KB.
func workPages(n int) (pages []string) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		var page strings.Builder
		page.WriteString(workHead)
		page.WriteString("<style>" + strings.Repeat(workSheet, r.IntN(30)) + "</style>\n<script>" + strings.Repeat(workScript, r.IntN(100)) + "</script>\n</head>\n<body class=\"home\">\n")
		for range 200 {
			part := workParts[r.IntN(len(workParts))]
			page.WriteString(strings.NewReplacer("TEXT", workText[:20+r.IntN(len(workText)-20)], "NAME", fmt.Sprint("name-", r.IntN(1000))).Replace(part))
		}
		page.WriteString("</body>\n</html>\n")
		pages = append(pages, page.String())
	}
	return pages
}

const (
	workHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="og:image" content="https://cdn.example.net/images/share.png" />
<link rel="stylesheet" type="text/css" media="all" href="/css/main.css?v=3">
<link rel="icon" href="../favicon.ico">
<script src="/js/app.js" async></script>
`
	workSheet = `.nav > li:not(.on) a:hover, .w-1\/2 { color: rgba(0,0,0,.5); margin: 0 auto; content: "\2014" }
/* icons */ @media (min-width: 40em) { .icon { background: #fff url(img/bg.png) no-repeat 0 50%; padding: 4px 8px } }
.card { display: flex; flex-direction: column; border: 1px solid #ddd; transition: all .2s ease-in-out }
`
	workScript = `(function (w, d) { var q = w.queue || []; if (q.length < 3) { q.push({ "name": "view", "href": "/a/b" }); } d.write("<b>" + q[0] + "</b>"); })(window, document);
`
	workText = `Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore magna aliqua &ndash; ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip ex ea commodo consequat.`
)

var workParts = []string{
	"<p>TEXT</p>\n",
	"<p class=\"lead\">TEXT <a href=\"/articles/NAME.html\">NAME</a> TEXT <em>NAME</em></p>\n",
	"<div class=\"card card-wide\" id=\"NAME\" data-index=\"3\"><a class=\"link\" href=\"https://www.example.org/tag/NAME/\" title=\"NAME\" target=\"_blank\"><span class=\"label\">NAME</span></a></div>\n",
	"<li class=\"item\"><a href=\"NAME.html?a=1&amp;b=2\">TEXT</a></li>\n",
	"<li><a href=\"#NAME\">NAME</a></li>\n<li><a href=\"//cdn.example.net/NAME\">NAME</a></li>\n",
	"<figure><img class=\"photo\" src=\"/images/NAME.jpg\" srcset=\"/images/NAME-320.jpg 320w, /images/NAME-640.jpg 640w\" sizes=\"100vw\" alt=\"NAME\" width=\"640\" height=\"480\" /><figcaption>TEXT</figcaption></figure>\n",
	"<h2 class=\"title\" style=\"margin-top: 0; color: #333\">NAME</h2>\n<br>\n",
	"<div style=\"background-image: url('NAME.png')\"><i class=\"icon icon-NAME\"></i><b>NAME</b></div>\n",
	"<svg class=\"icon\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"M12 2L2 7l10 5 10-5-10-5z\"/><use xlink:href=\"#NAME\"></use></svg>\n",
	"<form action=\"/search\" method=\"get\"><input type=\"text\" name=\"NAME\" value=\"\"><button type=\"submit\">NAME</button></form>\n",
	"<table class=\"t\"><tr><td>NAME</td><td align=center>TEXT</td></tr></table>\n",
	"<!-- NAME --><script>var NAME = 1;</script><noscript><img src=\"/pixel.gif\"></noscript>\n",
}

// workFeed returns a feed with the pages as its content.
func workFeed(pages []string) string {
	var feed strings.Builder
	feed.WriteString(`<?xml version="1.0"?><rss version="2.0"><channel><title>t</title><link>http://example.com/</link>`)
	for _, page := range pages {
		fmt.Fprintf(&feed, "<item><link>http://example.com/a</link><description><![CDATA[%s]]></description></item>", page)
	}
	return feed.String() + "</channel></rss>\n"
}
