package view

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"sync"

	"absolink/internal/listing"
)

// A Listed place is a line of a list.
type Listed struct {
	listing.Place
	At func(offset int64) string // the position of an offset in the file, for people
}

// A Format is how a list is written: what it begins with, and a line for each place.
// Add is called from several goroutines at a time.
type Format struct {
	header func(b *listing.Buffer, hosts bool) // nil where there is none
	Add    func(b *listing.Buffer, l Listed)
}

// Begin adds what a list begins with. hosts says whether it has the columns of hosts.
func (f Format) Begin(b *listing.Buffer, hosts bool) {
	if f.header != nil {
		f.header(b, hosts)
	}
}

// Append appends a line to b.
func (f Format) Append(b []byte, l Listed) []byte {
	to := listing.AppendTo(b)
	f.Add(to, l)
	return to.Bytes()
}

// Formats has the formats of lists, as --format names them.
var Formats = map[string]Format{
	"jsonl": {Add: func(b *listing.Buffer, l Listed) { b.AddLine(l.Place) }},
	"csv": {Add: addCSV, header: func(b *listing.Buffer, hosts bool) {
		addCSVRow(b, hosts, func(c *listing.Column) string { return c.Name })
	}},
	"text": {Add: addText},
}

// A csvLine writes a line of CSV. It is used again, because a csv.Writer has a buffer.
type csvLine struct {
	fields []string
	to     *listing.Buffer
	writer *csv.Writer
}

func (l *csvLine) Write(p []byte) (int, error) { return l.to.Write(p) }

var csvLines = sync.Pool{New: func() any {
	l := new(csvLine)
	l.writer = csv.NewWriter(l)
	return l
}}

// addCSVRow adds a line of CSV, with what field returns for each column.
func addCSVRow(b *listing.Buffer, hosts bool, field func(*listing.Column) string) {
	row := csvLines.Get().(*csvLine)
	defer csvLines.Put(row)
	row.to, row.fields = b, row.fields[:0]
	for i := range listing.Columns {
		if c := &listing.Columns[i]; hosts || !c.Hosts {
			row.fields = append(row.fields, field(c))
		}
	}
	row.writer.Write(row.fields) // to a Buffer, which does not fail
	row.writer.Flush()
	row.to = nil
	clear(row.fields)
}

// addCSV adds a line of CSV. A field that a line of JSON would lack is empty.
func addCSV(b *listing.Buffer, l Listed) {
	addCSVRow(b, l.Hosts != nil, func(c *listing.Column) string {
		switch {
		case !c.IsFor(l.Place):
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

// addText adds a line for people, which lacks most columns.
func addText(b *listing.Buffer, l Listed) {
	what := l.URL
	if what == "" {
		what = fmt.Sprintf("%q", l.Ref)
	}
	var where string
	if l.Page == nil {
		where = l.At(l.Offset)
	} else {
		where = fmt.Sprintf("%s: record at byte %d: %s: byte %d", l.File, l.Page.Offset, listing.WithoutLogin(l.Page.URL), l.Offset)
	}
	for _, s := range []string{where, ": ", l.Element, "[", l.Attr, "] ", what} {
		listing.AddVisible(b, s)
	}
	if l.Err != nil {
		listing.AddVisible(b, ": "+l.Reason())
	}
	b.Add("\n")
}
