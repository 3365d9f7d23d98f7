package warc

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"absolink/rewriter"
)

// parts cuts an archive at n offsets, and returns the output of all parts, and whether
// they cut the archive well.
func parts(t *testing.T, r *Rewriter, archive string, n int, do func(dst io.Writer, src io.Reader) (Summary, error)) (out string, sum Summary, well bool) {
	t.Helper()
	size := int64(len(archive))
	src := strings.NewReader(archive)
	var dst bytes.Buffer
	begin := int64(0)
	well = true
	for i := range int64(n) {
		end, err := NextRecord(src, size, size*(i+1)/int64(n))
		if err != nil {
			t.Fatal(err)
		}
		s, err := do(&dst, &Part{Reader: io.NewSectionReader(src, begin, size), Begin: begin, End: end})
		if err != nil {
			t.Fatal(err)
		}
		if begin < end {
			well = well && s.End == end
		}
		sum.Add(s)
		begin = end
	}
	return dst.String(), sum, well && begin == size
}

// The output of any number of parts is the output for the archive.
func TestParts(t *testing.T) {
	var all []string
	for i := range 40 {
		all = append(all, record("response", fmt.Sprintf("http://h/%d/", i), "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=x"+strings.Repeat("y", i*i)+">"))
		all = append(all, record("metadata", "http://h/", "fetchTimeMs: 1\r\n"))
	}
	for name, compress := range map[string]func(string) string{"gzip": gz, "zstd": zst, "plain": plain} {
		archive := pack(compress, all...)
		for _, r := range []*Rewriter{{Jobs: 1, Output: None, Seed: "a"}, {Jobs: 3, Output: Gzip, Seed: "a"}} {
			r.Date = time.Unix(0, 0) // of all records
			line := func(b []byte, page *Page, p *rewriter.Place) []byte {
				return fmt.Appendf(b, "%d+%d %d %s\n", page.Offset, page.Length, p.Offset, p.URL)
			}
			for what, do := range map[string]func(dst io.Writer, src io.Reader) (Summary, error){
				"convert": func(dst io.Writer, src io.Reader) (Summary, error) { return r.Convert(context.Background(), dst, src) },
				"list": func(dst io.Writer, src io.Reader) (Summary, error) {
					return r.List(context.Background(), dst, src, line)
				},
			} {
				var whole bytes.Buffer
				sum, err := do(&whole, strings.NewReader(archive))
				if err != nil || sum.Rewritten != 40 || sum.End != int64(len(archive)) {
					t.Fatal(sum, err)
				}
				for _, n := range []int{1, 2, 3, 7, 33, 200, 5000} {
					if n > 200 && (testing.Short() || name != "plain" || r.Jobs > 1) {
						continue
					}
					out, got, well := parts(t, r, archive, n, do)
					if out != whole.String() || got != sum || !well {
						t.Errorf("%s %s, %d parts: %+v, well cut: %v", name, what, n, got, well)
					}
				}
			}
		}
	}
}

// An archive within a record misleads NextRecord, and Summary.End says so.
func TestPartsOfNested(t *testing.T) {
	page := func(i int) string {
		return record("response", fmt.Sprintf("http://h/%d/", i), response("<a href=x>"))
	}
	stored := func(s string) string {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.NoCompression)
		io.WriteString(w, s)
		w.Close()
		return b.String()
	}
	for name, c := range map[string]struct{ inner, outer func(string) string }{
		"gzip":  {gz, stored},
		"plain": {plain, plain},
	} {
		var inner []string
		for i := range 100 {
			inner = append(inner, page(i))
		}
		within := record("resource", "http://h/a", pack(c.inner, inner...), "Content-Type: application/warc")
		archive := pack(c.outer, page(1), within, page(2))
		r := &Rewriter{Jobs: 1}
		convert := func(dst io.Writer, src io.Reader) (Summary, error) {
			return r.Convert(context.Background(), dst, src)
		}
		if _, _, well := parts(t, r, archive, 5, convert); well {
			t.Errorf("%s: the archive is cut well within a record", name)
		}
		if _, sum, well := parts(t, r, archive, 1, convert); !well || sum.Records != 3 {
			t.Errorf("%s: %+v", name, sum)
		}
	}
}

// Parts of a damaged archive account for what they read, and end.
func TestPartsOfDamaged(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, compress := range []func(string) string{gz, zst, plain} {
		archive := pack(compress, sample()...)
		for range 100 {
			r := &Rewriter{Jobs: 1}
			parts(t, r, mutate(random, archive), 4, func(dst io.Writer, src io.Reader) (Summary, error) {
				s, err := r.Convert(context.Background(), dst, src)
				if sum := s.Rewritten + s.Unchanged + s.Passed + s.Failed + s.Damaged; sum != s.Records {
					t.Errorf("%+v", s)
				}
				return s, err
			})
		}
	}
}
