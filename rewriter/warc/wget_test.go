package warc

import (
	"compress/gzip"
	"context"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"absolink/rewriter"
)

// Archives that wget writes of a site are read and rewritten, compressed or not.
func TestWget(t *testing.T) {
	wget, err := exec.LookPath("wget")
	if err != nil {
		t.Skip("no wget: the archives of another program are not tested")
	}
	pages := map[string]string{}
	for i := range 20 {
		pages[fmt.Sprintf("/d/%d.html", i)] = fmt.Sprintf("<html><p>%s<a href=\"%d.html\">next</a><a href=/d/i.png>x</a>", strings.Repeat("x ", i*i*i), i+1)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		switch {
		case strings.HasSuffix(r.URL.Path, ".png"):
			w.Header().Set("Content-Type", "image/png")
			io.WriteString(w, "\x89PNG")
		case !ok:
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, "3.html"): // chunked
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			for i := 0; i < len(page); i += 1000 {
				io.WriteString(w, page[i:min(i+1000, len(page))])
				w.(http.Flusher).Flush()
			}
		case strings.HasSuffix(r.URL.Path, "4.html"): // encoded, whoever asks
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, page)
			z.Close()
		default:
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, page)
		}
	}))
	defer site.Close()
	dir := t.TempDir()
	var urls []string
	for path := range pages {
		urls = append(urls, site.URL+path)
	}
	urls = append(urls, site.URL+"/d/i.png", site.URL+"/missing")
	for name, options := range map[string][]string{"a.warc.gz": nil, "b.warc": {"--no-warc-compression"}} {
		file, _, _ := strings.Cut(name, ".")
		args := append([]string{"-q", "--warc-file", filepath.Join(dir, file), "-P", filepath.Join(dir, "pages")}, options...)
		if out, err := exec.Command(wget, append(args, urls...)...).CombinedOutput(); err != nil && err.Error() != "exit status 8" { // 404
			t.Fatalf("wget: %v\n%s", err, out)
		}
		archive, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		testCopies(t, name, string(archive))
		r := &Rewriter{Output: compressionOf(archive), HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(offset int64, err error) { t.Errorf("%s: at %d: %v", name, offset, err) }})}
		out, s := converted(t, r, string(archive))
		if s.Rewritten != 20 || s.Records < 45 {
			t.Errorf("%s: %+v", name, s)
		}
		testPagesOf(t, name, out, "conversion", site.URL, pages)
		out, s = replaced(t, r, string(archive))
		if s.Rewritten != 20 || s.Records < 45 {
			t.Errorf("%s: %+v", name, s)
		}
		testPagesOf(t, name, out, "response", site.URL, pages)
		testMembers(t, name, string(archive), out)
	}
}

// testPagesOf tests that an archive has the rewritten pages, and true digests.
func testPagesOf(t *testing.T, name, archive, kind, site string, pages map[string]string) {
	t.Helper()
	all, blocks, errs := records(archive)
	if len(errs) > 0 {
		t.Errorf("%s: %v", name, errs)
	}
	found := 0
	for i, rec := range all {
		if digest := rec.Get("WARC-Block-Digest"); digest != "" {
			sum := sha1.Sum([]byte(blocks[i]))
			if digest != "sha1:"+base32.StdEncoding.EncodeToString(sum[:]) {
				t.Errorf("%s: %s has a false digest", name, rec.URL())
			}
		}
		page, ok := pages[strings.TrimPrefix(rec.URL(), site)]
		if !ok || rec.Type() != kind {
			continue
		}
		found++
		want := strings.ReplaceAll(strings.ReplaceAll(page, `href="`, `href="`+site+`/d/`), "href=/", "href="+site+"/")
		if !strings.HasSuffix(blocks[i], want) {
			t.Errorf("%s: %s: %.300q", name, rec.URL(), blocks[i])
		}
	}
	if found != len(pages) {
		t.Errorf("%s: %d pages", name, found)
	}
}

// testMembers tests that the compressed parts, or records, without a page are in the
// copy of an archive byte for byte, and in order.
func testMembers(t *testing.T, name, archive, replaced string) {
	t.Helper()
	x := newRun(&Rewriter{Jobs: 1})
	pages, rest, n := false, replaced, 0
	err := x.read(context.Background(), strings.NewReader(archive), func(j *job) error {
		defer j.drop()
		if j.record != nil {
			pages = j.page != nil
		}
		if j.extent == nil || pages {
			return nil
		}
		n++
		_, after, ok := strings.Cut(rest, archive[j.extent.start:j.extent.end])
		if rest = after; !ok {
			t.Errorf("%s: what is at %d is not what it was", name, j.extent.start)
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Errorf("%s: %d members stay, %v", name, n, err)
	}
}
