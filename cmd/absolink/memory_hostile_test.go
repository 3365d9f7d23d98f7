//go:build linux && !race

package main

import (
	"cmp"
	"encoding/base64"
	"flag"
	"fmt"
	"html"
	"io"
	"mime/quotedprintable"
	"strings"

	"absolink/internal/coding"
	"absolink/internal/test/testio"
)

const (
	// links is how many references a hostile document has. On a base of 8 KiB they
	// become 70 MiB, more than any process here may take that holds them.
	links   = 9_000
	maxBase = 8<<10 - 1
)

// hostileURL is the longest base that counts.
var hostileURL = "http://h/" + strings.Repeat("a", maxBase-len("http://h//")) + "/"

// A hostileDocument has many references in little input. It is XHTML as well.
type hostileDocument struct {
	name   string
	inHead bool // a BASE may follow it
	html   string
}

func hostileDocuments() []hostileDocument {
	return []hostileDocument{
		{"links", true, strings.Repeat(`<link href="x"/>`, links)},
		{"anchors", false, strings.Repeat(`<a href="x"></a>`, links)},
		{"style", true, "<style>" + strings.Repeat("a{b:url(x)}", links) + "</style>"},
		{"style attribute", false, `<p style="` + strings.Repeat("b:url(x);", links) + `"></p>`},
		{"srcset", false, `<img srcset="` + strings.Repeat("x 1x,", links) + `"/>`},
		{"srcdoc", false, `<iframe srcdoc="` + strings.Repeat("&lt;a href=x&gt;", links) + `"></iframe>`},
		{"srcdoc in srcdoc", false, `<iframe srcdoc="&lt;iframe srcdoc='` + strings.Repeat("&amp;lt;a href=x&amp;gt;", links) + `'&gt;"></iframe>`},
		{"import map", true, `<script type="importmap">{"imports":{"y":"./x"` + strings.Repeat(`,"y":"./x"`, links) + `}}</script>`},
		{"module", true, "<script type='module'>" + strings.Repeat("import'./x';", links) + "</script>"},
		{"comments", true, strings.Repeat("<!--<a href=x>-->", links)},
		{"conditional comment", true, "<!--[if IE]>" + strings.Repeat("<a href=x>", links) + "<![endif]-->"},
		{"SVG style", false, `<svg xmlns="http://www.w3.org/2000/svg"><style>` + strings.Repeat("a{b:url(x)}", links) + "</style></svg>"},
		{"SVG style with tags", false, `<svg xmlns="http://www.w3.org/2000/svg"><style>` + strings.Repeat(`<g fill="url(x)"/>`, links) + "</style></svg>"},
	}
}

// page returns a document with a BASE that comes as late as it may.
func (d *hostileDocument) page(base string) string {
	if base != "" {
		base = `<base href="` + base + `"/>`
	}
	if d.inHead {
		return d.html + base
	}
	return base + d.html
}

// A hostileContainer is a way in which a document reaches the command.
type hostileContainer struct {
	name  string
	file  string
	args  string // after "absolink --rules html,json,modules,allcomments"; a command comes before them
	stdin bool
	bound int64 // of memory; 0 is 64 MiB

	// around returns the file of a page on a base that the container gives, if it
	// can give one.
	around func(page, base string) string
	bases  []string // the kinds of bases that are tried: in the page, of the container, or of an option
}

const hostileRules = " --rules html,json,modules,allcomments -q "

var hostileContainers = []hostileContainer{
	{name: "file", file: "page.html", args: hostileRules + "page.html", around: alone, bases: []string{"BASE", "--url", "saved"}},
	{name: "stdin", file: "page.html", args: hostileRules, stdin: true, around: alone, bases: []string{"BASE", "--url"}},
	{name: "in place", file: "page.html", args: "-w" + hostileRules + "page.html", around: alone, bases: []string{"BASE"}},
	{name: "list", file: "page.html", args: "list" + hostileRules + "page.html", around: alone, bases: []string{"BASE", "--url"}},
	{name: "whatwg", file: "page.html", args: "--profile whatwg" + hostileRules + "page.html", around: alone, bases: []string{"BASE"}},
	{name: "UTF-16", file: "page.html", args: hostileRules + "page.html", around: wide, bases: []string{"BASE"}},
	{name: "style sheet", file: "page.css", args: "--type css" + hostileRules + "page.css", around: styled, bases: []string{"--url"}},
	{name: "tree", file: "site/page.html", args: "tree" + hostileRules + "site out", around: alone, bases: []string{"BASE", "--url"}},

	{name: "8bit", file: "page.eml", args: hostileRules + "page.eml", around: mailed("8bit"), bases: []string{"BASE", "container"}},
	{name: "quoted-printable", file: "page.eml", args: hostileRules + "page.eml", around: mailed("quoted-printable"), bases: []string{"BASE", "container"}},
	{name: "base64", file: "page.eml", args: hostileRules + "page.eml", around: mailed("base64"), bases: []string{"BASE", "container"}},
	{name: "MHTML", file: "page.mht", args: hostileRules, stdin: true, around: archived, bases: []string{"container"}},
	{name: "mbox", file: "page.mbox", args: hostileRules + "page.mbox", around: boxed, bases: []string{"container"}},
	{name: "list of a message", file: "page.eml", args: "list" + hostileRules + "page.eml", around: mailed("base64"), bases: []string{"container"}},

	{name: "feed", file: "feed.xml", args: hostileRules + "feed.xml", around: fed(html.EscapeString), bases: []string{"BASE", "container"}},
	{name: "feed with CDATA", file: "feed.xml", args: hostileRules + "feed.xml", around: fed(func(s string) string { return "<![CDATA[" + s + "]]>" }), bases: []string{"container"}},
	{name: "feed with XHTML", file: "feed.atom", args: hostileRules + "feed.atom", around: fedXHTML, bases: []string{"container"}},

	{name: "WARC", file: "page.warc", args: "warc" + hostileRules + "page.warc -o out.warc", around: recorded(false), bases: []string{"BASE", "container"}, bound: 160 * mebibyte},
	{name: "WARC with gzip", file: "page.warc", args: "warc" + hostileRules + "--replace page.warc -o out.warc.gz --level 1", around: recorded(true), bases: []string{"container"}, bound: 160 * mebibyte},
	{name: "list of a WARC", file: "page.warc", args: "list" + hostileRules + "page.warc", around: recorded(false), bases: []string{"container"}, bound: 160 * mebibyte},
}

func alone(page, base string) string { return page }

// styled returns a style sheet with as many links as a page has.
func styled(string, string) string {
	return "@media print{" + strings.Repeat("a{b:url(x)}", links) + "}"
}

// header returns the header of an entity with a base.
func header(encoding, base string) string {
	if base != "" {
		base = "Content-Location: " + base + "\n"
	}
	return "MIME-Version: 1.0\nContent-Type: text/html\nContent-Transfer-Encoding: " + encoding + "\n" + base + "\n"
}

func mailed(encoding string) func(page, base string) string {
	return func(page, base string) string {
		var body strings.Builder
		switch encoding {
		case "8bit":
			body.WriteString(page)
		case "quoted-printable":
			w := quotedprintable.NewWriter(&body)
			w.Write([]byte(page))
			w.Close()
		case "base64":
			encoded := base64.StdEncoding.EncodeToString([]byte(page))
			for ; len(encoded) > 76; encoded = encoded[76:] {
				body.WriteString(encoded[:76] + "\n")
			}
			body.WriteString(encoded)
		}
		return header(encoding, base) + body.String()
	}
}

func archived(page, base string) string {
	return "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n" + mailed("quoted-printable")(page, base) +
		"\n--b\nContent-Location: http://h/other\n\nx\n--b--\n"
}

func boxed(page, base string) string {
	const from = "From a@b Mon Jan  1 00:00:00 2001\n"
	return from + mailed("8bit")(page, base) + "\n\n" + from + mailed("base64")(page, base)
}

func fed(form func(string) string) func(page, base string) string {
	return func(page, base string) string {
		if base != "" {
			base = "<link>" + base + "</link>"
		}
		return "<rss version='2.0'><channel><item><description>" + form(page) + "</description>" + base + "</item></channel></rss>"
	}
}

func fedXHTML(page, base string) string {
	return `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="` + base + `"><entry><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">` + page + "</div></content></entry></feed>"
}

func recorded(gzipped bool) func(page, base string) string {
	return func(page, base string) string {
		if base == "" {
			base = "http://h/"
		}
		head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
		if gzipped {
			head, page = head+"Content-Encoding: gzip\r\n", encoded(coding.Gzip, page)
		}
		block := head + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(page)) + page
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:4ad6a1d8-5d52-4a4d-8b4c-000000000001>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"+
			"WARC-Target-URI: %s\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", base, len(block), block)
	}
}

// hostileClaims say that memory is bounded, whatever the document, its base and its container
// are: 64 MiB, and 160 MiB for archives. What is written is longer. A third
// of them is tried, and all of them with the flag hostile.
func hostileClaims() (claims []claim) {
	docs := hostileDocuments()
	for i, c := range hostileContainers {
		for j, base := range c.bases {
			for k := range docs {
				if *allHostile || i == 0 && j == 0 || (i+j+k)%3 == 0 {
					claims = append(claims, c.claim(&docs[k], base))
				}
			}
		}
	}
	return claims
}

var allHostile = flag.Bool("hostile", false, "try all hostile documents in all containers on all bases")

func (c *hostileContainer) claim(d *hostileDocument, base string) claim {
	page, of, args := d.page(""), "", strings.Fields(c.args)
	switch base {
	case "BASE":
		page = d.page(hostileURL)
	case "container":
		of = hostileURL
	case "--url":
		url := hostileURL
		if c.name == "tree" { // to which the name of the page comes
			url = strings.Replace(url, strings.Repeat("a", len(c.file)), "", 1)
		}
		args = append(args, "--url", url)
	case "saved":
		page = fmt.Sprintf("<!-- saved from url=(%04d)%s -->\n", len(hostileURL), hostileURL) + page
	}
	if c.name == "tree" && base != "--url" {
		args = append(args, "--url", "http://h/")
	}
	in := func() string { return c.around(page, of) }
	made := claim{name: c.name + "/" + base + "/" + d.name, most: cmp.Or(c.bound, 64*mebibyte), nth: 20, args: args, file: c.file, in: in}
	if c.stdin {
		made.stdin = func() io.Reader { return strings.NewReader(in()) }
	}
	if !c.writesLess(d, base) {
		made.written = links * (maxBase - 100)
	}
	return made
}

// writesLess reports whether not all links of a document become as long as the base.
func (c *hostileContainer) writesLess(d *hostileDocument, base string) bool {
	switch {
	case c.name == "whatwg" && base == "BASE" && (d.name == "style" || d.name == "import map" || d.name == "module"):
		return true // browsers read these before they come to the BASE
	case c.name == "WARC with gzip":
		return true // what is written is compressed
	case c.name == "feed with XHTML":
		return d.name == "conditional comment" // XML has none
	}
	return false
}

// wide returns a page as UTF-16.
func wide(page, base string) string { return string(testio.UTF16(page, "\xff\xfe")) }
