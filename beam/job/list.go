package job

import (
	"context"
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

// listKey is the name of the list of an archive.
func listKey(t Task, format string) string { return "list/" + t.Name + "." + format }

// writeRows writes the rows that write gives as the list of an archive.
func (w *Worker) writeRows(ctx context.Context, t Task, write func(io.Writer) error) (Output, error) {
	return w.out.Write(ctx, listKey(t, w.options.List), func(dst io.Writer) error {
		rows, err := w.rows(dst)
		if err != nil {
			return err
		}
		if err := write(rows); err != nil {
			return err
		}
		return rows.Close()
	})
}

// rows returns a writer of rows in the format of the list.
func (w *Worker) rows(dst io.Writer) (io.WriteCloser, error) {
	if w.options.List == "parquet" {
		return newParquetRows(dst, &w.options), nil
	}
	return listing.Compress(dst, w.options.List)
}
