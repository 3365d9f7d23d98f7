package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"sync"

	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// A listed place is a line of a list.
type listed struct {
	*rewriter.Place
	file string
	at   func(offset int64) string // the position of an offset in the file, for people
	page *warc.Page                // of the archive that file is; nil where it is not an archive
}

// A column is what a list in JSON or CSV says of each place: a text or a number.
type column struct {
	name   string
	text   func(listed) string
	number func(listed) int64

	archived bool // only places in archives have it
	optional bool // a line of JSON lacks it where it is empty, or 0
}

// columns are the columns of a list, in order.
var columns = []column{
	{name: "file", text: func(l listed) string { return l.file }},
	{name: "page", text: func(l listed) string { return withoutLogin(l.page.URL) }, archived: true},
	{name: "date", text: func(l listed) string { return l.page.Date }, archived: true},
	{name: "record", text: func(l listed) string { return l.page.ID }, archived: true},
	{name: "record_offset", number: func(l listed) int64 { return l.page.Offset }, archived: true},
	{name: "record_length", number: func(l listed) int64 { return l.page.Length }, archived: true, optional: true},
	{name: "status", number: func(l listed) int64 { return int64(l.page.Status) }, archived: true, optional: true},
	{name: "offset", number: func(l listed) int64 { return l.Offset }},
	{name: "element", text: func(l listed) string { return l.Element }},
	{name: "attr", text: func(l listed) string { return l.Attr }, optional: true},
	{name: "syntax", text: func(l listed) string { return l.Rule.Syntax.String() }},
	{name: "rel", text: func(l listed) string { return l.Rel }, optional: true},
	{name: "text", text: func(l listed) string { return l.Text }, optional: true},
	{name: "raw", text: func(l listed) string { return l.Raw }},
	{name: "ref", text: func(l listed) string { return l.Ref }},
	{name: "url", text: func(l listed) string { return l.URL }, optional: true},
	{name: "error", text: listed.reason, optional: true},
}

// reason says why a reference has no absolute form.
func (l listed) reason() string {
	if l.Err == nil {
		return ""
	}
	return l.Err.Error()
}

// keys are the names of the columns as they stand in a line of JSON.
var keys = func() (keys []string) {
	for _, c := range columns {
		keys = append(keys, `,"`+c.name+`":`)
	}
	return keys
}()

// appendJSON appends a line of JSON.
func appendJSON(b []byte, l listed) []byte {
	start := len(b)
	for i := range columns {
		c := &columns[i]
		switch {
		case c.archived && l.page == nil:
		case c.number != nil:
			if n := c.number(l); n != 0 || !c.optional {
				b = strconv.AppendInt(append(b, keys[i]...), n, 10)
			}
		default:
			if text := c.text(l); text != "" || !c.optional {
				b = appendJSONString(append(b, keys[i]...), text)
			}
		}
	}
	b[start] = '{' // in place of the comma of the first key
	return append(b, "}\n"...)
}

// A format is how a list is written: what it begins with, and a line for each place.
// append is called from several goroutines at a time.
type format struct {
	header func(b []byte) []byte // nil where there is none
	append func(b []byte, l listed) []byte
}

var formats = map[string]format{
	"jsonl": {append: appendJSON},
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
func appendCSVRow(b []byte, field func(*column) string) []byte {
	row := csvLines.Get().(*csvLine)
	defer csvLines.Put(row)
	row.fields = row.fields[:0]
	for i := range columns {
		row.fields = append(row.fields, field(&columns[i]))
	}
	row.line.Reset()
	row.writer.Write(row.fields) // to memory, which cannot fail
	row.writer.Flush()
	return append(b, row.line.Bytes()...)
}

func appendCSVHeader(b []byte) []byte {
	return appendCSVRow(b, func(c *column) string { return c.name })
}

// appendCSV appends a line of CSV. A field that a line of JSON would lack is empty.
func appendCSV(b []byte, l listed) []byte {
	return appendCSVRow(b, func(c *column) string {
		switch {
		case c.archived && l.page == nil:
			return ""
		case c.text != nil:
			return c.text(l)
		}
		if n := c.number(l); n != 0 || !c.optional {
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
		what += ": " + l.reason()
	}
	var where string
	if l.page == nil {
		where = l.at(l.Offset)
	} else {
		where = fmt.Sprintf("%s: record at byte %d: %s: byte %d", l.file, l.page.Offset, withoutLogin(l.page.URL), l.Offset)
	}
	line := fmt.Sprintf("%s: %s[%s] %s", where, l.Element, l.Attr, what)
	return append(append(b, visible(line)...), '\n')
}
