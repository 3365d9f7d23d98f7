package compare

import (
	"bytes"
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/richardlehane/webarchive"

	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// heritrix returns the archives of one crawl by Heritrix 1.14, in ARC and in WARC, with
// and without compression. The module webarchive has them as its samples.
func heritrix(t *testing.T) map[string][]byte {
	t.Helper()
	dir := must(exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/richardlehane/webarchive").Output())(t)
	archives := map[string][]byte{}
	for _, ext := range []string{".arc", ".arc.gz", ".warc", ".warc.gz"} {
		archives[ext] = must(os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "examples", "IAH-20080430204825-00000-blackbook"+ext)))(t)
	}
	return archives
}

// An archive in ARC has the same links as an archive in WARC of the same crawl.
func TestHeritrixLinks(t *testing.T) {
	want := ""
	for ext, archive := range heritrix(t) {
		var lines bytes.Buffer
		r := &warc.Rewriter{HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(offset int64, err error) { t.Errorf("%s: %d: %v", ext, offset, err) }})}
		s, err := r.List(context.Background(), &lines, bytes.NewReader(archive), func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
			return append(b, page.URL+" "+p.Element+" "+p.Raw+" "+p.URL+"\n"...)
		})
		records := int64(822)
		if strings.HasPrefix(ext, ".arc") {
			records = 300
		}
		if err != nil || s.Records != records || s.Failed+s.Damaged > 0 {
			t.Errorf("%s: %+v, %v", ext, s, err)
		}
		links := slices.Sorted(strings.Lines(lines.String()))
		got := strings.Join(links, "")
		if want == "" {
			want = got
		}
		if got != want || len(links) < 40000 {
			t.Errorf("%s: %d links, or other links than in another format", ext, len(links))
		}
	}
}

// The package webarchive finds the same records in ARC files: their URLs, media types,
// dates and bytes.
func TestWebarchive(t *testing.T) {
	archives := heritrix(t)
	httrack := must(os.ReadFile("../testdata/archives/httrack.arc"))(t)
	for name, archive := range map[string][]byte{".arc": archives[".arc"], ".arc.gz": archives[".arc.gz"], "httrack.arc": httrack} {
		peer, err := webarchive.NewReader(bytes.NewReader(archive))
		if err != nil {
			t.Fatal(name, err)
		}
		records := warc.NewReader(bytes.NewReader(archive))
		if _, err := records.Next(); err != nil { // the peer has the record of the file itself apart
			t.Fatal(name, err)
		}
		n := 0
		for ; ; n++ {
			theirs, err := peer.Next()
			ours, ourErr := records.Next()
			if err == io.EOF && ourErr == io.EOF {
				break
			}
			if err != nil || ourErr != nil {
				t.Fatalf("%s: record %d: %v, the peer has %v", name, n, ourErr, err)
			}
			want, err := io.ReadAll(theirs)
			if err != nil {
				t.Fatal(name, err)
			}
			got, err := io.ReadAll(ours)
			if err != nil || !bytes.Equal(got, want) || ours.URL() != theirs.URL() || ours.Get("Content-Type") != theirs.MIME() || ours.Get("WARC-Date") != theirs.Date().Format("2006-01-02T15:04:05Z") {
				t.Errorf("%s: record %d: %s, %s, %d bytes; the peer has %s, %s, %d bytes", name, n, ours.URL(), ours.Get("Content-Type"), len(got), theirs.URL(), theirs.MIME(), len(want))
			}
		}
		if n < 28 {
			t.Errorf("%s: %d records", name, n)
		}
	}
}

// In mutations of the beginning of an archive, records in equal records accounted for.
func TestMutatedHeritrix(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	archives := heritrix(t)
	for _, ext := range slices.Sorted(maps.Keys(archives)) {
		archive := archives[ext]
		end, err := warc.NextRecord(bytes.NewReader(archive), int64(len(archive)), 200<<10)
		if err != nil || end < 200<<10 || end > 2<<20 {
			t.Fatal(ext, end, err)
		}
		for i := range 200 {
			b := bytes.Clone(archive[:end])
			from := random.IntN(len(b))
			to := min(len(b), from+random.IntN(300))
			switch i % 4 {
			case 0:
				b = b[:from]
			case 1:
				b = slices.Delete(b, from, to)
			case 2:
				b = slices.Insert(b, from, b[from:to]...)
			case 3:
				b[from] ^= 1 << random.IntN(8)
			}
			s, err := new(warc.Rewriter).Convert(context.Background(), io.Discard, bytes.NewReader(b))
			if err != nil || s.Records != s.Rewritten+s.Unchanged+s.Passed+s.Failed+s.Damaged {
				t.Errorf("%s: mutation %d: %+v, %v", ext, i, s, err)
			}
		}
	}
}
