package job

import (
	"context"
	"encoding/json"
	"io"

	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// rowFunc appends a place to the rows of an archive.
type rowFunc func(b []byte, page *warc.Page, p *rewriter.Place) []byte

// row returns how places are put into rows: lines of JSON, or the rows that parquetRows
// reads. It is nil if there is no list.
func (w *Worker) row(file string) rowFunc {
	switch w.options.List {
	case "jsonl":
		return func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
			line, err := json.Marshal(rowOf(file, page, p))
			if err != nil {
				return b
			}
			return append(append(b, line...), '\n')
		}
	case "parquet":
		return func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
			return appendRow(b, rowOf(file, page, p))
		}
	}
	return nil
}

// writeRows writes the rows that write gives as the list of an archive.
func (w *Worker) writeRows(ctx context.Context, t Task, write func(io.Writer) error) (Output, error) {
	if w.options.List == "jsonl" {
		return w.out.Write(ctx, "list/"+t.Name+".jsonl", write)
	}
	return w.out.Write(ctx, "list/"+t.Name+".parquet", func(dst io.Writer) error {
		rows := newParquetRows(dst)
		if err := write(rows); err != nil {
			return err
		}
		return rows.close()
	})
}

// A listRow is a row of a list.
type listRow struct {
	File         string `json:"file" parquet:"file,dict"`
	Page         string `json:"page" parquet:"page,dict"`
	Date         string `json:"date" parquet:"date,dict"`
	Record       string `json:"record" parquet:"record,dict"`
	RecordOffset int64  `json:"record_offset" parquet:"record_offset"`
	Offset       int64  `json:"offset" parquet:"offset"`
	Element      string `json:"element" parquet:"element,dict"`
	Attr         string `json:"attr,omitempty" parquet:"attr,dict"`
	Syntax       string `json:"syntax" parquet:"syntax,dict"`
	Rel          string `json:"rel,omitempty" parquet:"rel,dict"`
	Raw          string `json:"raw" parquet:"raw"`
	Ref          string `json:"ref" parquet:"ref"`
	URL          string `json:"url,omitempty" parquet:"url"`
	Error        string `json:"error,omitempty" parquet:"error,dict"`
}

func rowOf(file string, page *warc.Page, p *rewriter.Place) *listRow {
	row := &listRow{
		File: file, Page: page.URL, Date: page.Date, Record: page.ID, RecordOffset: page.Offset,
		Offset: p.Offset, Element: p.Element, Attr: p.Attr, Syntax: p.Rule.Syntax.String(), Rel: p.Rel,
		Raw: p.Raw, Ref: p.Ref, URL: p.URL,
	}
	if p.Err != nil {
		row.Error = p.Err.Error()
	}
	return row
}
