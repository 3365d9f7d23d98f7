package job

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"absolink/archives/internal/sample"
	"absolink/internal/listing"
	"absolink/internal/listing/hosts"
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
		"":              "no archive is named",
		"\n# nothing\n": "no archive is named",
		"\x1f\x8b\b\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00": "no archive is named", // "" in gzip
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
		if !errors.As(err, new(*Refusal)) || !strings.Contains(err.Error(), want) {
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

// A line that plan does not print is refused.
func TestWrongTasks(t *testing.T) {
	for _, line := range []string{"", "--out=x", "-x.warc", "..", "a\x01", "a.warc\t\t0-9", "a.warc\t\t5-3/2 e", "a.warc\t\t-5-3/2 e", "a.warc\t\t0-10/2x e"} {
		if _, err := ParseTask(line); !errors.As(err, new(*Refusal)) {
			t.Errorf("%q: %v", line, err)
		}
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
		archives[name+".warc.gz"] = sample.Archive(1, 20) // several parts
	}
	m := manifest(t, archives)
	write(t, m, append([]byte("\ufeff"), read(t, m)...))
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
	b := sample.Archive(5, 3)
	put(t, "mem://globs/crawl", map[string][]byte{"s1/a.warc.gz": b, "s1/b.warc.gz": b, "s2/c.warc.gz": b, "d.txt": b})
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
	unfinished := filepath.Join(dir, "list/a.jsonl.17a3b4c5d6e7f809.tmp")
	write(t, unfinished, nil)
	write(t, filepath.Join(dir, "outputs.jsonl.17a3b4c5d6e7f809.tmp"), nil)
	write(t, filepath.Join(dir, "mine/a.17a3b4c5d6e7f809.tmp"), nil)
	write(t, filepath.Join(dir, "list/a.tmp"), nil)
	w := &Worker{out: d}
	if err := w.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if files := tree(t, dir); len(files) != 2 {
		t.Error(files)
	}
	write(t, unfinished, nil) // by a call that was killed, after which another did its work
	if _, err := w.Finish(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(unfinished); err == nil {
		t.Error("an unfinished file is left at the end")
	}
}

// The schema has the columns and types of the statement in docs/lists.md.
func TestParquetSchema(t *testing.T) {
	types := map[string]string{"VARCHAR": "STRING", "BIGINT": "INT(64,true)", "TIMESTAMPTZ": "TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)"}
	var got, want []string
	for _, m := range regexp.MustCompile(`(\w+)"?: '([A-Z]+)'`).FindAllSubmatch(read(t, "../../docs/lists.md"), -1) {
		want = append(want, string(m[1])+" "+types[string(m[2])])
	}
	for _, column := range parquetSchema().Fields() {
		got = append(got, column.Name()+" "+column.Type().String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the schema is\n%q\nnot\n%q", got, want)
	}
}

// Every value of the table is what the line of JSON says, and NULL where the line has nothing, in
// whatever order empty and other values come.
func TestParquetValues(t *testing.T) {
	const n = 1 << 15
	random := rand.New(rand.NewPCG(3, 7))
	var left [11]int // of the runs
	var has [11]bool
	text := func(column int, text string) string {
		if left[column]--; left[column] <= 0 {
			left[column], has[column] = 1+random.IntN(63), !has[column]
		}
		if !has[column] {
			return ""
		}
		return text + strconv.Itoa(random.IntN(99))
	}
	var out bytes.Buffer
	var lines [][]byte
	rows := newParquetRows(&out, new(Options))
	for len(lines) < n {
		page := &warc.Page{URL: cmp.Or(text(0, "https://www.example.com/"), "mailto:x"), ID: text(1, "id"), Offset: int64(len(lines)), Length: int64(len(text(2, ""))), Status: len(text(3, ""))}
		if text(4, "") != "" {
			page.Date = time.UnixMicro(random.Int64N(1e15)).UTC().Format(time.RFC3339Nano)
		}
		var b []byte
		for i := range 1 + random.IntN(3) {
			p := &rewriter.Place{Offset: int64(i), Element: "a", Attr: text(5, "href"), Rel: text(6, "x"), Text: text(7, "a\xff\u00e4\xc3"), Raw: "r", Ref: text(8, "r"), Rule: new(rewriter.Rule)}
			p.URL = cmp.Or(text(9, "http://h.example.co.uk/"), "data:,")
			if reason := text(10, "error"); reason != "" {
				p.URL, p.Err = "", errors.New(reason)
			}
			place := listing.Place{Place: p, File: "f", Page: page, Hosts: hosts.Of}
			b = appendRow(b, place)
			lines = append(lines, listing.AppendJSON(nil, place))
		}
		rows.Write(b)
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
	for i, line := range lines {
		if k, err := r.ReadRows(row); k != 1 {
			t.Fatal(err)
		}
		values := map[string]any{}
		if err := json.Unmarshal(line, &values); err != nil {
			t.Fatal(err)
		}
		for _, v := range row[0] {
			c := listing.Columns[v.Column()]
			want, ok := values[c.Name]
			var got any = v.String()
			switch {
			case v.IsNull():
				nulls[v.Column()]++
			case c.Time:
				got = time.UnixMicro(v.Int64()).UTC().Format(time.RFC3339Nano)
			case c.Number != nil:
				got = float64(v.Int64())
			}
			if v.IsNull() == ok || ok && got != want || strings.HasPrefix(fmt.Sprint(values["url"]), "data:") && strings.HasPrefix(c.Name, "url_host") && ok {
				t.Fatalf("row %d: %s is %v in %s", i, c.Name, v, line)
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

// The bounds of a text hold for it, are texts of at most 65 bytes where there are some, and are
// the text itself if it is short.
func TestParquetBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 8))
	letters := []string{"a", "\x00", "z", "\x7f", "\u0080", "\u00fc", "\ud7ff", "\ue000", "\U0010ffff"}
	for range 5000 {
		text, some := "", 1+random.IntN(len(letters))
		for range random.IntN(90) {
			text += letters[len(letters)-1-random.IntN(some)]
		}
		least, most := string(lower([]byte(text))), string(upper([]byte(text)))
		if least > text || len(text) <= maxBound && least != text || !utf8.ValidString(least) || len(least) > maxBound {
			t.Errorf("%q is the lower bound of %q", least, text)
		}
		isHighest := strings.HasPrefix(text, strings.Repeat("\U0010ffff", maxBound/4))
		if most < text || (len(text) <= maxBound || isHighest) && most != text || !utf8.ValidString(most) || len(most) > maxBound+1 && !isHighest {
			t.Errorf("%q is the upper bound of %q", most, text)
		}
	}
}

// A row of any length that comes in many parts is copied a few times, not once for each part.
func TestLongRow(t *testing.T) {
	const long, part = 16 << 20, 4 << 10
	place := &rewriter.Place{Raw: strings.Repeat("x", long), Rule: new(rewriter.Rule)}
	b := appendRow(nil, listing.Place{Place: place, File: "f", Page: new(warc.Page), Hosts: hosts.Of})
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
	rows = newParquetRows(io.Discard, new(Options))
	rows.Write(b[:len(b)-1])
	if rows.Close() == nil {
		t.Error("a row that is cut off is taken")
	}
}

// Row groups end by the memory that they take, and by their rows, wherever the rows are cut.
// Bounds, by which readers pass over groups and pages, are short.
func TestRowGroups(t *testing.T) {
	for _, row := range []struct {
		name string
		rows int
		rule func(p *rewriter.Place)
		want []int64 // rows in each group
	}{
		{"long values", 300, func(p *rewriter.Place) { p.Raw = strings.Repeat("x", 1<<20) }, []int64{128, 128, 44}},
		{"long values in a dictionary", 70, func(p *rewriter.Place) { p.Rel += strings.Repeat("x", 1<<20) }, []int64{26, 26, 18}},
		{"many rows", 1_010_000, func(p *rewriter.Place) { p.Rel = "" }, []int64{1_000_195, 9_805}}, // as batches end
	} {
		var files [2]bytes.Buffer
		writers := [2]*parquetRows{newParquetRows(&files[0], new(Options)), newParquetRows(&files[1], new(Options))}
		var b []byte
		for i := range row.rows {
			p := &rewriter.Place{Element: "a", Rel: strconv.Itoa(i), Ref: fmt.Sprintf("%8d", i), Rule: new(rewriter.Rule)}
			row.rule(p)
			b = appendRow(b[:0], listing.Place{Place: p, File: "f", Page: new(warc.Page), Hosts: hosts.Of})
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
		next := int64(0)
		for g, group := range f.Metadata().RowGroups {
			got = append(got, group.NumRows)
			for i, c := range group.Columns {
				if s := c.MetaData.Statistics; len(s.MinValue) > maxBound || len(s.MaxValue) > maxBound+1 {
					t.Errorf("%s: %v has bounds of %d and %d bytes", row.name, c.MetaData.PathInSchema, len(s.MinValue), len(s.MaxValue))
				}
				if listing.Columns[i].Name != "ref" {
					continue
				}
				pages, err := f.RowGroups()[g].ColumnChunks()[i].ColumnIndex()
				if err != nil {
					t.Fatal(err)
				}
				first, last := fmt.Sprintf("%8d", next), fmt.Sprintf("%8d", next+group.NumRows-1)
				if s := c.MetaData.Statistics; string(s.MinValue) != first || string(s.MaxValue) != last {
					t.Errorf("%s: a group has the bounds %q and %q, want %q and %q", row.name, s.MinValue, s.MaxValue, first, last)
				}
				for page := range pages.NumPages() {
					if pages.MinValue(page).String() != first || pages.MaxValue(page).String() > last {
						t.Errorf("%s: page %d has the bounds %v and %v, want %q", row.name, page, pages.MinValue(page), pages.MaxValue(page), first)
					}
					end, err := strconv.ParseInt(strings.TrimSpace(pages.MaxValue(page).String()), 10, 64)
					if err != nil {
						t.Fatal(err)
					}
					first = fmt.Sprintf("%8d", end+1)
				}
			}
			next += group.NumRows
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %d rows in the groups, want %d", row.name, got, row.want)
		}
	}
}
