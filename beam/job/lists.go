package job

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"absolink/internal/listing"
	"absolink/rewriter"
	"absolink/rewriter/warc"

	"github.com/parquet-go/parquet-go"
)

// listFormats are the formats of lists, which their names end in.
var listFormats = []string{"jsonl", "jsonl.gz", "jsonl.zst", "parquet"}

// rowFunc appends a place to the rows of an archive.
type rowFunc func(b []byte, page *warc.Page, p *rewriter.Place) []byte

// row returns how places are put into rows: lines of JSON, or the rows that parquetRows
// reads.
func (w *Worker) row(file string) rowFunc {
	add, hosts := listing.AppendJSON, w.options.Hosts
	if w.options.List == "parquet" {
		add, hosts = appendRow, true
	}
	return func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
		return add(b, listing.Place{Place: p, File: file, Page: page, Hosts: hosts})
	}
}

// rows begins a list.
func (w *Worker) rows(dst io.Writer) (f io.WriteCloser, info string, err error) {
	if w.options.List == "parquet" {
		return newParquetRows(dst, &w.options), "", nil
	}
	f, err = listing.Compress(dst, w.options.List)
	return f, "", err
}

const timeColumn = "fetch_time" // the text of which becomes a timestamp

// longColumns have values of any length, by which nobody filters. Their bounds would stand
// in the footer of the file.
var longColumns = []string{"text", "raw", "ref", "url", "error"}

// schema has listing.Columns, in their order. A column that is optional is NULL where a text
// is "" or a number is 0.
var schema = func() *parquet.Schema {
	var fields []reflect.StructField
	for i, c := range listing.Columns {
		field := reflect.StructField{Name: fmt.Sprint("Column", i), Type: reflect.TypeFor[string]()}
		tag := c.Name
		if c.Optional {
			tag += ",optional"
		}
		switch {
		case c.Name == timeColumn:
			field.Type = reflect.TypeFor[int64]()
			tag += ",timestamp(microsecond),delta"
		case c.Number != nil:
			field.Type = reflect.TypeFor[int64]()
			tag += ",delta"
		case c.Name == "error" || !slices.Contains(longColumns, c.Name):
			tag += ",dict"
		}
		field.Tag = reflect.StructTag(fmt.Sprintf("parquet:%q", tag))
		fields = append(fields, field)
	}
	return parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
}()

// appendRow appends a row: its length, and the columns in order. A number is a varint; a text
// stands after its length.
func appendRow(b []byte, p listing.Place) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0)
	for i := range listing.Columns {
		c := &listing.Columns[i]
		if c.Number != nil {
			b = binary.AppendVarint(b, c.Number(p))
			continue
		}
		text := c.Text(p)
		if !utf8.ValidString(text) {
			text = string([]rune(text)) // each byte becomes U+FFFD, as in JSON
		}
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	return b
}

var errRow = errors.New("a row of the list is not whole")

// cutRow returns the length of the row that b begins with; 0 if b does not have all of it.
func cutRow(b []byte) int {
	if len(b) < 4 {
		return 0
	}
	n := 4 + int(binary.LittleEndian.Uint32(b))
	if len(b) < n {
		return 0
	}
	return n
}

// appendValues appends the values of a row. They are in the memory of b.
func appendValues(row parquet.Row, b []byte) (parquet.Row, error) {
	b = b[4:]
	for i := range listing.Columns {
		c := &listing.Columns[i]
		value, null := parquet.Value{}, false
		if c.Number != nil {
			n, size := binary.Varint(b)
			if size <= 0 {
				return nil, errRow
			}
			value, null, b = parquet.Int64Value(n), n == 0, b[size:]
		} else {
			length, size := binary.Uvarint(b)
			if size <= 0 || uint64(len(b)-size) < length {
				return nil, errRow
			}
			text := b[size : size+int(length)]
			value, null, b = parquet.ByteArrayValue(text), length == 0, b[size+int(length):]
			if c.Name == timeColumn {
				t, err := time.Parse(time.RFC3339, string(text)) // as in WARC 1.1, with or without a fraction
				value, null = parquet.Int64Value(t.UnixMicro()), err != nil
			}
		}
		switch {
		case !c.Optional:
			value = value.Level(0, 0, i)
		case null:
			value = parquet.Value{}.Level(0, 0, i)
		default:
			value = value.Level(0, 1, i)
		}
		row = append(row, value)
	}
	return row, nil
}

// parquetRows writes the rows that appendRow has made as Parquet.
type parquetRows struct {
	w       *parquet.Writer
	pending []byte // rows; the last one may have only its beginning
	batch   int    // the bytes of whole rows in pending
	group   int    // bytes in the row group
	inGroup int    // rows in the row group
	rows    []parquet.Row
}

// batchSize is how many bytes of rows the writer gets at a time. The writer ends pages
// between batches, so the batches must not depend on how the rows come.
const batchSize = 64 << 10

// A row group ends after groupRows rows or groupSize bytes of rows. A writer holds the row
// group in its compressed form, with the dictionaries of its columns.
const (
	groupRows = 1 << 20
	groupSize = 128 << 20
)

// newParquetRows returns a writer for the list of a job with these options.
func newParquetRows(dst io.Writer, o *Options) *parquetRows {
	options := []parquet.WriterOption{
		schema,
		parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("absolink", strconv.Itoa(Version), ""),
		parquet.KeyValueMetadata("absolink.version", strconv.Itoa(Version)),
		parquet.KeyValueMetadata("absolink.profile", o.Profile.String()),
		parquet.MaxRowsPerRowGroup(1 << 40),
	}
	for _, name := range longColumns {
		options = append(options, parquet.SkipPageBounds(name))
	}
	return &parquetRows{w: parquet.NewWriter(dst, options...)}
}

// Write takes rows, which may be cut anywhere.
func (p *parquetRows) Write(b []byte) (int, error) {
	p.pending = append(p.pending, b...)
	done := 0
	for {
		n := cutRow(p.pending[done+p.batch:])
		if n == 0 {
			break
		}
		p.batch += n
		p.group += n
		p.inGroup++
		full := p.group >= groupSize || p.inGroup == groupRows
		if !full && p.batch < batchSize {
			continue
		}
		batch := p.pending[done : done+p.batch]
		done, p.batch = done+p.batch, 0
		if err := p.write(batch, full); err != nil {
			return 0, err
		}
	}
	p.pending = append(p.pending[:0], p.pending[done:]...)
	return len(b), nil
}

// write gives rows to the writer, which copies them, and ends the row group if it is full.
func (p *parquetRows) write(b []byte, full bool) error {
	n := 0
	for len(b) > 0 {
		size := cutRow(b)
		if n == len(p.rows) {
			p.rows = append(p.rows, nil)
		}
		row, err := appendValues(p.rows[n][:0], b[:size])
		if err != nil {
			return err
		}
		p.rows[n], b = row, b[size:]
		n++
	}
	if _, err := p.w.WriteRows(p.rows[:n]); err != nil || !full {
		return err
	}
	p.group, p.inGroup = 0, 0
	return p.w.Flush()
}

// Close writes what is left, and the footer.
func (p *parquetRows) Close() error {
	if len(p.pending) > p.batch {
		return errRow
	}
	if err := p.write(p.pending, false); err != nil {
		return err
	}
	return p.w.Close()
}
