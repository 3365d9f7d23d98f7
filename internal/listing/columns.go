// Package listing has what lists of links are made of: the columns, the line of JSON, and
// the texts in it.
package listing

import (
	"bytes"
	"slices"
	"strconv"

	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// A Place is a place in a list.
type Place struct {
	*rewriter.Place
	File  string
	Page  *warc.Page            // of the archive that File is; nil where it is not an archive
	Hosts func(url string) Host // for the columns of hosts; nil where the list lacks these
}

// A Host is the host of a URL.
type Host struct {
	// Reversed is the host as browsers see it, with its labels in reverse order, such as
	// com.example.www; the index and the web graph of Common Crawl write hosts so. It is
	// "" if the URL is not http or https, or has a host longer than any that can exist. A
	// dot at the end is not a part of it. An address stays as it is.
	Reversed string

	// Domain is the registered domain, such as example.com: one label more than a suffix
	// of the public suffix list, in its section for registries (ICANN). It is "" if there
	// is none, as for addresses.
	Domain string
}

// A Column is what a list says of each place: a text or a number.
type Column struct {
	Name   string
	Text   func(Place) string // nil where it is a number
	Number func(Place) int64

	Archived bool // only places in archives have it
	Optional bool // a line of JSON lacks it where it is empty, or 0; in Parquet it is NULL then
	Hosts    bool // only lists with Place.Hosts have it
	OfPage   bool // all places of a page have the same value
	Often    bool // its values come again and again, so that Parquet has a dictionary of them
	Time     bool // it is a time of RFC 3339, which Parquet has as a timestamp in UTC
}

// Columns are the columns of a list, in order. What the index of Common Crawl has too is
// called as there.
var Columns = []Column{
	{Name: "file", Text: func(l Place) string { return l.File }, OfPage: true, Often: true},
	{Name: "page", Text: func(l Place) string { return WithoutLogin(l.Page.URL) }, Archived: true, OfPage: true, Often: true},
	{Name: "page_host_name_reversed", Text: func(l Place) string { return l.Hosts(l.Page.URL).Reversed }, Archived: true, Optional: true, Hosts: true, OfPage: true, Often: true},
	{Name: "page_host_registered_domain", Text: func(l Place) string { return l.Hosts(l.Page.URL).Domain }, Archived: true, Optional: true, Hosts: true, OfPage: true, Often: true},
	{Name: "fetch_time", Text: func(l Place) string { return l.Page.Date }, Archived: true, Optional: true, OfPage: true, Time: true},
	{Name: "record", Text: func(l Place) string { return l.Page.ID }, Archived: true, Optional: true, OfPage: true, Often: true},
	{Name: "warc_record_offset", Number: func(l Place) int64 { return l.Page.Offset }, Archived: true, OfPage: true},
	{Name: "warc_record_length", Number: func(l Place) int64 { return l.Page.Length }, Archived: true, Optional: true, OfPage: true},
	{Name: "fetch_status", Number: func(l Place) int64 { return int64(l.Page.Status) }, Archived: true, Optional: true, OfPage: true},
	{Name: "offset", Number: func(l Place) int64 { return l.Offset }},
	{Name: "element", Text: func(l Place) string { return l.Element }, Often: true},
	{Name: "attr", Text: func(l Place) string { return l.Attr }, Optional: true, Often: true},
	{Name: "syntax", Text: func(l Place) string { return l.Rule.Syntax.String() }, Often: true},
	{Name: "rel", Text: func(l Place) string { return l.Rel }, Optional: true, Often: true},
	{Name: "text", Text: func(l Place) string { return l.Text }, Optional: true},
	{Name: "raw", Text: func(l Place) string { return l.Raw }},
	{Name: "ref", Text: func(l Place) string { return l.Ref }},
	{Name: "url", Text: func(l Place) string { return l.URL }, Optional: true},
	{Name: "url_host_name_reversed", Text: func(l Place) string { return l.Hosts(l.URL).Reversed }, Optional: true, Hosts: true, Often: true},
	{Name: "url_host_registered_domain", Text: func(l Place) string { return l.Hosts(l.URL).Domain }, Optional: true, Hosts: true, Often: true},
	{Name: "error", Text: Place.Reason, Optional: true, Often: true},
}

// Reason says why a reference has no absolute form.
func (l Place) Reason() string {
	if l.Err == nil {
		return ""
	}
	return l.Err.Error()
}

// keys are the names of the columns as they stand in a line of JSON.
var keys = func() (keys []string) {
	for _, c := range Columns {
		keys = append(keys, `,"`+c.Name+`":`)
	}
	return keys
}()

// endOfPage is the key of the first column after those of the page. No text has it: a quote in
// a string has a backslash before it.
var endOfPage = []byte(keys[slices.IndexFunc(Columns, func(c Column) bool { return !c.OfPage })])

// IsFor reports whether a place has the column.
func (c *Column) IsFor(l Place) bool {
	return (l.Page != nil || !c.Archived) && (l.Hosts != nil || !c.Hosts)
}

// AppendJSON appends a line of JSON. Where b is not empty, it has lines of the same page.
func AppendJSON(b []byte, l Place) []byte {
	out := Buffer{b: b}
	out.AddLine(l)
	return out.b
}

// AddLine adds a line of JSON, after lines of the same page.
func (b *Buffer) AddLine(l Place) {
	hasPage := l.Page != nil && len(b.b) > 0
	if hasPage {
		b.b = append(b.b, b.b[:bytes.Index(b.b, endOfPage)]...)
	} else {
		b.b = append(b.b, '{')
	}
	for i := range Columns {
		c, key := &Columns[i], keys[i]
		if i == 0 {
			key = key[len(","):]
		}
		switch {
		case c.OfPage && hasPage:
		case !c.IsFor(l):
		case c.Number != nil:
			if n := c.Number(l); n != 0 || !c.Optional {
				b.b = strconv.AppendInt(append(b.b, key...), n, 10)
			}
		default:
			if text := c.Text(l); text != "" || !c.Optional {
				b.b = append(b.b, key...)
				b.AddJSON(text)
			}
		}
	}
	b.Add("}\n")
}
