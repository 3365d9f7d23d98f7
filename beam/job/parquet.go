package job

import (
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf8"

	"absolink/internal/listing"

	"github.com/parquet-go/parquet-go"
)

// A listRow is a row of a list. Its fields are listing.Columns, in their order.
type listRow struct {
	File         string `parquet:"file,dict"`
	Page         string `parquet:"page,dict"`
	Date         string `parquet:"date,dict"`
	Record       string `parquet:"record,dict"`
	RecordOffset int64  `parquet:"record_offset"`
	RecordLength int64  `parquet:"record_length"`
	Status       int64  `parquet:"status"`
	Offset       int64  `parquet:"offset"`
	Element      string `parquet:"element,dict"`
	Attr         string `parquet:"attr,dict"`
	Syntax       string `parquet:"syntax,dict"`
	Rel          string `parquet:"rel,dict"`
	Text         string `parquet:"text"`
	Raw          string `parquet:"raw"`
	Ref          string `parquet:"ref"`
	URL          string `parquet:"url"`
	Error        string `parquet:"error,dict"`
}

// numbers and texts are the fields of a row, in the order in which appendRow writes them.
func (r *listRow) numbers() [4]*int64 {
	return [...]*int64{&r.RecordOffset, &r.RecordLength, &r.Status, &r.Offset}
}

func (r *listRow) texts() [13]*string {
	return [...]*string{&r.File, &r.Page, &r.Date, &r.Record, &r.Element, &r.Attr, &r.Syntax, &r.Rel, &r.Text, &r.Raw, &r.Ref, &r.URL, &r.Error}
}

// appendRow appends a row: its length, the numbers, and each text after its length.
func appendRow(b []byte, p listing.Place) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0)
	for i := range listing.Columns {
		if c := &listing.Columns[i]; c.Number != nil {
			b = binary.AppendVarint(b, c.Number(p))
		}
	}
	for i := range listing.Columns {
		if c := &listing.Columns[i]; c.Text != nil {
			text := c.Text(p)
			if !utf8.ValidString(text) {
				text = string([]rune(text)) // each byte becomes U+FFFD, as in JSON
			}
			b = binary.AppendUvarint(b, uint64(len(text)))
			b = append(b, text...)
		}
	}
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	return b
}

var errRow = errors.New("a row of the list is not whole")

// cutRow reads the row that b begins with. n is 0 if b does not have all of it.
func cutRow(b []byte, r *listRow) (n int, err error) {
	if len(b) < 4 {
		return 0, nil
	}
	n = 4 + int(binary.LittleEndian.Uint32(b))
	if len(b) < n {
		return 0, nil
	}
	b = b[4:n]
	for _, number := range r.numbers() {
		v, size := binary.Varint(b)
		if size <= 0 {
			return 0, errRow
		}
		*number, b = v, b[size:]
	}
	for _, s := range r.texts() {
		length, size := binary.Uvarint(b)
		if size <= 0 || uint64(len(b)-size) < length {
			return 0, errRow
		}
		*s, b = string(b[size:size+int(length)]), b[size+int(length):]
	}
	return n, nil
}

// parquetRows writes the rows that appendRow has made as Parquet.
type parquetRows struct {
	w       *parquet.GenericWriter[listRow]
	pending []byte // the beginning of a row
	rows    []listRow
	batch   int // bytes in rows
	group   int // bytes in the row group
}

// batchSize is how many bytes of rows the writer gets at a time. The writer ends pages
// between batches, so the batches must not depend on how the rows come.
const batchSize = 64 << 10

// groupSize is how many bytes a row group has before it is compressed. It is held in
// memory.
const groupSize = 16 << 20

// longColumns have values of any length. Their bounds would stand in the footer of the file,
// and in memory until its end, for each row group.
var longColumns = []string{"element", "attr", "rel", "text", "raw", "ref", "url", "error"}

func newParquetRows(dst io.Writer) *parquetRows {
	options := []parquet.WriterOption{
		parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("absolink", "1", ""),
		parquet.MaxRowsPerRowGroup(1 << 40),
	}
	for _, name := range longColumns {
		options = append(options, parquet.SkipPageBounds(name))
	}
	return &parquetRows{w: parquet.NewGenericWriter[listRow](dst, options...)}
}

// Write takes rows, which may be cut anywhere.
func (p *parquetRows) Write(b []byte) (int, error) {
	p.pending = append(p.pending, b...)
	done := 0
	for {
		var row listRow
		n, err := cutRow(p.pending[done:], &row)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			break
		}
		done += n
		p.rows = append(p.rows, row)
		p.batch += n
		p.group += n
		switch {
		case p.group >= groupSize:
			err = p.flush()
		case p.batch >= batchSize:
			err = p.write()
		}
		if err != nil {
			return 0, err
		}
	}
	p.pending = append(p.pending[:0], p.pending[done:]...)
	return len(b), nil
}

// write gives the rows to the writer, which copies them.
func (p *parquetRows) write() error {
	_, err := p.w.Write(p.rows)
	clear(p.rows)
	p.rows, p.batch = p.rows[:0], 0
	return err
}

// flush ends a row group.
func (p *parquetRows) flush() error {
	p.group = 0
	if err := p.write(); err != nil {
		return err
	}
	return p.w.Flush()
}

func (p *parquetRows) close() error {
	if len(p.pending) > 0 {
		return errRow
	}
	if err := p.write(); err != nil {
		return err
	}
	return p.w.Close()
}
