package listing_test

import (
	"os"
	"path/filepath"
	"regexp"
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
	// found returns the names in the part of a file between two texts.
	found := func(file, begin, end, name string) (names []string) {
		b, err := os.ReadFile(filepath.Join(docs.Root(t), file))
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(b), begin)
		text, _, _ = strings.Cut(text, end)
		for _, m := range regexp.MustCompile(name).FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
		return names
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
		{"contrib/cc-pyspark/absolink_job.py, LINKS", found("contrib/cc-pyspark/absolink_job.py", "LINKS = schema(", "CONVERTED", `(\w+=\w+)Type`), typed},
		{"bindings/js/index.d.ts, Place", found("bindings/js/index.d.ts", "interface Place {", "\n}", `(?m)^\t(\w+)\??:`), ofPlace},
	} {
		if !slices.Equal(list.got, list.want) {
			t.Errorf("%s has the columns %q; columns.go has %q", list.where, list.got, list.want)
		}
	}
}
