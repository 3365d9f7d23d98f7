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

// appendRow appends a row: a head with the length of the row, the numbers and the lengths of
// the texts, and the texts. Where b is not empty it has rows of the same page, so the texts of
// the page are left out.
func appendRow(b []byte, p listing.Place) []byte {
	numbers := rowNumbers{p.Page.Offset, p.Page.Length, int64(p.Page.Status), p.Offset}
	host := listing.HostOf(p.URL)
	texts := rowTexts{
		pageTexts: p.Element, p.Attr, p.Rule.Syntax.String(), p.Rel, p.Text, p.Raw, p.Ref, p.URL, host.Reversed, host.Domain, p.Reason(),
	}
	if len(b) == 0 {
		host := listing.HostOf(p.Page.URL)
		copy(texts[:], []string{p.File, listing.WithoutLogin(p.Page.URL), host.Reversed, host.Domain, p.Page.Date, p.Page.ID})
	}
	row, valid := encodeRow(b, &numbers, &texts)
	if !valid {
		for i, text := range texts {
			texts[i] = string([]rune(text)) // each byte that is not UTF-8 becomes U+FFFD, as in JSON
		}
		row, _ = encodeRow(b, &numbers, &texts)
	}
	return row
}

// The numbers and the texts of a row, in the order of the columns. The first pageTexts of the
// texts are about the page; a date stands for FetchTime there.
type (
	rowNumbers [4]int64
	rowTexts   [17]string
)

const pageTexts = 6

// Where the head of a row has the numbers and the lengths of the texts, and how long it is.
const (
	numbersAt = 4
	lengthsAt = numbersAt + 8*len(rowNumbers{})
	headSize  = lengthsAt + 4*len(rowTexts{})
)

// encodeRow appends a row. valid says that the texts are UTF-8.
func encodeRow(b []byte, numbers *rowNumbers, texts *rowTexts) (row []byte, valid bool) {
	start := len(b)
	b = append(b, make([]byte, headSize)...)
	for i, n := range numbers {
		binary.LittleEndian.PutUint64(b[start+numbersAt+8*i:], uint64(n))
	}
	valid = true
	for i, text := range texts {
		valid = valid && (text == "" || utf8.RuneStart(text[0])) // no character goes on in the next text
		binary.LittleEndian.PutUint32(b[start+lengthsAt+4*i:], uint32(len(text)))
		b = append(b, text...)
	}
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start))
	return b, valid && utf8.Valid(b[start+headSize:])
}

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

// read reads the row in b. text is the same as b; the texts of the row are parts of it.
func (p *parquetRows) read(b []byte, text string) (listRow, error) {
	var n rowNumbers
	for i := range n {
		n[i] = int64(binary.LittleEndian.Uint64(b[numbersAt+8*i:]))
	}
	var t rowTexts
	text = text[headSize:]
	for i := range t {
		length := int(binary.LittleEndian.Uint32(b[lengthsAt+4*i:]))
		if length > len(text) {
			return listRow{}, errRow
		}
		t[i], text = text[:length], text[length:]
	}
	for _, i := range dictTexts {
		p.group += dictCopies * len(t[i])
	}
	if t[0] != "" { // the name of the archive
		copy(p.page[:], t[:pageTexts])
		p.fetched = 0
		if t, err := time.Parse(time.RFC3339, t[4]); err == nil { // as in WARC 1.1, with or without a fraction
			p.fetched = t.UnixMicro()
		}
	}
	page := &p.page
	return listRow{
		page[0], page[1], page[2], page[3], p.fetched, page[5], n[0], n[1], n[2], n[3],
		t[6], t[7], t[8], t[9], t[10], t[11], t[12], t[13], t[14], t[15], t[16],
	}, nil
}

// parquetRows writes the rows that appendRow has made as Parquet.
type parquetRows struct {
	w       *parquet.GenericWriter[listRow]
	pending []byte // the beginning of a row
	rows    []listRow
	batch   int // bytes in rows
	group   int // bytes that the row group takes
	inGroup int // rows in the row group

	page    [pageTexts]string // of the last row
	fetched int64             // of the last row
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

// dictTexts are the texts in columns with a dictionary, except the syntax, which has few values.
var dictTexts = [...]int{0, 1, 2, 3, 5, 6, 7, 9, 14, 15, 16}

// newParquetRows returns a writer for the list of a job with these options.
func newParquetRows(dst io.Writer, o *Options) *parquetRows {
	options := []parquet.WriterOption{
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.CreatedBy("absolink", strconv.Itoa(Version), ""),
		parquet.KeyValueMetadata("absolink.version", strconv.Itoa(Version)),
		parquet.KeyValueMetadata("absolink.profile", o.Profile.String()),
		parquet.MaxRowsPerRowGroup(1 << 40), parquet.PageBufferSize(1 << 20),
	}
	for _, name := range []string{"text", "raw", "ref", "url", "error"} { // of any length, and nobody filters by them
		options = append(options, parquet.SkipPageBounds(name))
	}
	return &parquetRows{w: parquet.NewGenericWriter[listRow](dst, options...)}
}

// Write takes rows, which may be cut anywhere.
func (p *parquetRows) Write(b []byte) (int, error) {
	p.pending = append(p.pending, b...)
	if rowLength(p.pending) == 0 {
		return len(b), nil // a long row comes in many parts
	}
	text := string(p.pending) // one allocation for the texts of all rows
	done := 0
	for n := rowLength(p.pending); n > 0; n = rowLength(p.pending[done:]) {
		row, err := p.read(p.pending[done:done+n], text[done:done+n])
		if err != nil {
			return 0, err
		}
		p.rows = append(p.rows, row)
		done += n
		p.batch += n
		p.group += n - headSize
		p.inGroup++
		if end := p.group >= groupSize || p.inGroup == groupRows; end || p.batch >= batchSize {
			if err := p.write(end); err != nil {
				return 0, err
			}
		}
	}
	p.pending = append(p.pending[:0], p.pending[done:]...)
	return len(b), nil
}

// write gives the rows to the writer, which copies them, and may end the row group.
func (p *parquetRows) write(end bool) error {
	_, err := p.w.Write(p.rows)
	clear(p.rows)
	p.rows, p.batch = p.rows[:0], 0
	if end && err == nil {
		p.group, p.inGroup = 0, 0
		err = p.w.Flush()
	}
	return err
}

// Close writes what is left, and the footer.
func (p *parquetRows) Close() error {
	if len(p.pending) > 0 {
		return errRow
	}
	if err := p.write(false); err != nil {
		return err
	}
	return p.w.Close()
}
