package input

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
)

func gzippedFeed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Name, z.ModTime = "sitemap.xml", time.Unix(1e9, 0)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return b.Bytes()
}

// gunzipped decompresses a feed, and returns its header.
func gunzipped(t *testing.T, in []byte) (string, gzip.Header) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Error(err)
	}
	return string(text), z.Header
}

const sitemapHead = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`

// A compressed sitemap is rewritten, with its header. What does not change, cannot be
// decompressed or is too large is the same bytes, with a warning where that is not expected.
func TestGzipFeed(t *testing.T) {
	outer, err := resolver.ParseBase("http://h/d/sitemap.xml.gz", resolver.RFC1808)
	if err != nil {
		t.Fatal(err)
	}
	rewritten := func(in []byte) (out []byte, result rewriter.Result, warned string) {
		t.Helper()
		if !isGzipFeed(in[:min(len(in), StartSize)], "sitemap.xml.gz") {
			t.Error("is not seen")
		}
		html := new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(offset int64, err error) {
			if warned = err.Error(); offset != -1 {
				t.Errorf("a warning about byte %d", offset)
			}
		}, Visit: func(p *rewriter.Place) error {
			if p.Offset != -1 {
				t.Errorf("a place at %d", p.Offset)
			}
			return nil
		}})
		var b bytes.Buffer
		result, err := gzipFeed{html: html}.Rewrite(&b, bytes.NewReader(in), outer)
		looked, err2 := gzipFeed{html: html}.Rewrite(nil, bytes.NewReader(in), outer)
		if err != nil || err2 != nil || looked.Rewritten != result.Rewritten {
			t.Error(err, err2, result, looked)
		}
		return b.Bytes(), result, warned
	}
	in := gzippedFeed(t, sitemapHead+"<url><loc>/a</loc></url></urlset>")
	out, result, warned := rewritten(in)
	text, header := gunzipped(t, out)
	if want := sitemapHead + "<url><loc>http://h/a</loc></url></urlset>"; text != want || result.Rewritten != 1 || warned != "" || header.Name != "sitemap.xml" || header.ModTime.Unix() != 1e9 {
		t.Errorf("%s, %+v, %s, %+v", text, result, warned, header)
	}
	in = gzippedFeed(t, sitemapHead+"<url><loc>http://i/a</loc></url></urlset>")
	if out, _, warned = rewritten(in); !bytes.Equal(out, in) || warned != "" {
		t.Errorf("what does not change changed: %s", warned)
	}
	var random strings.Builder
	for range 10_000 {
		random.WriteByte(byte(' ' + rand.N(64)))
	}
	long := gzippedFeed(t, sitemapHead+"<url><loc>/a</loc></url><!--"+strings.ReplaceAll(random.String(), "-", "+"))
	for want, in := range map[string][]byte{
		"it cannot be decompressed, and stays as it is": long[:len(long)-9],
		"128 MiB": gzippedFeed(t, sitemapHead+strings.Repeat(" ", maxGunzip)),
		"16 MiB":  append(bytes.Clone(long), make([]byte, maxGzip)...),
	} {
		if out, _, warned := rewritten(in); !bytes.Equal(out, in) || !strings.Contains(warned, want) {
			t.Errorf("%s: %q, %d bytes from %d", want, warned, len(out), len(in))
		}
	}
}

// What gzip(1) decompresses without a word is rewritten: several members, empty ones, and zeros
// after the last. Anything else stays.
func TestGzipMembers(t *testing.T) {
	outer, err := resolver.ParseBase("http://h/d/sitemap.xml.gz", resolver.RFC1808)
	if err != nil {
		t.Fatal(err)
	}
	one, empty := gzippedFeed(t, sitemapHead+"<url><loc>/a</loc></url></urlset>"), gzippedFeed(t, "")
	head, tail := gzippedFeed(t, sitemapHead+"<url><lo"), gzippedFeed(t, "c>/a</loc></url></urlset>")
	zeros := make([]byte, 70_000)
	for name, row := range map[string]struct {
		in        []byte
		rewritten bool
	}{
		"one member":       {one, true},
		"padded":           {slices.Concat(one, zeros), true},
		"padded by 1":      {slices.Concat(one, zeros[:1]), true},
		"two members":      {slices.Concat(head, tail), true},
		"empty members":    {slices.Concat(head, bytes.Repeat(empty, 5000), tail, empty, zeros), true},
		"garbage":          {slices.Concat(one, []byte("x")), false},
		"padded, garbage":  {slices.Concat(one, zeros, []byte("x")), false},
		"zeros between":    {slices.Concat(head, zeros, tail), false},
		"half a member":    {slices.Concat(one, empty[:len(empty)-1]), false},
		"half a header":    {slices.Concat(one, empty[:5]), false},
		"cut":              {one[:len(one)-1], false},
		"a wrong checksum": {slices.Concat(one[:len(one)-8], zeros[:8]), false},
	} {
		if !isGzipFeed(row.in[:min(len(row.in), StartSize)], "UP.XML.Gz") {
			t.Errorf("%s: is not seen", name)
		}
		warnings := 0
		g := gzipFeed{html: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(int64, error) { warnings++ }})}
		var out bytes.Buffer
		result, err := g.Rewrite(&out, bytes.NewReader(row.in), outer)
		if err != nil || (result.Rewritten == 1) != row.rewritten || (warnings == 0) != row.rewritten || result.Warnings != warnings {
			t.Errorf("%s: %+v, %v, %d warnings", name, result, err, warnings)
		}
		if !row.rewritten {
			if !bytes.Equal(out.Bytes(), row.in) {
				t.Errorf("%s: it does not stay", name)
			}
			continue
		}
		if text, _ := gunzipped(t, out.Bytes()); text != sitemapHead+"<url><loc>http://h/a</loc></url></urlset>" {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// An error of reading is one, wherever it comes, and so is one of writing.
func TestGzipErrors(t *testing.T) {
	failing := errors.New("failing")
	one := gzippedFeed(t, sitemapHead+"<url><loc>/a</loc></url></urlset>")
	for _, length := range []int{0, 20, len(one), maxGzip, maxGzip + 1, maxGzip + 100_000} {
		in := append(bytes.Clone(one), make([]byte, max(0, length-len(one)))...)[:length]
		for op, do := range map[string]struct {
			dst io.Writer
			src io.Reader
		}{
			"read":  {io.Discard, io.MultiReader(bytes.NewReader(in), iotest.ErrReader(failing))},
			"write": {&testio.FailingWriter{Err: failing}, bytes.NewReader(in)},
		} {
			if length == 0 && op == "write" {
				continue // there is nothing to write
			}
			_, err := gzipFeed{html: new(rewriter.Rewriter)}.Rewrite(do.dst, do.src, nil)
			if e, ok := errors.AsType[*rewriter.Error](err); !ok || e.Op != op || !errors.Is(e, failing) {
				t.Errorf("%s after %d bytes: %v", op, length, e)
			}
		}
	}
}
