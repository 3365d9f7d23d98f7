package listing_test

import (
	"slices"
	"strings"
	"testing"

	"absolink/internal/listing"
	"absolink/internal/test/docs"
)

// The documentation has all columns. The job for Spark has them in their order and with their
// types, and JavaScript has those of a place in a document.
func TestColumns(t *testing.T) {
	var all, typed, ofPlace []string
	for _, c := range listing.Columns {
		kind := "=String"
		if c.Number != nil {
			kind = "=Long"
		}
		all, typed = append(all, c.Name), append(typed, c.Name+kind)
		if !c.Archived && !c.Hosts && c.Name != "file" {
			ofPlace = append(ofPlace, c.Name)
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
		{"contrib/cc-pyspark/absolink_job.py, LINKS", docs.Names(t, "contrib/cc-pyspark/absolink_job.py", "LINKS = schema(", "CONVERTED", `(\w+=\w+)Type`), typed},
		{"bindings/js/index.d.ts, Place", docs.Names(t, "bindings/js/index.d.ts", "interface Place {", "\n}", `(?m)^\t(\w+)\??:`), ofPlace},
	} {
		if difference := docs.Difference(list.got, list.want); difference != "" {
			t.Errorf("%s, compared with columns.go, %s", list.where, difference)
		}
	}
}
