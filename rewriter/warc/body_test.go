package warc

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"absolink/internal/coding"
	"absolink/internal/test/testio"
	"absolink/rewriter"
)

func encode(s string, writer func(io.Writer) io.WriteCloser) string {
	var b bytes.Buffer
	w := writer(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func raw(s string) string {
	return encode(s, func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 6); return z })
}

func zl(s string) string {
	return encode(s, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
}

func br(s string) string {
	return encode(s, func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) })
}

// chunked writes s in chunks of n bytes.
func chunked(s string, n int) string {
	var b strings.Builder
	for len(s) > 0 {
		k := min(n, len(s))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", k, s[:k])
		s = s[k:]
	}
	return b.String() + "0\r\n\r\n"
}

// A page is decoded however much of what the head says of the body is true.
func TestHeadsThatLie(t *testing.T) {
	const gzipped, isChunked = "Content-Encoding: gzip", "Transfer-Encoding: chunked"
	long := strings.Repeat("<p>x\n", 2000) + page
	for _, row := range []struct {
		name, body string
		fields     []string
	}{
		{"gzip", gz(page), []string{gzipped}},
		{"x-gzip", gz(page), []string{"content-encoding: X-GZIP"}},
		{"gzip, and not there", page, []string{gzipped}},
		{"gzip, and not said", gz(page), nil},
		{"gzip, said once, there twice", gz(gz(page)), []string{gzipped}},
		{"gzip, said twice, there once", gz(page), []string{gzipped, gzipped}},
		{"gzip in two members", gz(page[:9]) + gz(page[9:]), []string{gzipped}},
		{"gzip with garbage after it", gz(page) + "garbage", []string{gzipped}},
		{"deflate, zlib", zl(page), []string{"Content-Encoding: deflate"}},
		{"deflate, raw", raw(page), []string{"Content-Encoding: deflate"}},
		{"deflate, and not there", page, []string{"Content-Encoding: deflate"}},
		{"deflate, and gzip there", gz(page), []string{"Content-Encoding: deflate"}},
		{"br", br(page), []string{"Content-Encoding: br"}},
		{"br, and not there", page, []string{"Content-Encoding: br"}},
		{"zstd", zst(page), []string{"Content-Encoding: zstd"}},
		{"zstd, and not there", page, []string{"Content-Encoding: zstd"}},
		{"zstd, and not said", zst(page), nil},
		{"two codings", gz(br(page)), []string{"Content-Encoding: br, gzip"}},
		{"a word", page, []string{"Content-Encoding: utf-8"}},
		{"identity", page, []string{"Content-Encoding: identity"}},
		{"chunked", chunked(page, 20), []string{isChunked}},
		{"chunked, and not there", page, []string{isChunked}},
		{"chunked, and not said", chunked(page, 20), nil},
		{"chunked, one chunk, not said", chunked(page, 2000), nil},
		{"chunked, long, not said", chunked(long, 4000), nil},
		{"chunked without an end", strings.TrimSuffix(chunked(page, 20), "0\r\n\r\n"), []string{isChunked}},
		{"chunked with fields after it", strings.TrimSuffix(chunked(page, 20), "\r\n") + "X: y\r\n\r\n", []string{isChunked}},
		{"chunked with extensions", strings.Replace(chunked(page, 20), "14\r\n", "0014 ;a=b\r\n", 1), []string{isChunked}},
		{"chunked, LF", strings.ReplaceAll(chunked(page, 20), "\r\n", "\n"), []string{isChunked}},
		{"chunked for a while", strings.TrimSuffix(chunked(page[:40], 20), "0\r\n\r\n") + page[40:], []string{isChunked}},
		{"chunked gzip", chunked(gz(page), 30), []string{gzipped, isChunked}},
		{"chunked gzip, gone", page, []string{gzipped, isChunked}},
		{"chunked gzip, as transfer encoding", chunked(gz(page), 30), []string{"Transfer-Encoding: gzip, chunked"}},
		{"a false length", page, []string{"Content-Length: 7"}},
		{"two lengths", page, []string{"Content-Length: 7", "Content-Length: 8"}},
		{"folded", gz(page), []string{"Content-Encoding:\r\n gzip", "X: y\r\n\tz"}},
		{"digests", page, []string{"Content-MD5: x", "Digest: y", "Content-Length: 7"}},
	} {
		want := strings.Replace(pageThen, "<html>", strings.TrimSuffix(strings.Repeat("<p>x\n", 2000), page)+"<html>", 1)
		if !strings.Contains(row.name, "long") {
			want = pageThen
		}
		for _, lines := range []string{"\r\n", "\n"} {
			head := strings.ReplaceAll(response("", row.fields...), "\r\n", lines)
			if lines == "\n" {
				head = strings.Replace(head, "200 OK", "200", 1) // no reason phrase
			}
			in := record("response", "http://h/d/p", head+row.body, "WARC-Block-Digest: sha1:AAAA", "WARC-Payload-Digest: md5:AAAA")
			out, s := converted(t, &Rewriter{Output: None}, in)
			_, blocks, _ := records(out)
			if len(blocks) != 1 || blocks[0] != want {
				t.Errorf("%s: %+v\n%.300q\nwant %.300q", row.name, s, blocks, want)
				continue
			}
			out, _ = replaceAll(t, in)
			all, blocks, _ := records(out)
			if len(blocks) != 1 || !strings.HasSuffix(blocks[0], lines+lines+want) {
				t.Errorf("%s: %.300q\nwant %.300q", row.name, blocks, want)
				continue
			}
			h := newHead([]byte(strings.TrimSuffix(blocks[0], want)))
			length := h.all("Content-Length")
			if hadLength := strings.Contains(head, "Length"); length != fmt.Sprint(len(want)) && (length != "" || hadLength) {
				t.Errorf("%s: %s", row.name, h.raw)
			}
			for _, name := range []string{"Content-Encoding", "Transfer-Encoding", "Content-MD5", "Digest"} {
				if h.get(name) != "" {
					t.Errorf("%s: %s", row.name, h.raw)
				}
			}
			sum := sha1.Sum([]byte(blocks[0]))
			if got := all[0].Get("WARC-Block-Digest"); got != "sha1:"+base32.StdEncoding.EncodeToString(sum[:]) {
				t.Errorf("%s: %s", row.name, got)
			}
			if got := all[0].Get("WARC-Payload-Digest"); !strings.HasPrefix(got, "md5:") || len(got) != 36 {
				t.Errorf("%s: %s", row.name, got)
			}
			// What was rewritten is not rewritten again.
			if again, s := replaceAll(t, out); again != out || s.Unchanged != 1 {
				t.Errorf("%s, again: %+v", row.name, s)
			}
		}
	}
}

// Empty members and frames, however many, and blocks before a page or within it do not hide
// it: it is converted, replaced and listed.
func TestEmptyMembers(t *testing.T) {
	metablock := uint32(len(page)-1) << 3 // in br, of a page that is not compressed
	const emptyFrame = "\x28\xb5\x2f\xfd\x00\x00\x01\x00\x00"
	for _, n := range []int{1, 99, 101, 10000} {
		for name, body := range map[string]string{
			"gzip":                strings.Repeat(gz(""), n) + gz(page),
			"gzip twice":          gz(strings.Repeat(gz(""), min(n, 101)) + gz(page)), // more are hollow
			"gzip within":         gz(page[:9]) + strings.Repeat(gz(""), n) + gz(page[9:]),
			"gzip said of frames": strings.Repeat(zst(""), n) + rawFrame(0, "") + zst(page),
			"zstd":                strings.Repeat(emptyFrame, n) + zst(page),
			"deflate":             strings.Repeat("\x00\x00\x00\xff\xff", n) + raw(page),
			"br":                  "\x0c" + strings.Repeat("\x06", n) + string([]byte{byte(metablock), byte(metablock >> 8), 1 << 3}) + page + "\x03",
		} {
			encoding, _, _ := strings.Cut(name, " ")
			in := record("response", "http://h/d/p", response(body, "Content-Encoding: "+encoding))
			var warnings []error
			r := &Rewriter{Output: None, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { warnings = append(warnings, err) }})}
			out, s := converted(t, r, in)
			if _, blocks, _ := records(out); len(blocks) != 1 || blocks[0] != pageThen {
				t.Errorf("%s, %d: %+v, %.200q", name, n, s, blocks)
			}
			if _, s := replaceAll(t, in); s.Rewritten != 1 {
				t.Errorf("%s, %d: %+v", name, n, s)
			}
			lines, s := listed(t, r, in)
			if strings.Count(lines, "\n") != 2 || s.Places.Rewritten != 2 || len(warnings) > 0 {
				t.Errorf("%s, %d: %+v, %s, %v", name, n, s, lines, warnings)
			}
		}
	}
}

// The bytes between two codings count, both against MaxDecoded and in proportion to
// what is read and decoded. Such a page stays as it is, and Warn is told.
func TestNestedBombs(t *testing.T) {
	empty := strings.Repeat("\x00\x00\x00\xff\xff", 1<<20)
	hollow := gz(gz(gz("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + empty + raw(page))))
	stored := encode("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"+empty, func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, flate.NoCompression); return z })
	z := func(s string) string { // in a frame with a window of 8 MiB
		return "\x28\xb5\x2f\xfd\x00\x68" + string([]byte{1 | byte(len(s)<<3), byte(len(s) >> 5), byte(len(s) >> 13)}) + s
	}
	for _, row := range []struct {
		name, body string
		encoding   string
		maxDecoded int64
		err        error
	}{
		{"hollow", hollow, "gzip", 0, coding.ErrHollow},
		{"hollow, not said", hollow, "identity", 0, coding.ErrHollow},
		{"hollow, and a limit", hollow, "gzip", 1 << 10, tooLong(1 << 10)},
		{"as long as what is read", stored, "gzip, deflate", 1 << 10, tooLong(1 << 10)},
		{"windows", z(z(z(z(page)))), "zstd", 0, coding.ErrWindow},
		{"window", strings.Replace(z(page), "\x68", "\x88", 1), "zstd", 0, coding.ErrWindow},
		{"five", gz(gz(gz(gz(gz(page))))), "gzip", 0, coding.ErrNested},
		{"unknown", page, "compress" + strings.Repeat(", br", 1000), 0, nil}, // which is more than counts
	} {
		in := record("response", "http://h/d/p", response(row.body, "Content-Encoding: "+row.encoding))
		var warnings []error
		r := &Rewriter{Output: None, MaxDecoded: row.maxDecoded, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { warnings = append(warnings, err) }})}
		for i, do := range modes(r, inMemory(in))[:3] {
			warnings = nil
			_, s := written(t, do)
			if row.err == nil && s.Rewritten == 1 && len(warnings) == 0 {
				continue
			}
			if s.Failed != 1 || len(warnings) != 1 || !isError(warnings[0], row.err) {
				t.Errorf("%s, %d: %+v, %v", row.name, i, s, warnings)
			}
		}
	}
}

// isError is errors.Is, and finds a *rewriter.LimitError that equals want, too.
func isError(err, want error) bool {
	var limit, wanted *rewriter.LimitError
	return errors.Is(err, want) || errors.As(err, &limit) && errors.As(want, &wanted) && *limit == *wanted
}

// A page that cannot be decoded to its end counts as failed in a list and in Replace, which
// keeps its bytes. Convert counts it as rewritten if it converts a part of it, and says that
// it is a part. The places in that part are listed. Each of them tells Warn once.
func TestBrokenPages(t *testing.T) {
	long := strings.Repeat(page, 1000)
	hollow := func(first string) string { // and then a MiB of blocks that hold nothing
		n := byte(len(first))
		block := "\x00" + string([]byte{n, 0, ^n, 0xff}) + first
		return gz(gz(gz("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + block + strings.Repeat("\x00\x00\x00\xff\xff", 1<<20) + raw(page))))
	}
	for name, row := range map[string]struct {
		body, encoding string
		maxDecoded     int64
		listed         bool // in part
	}{
		"hollow":            {hollow(""), "gzip", 0, false},
		"hollow after some": {hollow(page), "gzip", 0, true},
		"gzip, cut":         {gz(long)[:len(gz(long))/2], "gzip", 0, true},
		"gzip, checksum":    {gz(long)[:len(gz(long))-8] + "12345678", "gzip", 0, true},
		"gzip, second":      {gz(long) + gz(long)[:len(gz(long))-8] + "12345678", "gzip", 0, true},
		"gzip, no data":     {gz(long)[:10], "gzip", 0, false},
		"zstd, cut":         {zst(long)[:len(zst(long))-9], "zstd", 0, false},
		"br, cut":           {br(long)[:len(br(long))/2], "br", 0, false},
		"chunked":           {chunked(gz(long), 50)[:100], "gzip\r\nTransfer-Encoding: chunked", 0, true},
		"nested":            {gz(gz(gz(gz(gz(gz(gz(page))))))), "gzip", 0, false},
		"compress":          {"\x1f\x9d\x90<a href=x>", "compress", 0, false},
		"MaxDecoded":        {gz(page + strings.Repeat(" ", 20<<10)), "gzip", 10 << 10, true},
		"whole":             {gz(long), "gzip", 0, true},
	} {
		in := record("response", "http://h/d/p", response(row.body, "Content-Encoding: "+row.encoding))
		var warnings []error
		r := &Rewriter{Output: None, MaxDecoded: row.maxDecoded, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { warnings = append(warnings, err) }})}
		out, convert := converted(t, r, in)
		copied, replace := replaced(t, r, in)
		lines, list := listed(t, r, in)
		inPart := int64(strings.Count(out, "WARC-Truncated: unspecified"))
		want := int64(1)
		if name == "whole" {
			want = 0
		}
		if list.Failed != want || replace.Failed != want || convert.Failed+inPart != want || list.Records != 1 || (lines != "") != row.listed {
			t.Errorf("%s: list %+v, replace %+v, convert %+v, %d in part, %d bytes listed", name, list, replace, convert, inPart, len(lines))
		}
		if len(warnings) != 3*int(want) || want == 1 && copied != in {
			t.Errorf("%s: %v, replaced by\n%.1000s", name, warnings, copied)
		}
		if n := strings.Count(lines, "\n"); n != list.Places.Rewritten {
			t.Errorf("%s: %d lines of %+v", name, n, list)
		}
	}
}

func TestPages(t *testing.T) {
	html := []string{"Content-Type: application/http"}
	for _, row := range []struct {
		name, record, contentType string // "" is no page
	}{
		{"charset of HTTP", record("response", "http://h/", response(page, "Content-Type: text/html; charset=Shift_JIS")), "text/html; charset=shift_jis"},
		{"charset of meta", record("response", "http://h/", response("<meta charset=koi8-r>"+page)), "text/html; charset=koi8-r"},
		{"byte order mark", record("response", "http://h/", response("\xef\xbb\xbf"+page, "Content-Type: text/html; charset=koi8-r")), "text/html; charset=utf-8"},
		{"charset unknown", record("response", "http://h/", response(page+strings.Repeat(" ", 2000)+"ä")), "text/html; charset=utf-8"},
		{"charset unknown, no UTF-8", record("response", "http://h/", response(page+strings.Repeat(" ", 2000)+"\xe4")), "text/html; charset=windows-1252"},
		{"XHTML", record("response", "http://h/", response(page, "Content-Type: application/xhtml+xml")), "application/xhtml+xml; charset=utf-8"},
		{"bad parameters", record("response", "http://h/", response(page, "Content-Type: text/html;; charset=utf-8;=")), "text/html; charset=utf-8"},
		{"no semicolon", record("response", "http://h/", response(page, "Content-Type: text/html charset=utf-8")), "text/html; charset=utf-8"},
		{"two types", record("response", "http://h/", response(page, "Content-Type: text/html, text/html")), "text/html; charset=utf-8"},
		{"two fields", record("response", "http://h/", response(page, "Content-Type: text/plain\r\nContent-Type: text/html; charset=Shift_JIS")), "text/html; charset=shift_jis"},
		{"two fields, text", record("response", "http://h/", response(page, "Content-Type: text/html\r\nContent-Type: text/plain")), ""},
		{"no type's name", record("response", "http://h/", response("<!DOCTYPE html>"+page, "Content-Type: html")), "text/html; charset=utf-8"},
		{"charset of meta, behind links", record("response", "http://h/"+strings.Repeat("d", 500)+"/", response(strings.Repeat(" ", 900)+"<a href=x><meta charset=koi8-r>"+page)), "text/html; charset=koi8-r"},
		{"charset unknown, large", record("response", "http://h/", response(page+strings.Repeat(" ", spillSize)+"ä")), "text/html; charset=utf-8"},
		{"charset unknown, large, no UTF-8", record("response", "http://h/", response(page+strings.Repeat(" ", spillSize)+"\xe4")), "text/html; charset=windows-1252"},
		{"no type", record("response", "http://h/", "HTTP/1.0 200 OK\r\n\r\n \n<!DOCTYPE html><a href=x>"), "text/html; charset=utf-8"},
		{"no type, no HTML", record("response", "http://h/", "HTTP/1.0 200 OK\r\n\r\nhello <a href=x>"), ""},
		{"type of the record", record("response", "http://h/", "HTTP/1.0 200 OK\r\n\r\nhello <a href=x>", "WARC-Identified-Payload-Type: text/html"), "text/html; charset=utf-8"},
		{"no HTTP", record("response", "dns:h", "h. 300 IN A 1.2.3.4", "Content-Type: text/dns"), ""},
		{"no body", record("response", "http://h/", response(""), html...), ""},
		{"error page", record("response", "http://h/", "HTTP/1.1 404\r\nContent-Type: text/html\r\n\r\n"+page), "text/html; charset=utf-8"},
		{"text", record("resource", "http://h/", page, "Content-Type: text/plain"), ""},
		{"segment", record("resource", "http://h/", page, "Content-Type: text/html", "WARC-Segment-Number: 1"), ""},
		{"truncated", record("resource", "http://h/", page, "Content-Type: text/html", "WARC-Truncated: length"), "text/html; charset=utf-8"},
	} {
		r := &Rewriter{Output: None, Date: someTime, Info: "<urn:info>"}
		out, s := converted(t, r, row.record)
		all, _, _ := records(out)
		if row.contentType == "" && s.Passed == 1 && len(all) == 0 {
			continue
		}
		if len(all) != 1 || !strings.EqualFold(all[0].Get("Content-Type"), row.contentType) {
			t.Errorf("%s: %+v\n%s", row.name, s, out)
			continue
		}
		if row.name == "truncated" != (all[0].Get("WARC-Truncated") == "length") || all[0].Get("WARC-Date") != "2024-05-06T07:08:09Z" ||
			all[0].Get("WARC-Warcinfo-ID") != "<urn:info>" || all[0].Version() != "WARC/1.1" || all[0].ID() == all[0].Get("WARC-Refers-To") {
			t.Errorf("%s: %s", row.name, out)
		}
	}
	for name, in := range map[string]string{
		"truncated": record("resource", "http://h/", page, "Content-Type: text/html", "WARC-Truncated: length"),
		"partial":   record("response", "http://h/", "HTTP/1.1 206 Partial\r\nContent-Type: text/html\r\n\r\n"+page),
	} {
		if out, s := replaceAll(t, in); out != in || s.Passed != 1 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// A page of 10 MB and its rewriting wait in files.
func TestLarge(t *testing.T) {
	long := strings.Repeat(page, 10<<20/len(page))
	in := pack(gz, record("response", "http://h/d/p", response(gz(long), "Content-Encoding: gzip")), record("response", "http://h/d/p", response(long)), sample()[2])
	dir := t.TempDir()
	r := &Rewriter{TempDir: dir}
	for mode, do := range modes(r, inMemory(in))[:2] {
		out, s := written(t, do)
		_, blocks, errs := records(out)
		if s.Rewritten != 3 || len(blocks) != 3 || len(errs) > 0 {
			t.Fatalf("%d: %+v, %v", mode, s, errs)
		}
		want := strings.Repeat(pageThen, 10<<20/len(page))
		for i := range 2 {
			if !strings.HasSuffix(blocks[i], want) {
				t.Errorf("%d: %d: %d bytes", mode, i, len(blocks[i]))
			}
		}
	}
	none := &Rewriter{TempDir: filepath.Join(dir, "none")}
	small := record("response", "http://h/", response(gz(long), "Content-Encoding: gzip")) // but its page is not
	for _, in := range []string{in, small} {
		var e *fs.PathError
		if _, err := none.Convert(context.Background(), io.Discard, strings.NewReader(in)); !errors.As(err, &e) || e.Path != none.TempDir {
			t.Errorf("without a directory for temporary files: %v", err)
		}
	}
	r.MaxDecoded = 1 << 20
	if _, s := converted(t, r, in); s.Failed != 2 || s.Rewritten != 1 {
		t.Errorf("%+v", s)
	}
	testEmpty(t, dir)
}

func FuzzArchive(f *testing.F) {
	for _, compress := range packs {
		f.Add([]byte(pack(compress, sample()...)))
		f.Add([]byte(compress(strings.Join(sample()[2:6], ""))))
		f.Add([]byte(compress(record("response", "http://h/", response(chunked(gz(page), 9), "Content-Encoding: br")))))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 64<<10 {
			return
		}
		testCopies(t, "fuzz", string(in))
		testAhead(t, "fuzz", string(in), asIs)
		for _, output := range []Compression{None, compressionOf(in)} {
			r := &Rewriter{Output: output, Jobs: 2, MaxDecoded: 1 << 20}
			var out bytes.Buffer
			s, err := r.Convert(context.Background(), &out, bytes.NewReader(in))
			if err != nil {
				return // a dictionary
			}
			if all, _, errs := records(out.String()); len(errs) > 0 || int64(len(all)) != s.Rewritten {
				t.Fatalf("%d conversions of %+v: %v", len(all), s, errs)
			}
			out.Reset()
			if _, err := r.Replace(context.Background(), &out, bytes.NewReader(in)); err != nil {
				t.Fatal(err)
			}
			checkStructure(t, string(in), out.String())
			if _, err := r.List(context.Background(), io.Discard, bytes.NewReader(in), func(b []byte, _ *Page, p *rewriter.Place) []byte {
				return append(b, p.URL...)
			}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// checkStructure checks that the structure of the documents in an archive stays. A message
// whose bytes have changed is compared with what it was without encodings. Documents that
// may be in UTF-16 have other bytes.
func checkStructure(t *testing.T, in, out string) {
	t.Helper()
	_, before, _ := records(in)
	_, after, _ := records(out)
	if len(before) != len(after) {
		return // a damaged record has become a whole one
	}
	for i := range before {
		if before[i] == after[i] {
			continue
		}
		was, is := documentIn(t, before[i], true), documentIn(t, after[i], false)
		if !otherBytes.MatchString(before[i]+was) && !strings.HasPrefix(was, "\xfe\xff") && !strings.HasPrefix(was, "\xff\xfe") {
			testio.CheckStructure(t, []byte(was), []byte(is))
		}
	}
}

// documentIn returns the body of a message, or the block of another record. A body that
// breaks off is returned as far as it can be decoded.
func documentIn(t *testing.T, block string, decode bool) string {
	t.Helper()
	n, _ := headEnd([]byte(block), 0, "")
	if n < 0 || !strings.HasPrefix(block, httpMagic) {
		return block
	}
	h, body := newHead([]byte(block[:n])), block[n:]
	if !decode {
		return body
	}
	decoded, err := decodeBody(&h, strings.NewReader(body), 1<<20)
	if err != nil {
		t.Fatalf("a message that was rewritten: %v", err)
	}
	document, _ := io.ReadAll(decoded)
	return string(document)
}

var otherBytes = regexp.MustCompile(`(?i)utf-?16|unicode|ucs-2`)
