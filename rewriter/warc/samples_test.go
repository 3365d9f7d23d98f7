package warc

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"absolink/internal/test/soak"
	"absolink/rewriter"
)

// archivesIn returns readers of the archives in a file: itself, or those in a WACZ. A
// damaged WACZ may have none.
func archivesIn(name, file string) (all []io.Reader) {
	if filepath.Ext(name) != ".wacz" {
		return []io.Reader{strings.NewReader(file)}
	}
	archives, err := Archives(strings.NewReader(file), int64(len(file)))
	if err != nil {
		return nil
	}
	for _, a := range archives {
		all = append(all, a.Reader())
	}
	return all
}

// Archives that other programs have written are read: ARC by HTTrack, WACZ by js-wacz and
// by ArchiveWeb.page. In each mutation, records in equal records accounted for.
func TestSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for name, want := range map[string]struct {
		records, pages int64
		links          int
		link           string
	}{
		"httrack.arc":         {29, 26, 220, "http://127.0.0.1:8931/d/p2.html http://127.0.0.1:8931/d/p3.html"},
		"js-wacz.wacz":        {36, 14, 103, "http://127.0.0.1:8931/d/p2.html http://127.0.0.1:8931/d/p3.html"},
		"archivewebpage.wacz": {36, 8, 56, "http://127.0.0.1:8931/ http://127.0.0.1:8931/d/p0.html"},
	} {
		b, err := os.ReadFile("../../testdata/archives/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var lines bytes.Buffer
		r := &Rewriter{HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(offset int64, err error) { t.Errorf("%s: %d: %v", name, offset, err) }})}
		for _, src := range archivesIn(name, string(b)) {
			s, err := r.List(context.Background(), &lines, src, func(b []byte, page *Page, p *rewriter.Place) []byte {
				return append(b, page.URL+" "+p.URL+"\n"...)
			})
			if err != nil || s.Records != want.records || s.Rewritten != want.pages || s.Rewritten+s.Passed != s.Records {
				t.Errorf("%s: %+v, %v", name, s, err)
			}
		}
		if n := strings.Count(lines.String(), "\n"); n != want.links || !strings.Contains(lines.String(), want.link+"\n") {
			t.Errorf("%s: %d links, %s", name, n, &lines)
		}
		read, n := 0, soak.N(200)
		for range n {
			for _, src := range archivesIn(name, mutate(random, string(b))) {
				s, _ := new(Rewriter).Convert(context.Background(), io.Discard, src)
				if s.Records > 0 {
					read++
				}
				if s.Records != s.Rewritten+s.Unchanged+s.Passed+s.Failed+s.Damaged {
					t.Errorf("%s: %+v", name, s)
				}
			}
		}
		if read < n/4 {
			t.Errorf("%s: only %d mutations have records", name, read)
		}
	}
}
