package job

import (
	"context"
	"io"

	"absolink/internal/listing"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// rowFunc appends a place to the rows of an archive.
type rowFunc func(b []byte, page *warc.Page, p *rewriter.Place) []byte

// row returns how places are put into rows: lines of JSON, or the rows that parquetRows
// reads. It is nil if no list is asked for.
func (w *Worker) row(file string) rowFunc {
	switch w.options.List {
	case "jsonl":
		return func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
			return listing.AppendJSON(b, listing.Place{Place: p, File: file, Page: page})
		}
	case "parquet":
		return func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
			return appendRow(b, listing.Place{Place: p, File: file, Page: page})
		}
	}
	return nil
}

// listKey is the name of the list of an archive.
func listKey(t Task, format string) string { return "list/" + t.Name + "." + format }

// writeRows writes the rows that write gives as the list of an archive.
func (w *Worker) writeRows(ctx context.Context, t Task, write func(io.Writer) error) (Output, error) {
	key := listKey(t, w.options.List)
	if w.options.List == "jsonl" {
		return w.out.Write(ctx, key, write)
	}
	return w.out.Write(ctx, key, func(dst io.Writer) error {
		rows := newParquetRows(dst)
		if err := write(rows); err != nil {
			return err
		}
		return rows.close()
	})
}
