package job

import (
	"io"

	"absolink/internal/listing"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// listFormats are the formats of lists, which their names end in.
var listFormats = []string{"jsonl", "jsonl.gz", "jsonl.zst", "parquet"}

// rowFunc appends a place to the rows of an archive.
type rowFunc func(b []byte, page *warc.Page, p *rewriter.Place) []byte

// row returns how places are put into rows: lines of JSON, or the rows that parquetRows
// reads.
func (w *Worker) row(file string) rowFunc {
	if w.options.List == "parquet" {
		return func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
			return appendRow(b, listing.Place{Place: p, File: file, Page: page, Hosts: true})
		}
	}
	return func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
		return listing.AppendJSON(b, listing.Place{Place: p, File: file, Page: page, Hosts: w.options.Hosts})
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
