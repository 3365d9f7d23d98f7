//go:build linux && !race

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"flag"
	"fmt"
	"html"
	"io"
	"mime/quotedprintable"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"absolink/internal/test/soak"
)

func init() {
	programs["measured"] = measured
}

// measured is absolink, and writes to the file PEAK how many KiB it had in memory at
// most. What wait(2) tells of a process includes the memory of the process that
// started it.
func measured() {
	limitGarbage()
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	if err := os.WriteFile(os.Getenv("PEAK"), []byte(peak), 0o666); err != nil {
		panic(err)
	}
	os.Exit(code)
}

const (
	mebibyte = 1 << 20

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

var hostileDocuments = []hostileDocument{
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
	bound int64 // of memory, beyond the file; 0 is 64 MiB

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
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			w.Write([]byte(page))
			w.Close()
			head, page = head+"Content-Encoding: gzip\r\n", b.String()
		}
		block := head + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(page)) + page
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:4ad6a1d8-5d52-4a4d-8b4c-000000000001>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"+
			"WARC-Target-URI: %s\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", base, len(block), block)
	}
}

// Memory is bounded, whatever the document, its base and its container are: 64 MiB
// beyond the input, and 160 MiB for archives. That is for the whole process. What it
// writes is longer.
func TestHostile(t *testing.T) {
	for i, c := range hostileContainers {
		for j, base := range c.bases {
			for k := range hostileDocuments {
				d := &hostileDocuments[k]
				if !*allHostile && (i > 0 || j > 0) && (i+j+k)%3 > 0 {
					continue
				}
				t.Run(c.name+"/"+base+"/"+d.name, func(t *testing.T) {
					soak.Sample(t, 20)
					t.Parallel()
					c.check(t, d, base)
				})
			}
		}
	}
}

// allHostile tests each document in each container on each base, instead of a third of
// them.
var allHostile = flag.Bool("hostile", false, "try all hostile documents in all containers on all bases")

func (c *hostileContainer) check(t *testing.T, d *hostileDocument, base string) {
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
	dir := t.TempDir()
	in := c.around(page, of)
	name := filepath.Join(dir, c.file)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(in), 0o666); err != nil {
		t.Fatal(err)
	}
	written, peak := c.run(t, dir, args)
	if written += sizeOf(t, dir) - int64(len(in)); written < links*(maxBase-100) && !c.writesLess(d, base) {
		t.Errorf("only %d KiB are written: not all links are on the base", written>>10)
	}
	bound := int64(64 * mebibyte)
	if c.bound > 0 {
		bound = c.bound
	}
	if peak > bound+int64(len(in)) {
		t.Errorf("%d MiB in memory, for an input of %d KiB and an output of %d MiB", peak/mebibyte, len(in)>>10, written/mebibyte)
	}
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

// sizeOf returns the size of the files in a directory.
func sizeOf(t *testing.T, dir string) (n int64) {
	err := filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			info, err := entry.Info()
			if err != nil {
				return err
			}
			n += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// run runs the command. It returns how much the command wrote, and how much memory it
// took.
func (c *hostileContainer) run(t *testing.T, dir string, args []string) (written, peak int64) {
	if !c.stdin {
		return measure(t, dir, args, nil)
	}
	f, err := os.Open(filepath.Join(dir, c.file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return measure(t, dir, args, f)
}

// measure runs the command in a directory. It returns how many bytes the command wrote, and
// how many it had in memory at most.
func measure(t *testing.T, dir string, args []string, stdin io.Reader) (written, peak int64) {
	cmd := exec.Command("measured", args...)
	cmd.Dir, cmd.Stdin = dir, stdin
	cmd.Env = append(os.Environ(), "PEAK="+filepath.Join(dir, "peak"))
	out := new(discarded)
	cmd.Stdout = out
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %.500s", err, stderr.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, "peak"))
	if err != nil {
		t.Fatal(err)
	}
	kib, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return int64(*out), kib << 10
}

// Memory is bounded as well for the longest values that are held, in documents that
// stand in documents.
func TestLongValues(t *testing.T) {
	const n = mebibyte - 4<<10
	values := map[string]string{
		"ping":      "<a ping='" + strings.Repeat("a ", n/2) + "'>",
		"srcset":    "<img srcset='" + strings.Repeat("a, ", n/3) + "'>",
		"style":     "<style>" + strings.Repeat("url(a)", n/6) + "</style>",
		"SVG style": "<svg><style>" + strings.Repeat("url(a)", n/6) + "</style></svg>",
	}
	around := map[string]func(string) string{
		"alone":       func(page string) string { return page },
		"srcdoc":      func(page string) string { return `<iframe srcdoc="` + page + `">` },
		"conditional": func(page string) string { return "<!--[if IE]>" + page + "<![endif]-->" },
		"deep": func(page string) string {
			for range 6 {
				page = `<iframe srcdoc="` + strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(page) + `">`
			}
			return page
		},
	}
	c := &hostileContainers[0]
	for kind, value := range values {
		for where, wrap := range around {
			t.Run(kind+"/"+where, func(t *testing.T) {
				soak.Sample(t, 4)
				t.Parallel()
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, c.file), []byte(wrap(value)), 0o666); err != nil {
					t.Fatal(err)
				}
				if _, peak := c.run(t, dir, append(strings.Fields(c.args), "--url", "http://h/d/")); peak > 64*mebibyte {
					t.Errorf("%d MiB in memory", peak/mebibyte)
				}
			})
		}
	}
}

// discarded counts the bytes that are written, and discards them.
type discarded int64

func (d *discarded) Write(p []byte) (int, error) {
	*d += discarded(len(p))
	return len(p), nil
}

// References that JSON makes six times as long, and hosts that UTS #46 makes longer, take a
// bounded amount of memory wherever absolink serve resolves or shows them: 20 MiB for a
// document, and 350 MiB for a view.
func TestServeMemory(t *testing.T) {
	const idle, document, view = idleMemory / mebibyte, 20, 350 // MiB
	long := "x" + strings.Repeat("\x01", 900<<10) + "y"
	link := "<a href='" + long + "'>"
	short := strings.Repeat("\x01", 105)
	for _, test := range []struct {
		path, contentType, body string
		clients, each           int // MiB
		longer                  int // the answer is at least so many times as long as the body
	}{
		{"/resolve?base=http://h/&explain", "text/plain", long, 8, document, 30},
		{"/resolve?base=http://h/&explain&profile=whatwg", "text/plain", long, 8, document, 10},
		{"/resolve?base=http://h/", "text/plain", long, 8, document, 11},
		{"/list?url=http://h/", "text/html", link, 8, document, 17},
		{"/list?url=http://h/&profile=whatwg", "text/html", link, 8, document, 14},
		{"/list?url=http://h/&format=csv", "text/html", link, 8, document, 2},
		{"/list?url=http://h/&format=text", "text/html", link, 8, document, 3},
		{"/list?url=http://h/", "message/rfc822", "Content-Type: text/html\n\n" + link, 8, document, 17},
		{"/list?url=http://h/&profile=whatwg", "message/rfc822", "Content-Type: text/html\n\n" + link, 8, document, 14},
		{"/base?url=http://h/", "text/html", "<base href='" + long[:8000] + "z'>", 8, document, 0},
		{"/rewrite?url=http://h/", "text/html", link, 8, document, 3},
		{"/rewrite?url=http://h/", "text/css", "a{b:url('" + long + "')}", 8, document, 1},
		{"/rewrite?url=http://h/&profile=whatwg", "text/html", "<a href='//" + strings.Repeat("\ufdfa", 340_000) + "'>", 8, document, 0},
		{"/rewrite?url=http://h/&profile=whatwg", "text/html", "<a href='//" + strings.Repeat(strings.Repeat("\ufdf0", 330)+".", 1000) + "'>", 8, document, 0},
		{"/rewrite?url=http://h/&profile=whatwg", "text/html", "<a href='//" + strings.Repeat("x", 1_000_000) + ".\u00fc'>", 8, document, 0},
		{"/resolve?base=http://h/&profile=whatwg&explain", "text/plain", "//" + strings.Repeat("\ufdfa", 340_000), 8, document, 0},
		{"/view?url=http://h/", "text/html", strings.Repeat("<a href='"+short+"'>", 99_000), 1, view, 10},
		{"/view?url=http://h/", "message/rfc822", "Content-Type: text/html\n\n" + strings.Repeat("<a href='"+short+"'>", 99_000), 1, view, 10},
		{"/view?url=http://h/&profile=whatwg", "text/html", strings.Repeat("<a href='x"+short+"y'>", 50_000), 1, view, 10},
		{"/view?url=http://h/", "text/html", strings.Repeat(link, 5), 1, view, 10},
		{"/view?url=http://u:p@h/" + strings.Repeat("a", 4000), "application/mbox", strings.Repeat("From a@b Mon Jan  1 00:00:00 2001\nContent-Type: text/html\n\n<p>\n\n", 2000), 1, view, 50},
	} {
		name := fmt.Sprintf("%.50s %s %.20q", test.path, test.contentType, test.body)
		t.Run(name, func(t *testing.T) {
			soak.Sample(t, 7)
			t.Parallel()
			peak := servedPeak(t, func(server string) {
				var all sync.WaitGroup
				for range test.clients {
					all.Go(func() {
						r, _ := http.NewRequest("POST", server+test.path, strings.NewReader(test.body))
						r.Header.Set("Content-Type", test.contentType)
						r.Header.Set("Accept-Encoding", "identity")
						resp, err := http.DefaultClient.Do(r)
						if err != nil {
							t.Error(err)
							return
						}
						defer resp.Body.Close()
						if n, err := io.Copy(io.Discard, resp.Body); resp.StatusCode != http.StatusOK || n < int64(test.longer*len(test.body)) || err != nil {
							t.Errorf("%s, %d bytes for %d, %v", resp.Status, n, len(test.body), err)
						}
					})
				}
				all.Wait()
			})
			t.Logf("%d MiB", peak)
			if bound := idle + test.clients*test.each; peak > bound {
				t.Errorf("%d MiB, more than %d", peak, bound)
			}
		})
	}
}

// The same references take as little in reports and lists.
func TestReportMemory(t *testing.T) {
	short := strings.Repeat("\x01", 105)
	var lines strings.Builder // as many as are compared, no two of which are the same
	for i := range maxDiffLines/2 - 1 {
		fmt.Fprintf(&lines, "<a href=%d>text\n", i)
	}
	for _, test := range []struct {
		args  string
		page  string
		bound int64 // MiB
	}{
		{"list", "<a href='x" + strings.Repeat("\x01", 900<<10) + "y'>", 64},
		{"list --profile whatwg", "<a href='x" + strings.Repeat("\x01", 900<<10) + "y'>", 64},
		{"list --format text", "<a href='x" + strings.Repeat("\x01", 900<<10) + "y'>", 64},
		{"--report=html", strings.Repeat("<a href='"+short+"'>", 99_000), 350},
		{"--report=html --profile whatwg", strings.Repeat("<a href='x"+short+"y'>", 50_000), 350},
		{"--report=html", strings.Repeat("<a href='x"+strings.Repeat("\x01", 900<<10)+"y'>", 5), 350},
		{"--profile whatwg", "<a href='//" + strings.Repeat("\uFDFA", 340_000) + "'>", 64},
		{"--diff", lines.String(), 250 + 64},
		{"--diff", lines.String()[:4<<20] + strings.Repeat("\n", maxDiffAll/2-400_000), 250 + 64},
		{"--report=html", lines.String(), 350},
	} {
		t.Run(fmt.Sprintf("%s %.20q", test.args, test.page), func(t *testing.T) {
			soak.Sample(t, 4)
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "page.html"), []byte(test.page), 0o666); err != nil {
				t.Fatal(err)
			}
			var c hostileContainer
			_, peak := c.run(t, dir, append(strings.Fields(test.args), "-q", "--url", "http://h/d/", "page.html"))
			t.Logf("%d MiB", peak/mebibyte)
			if peak > test.bound*mebibyte {
				t.Errorf("%d MiB, more than %d", peak/mebibyte, test.bound)
			}
		})
	}
}

// servedPeak returns how many MiB a server had in memory at most, while use used it.
func servedPeak(t *testing.T, use func(server string), options ...string) int {
	t.Helper()
	server, pid := startProcess(t, options...)
	use(server)
	return peakOf(t, pid)
}

// startProcess starts a server in a process of its own, which ends with the test.
func startProcess(t *testing.T, options ...string) (server string, pid int) {
	t.Helper()
	cmd := exec.Command("absolink", append([]string{"serve", "--listen", "localhost:0"}, options...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	log := bufio.NewReader(stderr)
	line, err := log.ReadString('\n')
	_, address, found := strings.Cut(strings.TrimSpace(line), "address=")
	if err != nil || !found {
		t.Fatalf("%q, %v", line, err)
	}
	go io.Copy(io.Discard, log)
	return address, cmd.Process.Pid
}

// peakOf returns how many MiB a process had in memory at most.
func peakOf(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kib int
	if _, err := fmt.Sscan(after, &kib); err != nil {
		t.Fatal(err)
	}
	return kib >> 10
}
