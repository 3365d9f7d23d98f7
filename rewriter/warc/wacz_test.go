package warc

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/internal/test/soak"
)

// wacz returns a ZIP file with the sample archive under each of these names.
func wacz(t testing.TB, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, pack(gz, sample()...))
	}
	z.Close()
	return b.String()
}

// listArchives lists the archives in a WACZ file.
func listArchives(t testing.TB, file string) (all []Summary) {
	t.Helper()
	archives, err := Archives(strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range archives {
		s, err := new(Rewriter).List(context.Background(), io.Discard, a.Reader(), appendPlace)
		if err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
		all = append(all, s)
	}
	return all
}

// The archives in a WACZ file are found and read; a file without any is refused.
func TestArchives(t *testing.T) {
	file := wacz(t, "datapackage.json", "archive/a.warc.gz", "archive/x.txt", "indexes/b.warc.gz", "archive/c.warc.gz")
	archives, err := Archives(strings.NewReader(file), int64(len(file)))
	if err != nil || len(archives) != 2 || archives[1].Name != "archive/c.warc.gz" {
		t.Fatal(archives, err)
	}
	for range 2 { // an archive can be read again
		for _, a := range archives {
			if err := iotest.TestReader(a.Reader(), []byte(pack(gz, sample()...))); err != nil {
				t.Error(err)
			}
		}
	}
	for _, s := range listArchives(t, file) {
		if s.Records != 11 || s.Damages != 0 {
			t.Error(s)
		}
	}
	file = wacz(t, "datapackage.json")
	if _, err := Archives(strings.NewReader(file), int64(len(file))); err == nil {
		t.Error("a ZIP file without archives is taken for a WACZ")
	}
	if _, err := Archives(strings.NewReader("x"), 1); !errors.Is(err, zip.ErrFormat) {
		t.Error(err)
	}
}

// What is damaged in the entry of one archive is told, what can be read of it is read, and
// the other archives are whole.
func TestDamagedEntries(t *testing.T) {
	whole := wacz(t, "archive/a.warc.gz", "archive/b.warc.gz", "archive/c.warc.gz")
	const entry = "PK\x01\x02" // of the directory
	first := strings.Index(whole, entry)
	second := first + 4 + strings.Index(whole[first+4:], entry)
	start := int(binary.LittleEndian.Uint32([]byte(whole[second+42:]))) // of its local header
	body := start + 30 + len("archive/b.warc.gz")
	length := int(binary.LittleEndian.Uint32([]byte(whole[second+20:])))
	for name, row := range map[string]struct {
		at      int    // where bytes are changed
		by      string // what stands there
		records int64  // at least so many of it are read
		damaged bool   // a compressed stream says itself where it ends
	}{
		"checksum":           {second + 16, "\xff\xff\xff\xff", 11, true},
		"no size":            {second + 24, "\x00\x00\x00\x00", 11, true},
		"a larger size":      {second + 24, "\xff\xff\xff\x7f", 11, true},
		"a smaller size":     {second + 24, "\x09\x00\x00\x00", 11, true},
		"more stored bytes":  {second + 20, "\xff\xff\xff\x7f", 11, false},
		"fewer stored bytes": {second + 20, "\x10\x00\x00\x00", 0, true},
		"no stored bytes":    {second + 20, "\x00\x00\x00\x00", 0, true},
		"an unknown coding":  {second + 10, "\x63\x00", 0, true},
		"not compressed":     {second + 10, "\x00\x00", 0, true},
		"another place":      {second + 42, "\x01\x00\x00\x00", 0, true},
		"beyond the file":    {second + 42, "\xff\xff\xff\x7f", 0, true},
		"the place of a":     {second + 42, "\x00\x00\x00\x00", 0, true},
		"local header":       {start, "xxxx", 0, true},
		"zeros":              {body + length/2, zeros(length / 3), 1, true},
		"zeros at the start": {body, zeros(20), 0, true},
	} {
		file := whole[:row.at] + row.by + whole[row.at+len(row.by):]
		got := listArchives(t, file)
		if len(got) != 3 {
			t.Fatalf("%s: %+v", name, got)
		}
		for i, s := range got {
			if i == 1 {
				if s.Records < row.records || s.Damages == 0 && row.damaged {
					t.Errorf("%s: %+v", name, s)
				}
			} else if s.Records != 11 || s.Damages != 0 {
				t.Errorf("%s, %d: %+v", name, i, s)
			}
		}
	}
}

// An error of the file itself is not damage.
func TestUnreadableEntry(t *testing.T) {
	file := wacz(t, "archive/a.warc.gz")
	failing := &failingReaderAt{strings.NewReader(file), 200}
	archives, err := Archives(failing, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := new(Rewriter).List(context.Background(), io.Discard, archives[0].Reader(), appendPlace); !errors.Is(err, errFailing) || s.Damages != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

var errFailing = errors.New("it fails")

// A failingReaderAt fails to read the byte at bad.
type failingReaderAt struct {
	io.ReaderAt
	bad int64
}

func (f *failingReaderAt) ReadAt(p []byte, offset int64) (int, error) {
	if offset <= f.bad && f.bad < offset+int64(len(p)) {
		return 0, errFailing
	}
	return f.ReaderAt.ReadAt(p, offset)
}

// In a mutated WACZ all records that are found are accounted for.
func TestMutatedArchives(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	whole := wacz(t, "archive/a.warc.gz", "archive/b.warc.gz")
	for range soak.N(200) {
		for _, src := range archivesIn(".wacz", mutate(random, whole)) {
			testAccounted(t, src)
		}
	}
}

// A WACZ whose archives are the same bytes, under many names, is read once: nothing is
// decompressed again.
func TestOverlappingArchives(t *testing.T) {
	var names []string
	for i := range 9 {
		names = append(names, fmt.Sprintf("archive/%d.warc.gz", i))
	}
	file := []byte(wacz(t, names...))
	first := bytes.Index(file, []byte("PK\x01\x02")) // the entries of the directory
	for at := first; ; {
		next := bytes.Index(file[at+4:], []byte("PK\x01\x02"))
		if next < 0 {
			break
		}
		at += 4 + next
		copy(file[at+16:at+28], file[first+16:first+28]) // its checksum and sizes
		copy(file[at+42:at+46], file[first+42:first+46]) // where it is
	}
	got := listArchives(t, string(file))
	if len(got) != 9 || got[0].Records != 11 || got[0].Damages != 0 {
		t.Fatal(got)
	}
	for i, s := range got[1:] {
		if s.Records != 0 || s.Damages != 1 {
			t.Errorf("%d: %+v", i, s)
		}
	}
}
