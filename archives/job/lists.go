package job

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"absolink/internal/listing"
	"absolink/internal/listing/hosts"
	"absolink/rewriter"
	"absolink/rewriter/warc"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding"
)

// listFormats are the formats of lists, which their names end in.
var listFormats = []string{"jsonl", "jsonl.gz", "jsonl.zst", "parquet"}

// row returns what appends a place to the rows of an archive: to lines of JSON, or to the
// rows that parquetRows reads.
func (w *Worker) row(file string) func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
	add := listing.AppendJSON
	if w.options.List == "parquet" {
		add = appendRow
	}
	var of func(url string) listing.Host
	if w.options.Hosts || w.options.List == "parquet" {
		of = hosts.Of
	}
	return func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
		return add(b, listing.Place{Place: p, File: file, Page: page, Hosts: of})
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
var parquetSchema = sync.OnceValue(func() *parquet.Schema {
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
		default:
			tag += ",delta" // a link begins like the link before it
		}
		fields[i] = reflect.StructField{Name: fmt.Sprint("Column", i), Type: t, Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", tag))}
	}
	all := parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
	columns := slices.Clone(all.Fields())
	for i, c := range listing.Columns {
		if c.Text != nil && !c.Time {
			columns[i] = textColumn{columns[i]}
		}
	}
	return parquet.NewSchema("list", root{all, columns})
})

// root is the root of a schema, with other columns.
type root struct {
	parquet.Node
	columns []parquet.Field
}

func (r root) Fields() []parquet.Field { return r.columns }

// A textColumn has pages, and so row groups, whose bounds are short: the writer keeps all of
// them, and texts have any length.
type textColumn struct{ parquet.Field }

func (c textColumn) Type() parquet.Type { return textType{c.Field.Type()} }

// A textType hides the type of a dictionary, so that DictionaryMaxBytes has to stay 0: the
// writer would ask for the type to go on without the dictionary.
type textType struct{ parquet.Type }

func (t textType) NewDictionary(column, values int, data encoding.Values) parquet.Dictionary {
	return dictionary{t.Type.NewDictionary(column, values, data)}
}

func (t textType) NewColumnBuffer(column, values int) parquet.ColumnBuffer {
	return textBuffer{t.Type.NewColumnBuffer(column, values)}
}

type dictionary struct{ parquet.Dictionary }

func (d dictionary) Type() parquet.Type { return textType{d.Dictionary.Type()} }

// The writer takes pages from Page alone.
type textBuffer struct{ parquet.ColumnBuffer }

func (b textBuffer) Page() parquet.Page { return textPage{b.ColumnBuffer.Page()} }

type textPage struct{ parquet.Page }

func (p textPage) Bounds() (least, most parquet.Value, ok bool) {
	data := p.Data()
	if d := p.Dictionary(); d == nil {
		least, most, ok = p.Page.Bounds()
	} else if texts := distinct(data.Int32(), d.Len()); len(texts) > 0 {
		least, most = d.Bounds(texts)
		ok = true
	}
	if ok {
		least, most = parquet.ByteArrayValue(lower(least.ByteArray())), parquet.ByteArrayValue(upper(most.ByteArray()))
	}
	return least, most, ok
}

// distinct returns each index once, of indexes below n.
func distinct(indexes []int32, n int) (once []int32) {
	seen := make([]bool, n)
	for _, i := range indexes {
		if !seen[i] {
			seen[i] = true
			once = append(once, i)
		}
	}
	return once
}

// maxBound is how long a bound is, in bytes. The last character of an upper one may be longer
// by a byte than the character that it replaces.
const maxBound = 64

// lower returns a text of at most maxBound bytes that is not greater.
func lower(text []byte) []byte {
	if len(text) <= maxBound {
		return text
	}
	for text = text[:maxBound]; !utf8.Valid(text); {
		text = text[:len(text)-1]
	}
	return text
}

// upper returns a text that is not less, of at most maxBound+1 bytes. There is none for a text
// that begins with nothing but the greatest character: its upper bound is the text.
func upper(text []byte) []byte {
	start := lower(text)
	if len(start) == len(text) {
		return text
	}
	for len(start) > 0 {
		r, size := utf8.DecodeLastRune(start)
		start = start[:len(start)-size]
		if r++; r == 0xd800 {
			r = 0xe000
		}
		if r <= utf8.MaxRune {
			return utf8.AppendRune(slices.Clone(start), r)
		}
	}
	return text
}

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

// read adds the row in b to the columns, which keep b; endPage adds the columns of its page. A row
// without these has those of the row before.
func (p *parquetRows) read(b []byte) error {
	hasPage := b[hasPageAt] == 1
	b = b[headSize:]
	if hasPage {
		p.endPage()
	}
	p.onPage++
	for i := range listing.Columns {
		c := &listing.Columns[i]
		if c.OfPage && !hasPage {
			continue
		}
		v, n := p.value(c, b)
		if n <= 0 {
			return errRow
		}
		b = b[n:]
		if c.Optional && !v.IsNull() {
			v = v.Level(0, 1, i)
		}
		if c.OfPage {
			p.page[i] = v
		} else {
			p.columns[i] = append(p.columns[i], v)
		}
	}
	return nil
}

// endPage adds the values of the page to its columns, for each row that the page has had.
func (p *parquetRows) endPage() {
	for i, v := range p.page {
		if listing.Columns[i].OfPage {
			for range p.onPage {
				p.columns[i] = append(p.columns[i], v)
			}
		}
	}
	p.onPage = 0
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
	pending []byte            // rows that the writer does not have yet; the last one may be cut
	whole   int               // bytes of pending in whole rows
	columns [][]parquet.Value // the values of a batch; their texts are in pending
	group   int               // bytes that the row group takes
	inGroup int               // rows in the row group
	page    []parquet.Value   // the values of the page of the last row, by column
	onPage  int               // rows of the batch for which endPage has yet to add them
	err     error             // the first one; some columns may then have more rows than others
}

// batchSize is how many bytes of rows the writer gets at a time. The writer ends pages
// between batches, so the batches must not depend on how the rows come.
const batchSize = 64 << 10

// A row group ends with the batch in which it reaches groupRows rows or groupSize bytes of
// memory. A writer holds the row group in its compressed form, and the dictionaries of its
// columns with a few copies of each text.
const (
	groupRows  = 1e6
	groupSize  = 128 << 20
	dictCopies = 4
)

// codec compresses all lists: a new encoder costs as much as a short list.
var codec = &zstd.Codec{Level: zstd.SpeedFastest}

// newParquetRows returns a writer for the list of a job with these options.
func newParquetRows(dst io.Writer, o *Options) *parquetRows {
	options := []parquet.WriterOption{
		parquetSchema(), parquet.Compression(codec),
		parquet.CreatedBy("absolink", strconv.Itoa(Version), ""),
		parquet.KeyValueMetadata("absolink.version", strconv.Itoa(Version)),
		parquet.KeyValueMetadata("absolink.profile", o.Profile.String()),
		parquet.MaxRowsPerRowGroup(1 << 40), parquet.PageBufferSize(2 << 20),
		parquet.DataPageStatistics(false),
		parquet.ColumnIndexSizeLimit(func([]string) int { return 0 }), // bounds stay as textPage makes them
	}
	var filters []parquet.BloomFilterColumn
	for _, c := range listing.Columns {
		if c.Hosts {
			filters = append(filters, parquet.SplitBlockFilter(10, c.Name))
		}
	}
	options = append(options, parquet.BloomFilters(filters...))
	n := len(listing.Columns)
	return &parquetRows{
		w:       parquet.NewGenericWriter[any](dst, options...),
		columns: make([][]parquet.Value, n),
		page:    make([]parquet.Value, n),
	}
}

// Write takes rows, which may be cut anywhere.
func (p *parquetRows) Write(b []byte) (int, error) {
	p.pending = append(p.pending, b...)
	done := 0
	for n := rowLength(p.pending[p.whole:]); n > 0 && p.err == nil; n = rowLength(p.pending[p.whole:]) {
		if p.whole += n; p.whole-done >= batchSize {
			p.err = p.write(p.pending[done:p.whole])
			done = p.whole
		}
	}
	if done > 0 {
		p.pending = append(p.pending[:0], p.pending[done:]...)
		p.whole -= done
	}
	return len(b), p.err
}

// write gives rows to the writer, which copies them, and may end the row group.
func (p *parquetRows) write(rows []byte) error {
	for len(rows) > 0 {
		n := rowLength(rows)
		if err := p.read(rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
		p.group += n - headSize
		p.inGroup++
	}
	p.endPage()
	for i, c := range p.w.ColumnWriters() {
		if _, err := c.WriteRowValues(p.columns[i]); err != nil {
			return err
		}
		clear(p.columns[i]) // of texts
		p.columns[i] = p.columns[i][:0]
		if listing.Columns[i].OfPage {
			p.page[i] = p.page[i].Clone() // the next row may be of the same page
		}
	}
	if p.group < groupSize && p.inGroup < groupRows {
		return nil
	}
	p.group, p.inGroup = 0, 0
	return p.w.Flush()
}

// Close writes what is left, and the footer.
func (p *parquetRows) Close() error {
	switch {
	case p.err == nil && len(p.pending) > p.whole:
		p.err = errRow
	case p.err == nil && p.whole > 0:
		p.err = p.write(p.pending)
	}
	if p.err != nil {
		return p.err
	}
	return p.w.Close()
}
