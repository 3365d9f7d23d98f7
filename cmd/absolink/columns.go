package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

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

	archived bool // only lists of archives have it
	optional bool // a line of JSON lacks it where it is empty
}

// columns are the columns of a list, in order.
var columns = []column{
	{name: "file", text: func(l listed) string { return l.file }},
	{name: "page", text: func(l listed) string { return withoutLogin(l.page.URL) }, archived: true},
	{name: "date", text: func(l listed) string { return l.page.Date }, archived: true},
	{name: "record", text: func(l listed) string { return l.page.ID }, archived: true},
	{name: "record_offset", number: func(l listed) int64 { return l.page.Offset }, archived: true},
	{name: "offset", number: func(l listed) int64 { return l.Offset }},
	{name: "element", text: func(l listed) string { return l.Element }},
	{name: "attr", text: func(l listed) string { return l.Attr }, optional: true},
	{name: "syntax", text: func(l listed) string { return l.Rule.Syntax.String() }},
	{name: "rel", text: func(l listed) string { return l.Rel }, optional: true},
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
			b = strconv.AppendInt(append(b, keys[i]...), c.number(l), 10)
		default:
			if text := c.text(l); text != "" || !c.optional {
				b = appendJSONString(append(b, keys[i]...), text)
			}
		}
	}
	b[start] = '{' // in place of the comma of the first key
	return append(b, "}\n"...)
}

// printers print a list in each format. No list of an archive comes to them.
var printers = map[string]func(w io.Writer) func(listed) error{
	"jsonl": printJSON,
	"csv":   printCSV,
	"text":  printText,
}

func printJSON(w io.Writer) func(listed) error {
	var line []byte
	return func(l listed) error {
		line = appendJSON(line[:0], l)
		_, err := w.Write(line)
		return err
	}
}

func printCSV(w io.Writer) func(listed) error {
	c := csv.NewWriter(w)
	var row []string
	for _, column := range columns {
		if !column.archived {
			row = append(row, column.name)
		}
	}
	c.Write(row)
	return func(l listed) error {
		row = row[:0]
		for _, column := range columns {
			switch {
			case column.archived:
			case column.text != nil:
				row = append(row, column.text(l))
			default:
				row = append(row, strconv.FormatInt(column.number(l), 10))
			}
		}
		c.Write(row)
		c.Flush()
		return c.Error()
	}
}

// printText prints lines for people, which lack most columns.
func printText(w io.Writer) func(listed) error {
	return func(l listed) error {
		what := l.URL
		if what == "" {
			what = fmt.Sprintf("%q", l.Ref)
		}
		if l.Err != nil {
			what += ": " + l.reason()
		}
		_, err := fmt.Fprintln(w, visible(fmt.Sprintf("%s: %s[%s] %s", l.at(l.Offset), l.Element, l.Attr, what)))
		return err
	}
}
