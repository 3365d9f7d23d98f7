package job

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"absolink/archives/internal/sample"
	"absolink/internal/listing"
	"absolink/rewriter"
	"absolink/rewriter/warc"

	"github.com/parquet-go/parquet-go"
)

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
		if files := tree(t, o.Out); len(files) > 0 {
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
		o := Options{Manifest: m, Out: t.TempDir(), Convert: true, List: "parquet", Split: split}
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
	if err := (&Worker{out: d}).Start(ctx); err != nil {
		t.Fatal(err)
	}
	if files := tree(t, dir); len(files) != 2 {
		t.Error(files)
	}
}

// Parquet has the columns of the other lists, with what they say of a place.
func TestParquetColumns(t *testing.T) {
	p := listing.Place{
		Place: &rewriter.Place{Offset: 1, Element: "2", Attr: "3", Rel: "4", Text: "5", Raw: "6", Ref: "7", URL: "https://b.example.co.uk/", Err: errors.New("9"), Rule: new(rewriter.Rule)},
		File:  "10", Hosts: true, Page: &warc.Page{URL: "http://a.example.org/", Date: "2024-01-02T03:04:05.678Z", ID: "13", Offset: 14, Length: 15, Status: 16},
	}
	next := p // on the same page
	next.Place = &rewriter.Place{Offset: 21, Element: "22", Raw: "26", Ref: "27", Rule: new(rewriter.Rule)}
	b := appendRow(nil, p)
	first := len(b)
	b = appendRow(b, next)
	if rowLength(b) != first || rowLength(b[first:]) != len(b)-first {
		t.Fatalf("rows of %d and %d bytes, want %d and %d", rowLength(b), rowLength(b[first:]), first, len(b)-first)
	}
	rows := newParquetRows(io.Discard, new(Options))
	for _, read := range []struct {
		row []byte
		listing.Place
	}{{b[:first], p}, {b[first:], next}} {
		if err := rows.read(read.row); err != nil {
			t.Fatal(err)
		}
		for i, c := range listing.Columns {
			v := rows.columns[i][len(rows.columns[i])-1]
			var got, want any
			switch {
			case c.Name == "fetch_time":
				got, want = v.Int64(), int64(1704164645678000)
			case c.Number != nil:
				got, want = v.Int64(), c.Number(read.Place)
			default:
				got, want = v.String(), c.Text(read.Place)
			}
			isNull := c.Optional && (want == "" || want == int64(0))
			name := parquetSchema.Fields()[i].Name()
			if v.IsNull() != isNull || !isNull && got != want || name != c.Name {
				t.Errorf("column %s has %v, want %s with %v", name, v, c.Name, want)
			}
		}
	}
}

// The schema is this one, until a column is added.
func TestParquetSchema(t *testing.T) {
	const want = `message list {
	required binary file (STRING);
	required binary page (STRING);
	optional binary page_host_name_reversed (STRING);
	optional binary page_host_registered_domain (STRING);
	optional int64 fetch_time (TIMESTAMP(isAdjustedToUTC=true,unit=MICROS));
	optional binary record (STRING);
	required int64 warc_record_offset (INT(64,true));
	optional int64 warc_record_length (INT(64,true));
	optional int64 fetch_status (INT(64,true));
	required int64 offset (INT(64,true));
	required binary element (STRING);
	optional binary attr (STRING);
	required binary syntax (STRING);
	optional binary rel (STRING);
	optional binary text (STRING);
	required binary raw (STRING);
	required binary ref (STRING);
	optional binary url (STRING);
	optional binary url_host_name_reversed (STRING);
	optional binary url_host_registered_domain (STRING);
	optional binary error (STRING);
}`
	if got := parquetSchema.String(); got != want {
		t.Errorf("the schema is\n%s\nnot\n%s", got, want)
	}
}

// An optional text is NULL where it is empty, in whatever order empty and other texts come.
func TestParquetNull(t *testing.T) {
	const n = 1 << 16
	random := rand.New(rand.NewPCG(3, 7))
	var out bytes.Buffer
	rows := newParquetRows(&out, new(Options))
	var want [n]string
	for i, left, text := 0, 0, ""; i < n; i++ {
		if left == 0 { // of a run
			left, text = 1+random.IntN(70), [...]string{"", "x"}[random.IntN(2)]
		}
		left--
		want[i] = text
		rows.Write(appendRow(nil, listing.Place{Place: &rewriter.Place{URL: text, Rel: text, Rule: new(rewriter.Rule)}, File: "f", Page: new(warc.Page)}))
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	r := parquet.NewReader(f)
	defer r.Close()
	wrong := 0
	buf := make([]parquet.Row, 1)
	for i := range want {
		if k, err := r.ReadRows(buf); k != 1 {
			t.Fatal(err)
		}
		for _, v := range buf[0] {
			switch name := listing.Columns[v.Column()].Name; name {
			case "url", "rel":
				if v.IsNull() != (want[i] == "") {
					wrong++
				}
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d texts are NULL and not empty, or the other way round", wrong, 2*n)
	}
}

// A row of any length that comes in many parts is copied a few times, not once for each part.
func TestLongRow(t *testing.T) {
	const long, part = 16 << 20, 4 << 10
	place := &rewriter.Place{Raw: strings.Repeat("x", long), Rule: new(rewriter.Rule)}
	b := appendRow(nil, listing.Place{Place: place, File: "f", Page: new(warc.Page)})
	rows := newParquetRows(io.Discard, new(Options))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for part := range slices.Chunk(b, part) {
		if _, err := rows.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 20*long {
		t.Errorf("%d MB were taken for a row of %d MB", taken>>20, long>>20)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
}

// Row groups end by the memory that they take, and by their rows, wherever the rows are cut.
// The bounds in the footer let readers skip groups.
func TestRowGroups(t *testing.T) {
	for _, row := range []struct {
		name string
		rows int
		rule func(p *rewriter.Place)
		want []int64 // rows in each group
	}{
		{"long values", 300, func(p *rewriter.Place) { p.Raw = strings.Repeat("x", 1<<20) }, []int64{128, 128, 44}},
		{"long values in a dictionary", 70, func(p *rewriter.Place) { p.Rel += strings.Repeat("x", 1<<20) }, []int64{26, 26, 18}},
		{"many rows", 1<<20 + 100, func(p *rewriter.Place) { p.Rel = "" }, []int64{1 << 20, 100}},
	} {
		var files [2]bytes.Buffer
		writers := [2]*parquetRows{newParquetRows(&files[0], new(Options)), newParquetRows(&files[1], new(Options))}
		var b []byte
		for i := range row.rows {
			page := warc.Page{Offset: int64(i)}
			p := &rewriter.Place{Element: "a", Rel: strconv.Itoa(i), Rule: new(rewriter.Rule)}
			row.rule(p)
			b = appendRow(b[:0], listing.Place{Place: p, File: "f", Page: &page})
			writers[0].Write(b)
			for part := range slices.Chunk(b, 5000) {
				writers[1].Write(part)
			}
		}
		for _, w := range writers {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
			t.Errorf("%s: rows that come in pieces make another file", row.name)
		}
		f, err := parquet.OpenFile(bytes.NewReader(files[0].Bytes()), int64(files[0].Len()))
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		next := int64(0) // offset
		for _, group := range f.Metadata().RowGroups {
			got = append(got, group.NumRows)
			bounds := group.Columns[6].MetaData.Statistics
			least, most := binary.LittleEndian.Uint64(bounds.MinValue), binary.LittleEndian.Uint64(bounds.MaxValue)
			if int64(least) != next || int64(most) != next+group.NumRows-1 {
				t.Errorf("%s: a group has the offsets %d to %d, want %d to %d", row.name, least, most, next, next+group.NumRows-1)
			}
			next += group.NumRows
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %d rows in the groups, want %d", row.name, got, row.want)
		}
	}
}

// Parquet has texts in UTF-8, as other readers demand: the characters that JSON has.
func TestParquetUTF8(t *testing.T) {
	place := listing.Place{Place: &rewriter.Place{Raw: "a\xff\xfe\u00e4\xc3", Rule: new(rewriter.Rule)}, File: "f", Page: new(warc.Page)}
	b := appendRow(nil, place)
	rows := newParquetRows(io.Discard, new(Options))
	err := rows.read(b)
	raw := rows.columns[slices.IndexFunc(listing.Columns, func(c listing.Column) bool { return c.Name == "raw" })][0].String()
	if err != nil || raw != "a\ufffd\ufffd\u00e4\ufffd" {
		t.Errorf("%q, %v", raw, err)
	}
	var line struct{ Raw string }
	if err := json.Unmarshal(listing.AppendJSON(nil, place), &line); err != nil || line.Raw != raw {
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
		rows := newParquetRows(&out, new(Options))
		for rest := b; len(rest) > 0; {
			n := min(size, len(rest))
			if _, err := rows.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, size := range []int{1, 3000, 200000} {
		if write(size) != write(len(b)) {
			t.Errorf("rows that come in pieces of %d bytes make another file", size)
		}
	}
	rows := newParquetRows(io.Discard, new(Options))
	rows.Write(b[:len(b)-1])
	if rows.Close() == nil {
		t.Error("a row that is cut off is taken")
	}
}
