package job

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"absolink/internal/listing"
	"absolink/rewriter"
	"absolink/rewriter/warc"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// listFormats are the formats of lists, which their names end in.
var listFormats = []string{"jsonl", "jsonl.gz", "jsonl.zst", "parquet"}

// row returns what appends a place to the rows of an archive: to lines of JSON, or to the
// rows that parquetRows reads.
func (w *Worker) row(file string) func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
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

// parquetSchema has listing.Columns, in their order.
var parquetSchema = func() *parquet.Schema {
	fields := make([]reflect.StructField, len(listing.Columns))
	for i, c := range listing.Columns {
		tag, t := c.Name, reflect.TypeFor[string]()
		if c.Optional {
			tag += ",optional"
		}
		switch {
		case c.Time:
			tag, t = tag+",timestamp(microsecond),delta", reflect.TypeFor[int64]()
		case c.Number != nil:
			tag, t = tag+",delta", reflect.TypeFor[int64]()
		case c.Often:
			tag += ",dict"
		}
		fields[i] = reflect.StructField{Name: fmt.Sprint("Column", i), Type: t, Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", tag))}
	}
	return parquet.NewSchema("list", parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()))
}()

// appendRow appends a row: its length, whether it has the columns of its page, and the
// columns: a number, or the length of a text and the text. Where b is not empty it has rows of
// the same page, so that the columns of the page are left out.
func appendRow(b []byte, p listing.Place) []byte {
	start := len(b)
	hasPage := start == 0
	b = append(b, make([]byte, headSize)...)
	if hasPage {
		b[hasPageAt] = 1
	}
	for i := range listing.Columns {
		c := &listing.Columns[i]
		switch {
		case c.OfPage && !hasPage:
		case c.Number != nil:
			b = binary.AppendVarint(b, c.Number(p))
		default:
			text := c.Text(p)
			if !utf8.ValidString(text) {
				text = string([]rune(text)) // each byte that is not UTF-8 becomes U+FFFD, as in JSON
			}
			b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
		}
	}
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start))
	return b
}

// The head of a row is its length, and whether it has the columns of its page.
const (
	hasPageAt = 4
	headSize  = hasPageAt + 1
)

var errRow = errors.New("a row of the list is not whole")

// rowLength returns the length of the row that b begins with; 0 if b does not have all of it.
func rowLength(b []byte) int {
	if len(b) < headSize {
		return 0
	}
	if n := max(headSize, int(binary.LittleEndian.Uint32(b))); n <= len(b) {
		return n
	}
	return 0
}

// read adds the row in b to the columns, which keep b.
func (p *parquetRows) read(b []byte) error {
	hasPage := b[hasPageAt] == 1
	b = b[headSize:]
	for i := range listing.Columns {
		c := &listing.Columns[i]
		v := p.page[i]
		if hasPage || !c.OfPage {
			n := 0
			if v, n = p.value(c, b); n <= 0 {
				return errRow
			}
			b = b[n:]
			if c.Optional && !v.IsNull() {
				v = v.Level(0, 1, i)
			}
			if c.OfPage {
				p.page[i] = v
			}
		}
		p.columns[i] = append(p.columns[i], v)
		if c.Long && !v.IsNull() {
			p.bounds[i].add(v.ByteArray())
		}
	}
	return nil
}

// value returns the value of a column that b begins with, and how many bytes it has there; 0
// if it is not whole. An optional value is NULL where it is empty, 0, or no time.
func (p *parquetRows) value(c *listing.Column, b []byte) (v parquet.Value, n int) {
	if c.Number != nil {
		number, n := binary.Varint(b)
		if number == 0 && c.Optional {
			return parquet.NullValue(), n
		}
		return parquet.Int64Value(number), n
	}
	length, n := binary.Uvarint(b)
	if n <= 0 || length > uint64(len(b)-n) {
		return v, 0
	}
	end := n + int(length)
	text := b[n:end:end]
	if c.Often {
		p.group += dictCopies * len(text)
	}
	switch {
	case len(text) == 0 && c.Optional:
		return parquet.NullValue(), end
	case !c.Time:
		return parquet.ByteArrayValue(text), end
	}
	t, err := time.Parse(time.RFC3339, string(text)) // as in WARC 1.1, with or without a fraction
	if err != nil {
		return parquet.NullValue(), end
	}
	return parquet.Int64Value(t.UnixMicro()), end
}

// parquetRows writes the rows that appendRow has made as Parquet.
type parquetRows struct {
	w       *parquet.GenericWriter[any]
	pending []byte            // the beginning of a row
	columns [][]parquet.Value // of the rows that the writer does not have yet
	batch   int               // bytes in these rows
	group   int               // bytes that the row group takes
	inGroup int               // rows in the row group
	page    []parquet.Value   // the columns of the page of the last row
	bounds  []bounds          // of the long columns, in the row group
	groups  [][]bounds        // of the row groups before
	dst     io.Writer
	size    int64         // of the row groups
	end     *bytes.Buffer // what follows them; nil until then
	err     error         // the first one; some columns may then have more rows than others
}

// batchSize is how many bytes of rows the writer gets at a time. The writer ends pages
// between batches, so the batches must not depend on how the rows come.
const batchSize = 64 << 10

// A row group ends after groupRows rows or groupSize bytes of memory. A writer holds the row
// group in its compressed form, and the dictionaries of its columns with a few copies of each
// text.
const (
	groupRows  = 1 << 20
	groupSize  = 128 << 20
	dictCopies = 4
)

// newParquetRows returns a writer for the list of a job with these options.
func newParquetRows(dst io.Writer, o *Options) *parquetRows {
	options := []parquet.WriterOption{
		parquetSchema, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.CreatedBy("absolink", strconv.Itoa(Version), ""),
		parquet.KeyValueMetadata("absolink.version", strconv.Itoa(Version)),
		parquet.KeyValueMetadata("absolink.profile", o.Profile.String()),
		parquet.MaxRowsPerRowGroup(1 << 40), parquet.PageBufferSize(1 << 20),
		parquet.DataPageStatistics(false),
	}
	var filters []parquet.BloomFilterColumn
	for _, c := range listing.Columns {
		if c.Long {
			options = append(options, parquet.SkipPageBounds(c.Name))
		}
		if c.Hosts {
			filters = append(filters, parquet.SplitBlockFilter(10, c.Name))
		}
	}
	options = append(options, parquet.BloomFilters(filters...))
	n := len(listing.Columns)
	p := &parquetRows{dst: dst, columns: make([][]parquet.Value, n), page: make([]parquet.Value, n), bounds: make([]bounds, n)}
	p.w = parquet.NewGenericWriter[any]((*rowGroups)(p), options...)
	return p
}

// rowGroups takes what the writer writes.
type rowGroups parquetRows

func (p *rowGroups) Write(b []byte) (int, error) {
	if p.end != nil {
		return p.end.Write(b)
	}
	n, err := p.dst.Write(b)
	p.size += int64(n)
	return n, err
}

// Write takes rows, which may be cut anywhere.
func (p *parquetRows) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	p.pending = append(p.pending, b...)
	if rowLength(p.pending) == 0 {
		return len(b), nil // a long row comes in many parts
	}
	kept := bytes.Clone(p.pending) // one allocation for the texts of all rows
	done := 0
	for n := rowLength(kept); n > 0; n = rowLength(kept[done:]) {
		if p.err = p.read(kept[done : done+n]); p.err != nil {
			return 0, p.err
		}
		done += n
		p.batch += n
		p.group += n - headSize
		p.inGroup++
		if end := p.group >= groupSize || p.inGroup == groupRows; end || p.batch >= batchSize {
			if p.err = p.write(end); p.err != nil {
				return 0, p.err
			}
		}
	}
	p.pending = append(p.pending[:0], kept[done:]...)
	return len(b), nil
}

// write gives the rows to the writer, which copies them, and may end the row group.
func (p *parquetRows) write(end bool) (err error) {
	for i, c := range p.w.ColumnWriters() {
		if len(p.columns[i]) > 0 && err == nil {
			_, err = c.WriteRowValues(p.columns[i])
		}
		clear(p.columns[i]) // of texts
		p.columns[i] = p.columns[i][:0]
	}
	p.batch = 0
	if end && err == nil {
		p.groups, p.bounds = append(p.groups, p.bounds), make([]bounds, len(p.bounds))
		p.group, p.inGroup = 0, 0
		err = p.w.Flush()
	}
	return err
}

// Close writes what is left, and the footer.
func (p *parquetRows) Close() error {
	if p.err != nil {
		return p.err
	}
	if len(p.pending) > 0 {
		return errRow
	}
	if err := p.write(true); err != nil {
		return err
	}
	p.end = new(bytes.Buffer)
	if err := p.w.Close(); err != nil {
		return err
	}
	end, err := p.withBounds(p.end.Bytes())
	if err == nil {
		_, err = p.dst.Write(end)
	}
	return err
}

// withBounds gives the long columns bounds, in the footer and in the index of pages. The writer
// would keep the bounds of each page whole. Without them, it writes an index in which they are
// empty, by which readers pass over the pages. Here, each page has the bounds of its row group.
//
// written has the indexes of all columns, the offsets of their pages, and the footer.
func (p *parquetRows) withBounds(written []byte) ([]byte, error) {
	const tail = len("size") + len("PAR1")
	begin := len(written) - tail - int(binary.LittleEndian.Uint32(written[len(written)-tail:]))
	var meta format.FileMetaData
	if err := thrift.Unmarshal(compact, written[begin:len(written)-tail], &meta); err != nil {
		return nil, err
	}
	var out []byte
	at := 0
	for g := range meta.RowGroups {
		for i := range listing.Columns {
			column := &meta.RowGroups[g].Columns[i]
			from := int(column.ColumnIndexOffset - p.size)
			index := written[from : from+int(column.ColumnIndexLength)]
			out = append(out, written[at:from]...)
			at = from + len(index)
			if listing.Columns[i].Long {
				var err error
				if index, err = p.groups[g][i].set(&column.MetaData.Statistics, index); err != nil {
					return nil, err
				}
			}
			column.ColumnIndexOffset, column.ColumnIndexLength = p.size+int64(len(out)), int32(len(index))
			out = append(out, index...)
		}
	}
	for g := range meta.RowGroups {
		for i := range listing.Columns {
			meta.RowGroups[g].Columns[i].OffsetIndexOffset += int64(len(out) - at)
		}
	}
	footer, err := thrift.Marshal(compact, &meta)
	out = append(append(out, written[at:begin]...), footer...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "PAR1"...), err
}

var compact = new(thrift.CompactProtocol)

// maxBound is how long the bounds of a column with long texts are.
const maxBound = 64

// bounds are the beginnings of the least and the greatest text of a column, with a byte more
// than maxBound where more of the text follows.
type bounds struct{ least, most []byte }

func (b *bounds) add(text []byte) {
	text = text[:min(len(text), maxBound+1)]
	if b.least == nil || bytes.Compare(text, b.least) < 0 {
		b.least = append(make([]byte, 0, maxBound+1), text...)
	}
	if b.most == nil || bytes.Compare(text, b.most) > 0 {
		b.most = append(make([]byte, 0, maxBound+1), text...)
	}
}

// set sets the bounds of a row group, and returns the index of its pages with them.
func (b *bounds) set(group *format.Statistics, index []byte) ([]byte, error) {
	least, most := b.texts()
	if most != nil {
		group.MinValue, group.MaxValue = least, most
	} else {
		most = []byte{0xff} // greater than any text
	}
	var pages format.ColumnIndex
	if err := thrift.Unmarshal(compact, index, &pages); err != nil {
		return nil, err
	}
	for i, isNull := range pages.NullPages {
		if !isNull {
			pages.MinValues[i], pages.MaxValues[i] = least, most
		}
	}
	return thrift.Marshal(compact, &pages)
}

// texts returns a text that is not greater than any in the column, and one that is not less:
// nil if none is known.
func (b *bounds) texts() (least, most []byte) {
	least, most = b.least, b.most
	if len(least) > maxBound {
		for least = least[:maxBound]; !utf8.Valid(least); {
			least = least[:len(least)-1]
		}
	}
	if len(most) <= maxBound {
		return least, most
	}
	for most = most[:maxBound]; len(most) > 0; {
		r, size := utf8.DecodeLastRune(most)
		most = most[:len(most)-size]
		if size > 1 || r < utf8.RuneSelf { // otherwise the rest of a character
			if r++; r == 0xd800 {
				r = 0xe000
			}
			if r <= utf8.MaxRune {
				return least, utf8.AppendRune(most, r)
			}
		}
	}
	return least, nil
}
