package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"absolink/beam/internal/sample"
	"absolink/internal/listing"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// Hosts are as browsers see them, with their labels reversed.
func TestHosts(t *testing.T) {
	var h hosts
	for url, want := range map[string]string{
		"http://www.Example.COM/x":   "com.example.www",
		"HTTP://a.b":                 "b.a",
		"https://u:p@a.b:8080/x":     "b.a",
		"http://u@v@a.b?x@y":         "b.a",
		"http://a.b\\@c.d/":          "b.a",
		"http:\\\\a.b\\c":            "b.a",
		"  http://a.b ":              "b.a",
		"http://a\t.b/":              "b.a",
		"http:///a.b":                "b.a",
		"http://a.b#/@c":             "b.a",
		"http://a.b./":               ".b.a",
		"http://B\u00fccher.example": "example.xn--bcher-kva",
		"http://%61.b/":              "b.a",
		"http://0x7f.1/":             "127.0.0.1",
		"http://1.2.3.4:5/":          "1.2.3.4",
		"http://[::1]:80/":           "[::1]",
		"http://a b/":                "",
		"http://":                    "",
		"http://a:99999/":            "",
		"httpx://a.b/":               "",
		"mailto:a@b":                 "",
		"":                           "",

		"http://" + strings.Repeat("a", 252) + ".b/":               "b." + strings.Repeat("a", 252),
		"http://" + strings.Repeat("a", 253) + ".b/":               "",
		"http://" + strings.Repeat("u", maxOrigin) + "@a.b:80/":    "b.a",
		"http://" + strings.Repeat("u", maxOrigin) + "@a.b:80/x@y": "b.a",
	} {
		for range 2 { // the second time from memory
			if got := h.of(url); got != want {
				t.Errorf("%q: %q, want %q", url, got, want)
			}
		}
	}
	for i := range maxHosts + 9 {
		h.of(fmt.Sprintf("http://%d.a/", i))
	}
	if len(h.known) > maxHosts {
		t.Error("memory has no limit")
	}
	for origin := range h.known {
		if len(origin) > maxOrigin {
			t.Errorf("an origin of %d bytes is kept", len(origin))
		}
	}
}

// Links are counted as if each were looked at alone, whatever comes before it, from several
// goroutines, and through temporary files.
func TestEdges(t *testing.T) {
	defer func(n int) { tallyMemory = n }(tallyMemory)
	tallyMemory = 500
	e := newEdges()
	defer e.close()
	want := map[string]int64{}
	var all sync.WaitGroup
	for n := range 4 {
		random := rand.New(rand.NewPCG(uint64(n), 1))
		var links [][2]string
		for range 3000 {
			page := fmt.Sprintf("http://p%d.x/%d", random.IntN(6), random.IntN(2))
			urls := []string{"https://H%d.x:8/a", "http://h%d.x", "//u%d", "", "mailto:%d", "http://h%d.x?x", "http:\\\\h%d.x", "data:%d"}
			url := urls[random.IntN(len(urls))]
			if strings.Contains(url, "%d") {
				url = fmt.Sprintf(url, random.IntN(20))
			}
			if random.IntN(50) == 0 {
				page = "file:///x"
			}
			links = append(links, [2]string{page, url})
			from, to, count := reversedHost(page), reversedHost(url), int64(1)
			if to == "" {
				to, count = from, 0
			}
			if from != "" {
				want[from+"\t"+to] += count
			}
		}
		all.Go(func() {
			for _, link := range links {
				e.add(link[0], link[1])
			}
		})
	}
	all.Wait()
	got, spilled := map[string]int64{}, 0
	for _, sums := range e.sums() {
		spilled += len(sums.runs)
		if err := sums.each(func(key string, n int64) error { got[key] += n; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if !maps.Equal(got, want) || e.err != nil || spilled < 20 {
		t.Errorf("%v, %d runs, %v\nwant %v", got, spilled, e.err, want)
	}
}

// Counts of links that cannot be put into a temporary file have an error, and nothing
// is tried after it.
func TestEdgesFull(t *testing.T) {
	defer func(n int) { tallyMemory = n }(tallyMemory)
	tallyMemory = 1000
	name := filepath.Join(t.TempDir(), "file")
	write(t, name, nil)
	e := newEdges()
	defer e.close()
	for i := range e.shards {
		file, err := os.Open(name) // not for writing
		if err != nil {
			t.Fatal(err)
		}
		e.shards[i].tally.file, e.shards[i].tally.runs = file, []int64{0}
	}
	for i := range 10_000 {
		e.add("http://a.b/", fmt.Sprintf("http://h%d/", i))
	}
	if e.err == nil {
		t.Error("no error")
	}
	for _, sums := range e.sums() {
		if sums.bytes > 2*tallyMemory { // each try adds to it
			t.Error("it tries again after the error")
		}
	}
}

// A tally that spills to a file gives the same sums.
func TestTally(t *testing.T) {
	defer func(n int) { tallyMemory = n }(tallyMemory)
	t.Setenv("TMPDIR", t.TempDir())
	sums := func() string {
		var all tally
		defer all.close()
		for i := range 5000 {
			if err := all.add(fmt.Appendf(nil, "k%d", i*7919%1000), int64(i)); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := writeTally(&b, []*tally{&all, &all}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := sums()
	tallyMemory = 3000
	if got := sums(); got != want {
		t.Error("the sums differ")
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "absolink-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files %v", left)
	}
}

// A manifest is refused before any work begins, with the reason.
func TestRefusedManifests(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/x.warc.gz", "b/x.warc.gz"} {
		write(t, filepath.Join(dir, name), sample.Archive(1, 2))
	}
	for text, want := range map[string]string{
		"":                          "no archive is named",
		"\n# nothing\n":             "no archive is named",
		"D/a/x.warc.gz\nD/b/*.gz":   "would both be written as x.warc.gz",
		"D/a/x.warc.gz\nD/a/*":      "is named twice",
		"D/[":                       "not a valid glob",
		"D/..":                      "is not the name of an archive",
		"s3://b/":                   "is not the name of an archive",
		strings.Repeat("x", 1<<17):  "a line is longer than",
		"x\x01y":                    "control characters",
		"gs://h/x.warc\nh/x.warc\n": "would both be written as x.warc",
		"x.arc\ny/x.arc.warc.gz":    "would both be written as x.arc.warc.gz",
		"x\xffy.warc.gz":            `"x\xffy.warc.gz" is not in UTF-8`,
		"a\x1b[2J/x.warc.gz":        "control characters",
		strings.Repeat("x", 201):    "a name of more than 200 bytes",
	} {
		name := filepath.Join(dir, "manifest")
		write(t, name, []byte(strings.ReplaceAll(text, "D", filepath.ToSlash(dir))))
		o := Options{Manifest: name, Out: filepath.Join(dir, "out"), List: "jsonl"}
		_, err := run(o)
		var refusal *Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
		if files := tree(t, o.Out); len(files) != 1 || files[planKey] == "" {
			t.Errorf("%.60q: files %v", text, files)
		}
	}
	if _, err := run(Options{Manifest: filepath.Join(dir, "none"), Out: dir, List: "jsonl"}); err == nil || !strings.Contains(err.Error(), "no such manifest") {
		t.Error(err)
	}
}

// Names of all kinds are names of outputs; the archives of a manifest that begins with a byte
// order mark are found.
func TestOddNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files cannot have these names there")
	}
	archives := map[string][]byte{}
	for _, name := range []string{" a  b", "a%20b%", "a'\"<>|:\\", "*?[", "-x", "..a", "a..", "__0x2f__", "#x", "\u00fcn\u00ef", "x.attrs", "a.warc", strings.Repeat("n", 190)} {
		archives[name+".warc.gz"] = sample.Archive(1, 2)
	}
	m := manifest(t, archives)
	b, err := os.ReadFile(m)
	if err != nil {
		t.Fatal(err)
	}
	write(t, m, append([]byte("\ufeff"), b...))
	for _, split := range []int64{0, 1024} {
		o := Options{Manifest: m, Out: t.TempDir(), Convert: true, List: "parquet", Graph: 1, Split: split}
		if totals := mustRun(t, o); totals.Done != int64(len(archives)) || totals.Dead > 0 {
			t.Errorf("%+v", totals)
		}
		for name := range archives {
			if _, err := os.Stat(filepath.Join(o.Out, "converted", name)); err != nil {
				t.Error(err)
			}
		}
	}
}

// Globs name archives in directories and in buckets.
func TestGlobs(t *testing.T) {
	ctx := context.Background()
	out, err := OpenDir(ctx, "mem://globs/crawl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"s1/a.warc.gz", "s1/b.warc.gz", "s2/c.warc.gz", "d.txt"} {
		_, err := out.Write(ctx, name, func(w io.Writer) error {
			_, err := w.Write(sample.Archive(5, 3))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	m := manifest(t, map[string][]byte{"x[1].warc.gz": sample.Archive(6, 3)}, "mem://globs/crawl/**/*.warc.gz", "mem://globs/none/*.gz")
	totals := mustRun(t, Options{Manifest: m, Out: "mem://globs/out", Convert: true})
	if totals.Archives != 5 || totals.Done != 4 || totals.Dead != 1 {
		t.Errorf("%+v", totals)
	}
	if dead := tree(t, "mem://globs/out")["dead.jsonl"]; !strings.Contains(dead, `"no archive matches this glob"`) || !strings.Contains(dead, `"attempt":1`) {
		t.Error(dead)
	}
}

// A file has its name when it is whole, and otherwise never. What a killed process has
// left is removed at the start; other files stay.
func TestWholeOrNot(t *testing.T) {
	ctx := context.Background()
	for _, location := range []string{t.TempDir(), "mem://whole"} {
		d, err := OpenDir(ctx, location)
		if err != nil {
			t.Fatal(err)
		}
		stop := errors.New("stop")
		_, err = d.Write(ctx, "x/y", func(w io.Writer) error {
			w.Write(make([]byte, 1<<20))
			return stop
		})
		if files := tree(t, location); err != stop || len(files) > 0 {
			t.Errorf("%s: %v, %d files", location, err, len(files))
		}
	}
	dir := t.TempDir()
	d, err := OpenDir(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "list/a.jsonl.17a3b4c5d6e7f809.tmp"), nil)
	write(t, filepath.Join(dir, "outputs.jsonl.17a3b4c5d6e7f809.tmp"), nil)
	write(t, filepath.Join(dir, "mine/a.17a3b4c5d6e7f809.tmp"), nil)
	write(t, filepath.Join(dir, "list/a.tmp"), nil)
	if err := Start(ctx, d); err != nil {
		t.Fatal(err)
	}
	if files := tree(t, dir); len(files) != 2 {
		t.Error(files)
	}
}

// Parquet has the columns of the other lists, with what they say of a place.
func TestParquetColumns(t *testing.T) {
	p := listing.Place{
		Place: &rewriter.Place{Offset: 1, Element: "2", Attr: "3", Rel: "4", Text: "5", Raw: "6", Ref: "7", URL: "8", Err: errors.New("9"), Rule: new(rewriter.Rule)},
		File:  "10", Page: &warc.Page{URL: "11", Date: "12", ID: "13", Offset: 14, Length: 15, Status: 16},
	}
	b := appendRow(nil, p)
	var row listRow
	if n, err := cutRow(b, &row); n != len(b) || err != nil {
		t.Fatal(n, err)
	}
	fields := reflect.TypeOf(row)
	if fields.NumField() != len(listing.Columns) {
		t.Fatalf("%d columns, want %d", fields.NumField(), len(listing.Columns))
	}
	for i, c := range listing.Columns {
		name, _, _ := strings.Cut(fields.Field(i).Tag.Get("parquet"), ",")
		var want any
		if c.Number != nil {
			want = c.Number(p)
		} else {
			want = c.Text(p)
		}
		if got := reflect.ValueOf(row).Field(i).Interface(); name != c.Name || got != want {
			t.Errorf("column %s has %v, want %s with %v", name, got, c.Name, want)
		}
	}
}

// Parquet has texts in UTF-8, as other readers demand: the characters that JSON has.
func TestParquetUTF8(t *testing.T) {
	place := listing.Place{Place: &rewriter.Place{Raw: "a\xff\xfe\u00e4\xc3", Rule: new(rewriter.Rule)}, File: "f", Page: new(warc.Page)}
	var row listRow
	if _, err := cutRow(appendRow(nil, place), &row); err != nil || row.Raw != "a\ufffd\ufffd\u00e4\ufffd" {
		t.Errorf("%q, %v", row.Raw, err)
	}
	var line struct{ Raw string }
	if err := json.Unmarshal(listing.AppendJSON(nil, place), &line); err != nil || line.Raw != row.Raw {
		t.Errorf("JSON has %q, %v", line.Raw, err)
	}
}

// Rows are cut where Write is called, and come out whole.
func TestParquetRows(t *testing.T) {
	var b []byte
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 5000 { // more than a page of Parquet
		place := &rewriter.Place{Element: "a", Raw: fmt.Sprint(random.Uint64(), strings.Repeat("x", i%500)), Rule: new(rewriter.Rule)}
		b = appendRow(b, listing.Place{Place: place, File: "f", Page: &warc.Page{Offset: int64(i)}})
	}
	write := func(size int) string {
		var out bytes.Buffer
		rows := newParquetRows(&out)
		for rest := b; len(rest) > 0; {
			n := min(size, len(rest))
			if _, err := rows.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := rows.close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, size := range []int{1, 3000, 200000} {
		if write(size) != write(len(b)) {
			t.Errorf("rows that come in pieces of %d bytes make another file", size)
		}
	}
	rows := newParquetRows(io.Discard)
	rows.Write(b[:len(b)-1])
	if rows.close() == nil {
		t.Error("a row that is cut off is taken")
	}
}
