package warc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"absolink/internal/test/soak"
	"absolink/rewriter"
)

// Records are read that are written in other ways than the standard says.
func TestFraming(t *testing.T) {
	lf := strings.ReplaceAll(record("resource", "http://h/d/p", page, "Content-Type: text/html"), "\r\n", "\n")
	folded := record("resource", "http://h/d/p", page, "Content-Type: text/html;\r\n charset=utf-8", "x: y\r\n\tz")
	whole := record("resource", "http://h/d/p", page, "Content-Type: text/html")
	for name, archive := range map[string]string{
		"LF":                    lf + lf,
		"LF, gzip":              gz(lf) + gz(lf),
		"folded":                folded + folded,
		"0.17":                  strings.ReplaceAll(whole+whole, "WARC/1.0", "WARC/0.17"),
		"1.1":                   strings.ReplaceAll(whole+whole, "WARC/1.0", "WARC/1.1"),
		"lower case":            strings.ReplaceAll(whole+whole, "Content-Length", "content-length"),
		"two in a member":       gz(whole + whole),
		"two in a frame":        zst(whole + whole),
		"one line end":          strings.TrimSuffix(whole, "\r\n") + strings.TrimSuffix(whole, "\r\n"),
		"no line end":           strings.TrimSuffix(whole, "\r\n\r\n") + strings.TrimSuffix(whole, "\r\n\r\n"),
		"more line ends":        "\r\n" + whole + "\r\n\r\n\n" + whole + "\n\n",
		"no line end, members":  gz(strings.TrimSuffix(whole, "\r\n\r\n")) + gz(strings.TrimSuffix(whole, "\r\n\r\n")),
		"line ends by itself":   gz(strings.TrimSuffix(whole, "\r\n\r\n")) + gz("\r\n\r\n") + gz(whole),
		"empty members":         gz("") + gz(whole) + gz("") + gz(whole) + gz(""),
		"empty frames":          zst("") + zst(whole) + zst("") + zst(whole),
		"skippable frames":      "\x50\x2a\x4d\x18\x03\x00\x00\x00abc" + zst(whole) + "\x5f\x2a\x4d\x18\x00\x00\x00\x00" + zst(whole),
		"a line without a name": strings.ReplaceAll(whole+whole, "WARC-Date", "nonsense\r\nWARC-Date"),
	} {
		all, blocks, errs := records(archive)
		if len(all) != 2 || len(errs) > 0 || blocks[0] != strings.ReplaceAll(page, "\r\n", "\n") && blocks[0] != page || blocks[1] != blocks[0] {
			t.Errorf("%s: %d records, %v, %q", name, len(all), errs, blocks)
		}
		out, s := replaceAll(t, archive)
		all, blocks, errs = records(out)
		if len(all) != 2 || len(errs) > 0 || s.Rewritten != 2 || blocks[0] != pageThen || blocks[1] != pageThen {
			t.Errorf("%s, rewritten: %d records, %v, %q, %+v", name, len(all), errs, blocks, s)
		}
	}
}

// Reading no bytes of a record returns, also where the next byte has yet to be decompressed.
func TestReadNothing(t *testing.T) {
	block := strings.Repeat("x", 3*windowSize)
	for c, compress := range packs {
		r := NewReader(strings.NewReader(compress(record("resource", "http://h/", block))))
		rec, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, rec, int64(len(r.window()))); err != nil {
			t.Fatal(err)
		}
		if n, err := rec.Read(nil); n != 0 || err != nil {
			t.Errorf("%d: %d, %v", c, n, err)
		}
	}
}

// Members and frames may end anywhere in a record.
func TestSplitAnywhere(t *testing.T) {
	whole := record("resource", "http://h/d/p", page, "Content-Type: text/html") + record("metadata", "http://h/", "a: b\r\n")
	step := len(whole) / soak.N(len(whole)/3)
	for i := 0; i <= len(whole); i += step {
		for _, compress := range []func(string) string{gz, zst} {
			in := compress(whole[:i]) + compress(whole[i:])
			all, blocks, errs := records(in)
			if len(all) != 2 || len(errs) > 0 || blocks[0] != page {
				t.Fatalf("at %d: %d records, %v", i, len(all), errs)
			}
			out, s := replaceAll(t, in)
			_, blocks, errs = records(out)
			if len(blocks) != 2 || len(errs) > 0 || blocks[0] != pageThen || blocks[1] != "a: b\r\n" || s.Records != 2 {
				t.Fatalf("at %d: %q, %v, %+v", i, blocks, errs, s)
			}
		}
	}
}

// Damage is reported with its offset, and whole records are read.
func TestDamage(t *testing.T) {
	whole := record("resource", "http://h/d/p", page, "Content-Type: text/html")
	n := len(gz(whole))
	flipped := []byte(gz(whole))
	flipped[n/2] ^= 0x10
	for _, row := range []struct {
		name, archive string
		records       int
		offset        int64
		err           error
	}{
		{"cut header", whole + whole[:20], 1, int64(len(whole)), errTruncated},
		{"cut block", whole + whole[:len(whole)-10], 1, int64(len(whole)), errTruncated},
		{"cut member", gz(whole) + gz(whole)[:n-20], 1, int64(n), errCut},
		{"cut checksum", gz(whole) + gz(whole)[:n-3], 1, int64(n), errCut},
		{"cut member header", gz(whole) + gz(whole)[:5], 1, int64(n), errCut},
		{"cut frame", zst(whole) + zst(whole)[:50], 1, int64(len(zst(whole))), errCut},
		{"garbage", whole + "garbage\r\nmore\r\n" + whole, 2, int64(len(whole)), errNoRecord},
		{"garbage in a member", gz(whole+"garbage\r\n") + gz(whole), 2, 0, errNoRecord},
		{"garbage between members", gz(whole) + "garbage" + gz(whole), 2, int64(n), nil},
		{"garbage as a member", gz(whole) + gz("garbage") + gz(whole), 2, int64(n), errNoRecord},
		{"a bit", gz(whole) + string(flipped) + gz(whole), 2, int64(n), nil},
		{"no length", whole + strings.Replace(whole, "Content-Length", "Length", 1) + whole, 2, int64(len(whole)), errNoLength},
		{"negative length", whole + strings.Replace(whole, "Content-Length: ", "Content-Length: -", 1) + whole, 2, int64(len(whole)), errNoLength},
		{"short length", strings.Replace(whole, fmt.Sprint("Content-Length: ", len(page)), fmt.Sprint("Content-Length: ", len(page)-20), 1) + whole, 1, 0, errLength},
		{"long length", gz(strings.Replace(whole, "Content-Length: ", "Content-Length: 1", 1)) + gz(whole), 1, 0, errLength},
		{"no archive", "<html>", 0, 0, errNoRecord},
		{"long header", "WARC/1.0\r\nx: " + strings.Repeat("y", maxHead) + "\r\n\r\n" + whole, 1, 0, errLongHead},
		{"zeros", gz(whole) + strings.Repeat("\x00", 1000), 1, int64(n), nil},
	} {
		all, _, errs := records(row.archive)
		var damage *DamageError
		if len(all) != row.records || len(errs) != 1 || !errors.As(errs[0], &damage) || damage.Offset != row.offset || row.err != nil && !errors.Is(errs[0], row.err) {
			t.Errorf("%s: %d records, %v", row.name, len(all), errs)
		}
		testCopies(t, row.name, row.archive)
	}
}

// In a member that is damaged or cut off after many records, all records before the
// damage are read.
func TestDamageAfterMany(t *testing.T) {
	const n = 200 // more than a window
	in := gz(strings.Repeat(record("resource", "http://h/d/p", page, "Content-Type: text/html"), n))
	flipped := []byte(in)
	flipped[len(in)-6] ^= 1 // in the checksum
	for _, damaged := range []string{string(flipped), in[:len(in)-1]} {
		r := &Rewriter{Output: None}
		s, err := r.Convert(context.Background(), io.Discard, strings.NewReader(damaged))
		if err != nil || s.Rewritten < n-1 || s.Records != n || s.Damages != 1 {
			t.Errorf("%v, %+v", err, s)
		}
		testCopies(t, "many", damaged)
	}
}

// testCopies tests that Replace copies an archive with nothing to rewrite, and
// accounts for all of its records.
func testCopies(t testing.TB, name, archive string) {
	t.Helper()
	var out bytes.Buffer
	r := &Rewriter{Output: compressionOf([]byte(archive)), HTML: nothing(), Jobs: 2}
	s, err := r.Replace(context.Background(), &out, strings.NewReader(archive))
	if err != nil && !errors.Is(err, errDictionary) {
		t.Fatalf("%s: %v", name, err)
	}
	if err == nil && out.String() != archive && !strings.HasPrefix(archive, dictionaryMagic) {
		t.Errorf("%s: %d bytes became %d", name, len(archive), out.Len())
	}
	if s.Rewritten != 0 || err == nil && s.Records != s.Unchanged+s.Passed+s.Failed+s.Damaged {
		t.Errorf("%s: %+v", name, s)
	}
}

// In an archive that is truncated, or has bytes flipped, cut out or doubled, all
// records that are found are accounted for, damage is told, and a copy loses nothing.
func TestMutations(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 4))
	for n := range soak.N(500) {
		c := Compression(n % 3)
		in := pack(packs[c], sample()...)
		if n%7 == 0 {
			in = packs[c](strings.Join(sample(), ""))
		}
		whole := in
		for range 1 + random.IntN(3) {
			in = mutate(random, in)
		}
		name := fmt.Sprint(n)
		testCopies(t, name, in)
		damages := 0
		warn := func(offset int64, err error) {
			if damage := (*DamageError)(nil); errors.As(err, &damage) {
				damages++
				if offset < 0 || offset > int64(len(in)) {
					t.Errorf("%d: an error at %d of %d", n, offset, len(in))
				}
			}
		}
		r := &Rewriter{Output: compressionOf([]byte(in)), Jobs: 2, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: warn})}
		for _, do := range modes(r, inMemory(in))[:2] {
			damages = 0
			s, err := do(io.Discard)
			if err != nil {
				t.Fatalf("%d: %v", n, err)
			}
			if sum := s.Rewritten + s.Unchanged + s.Passed + s.Failed + s.Damaged; sum != s.Records || int64(damages) != s.Damages {
				t.Errorf("%d: %+v, %d damages", n, s, damages)
			}
			// A record that is missing is either doubled elsewhere, or somebody is told.
			if s.Records-s.Damaged < 11 && s.Damages == 0 && in != whole && c != None {
				t.Errorf("%d: of %d records there are %d, and no error", n, 11, s.Records)
			}
		}
	}
}

func mutate(random *rand.Rand, s string) string {
	i := random.IntN(len(s) + 1)
	j := min(len(s), i+random.IntN(300))
	switch random.IntN(5) {
	case 0:
		return s[:i]
	case 1:
		return s[:i] + s[j:]
	case 2:
		return s[:j] + s[i:]
	case 3:
		return s[:i] + strings.Repeat("\x00", j-i) + s[j:]
	}
	b := []byte(s)
	for range 1 + random.IntN(4) {
		if len(b) > 0 {
			b[random.IntN(len(b))] ^= 1 << random.IntN(8)
		}
	}
	return string(b)
}

func TestDictionary(t *testing.T) {
	samples := [][]byte{}
	for i := range 200 {
		samples = append(samples, []byte(record("resource", fmt.Sprint("http://h/", i), strings.Repeat(page, i%7+1), "Content-Type: text/html")))
	}
	dictionary, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 77, Contents: samples, History: bytes.Join(samples[:20], nil)})
	if err != nil {
		t.Fatal(err)
	}
	var with bytes.Buffer
	w, err := zstd.NewWriter(&with, zstd.WithEncoderDict(dictionary))
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(strings.Join(sample(), "")))
	w.Close()
	in := with.String()

	s, err := (&Rewriter{}).Convert(context.Background(), io.Discard, strings.NewReader(in))
	if !errors.Is(err, errDictionary) || s.Records != 0 {
		t.Errorf("without: %v, %+v", err, s)
	}
	for _, frame := range []string{string(dictionary), zst(string(dictionary))} {
		size := len(frame)
		in := dictionaryMagic + string([]byte{byte(size), byte(size >> 8), byte(size >> 16), 0}) + frame + in
		s, err := (&Rewriter{}).Convert(context.Background(), io.Discard, strings.NewReader(in))
		if err != nil || s.Records != 11 || s.Rewritten != 3 {
			t.Errorf("with: %v, %+v", err, s)
		}
		out, _ := replaceAll(t, in)
		if all, _, errs := records(out); len(all) != 11 || len(errs) > 0 {
			t.Errorf("replaced: %d, %v", len(all), errs)
		}
	}
}

// The number of goroutines changes nothing.
func TestJobs(t *testing.T) {
	var all []string
	for range 30 {
		all = append(all, sample()...)
	}
	in := pack(gz, all...) + gz(strings.Join(all, ""))
	var want string
	for _, workers := range []int{1, 2, 8} {
		out, s := replaced(t, &Rewriter{Jobs: workers}, in)
		if s.Records != 660 || s.Rewritten != 120 || want != "" && out != want {
			t.Errorf("%d: %+v", workers, s)
		}
		want = out
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (&Rewriter{}).Convert(ctx, io.Discard, strings.NewReader(in)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
