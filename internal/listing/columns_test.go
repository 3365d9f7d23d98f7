package listing_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"absolink/internal/listing"
	"absolink/internal/listing/hosts"
	"absolink/internal/test/docs"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// The documentation has all columns. JavaScript has those of a place in a document, in what
// the WebAssembly module writes and place.js reads too.
func TestColumns(t *testing.T) {
	var all, ofPlace, texts, optional []string
	for _, c := range listing.Columns {
		all = append(all, c.Name)
		if !c.Archived && !c.Hosts && c.Name != "file" {
			ofPlace = append(ofPlace, c.Name)
			if c.Text != nil {
				texts = append(texts, c.Name)
			}
			if c.Optional {
				optional = append(optional, c.Name)
			}
		}
	}
	var documented []string
	for _, row := range docs.Table(t, "columns") {
		documented = append(documented, strings.Split(strings.ReplaceAll(row[0], "`", ""), ", ")...)
	}
	for _, list := range []struct {
		where     string
		got, want []string
	}{
		{"docs/lists.md", slices.Sorted(slices.Values(documented)), slices.Sorted(slices.Values(all))},
		{"bindings/python/absolink/_place.py, Place", docs.Names(t, "bindings/python/absolink/_place.py", "class Place(", "def __getitem__", `(?m)^    @property\n    def (\w+)\(`), ofPlace},
		{"bindings/python/absolink/_place.py, _names", docs.Names(t, "bindings/python/absolink/_place.py", "_names: Tuple[_Column, ...] = (", ")", `"(\w+)"`), texts},
		{"bindings/python/absolink/_place.py, _optional", docs.Names(t, "bindings/python/absolink/_place.py", "_optional = {", "}", `"(\w+)"`), optional},
		{"bindings/python/absolink/_place.py, Row", docs.Names(t, "bindings/python/absolink/_place.py", "class Row(", "\n\n\n", `(?m)^    (\w+):`), ofPlace},
		{"bindings/python/absolink/_place.py, Columns", docs.Names(t, "bindings/python/absolink/_place.py", "class Columns(", "\n\n\n", `(?m)^    (\w+):`), ofPlace},
		{"bindings/native/absolink.h, absolink_table", docs.Names(t, "bindings/native/absolink.h", "\tabsolink_text element, ", ";", `(\w+)`), texts[1:]},
		{"bindings/native/absolink.h, absolink_place", docs.Names(t, "bindings/native/absolink.h", "typedef struct absolink_place {", "\n}", `(?m)^\t\w+ (\w+);`), ofPlace},
		{"bindings/js/index.d.ts, Place", docs.Names(t, "bindings/js/index.d.ts", "interface Place {", "\n}", `(?m)^\t(\w+)\??:`), ofPlace},
		{"bindings/js/index.d.ts, Place, in the columns with ?", docs.Names(t, "bindings/js/index.d.ts", "interface Place {", "\n}", `(?m)^\t(\w+)\?:`), optional},
		{"bindings/js/place.js, columns", docs.Names(t, "bindings/js/place.js", "const columns = [", "]", `'(\w+)'`), texts},
		{"bindings/js/place.js, optional", docs.Names(t, "bindings/js/place.js", "const optional = new Set([", "]", `'(\w+)'`), optional},
	} {
		if difference := docs.Difference(list.got, list.want); difference != "" {
			t.Errorf("%s, compared with columns.go, %s", list.where, difference)
		}
	}
	if written := docs.Names(t, "bindings/js/wasm/main.go", "return appendTexts(dst, p.", ")\n", `(\w+\.?[\w.()]*)`); len(written) != len(texts) {
		t.Errorf("bindings/js/wasm/main.go, appendPlace, writes the texts %q; place.js reads those of the columns %q, in this order", written, texts)
	}
}

// Each column says something of a place that has everything, and no two say the same.
func TestColumnsSaySomething(t *testing.T) {
	place := listing.Place{
		Place: &rewriter.Place{
			Offset: 1, Element: "an element", Attr: "an attribute", Rule: new(rewriter.Rule), Rel: "a rel", Text: "a text", Raw: "raw", Ref: "ref",
			URL: "http://www.one.example.com/", Err: errors.New("an error"),
		},
		File: "a file", Hosts: hosts.Of,
		Page: &warc.Page{URL: "http://www.two.example.org/", Date: "a date", ID: "an ID", Status: 2, Offset: 3, Length: 4},
	}
	seen := map[string]string{"": "a place that has nothing", "0": "a place that has nothing"}
	for _, c := range listing.Columns {
		var says string
		if c.Number != nil {
			says = fmt.Sprint(c.Number(place))
		} else {
			says = c.Text(place)
		}
		if other, ok := seen[says]; ok {
			t.Errorf("column %s says %q, as does %s: give the place of this test something else there", c.Name, says, other)
		}
		seen[says] = "column " + c.Name
	}
}

// A line after others of the same page has every column, whatever the page is called.
func TestLinesOfPage(t *testing.T) {
	name := `http://h/,"offset":7,\","offset":`
	a := listing.Place{Place: &rewriter.Place{Offset: 1, Rule: new(rewriter.Rule), Raw: `,"offset":`}, File: name, Page: &warc.Page{URL: name, ID: name, Length: 4}, Hosts: hosts.Of}
	b := a
	b.Place = &rewriter.Place{Offset: 2, Rule: a.Rule, Raw: "b"}
	first, second := listing.AppendJSON(nil, a), listing.AppendJSON(nil, b)
	got := listing.AppendJSON(listing.AppendJSON(slices.Clone(first), b), a)
	if want := string(first) + string(second) + string(first); string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}
