package job

import (
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"absolink/internal/listing"
	"absolink/rewriter"
	"absolink/rewriter/warc"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
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

// A listRow is a row of a list. Its fields are listing.Columns, in their order. A field that
// is optional is NULL if it is "" or 0.
type listRow struct {
	File         string `parquet:"file,dict"`
	Page         string `parquet:"page,dict"`
	PageHost     string `parquet:"page_host_name_reversed,optional,dict"`
	PageDomain   string `parquet:"page_host_registered_domain,optional,dict"`
	FetchTime    int64  `parquet:"fetch_time,optional,timestamp(microsecond),delta"`
	Record       string `parquet:"record,optional,dict"`
	RecordOffset int64  `parquet:"warc_record_offset,delta"`
	RecordLength int64  `parquet:"warc_record_length,optional,delta"`
	Status       int64  `parquet:"fetch_status,optional,delta"`
	Offset       int64  `parquet:"offset,delta"`
	Element      string `parquet:"element,dict"`
	Attr         string `parquet:"attr,optional,dict"`
	Syntax       string `parquet:"syntax,dict"`
	Rel          string `parquet:"rel,optional,dict"`
	Text         string `parquet:"text,optional"`
	Raw          string `parquet:"raw"`
	Ref          string `parquet:"ref"`
	URL          string `parquet:"url,optional"`
	URLHost      string `parquet:"url_host_name_reversed,optional,dict"`
	URLDomain    string `parquet:"url_host_registered_domain,optional,dict"`
	Error        string `parquet:"error,optional,dict"`
}

// numbers and texts are the fields of a row, in the order in which appendRow writes them.
// time is the text of FetchTime.
func (r *listRow) numbers() [4]*int64 {
	return [...]*int64{&r.RecordOffset, &r.RecordLength, &r.Status, &r.Offset}
}

func (r *listRow) texts(time *string) [17]*string {
	return [...]*string{
		&r.File, &r.Page, &r.PageHost, &r.PageDomain, time, &r.Record, &r.Element, &r.Attr, &r.Syntax, &r.Rel, &r.Text,
		&r.Raw, &r.Ref, &r.URL, &r.URLHost, &r.URLDomain, &r.Error,
	}
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

// rowLength returns the length of the row that b begins with; 0 if b does not have all of it.
func rowLength(b []byte) int {
	if len(b) < 4 {
		return 0
	}
	if n := 4 + int(binary.LittleEndian.Uint32(b)); n <= len(b) {
		return n
	}
	return 0
}

// read reads a row. text is the same as b; the texts of the row are parts of it.
func (r *listRow) read(b []byte, text string) error {
	b, text = b[4:], text[4:]
	for _, number := range r.numbers() {
		v, size := binary.Varint(b)
		if size <= 0 {
			return errRow
		}
		*number, b, text = v, b[size:], text[size:]
	}
	var fetched string
	for _, s := range r.texts(&fetched) {
		length, size := binary.Uvarint(b)
		if size <= 0 || uint64(len(b)-size) < length {
			return errRow
		}
		end := size + int(length)
		*s, b, text = text[size:end], b[end:], text[end:]
	}
	if t, err := time.Parse(time.RFC3339, fetched); err == nil { // as in WARC 1.1, with or without a fraction
		r.FetchTime = t.UnixMicro()
	}
	return nil
}

// parquetRows writes the rows that appendRow has made as Parquet.
type parquetRows struct {
	w       *parquet.GenericWriter[listRow]
	pending []byte // the beginning of a row
	rows    []listRow
	batch   int // bytes in rows
	group   int // bytes in the row group
	inGroup int // rows in the row group
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

// longColumns have values of any length, by which nobody filters. Their bounds would stand
// in the footer of the file.
var longColumns = []string{"text", "raw", "ref", "url", "error"}

// newParquetRows returns a writer for the list of a job with these options.
func newParquetRows(dst io.Writer, o *Options) *parquetRows {
	options := []parquet.WriterOption{
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.CreatedBy("absolink", strconv.Itoa(Version), ""),
		parquet.KeyValueMetadata("absolink.version", strconv.Itoa(Version)),
		parquet.KeyValueMetadata("absolink.profile", o.Profile.String()),
		parquet.MaxRowsPerRowGroup(1 << 40),
	}
	for _, name := range longColumns {
		options = append(options, parquet.SkipPageBounds(name))
	}
	return &parquetRows{w: parquet.NewGenericWriter[listRow](dst, options...)}
}

// Write takes rows, which may be cut anywhere.
func (p *parquetRows) Write(b []byte) (int, error) {
	all := b
	if len(p.pending) > 0 {
		p.pending = append(p.pending, b...)
		all = p.pending
	}
	var text string
	done := 0
	for n := rowLength(all); n > 0; n = rowLength(all[done:]) {
		if done == 0 {
			text = string(all) // one allocation for the texts of all rows
		}
		p.rows = append(p.rows, listRow{})
		if err := p.rows[len(p.rows)-1].read(all[done:done+n], text[done:done+n]); err != nil {
			return 0, err
		}
		done += n
		p.batch += n
		p.group += n
		p.inGroup++
		var err error
		switch {
		case p.group >= groupSize || p.inGroup == groupRows:
			err = p.flush()
		case p.batch >= batchSize:
			err = p.write()
		}
		if err != nil {
			return 0, err
		}
	}
	p.pending = append(p.pending[:0], all[done:]...)
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
	p.group, p.inGroup = 0, 0
	if err := p.write(); err != nil {
		return err
	}
	return p.w.Flush()
}

// Close writes what is left, and the footer.
func (p *parquetRows) Close() error {
	if len(p.pending) > 0 {
		return errRow
	}
	if err := p.write(); err != nil {
		return err
	}
	return p.w.Close()
}
