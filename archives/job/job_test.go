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
	"time"
	"unicode/utf8"

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

// Every value of the table is what the list says, and NULL where the list has nothing, in
// whatever order empty and other values come.
func TestParquetValues(t *testing.T) {
	const n = 1 << 15
	random := rand.New(rand.NewPCG(3, 7))
	var out bytes.Buffer
	rows := newParquetRows(&out, new(Options))
	var left [11]int // of the runs
	var has [11]bool
	places := make([]listing.Place, n)
	for i := range places {
		text := func(column int, text string) string {
			if left[column]--; left[column] <= 0 {
				left[column], has[column] = 1+random.IntN(63), !has[column]
			}
			if !has[column] {
				return ""
			}
			return text + strconv.Itoa(random.IntN(99))
		}
		p := &rewriter.Place{Offset: int64(i), Element: "a", Attr: text(0, "href"), Rel: text(1, "x"), Text: text(2, "text"), Raw: "r", Ref: text(3, "r"), Rule: new(rewriter.Rule)}
		if p.URL = text(4, "http://h.example.org/"); p.URL == "" {
			p.URL = text(5, "data:,") // which has no host
		}
		if reason := text(6, "error"); reason != "" {
			p.Err = errors.New(reason)
		}
		page := &warc.Page{URL: "mailto:x", ID: text(7, "id"), Status: len(text(8, ""))}
		if text(9, "") != "" {
			page.Date = time.UnixMicro(random.Int64N(1e15)).UTC().Format(time.RFC3339Nano)
		}
		if text(10, "") != "" {
			page.URL, page.Length = "https://www.example.com/", 1
		}
		places[i] = listing.Place{Place: p, File: "f", Page: page, Hosts: true}
		rows.Write(appendRow(nil, places[i]))
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
	row := make([]parquet.Row, 1)
	nulls := make([]int64, len(listing.Columns))
	for i, p := range places {
		if k, err := r.ReadRows(row); k != 1 {
			t.Fatal(err)
		}
		for _, v := range row[0] {
			c := listing.Columns[v.Column()]
			var got, want, nothing any = v.String(), "", ""
			switch {
			case c.Time && c.Text(p) != "":
				got, want = time.UnixMicro(v.Int64()).UTC().Format(time.RFC3339Nano), c.Text(p)
			case c.Number != nil:
				got, want, nothing = v.Int64(), c.Number(p), int64(0)
			default:
				want = c.Text(p)
			}
			isNull := c.Optional && want == nothing
			if v.IsNull() != isNull || !isNull && got != want {
				t.Fatalf("row %d: %s is %v, want %v", i, c.Name, v, want)
			}
			if strings.HasPrefix(p.URL, "data:") && strings.HasPrefix(c.Name, "url_host") && !v.IsNull() {
				t.Fatalf("%s of a data: URL is %v", c.Name, v)
			}
			if isNull {
				nulls[v.Column()]++
			}
		}
	}
	for i, column := range f.Metadata().RowGroups[0].Columns {
		if got := column.MetaData.Statistics.NullCount; got != nulls[i] {
			t.Errorf("%s has %d NULLs, and the footer says %d", listing.Columns[i].Name, nulls[i], got)
		}
		if isOptional := listing.Columns[i].Optional; isOptional != (nulls[i] > n/8 && nulls[i] < n) {
			t.Errorf("%s has %d NULLs in %d rows", listing.Columns[i].Name, nulls[i], n)
		}
	}
}

// The bounds of a column with long texts hold for all of them, are texts of at most 65 bytes,
// and are the least and the greatest text if these are short.
func TestParquetBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 8))
	letters := []string{"a", "\x00", "z", "\x7f", "\u0080", "\u00fc", "\ud7ff", "\ue000", "\U0010ffff"}
	for range 2000 {
		var b bounds
		var texts []string
		for range 1 + random.IntN(5) {
			text, some := "", 1+random.IntN(len(letters))
			for range random.IntN(90) {
				text += letters[len(letters)-1-random.IntN(some)]
			}
			texts = append(texts, text)
			b.add([]byte(text))
		}
		least, most := b.texts()
		first, last := slices.Min(texts), slices.Max(texts)
		if string(least) > first || len(first) <= maxBound && string(least) != first || !utf8.Valid(least) || len(least) > maxBound {
			t.Errorf("%q is the least of %q", least, texts)
		}
		if most == nil {
			if r, _ := utf8.DecodeRuneInString(last); r != utf8.MaxRune {
				t.Errorf("no text is the greatest of %q", texts)
			}
		} else if string(most) < last || len(last) <= maxBound && string(most) != last || !utf8.Valid(most) || len(most) > maxBound+1 {
			t.Errorf("%q is the greatest of %q", most, texts)
		}
	}
	page := listing.Place{Place: &rewriter.Place{URL: "http://a/", Raw: "x", Ref: "y", Rule: new(rewriter.Rule)}, File: "f", Page: new(warc.Page)}
	var out bytes.Buffer
	rows := newParquetRows(&out, new(Options))
	for range groupRows + 1 { // a group with many pages, and one with a row
		rows.Write(appendRow(nil, page))
		page.URL = "http://b/"
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	url := slices.IndexFunc(listing.Columns, func(c listing.Column) bool { return c.Name == "url" })
	for i, least := range []string{"http://a/", "http://b/"} {
		chunk := f.RowGroups()[i].ColumnChunks()[url]
		index, err := chunk.ColumnIndex()
		if err != nil {
			t.Fatal(err)
		}
		for page := range index.NumPages() {
			if index.MinValue(page).String() != least || index.MaxValue(page).String() != "http://b/" {
				t.Fatalf("page %d of %d has the bounds %v and %v", page, index.NumPages(), index.MinValue(page), index.MaxValue(page))
			}
		}
		of := f.Metadata().RowGroups[i].Columns[url].MetaData.Statistics
		if string(of.MinValue) != least || string(of.MaxValue) != "http://b/" {
			t.Errorf("group %d has the bounds %q and %q", i, of.MinValue, of.MaxValue)
		}
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
