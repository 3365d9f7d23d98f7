package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"sync"

	"absolink/internal/listing"
)

// A listed place is a line of a list.
type listed struct {
	listing.Place
	at func(offset int64) string // the position of an offset in the file, for people
}

// A format is how a list is written: what it begins with, and a line for each place.
// append is called from several goroutines at a time.
type format struct {
	header func(b []byte) []byte // nil where there is none
	append func(b []byte, l listed) []byte
}

var formats = map[string]format{
	"jsonl": {append: func(b []byte, l listed) []byte { return listing.AppendJSON(b, l.Place) }},
	"csv":   {header: appendCSVHeader, append: appendCSV},
	"text":  {append: appendText},
}

// A csvLine writes a line of CSV. It is used again, because a csv.Writer has a buffer.
type csvLine struct {
	fields []string
	line   bytes.Buffer
	writer *csv.Writer
}

var csvLines = sync.Pool{New: func() any {
	l := new(csvLine)
	l.writer = csv.NewWriter(&l.line)
	return l
}}

// appendCSVRow appends a line of CSV, with what field returns for each column.
func appendCSVRow(b []byte, field func(*listing.Column) string) []byte {
	row := csvLines.Get().(*csvLine)
	defer csvLines.Put(row)
	row.fields = row.fields[:0]
	for i := range listing.Columns {
		row.fields = append(row.fields, field(&listing.Columns[i]))
	}
	row.line.Reset()
	row.writer.Write(row.fields) // to memory, which cannot fail
	row.writer.Flush()
	return append(b, row.line.Bytes()...)
}

func appendCSVHeader(b []byte) []byte {
	return appendCSVRow(b, func(c *listing.Column) string { return c.Name })
}

// appendCSV appends a line of CSV. A field that a line of JSON would lack is empty.
func appendCSV(b []byte, l listed) []byte {
	return appendCSVRow(b, func(c *listing.Column) string {
		switch {
		case c.Archived && l.Page == nil:
			return ""
		case c.Text != nil:
			return c.Text(l.Place)
		}
		if n := c.Number(l.Place); n != 0 || !c.Optional {
			return strconv.FormatInt(n, 10)
		}
		return ""
	})
}

// appendText appends a line for people, which lacks most columns.
func appendText(b []byte, l listed) []byte {
	what := l.URL
	if what == "" {
		what = fmt.Sprintf("%q", l.Ref)
	}
	if l.Err != nil {
		what += ": " + l.Reason()
	}
	var where string
	if l.Page == nil {
		where = l.at(l.Offset)
	} else {
		where = fmt.Sprintf("%s: record at byte %d: %s: byte %d", l.File, l.Page.Offset, listing.WithoutLogin(l.Page.URL), l.Offset)
	}
	line := fmt.Sprintf("%s: %s[%s] %s", where, l.Element, l.Attr, what)
	return append(append(b, visible(line)...), '\n')
}
