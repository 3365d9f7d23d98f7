package warc

import (
	"absolink/internal/test/soak"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
)

// inflated matches the errors of package flate, whose text depends on what the decoder
// has read before.
var inflated = regexp.MustCompile(`flate: .*`)

// recordsBy returns everything that a Reader says of an archive, as text.
func recordsBy(r *Reader) (said []string) {
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return append(said, fmt.Sprint(r.closed))
		}
		if err != nil {
			said = append(said, inflated.ReplaceAllString(err.Error(), ""))
			if damage := new(DamageError); !errors.As(err, &damage) {
				return said // nothing goes on after it
			}
			continue
		}
		block, err := io.ReadAll(rec)
		r.finish()
		said = append(said, fmt.Sprintf("%d %s %q %v %v", rec.Offset, rec.raw, block, rec.whole, err))
	}
}

// testAhead tests that decompressing in advance changes nothing. It returns how many
// parts were tried, and how many of them were members.
func testAhead(t testing.TB, name, archive string, arrive func(io.Reader) io.Reader) (tried, whole int) {
	t.Helper()
	var unpacker partReader
	a := &ahead{memory: newMemory("", 1), workers: 1, begin: func(p *part) {
		unpacker.unpack(p)
		close(p.ready)
		if tried++; p.whole {
			whole++
		}
	}}
	got := recordsBy(newReader(newInput(arrive(strings.NewReader(archive)), aheadSize), a))
	want := recordsBy(NewReader(strings.NewReader(archive)))
	for i := range max(len(got), len(want)) {
		if i >= min(len(got), len(want)) || got[i] != want[i] {
			t.Fatalf("%s: ahead\n%q\nnot\n%q", name, got[i:], want[i:])
		}
	}
	for _, p := range a.parts {
		a.drop(p)
	}
	if a.used != 0 {
		t.Errorf("%s: %d bytes are held", name, a.used)
	}
	return tried, whole
}

func asIs(r io.Reader) io.Reader { return r }

// stored makes a member that holds s as it is.
func stored(s string) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.NoCompression)
	io.WriteString(z, s)
	z.Close()
	return b.String()
}

// What looks like a member, and is not one, changes nothing.
func TestAhead(t *testing.T) {
	whole := record("resource", "http://h/d/p", page, "Content-Type: text/html")
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 600<<10)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	for _, row := range []struct {
		name, archive string
		tried, whole  int
	}{
		{"members", strings.Repeat(gz(whole), 200), 200, 200},
		{"one", gz(whole), 1, 1},
		{"none", "", 0, 0},
		{"an archive in an archive", stored(record("resource", "http://h/", strings.Repeat(gz(whole), 3))) + gz(whole), 4, 3},
		{"magic numbers", stored(record("resource", "http://h/", strings.Repeat(gzipMagic, 100))) + gz(whole), 2, 1},
		{"half a magic number", gz(whole) + gzipMagic[:2], 0, 0},
		{"longer than what is looked at", stored(record("resource", "http://h/", string(noise))) + gz(whole), 1, 1},
		{"longer than a part may be", gz(record("resource", "http://h/", strings.Repeat("x", maxPart))) + gz(whole), 1, 1},
		{"a wrong length", gz(whole)[:len(gz(whole))-1] + "\x7f" + gz(whole), 1, 1},
		{"a wrong checksum", gz(whole)[:len(gz(whole))-5] + "\x7f" + gz(whole)[len(gz(whole))-4:] + gz(whole), 2, 1},
		{"zeros between members", gz(whole) + "\x00\x00\x00\x00" + gz(whole), 2, 1},
		{"two in a member", gz(whole+whole) + gz(whole), 2, 2},
		{"cut", gz(whole) + gz(whole)[:40], 1, 1},
	} {
		if tried, whole := testAhead(t, row.name, row.archive, asIs); tried != row.tried || whole != row.whole {
			t.Errorf("%s: %d tried, %d members", row.name, tried, whole)
		}
		testAhead(t, row.name+", in pieces", row.archive, iotest.HalfReader)
	}
	for n := range soak.N(300) {
		in := pack(gz, sample()...)
		for range 1 + random.IntN(3) {
			in = mutate(random, in)
		}
		testAhead(t, fmt.Sprint(n), in, asIs)
	}
}
