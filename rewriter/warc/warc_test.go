package warc

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"absolink/rewriter"
)

// record makes a record. fields are further lines of its header.
func record(kind, url, block string, fields ...string) string {
	h := "WARC/1.0\r\nWARC-Type: " + kind + "\r\n"
	if url != "" {
		h += "WARC-Target-URI: " + url + "\r\n"
	}
	h += "WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:test:" + kind + url + ">\r\n"
	for _, f := range fields {
		h += f + "\r\n"
	}
	return h + fmt.Sprintf("Content-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
}

// response makes the block of a response, with HTML unless fields say otherwise.
func response(body string, fields ...string) string {
	h := "HTTP/1.1 200 OK\r\n"
	if !strings.Contains(strings.Join(fields, "\n"), "Content-Type") {
		h += "Content-Type: text/html\r\n"
	}
	for _, f := range fields {
		h += f + "\r\n"
	}
	return h + "\r\n" + body
}

func gz(s string) string {
	return encode(s, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

func zst(s string) string {
	var b bytes.Buffer
	w, _ := zstd.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func plain(s string) string { return s }

// pack compresses each record on its own.
func pack(compress func(string) string, records ...string) string {
	var b strings.Builder
	for _, r := range records {
		b.WriteString(compress(r))
	}
	return b.String()
}

var packs = map[Compression]func(string) string{Gzip: gz, Zstd: zst, None: plain}

// records reads a whole archive. errs says what is wrong with it.
func records(archive string) (all []*Record, blocks []string, errs []error) {
	r := NewReader(strings.NewReader(archive))
	for {
		rec, err := r.Next()
		switch {
		case err == io.EOF:
			return all, blocks, errs
		case err != nil:
			errs = append(errs, err)
			continue
		}
		block, err := io.ReadAll(rec)
		r.finish()
		if err == nil && rec.whole {
			all, blocks = append(all, rec), append(blocks, string(block))
		}
	}
}

const page = `<html><p><a href="x.html">x</a><img src=/i.png>` + "\n"
const pageThen = `<html><p><a href="http://h/d/x.html">x</a><img src=http://h/i.png>` + "\n"

// sample has a record of each kind.
func sample() []string {
	return []string{
		record("warcinfo", "", "software: test\r\n", "Content-Type: application/warc-fields"),
		record("request", "http://h/d/p", "GET /d/p HTTP/1.1\r\nHost: h\r\n\r\n", "Content-Type: application/http; msgtype=request"),
		record("response", "http://h/d/p", response(page, "Content-Length: "+fmt.Sprint(len(page))), "Content-Type: application/http; msgtype=response", "WARC-Payload-Digest: sha1:AAAA", "WARC-Block-Digest: sha1:AAAA"),
		record("response", "http://h/i.png", response("\x89PNG\r\n", "Content-Type: image/png"), "Content-Type: application/http; msgtype=response"),
		record("metadata", "http://h/d/p", "via: http://h/\r\n"),
		record("resource", "<http://h/d/q>", page, "Content-Type: text/html; charset=utf-8"),
		record("revisit", "http://h/d/p", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
		record("continuation", "http://h/d/p", page, "WARC-Segment-Number: 2"),
		record("response", "http://h/d/s", response(page), "WARC-Segment-Number: 1"),
		record("surprise", "http://h/d/p", page),
		record("response", "http://h/none", response("<p>no links\n")),
	}
}

// converted returns what Convert writes of an archive; replaced and listed are for Replace and List.
func converted(t testing.TB, r *Rewriter, archive string) (string, Summary) {
	t.Helper()
	return written(t, modes(r, inMemory(archive))[0])
}

func replaced(t testing.TB, r *Rewriter, archive string) (string, Summary) {
	t.Helper()
	return written(t, modes(r, inMemory(archive))[1])
}

func listed(t testing.TB, r *Rewriter, archive string) (string, Summary) {
	t.Helper()
	return listBy(t, r, archive, appendPlace)
}

func listBy(t testing.TB, r *Rewriter, archive string, line func([]byte, *Page, *rewriter.Place) []byte) (string, Summary) {
	t.Helper()
	return written(t, func(dst io.Writer) (Summary, error) {
		return r.List(context.Background(), dst, strings.NewReader(archive), line)
	})
}

func written(t testing.TB, do func(dst io.Writer) (Summary, error)) (string, Summary) {
	t.Helper()
	var out bytes.Buffer
	s, err := do(&out)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), s
}

func replaceAll(t testing.TB, archive string) (string, Summary) {
	t.Helper()
	return replaced(t, &Rewriter{Output: compressionOf([]byte(archive))}, archive)
}

func TestKinds(t *testing.T) {
	for c, compress := range packs {
		in := pack(compress, sample()...)
		out, s := converted(t, &Rewriter{Output: c}, in)
		if s.Records != 11 || s.Rewritten != 3 || s.Passed != 8 || s.Damages != 0 {
			t.Errorf("%d: %+v", c, s)
		}
		all, blocks, errs := records(out)
		if len(all) != 3 || len(errs) > 0 {
			t.Fatalf("%d: %d records, %v\n%s", c, len(all), errs, out)
		}
		for i, want := range []string{"http://h/d/p", "http://h/d/q", "http://h/none"} {
			if got := all[i].URL(); got != want || all[i].Type() != "conversion" || !strings.HasPrefix(all[i].Get("WARC-Refers-To"), "<urn:test:res") {
				t.Errorf("%d: %s", c, all[i].raw)
			}
		}
		if blocks[0] != pageThen || blocks[1] != pageThen {
			t.Errorf("%d: %q", c, blocks)
		}

		out, s = replaceAll(t, in)
		if s.Records != 11 || s.Rewritten != 2 || s.Unchanged != 1 || s.Passed != 8 || s.Damages != 0 {
			t.Errorf("%d: %+v", c, s)
		}
		want := sample()
		for i, whole := range want {
			if i != 2 && i != 5 && !strings.Contains(out, compress(whole)) {
				t.Errorf("%d: record %d is not what it was", c, i)
			}
		}
		all, blocks, errs = records(out)
		if len(all) != 11 || len(errs) > 0 {
			t.Fatalf("%d: %d records, %v", c, len(all), errs)
		}
		if want := response(pageThen, "Content-Length: "+fmt.Sprint(len(pageThen))); blocks[2] != want || blocks[5] != pageThen {
			t.Errorf("%d: %q\nwant %q", c, blocks[2], want)
		}
	}
}

// What a line is appended to has lines of the same page alone.
func TestListAppendsByPage(t *testing.T) {
	var archive strings.Builder
	const pages, links = 20, 5000
	for i := range pages {
		archive.WriteString(record("response", fmt.Sprintf("http://h/%d", i), "HTTP/1.1 200 x\r\nLocation: x\r\nContent-Type: text/html\r\n\r\n"+strings.Repeat("<a href=x>", links)))
	}
	got, _ := listBy(t, &Rewriter{Jobs: 4}, archive.String(), func(b []byte, page *Page, p *rewriter.Place) []byte {
		for line := range strings.Lines(string(b[max(0, len(b)-100):])) {
			if strings.HasPrefix(line, "http:") && strings.TrimSpace(line) != page.URL {
				t.Errorf("%s is appended to %s", page.URL, line)
			}
		}
		if p.Attr == "location" && len(b) > 0 {
			t.Errorf("%s begins with %d bytes", page.URL, len(b))
		}
		return fmt.Appendf(b, "%s\n", page.URL)
	})
	if lines := strings.Count(got, "\n"); lines != pages*(links+1) {
		t.Errorf("%d lines", lines)
	}
}

func TestList(t *testing.T) {
	out, s := listed(t, &Rewriter{}, pack(gz, sample()...))
	const want = `http://h/d/p <urn:test:responsehttp://h/d/p> x.html http://h/d/x.html
http://h/d/p <urn:test:responsehttp://h/d/p> /i.png http://h/i.png
http://h/d/q <urn:test:resource<http://h/d/q>> x.html http://h/d/x.html
http://h/d/q <urn:test:resource<http://h/d/q>> /i.png http://h/i.png
`
	if out != want || s.Records != 11 || s.Rewritten != 3 {
		t.Errorf("%s%+v", out, s)
	}
}

var someTime = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)

// nothing returns a rewriter without rules.
func nothing() *rewriter.Rewriter {
	return rewriter.Must(rewriter.New(rewriter.Options{Rules: []rewriter.Rule{}}))
}

func testEmpty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestIs(t *testing.T) {
	archive := record("warcinfo", "", "")
	for _, test := range []struct {
		start, name string
		want        bool
	}{
		{archive, "x", true},
		{gz(archive), "", true},
		{gz(archive)[:60], "x", true},
		{zst(archive), "x", true},
		{"WARC", "x", false},
		{"HTTP/1.1 200 OK\r\n", "x", false},
		{gz("text"), "x.gz", false},
		{"", "x", false},
		{"damaged", "a.WARC", true},
		{"damaged", "a.warc.gz", true},
		{"", "a.warc.zst", true},
	} {
		if got := Is([]byte(test.start), test.name); got != test.want {
			t.Errorf("Is(%q, %q) is %v", test.start, test.name, got)
		}
	}
}
