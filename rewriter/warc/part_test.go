package warc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"absolink/internal/test/soak"
	"absolink/rewriter"
)

// inParts cuts an archive at n offsets, and returns the output of all parts, and whether
// they cut the archive well.
func inParts(t *testing.T, r *Rewriter, archive string, n int, do func(dst io.Writer, src io.Reader) (Summary, error)) (out string, sum Summary, well bool) {
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
				for _, n := range soak.Every([]int{1, 2, 33, 3, 7, 200, 5000}, 2) {
					if n > 200 && (!soak.Enabled() || name != "plain" || r.Jobs > 1) {
						continue
					}
					out, got, well := inParts(t, r, archive, n, do)
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
		if _, _, well := inParts(t, r, archive, 5, convert); well {
			t.Errorf("%s: the archive is cut well within a record", name)
		}
		if _, sum, well := inParts(t, r, archive, 1, convert); !well || sum.Records != 3 {
			t.Errorf("%s: %+v", name, sum)
		}
	}
}

// Where the next record begins is found in linear time, whatever only looks like a record:
// with quadratic time each of these would take minutes.
func TestNextRecordIsLinear(t *testing.T) {
	const n = 1 << 20
	many := func(s string) string { return strings.Repeat(s, n/len(s)) }
	for name, archive := range map[string]string{
		"heads without ends":    "WARC/1.0\r\n" + many("\nWARC/"),
		"fields without ends":   "WARC/1.0\r\n" + many("\nWARC/\na:b"),
		"line ends of ARC":      arcSample(1)[0] + many("\n"),
		"long lines of ARC":     arcSample(1)[0] + many("x:"+strings.Repeat(" 2", 8000)+"\n"),
		"beginnings of members": gz("WARC/1.0\r\n") + many(gzipMagic),
	} {
		if _, err := NextRecord(strings.NewReader(archive), int64(len(archive)), 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A Seed gives each new record an id of its own, also where one compressed part has several
// records.
func TestSeededIDs(t *testing.T) {
	one, two := record("response", "http://h/1", response("<a href=x>")), record("response", "http://h/2", response("<a href=y>"))
	for _, archive := range []string{one + two + one, gz(one+two) + gz(two+one), zst(one + two + one)} {
		for _, jobs := range []int{1, 4} {
			out, s := converted(t, &Rewriter{Seed: "a", Output: None, Jobs: jobs}, archive)
			ids := map[string]bool{}
			all, _, _ := records(out)
			for _, rec := range all {
				ids[rec.ID()] = true
			}
			if len(all) < 3 || int64(len(all)) != s.Rewritten || len(ids) != len(all) {
				t.Errorf("%d ids of %d records", len(ids), len(all))
			}
		}
	}
}

// Parts of a damaged archive account for what they read, and end.
func TestPartsOfDamaged(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, compress := range []func(string) string{gz, zst, plain} {
		archive := pack(compress, sample()...)
		for range soak.N(100) {
			r := &Rewriter{Jobs: 1}
			inParts(t, r, mutate(random, archive), 4, func(dst io.Writer, src io.Reader) (Summary, error) {
				s, err := r.Convert(context.Background(), dst, src)
				if sum := s.Rewritten + s.Unchanged + s.Passed + s.Failed + s.Damaged; sum != s.Records {
					t.Errorf("%+v", s)
				}
				return s, err
			})
		}
	}
}
